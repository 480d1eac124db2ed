/** Spot-exchange keys of organizations, as every process knows them, and the key that the sandbox issues. */
import { resolve } from 'node:path';
import { runEvery } from '../../../actors/runtime/run-every.ts';
import { readExchangeKey, writeExchangeKey } from '../../adapters/signing-keys/exchange-keys.ts';
import { createExchangeAccountStore } from '../../adapters/store/callers/exchange-account-store.ts';
import type { Sql } from '../../adapters/store/database.ts';
import { EXAMPLE_ORGANIZATION } from '../../sandbox/example-organization.ts';
import { SANDBOX_EXCHANGE_ACCOUNT, SANDBOX_EXCHANGE_KEY } from '../../sandbox/spotexchange/simulators.ts';
import type { ServiceProcess } from '../service-process.ts';

/** A key that was added or removed is known to every process after so long at most. */
const LOOK_MS = 5_000;

export interface ExchangeAccounts {
  readonly has: (orgId: string) => boolean;
}

/** Follows whose account is whose where live orders on the exchange are on; elsewhere nobody asks. */
export async function followExchangeAccounts({ config, clock, warn, onStop }: ServiceProcess, sql: Sql): Promise<ExchangeAccounts> {
  let holders: ReadonlySet<string> = new Set();
  if (!config.SVC_LIVE_SPOTEXCHANGE_ENABLED) return { has: (orgId) => holders.has(orgId) };
  const store = createExchangeAccountStore(sql);
  const look = async (): Promise<void> => {
    const present = (await store.all()).filter(({ removedAt }) => removedAt === null);
    holders = new Set(present.map(({ orgId }) => orgId));
  };
  await look();
  const following = runEvery(
    clock,
    'reading whose account at the exchange is whose',
    LOOK_MS,
    look,
    warn('reading whose account at the exchange is whose'),
  );
  onStop('the accounts at the exchange', () => following.stop());
  return { has: (orgId) => holders.has(orgId) };
}

/** Gives the example organization its account at the sandbox's exchange, if it has none yet. */
export async function seedExchangeKey({ config, clock }: Pick<ServiceProcess, 'config' | 'clock'>, owner: Sql): Promise<void> {
  const home = resolve(config.SEVENGATE_HOME);
  if (config.SPOTEXCHANGE_URL !== null || readExchangeKey(home, EXAMPLE_ORGANIZATION) !== null) return;
  const store = createExchangeAccountStore(owner);
  if ((await store.all()).some(({ orgId }) => orgId === EXAMPLE_ORGANIZATION)) return;
  const addedAt = clock.now();
  writeExchangeKey(home, EXAMPLE_ORGANIZATION, { ...SANDBOX_EXCHANGE_KEY, account: SANDBOX_EXCHANGE_ACCOUNT, addedAt });
  await store.note(EXAMPLE_ORGANIZATION, SANDBOX_EXCHANGE_ACCOUNT, addedAt);
}
