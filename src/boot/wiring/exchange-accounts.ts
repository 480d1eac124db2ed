/** Spot exchange keys of organizations in every process, and the key of the sandbox. */
import { resolve } from 'node:path';
import { runEvery } from '../../../actors/runtime/run-every.ts';
import { readExchangeKey, writeExchangeKey } from '../../adapters/signing-keys/exchange-keys.ts';
import { createExchangeAccountStore } from '../../adapters/store/callers/exchange-account-store.ts';
import type { Sql } from '../../adapters/store/database.ts';
import { EXAMPLE_ORGANIZATION } from '../../sandbox/example-organization.ts';
import { SANDBOX_EXCHANGE_ACCOUNT, SANDBOX_EXCHANGE_KEY } from '../../sandbox/spotexchange/sandbox-accounts.ts';
import type { ServiceProcess } from '../service-process.ts';

/** Maximum time until every process knows an added or removed key. */
const LOOK_MS = 5_000;

export type ExchangeAccounts = Awaited<ReturnType<typeof followExchangeAccounts>>;

/** Follows the organizations' accounts if live orders on the exchange are enabled. */
export async function followExchangeAccounts({ config, clock, warn, onStop }: ServiceProcess, sql: Sql) {
  let holders: ReadonlySet<string> = new Set();
  const exchangeAccounts = { has: (orgId: string): boolean => holders.has(orgId) };
  if (!config.SVC_LIVE_SPOTEXCHANGE_ENABLED) return exchangeAccounts;
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
  return exchangeAccounts;
}

/** Gives the example organization an account at the sandbox's exchange if it has none. */
export async function seedExchangeKey({ config, clock }: Pick<ServiceProcess, 'config' | 'clock'>, owner: Sql): Promise<void> {
  const home = resolve(config.SEVENGATE_HOME);
  if (config.SPOTEXCHANGE_URL !== null || readExchangeKey(home, EXAMPLE_ORGANIZATION) !== null) return;
  const store = createExchangeAccountStore(owner);
  if ((await store.all()).some(({ orgId }) => orgId === EXAMPLE_ORGANIZATION)) return;
  const addedAt = clock.now();
  writeExchangeKey(home, EXAMPLE_ORGANIZATION, { ...SANDBOX_EXCHANGE_KEY, account: SANDBOX_EXCHANGE_ACCOUNT, addedAt });
  await store.note(EXAMPLE_ORGANIZATION, SANDBOX_EXCHANGE_ACCOUNT, addedAt);
}
