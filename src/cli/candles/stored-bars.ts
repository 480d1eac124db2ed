/** A simulation of the bars that the service keeps: refused before anything is started, and asked for at the service's own time. */
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { databaseClock } from '../../adapters/store/simulated-time.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import type { Service } from '../ports.ts';
import { withWriterDatabase } from '../service-database.ts';

/**
 * @param askedAt what is asked for at a time of the service. @throws Error if its words are wrong.
 * @param work is given the database and what is asked for now, with the time of it.
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
