/** Simulation of the service's stored bars. Invalid arguments are refused before anything starts, and the service's own time applies. */
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { databaseClock } from '../../adapters/store/simulated-time.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import type { Service } from '../ports.ts';
import { withWriterDatabase } from '../service-database.ts';

/**
 * Runs work on the stored bars.
 * @param askedAt builds the request for a time of the service; throws if the arguments are invalid
 * @param work receives the database, the request and its time
 */
export async function workOnStoredBars<Asked, Outcome>(
  service: Service,
  askedAt: (now: EpochMs) => Asked,
  work: (databaseUrl: string, asked: Asked & { readonly createdAt: EpochMs }) => Promise<Outcome>,
): Promise<Outcome> {
  // Wrong arguments are reported before anything is started.
  askedAt(createLiveClock().now());
  return withWriterDatabase(
    service,
    'sevengate backtest',
    async (sql, databaseUrl) => {
      const now = (await databaseClock(sql)).now();
      return work(databaseUrl, { ...askedAt(now), createdAt: now });
    },
    'api',
  );
}
