/** Agent tokens and received multipliers of this process's catalog, added before anything else starts and from then on. */
import { runEvery } from '../../../actors/runtime/run-every.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import { createListedTokenStore, loadListedTokens } from '../../adapters/store/catalog/listed-token-store.ts';
import { loadMultipliers } from '../../adapters/store/catalog/token-multipliers.ts';
import type { Sql } from '../../adapters/store/database.ts';
import { SANDBOX_AGENT_TOKENS } from '../../sandbox/agent-tokens.ts';
import type { Logger } from '../../adapters/log/log.ts';

/** Maximum time until every process knows a listing. */
const LOOK_MS = 5_000;

export async function followListedTokens(deps: {
  readonly sql: Sql;
  readonly isSandboxed: boolean;
  /** True if this process may list tokens. The sandbox's tokens are listed by one that may. */
  readonly mayList: boolean;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly log: Logger;
}): Promise<{ stop(): Promise<void> }> {
  const { sql, isSandboxed, mayList, clock, log } = deps;
  const store = createListedTokenStore(sql);
  if (isSandboxed && mayList) for (const token of SANDBOX_AGENT_TOKENS) await store.add(token);
  let told = '';
  const look = async (): Promise<void> => {
    const refused = (await loadListedTokens(sql, isSandboxed)).join('; ');
    if (refused !== told && refused !== '') log.warn({ refused }, 'the catalog refuses listed tokens');
    told = refused;
    await loadMultipliers(sql);
  };
  await look();
  return runEvery(clock, 'reading the listed tokens', LOOK_MS, look, (error) =>
    log.warn({ err: error }, 'the listed tokens could not be read'),
  );
}
