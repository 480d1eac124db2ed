/** The marketplace as the API asks for it. */
import { createListingHandler } from '../../actors/listing/command-handler.ts';
import type { ApiPorts } from '../../api/ports.ts';
import type { Clock } from '../../streams/clock.ts';
import type { Sql } from '../adapters/store/database.ts';
import { createListingStore } from '../adapters/store/marketplace/listing-store.ts';

export function createMarketplace(sql: Sql, clock: Pick<Clock, 'now'>, newId: () => string): ApiPorts['marketplace'] {
  const store = createListingStore(sql);
  return { listings: { reads: store, commands: createListingHandler({ store, clock, newId }) } };
}
