/** Clock of a service whose sandbox time was moved: ahead of the machine's, and never used with real systems. */
import type { Sql } from '../../adapters/store/database.ts';
import { simulatedTime } from '../../adapters/store/simulated-time.ts';
import { isoTime } from '../../domain/values/time.ts';
import type { Config } from '../config.ts';
import type { ServiceProcess } from '../service-process.ts';

/** Servers that belong to the service itself. */
const OWN_SERVERS: ReadonlySet<string> = new Set(['DATABASE_URL', 'REDIS_URL']);

/** Returns the settings that name an outside system, which the sandbox then does not simulate. */
export function namedSystems(config: Config): readonly string[] {
  return Object.entries(config).flatMap(([name, value]) =>
    (name.endsWith('_URL') || name === 'IDP_ISSUER') && !OWN_SERVERS.has(name) && value !== null && value !== 'sandbox' ? [name] : [],
  );
}

/**
 * Sets the process's clock to the time of its database.
 * @throws Error if the database has simulated time and a real system is configured, where simulated results must not count
 */
export async function takeDatabaseTime(
  { config, log, setAhead }: Pick<ServiceProcess, 'config' | 'log' | 'setAhead'>,
  sql: Sql,
): Promise<void> {
  const simulated = await simulatedTime(sql);
  if (simulated === null) return;
  const real = namedSystems(config);
  if (real.length > 0)
    throw new Error(
      `the time of this database was advanced from ${isoTime(simulated.since)}, so everything since is simulated, and these settings name real systems: ${real.join(', ')}; unset them, or use a separate database for the real service`,
    );
  setAhead(simulated.aheadMs);
  log.warn(
    { since: isoTime(simulated.since), aheadMs: simulated.aheadMs },
    'the time of this sandbox was advanced: everything written is simulated',
  );
}
