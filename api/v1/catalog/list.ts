/** GET /v1/catalog: lists every instrument that an agent may name, with its present price. */
import { Type } from 'typebox';
import { type CatalogEntry, VENUE_CLASSIFICATIONS } from '../../../src/domain/catalog/catalog.ts';
import { POSITIONS, pageBody, pageOfKeyed, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { choice, ExecutableVenueWord, objectOf, pageFields, pageOf } from '../../shapes.ts';
import { CatalogEntryBody, entryBody, KindWord } from './entry-body.ts';

/** True if a search word occurs in one of the instrument's names, ignoring case and punctuation. */
function isNamed(entry: CatalogEntry, word: string): boolean {
  const names = [entry.instrument, entry.name, entry.underlying, ...entry.pairs, ...(entry.token === null ? [] : [entry.token.mint])];
  return names.some((name) => name.toLowerCase().includes(word));
}

export const listCatalog = defineRoute({
  method: 'GET',
  url: '/v1/catalog',
  name: 'listCatalog',
  tag: 'market',
  summary: 'Every instrument that an agent may name',
  permission: 'market:read',
  cost: 'read',
  schema: {
    querystring: objectOf({
      venue: Type.Optional(ExecutableVenueWord),
      kind: Type.Optional(KindWord),
      classification: Type.Optional(choice(VENUE_CLASSIFICATIONS)),
      underlying: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: 'Underlying that it gives exposure to, e.g. `BTC`.' }),
      ),
      q: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: 'Part of a symbol, name, pair, underlying or mint, in any case.' }),
      ),
      ...pageFields,
    }),
  },
  answers: { 200: { description: 'A page of the catalog, by venue and instrument.', schema: pageOf(CatalogEntryBody) } },
  refusals: [],
  handle: (ports) => (request) => {
    const { venue, kind, classification, underlying, q } = request.query;
    const word = q?.trim().toLowerCase();
    const page = pageOfQuery(request.query, 'catalog', POSITIONS.instrument);
    const found = ports.catalog.entries.entries.filter(
      (entry) =>
        (venue === undefined || entry.venue === venue) &&
        (kind === undefined || entry.kind === kind) &&
        (classification === undefined || entry.classification === classification) &&
        (underlying === undefined || entry.underlying === underlying) &&
        (word === undefined || isNamed(entry, word)),
    );
    return pageBody(
      pageOfKeyed(found, ({ key }) => key, page),
      'catalog',
      (entry) => entryBody(ports, entry),
    );
  },
});
