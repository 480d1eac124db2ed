/** Reserves of vaults: checks by a worker of the assets that back vaults, and the sources of these assets. */
import type { VaultReserves } from '../../../actors/agent/vault-handler.ts';
import type { OnchainPredictions } from '../../../actors/prediction-order/onchain-venue.ts';
import type { RecurringWork } from '../../../actors/runtime/recurring.ts';
import type { ServiceMetrics } from '../../adapters/log/metrics.ts';
import { createPrimaryWallets } from '../../adapters/solana/primary-wallets.ts';
import type { Sql } from '../../adapters/store/database.ts';
import { createReserveStore, createSimulatedReserves, type ReserveReads } from '../../adapters/store/vaults/reserve-store.ts';
import { openSpotAccounts } from '../../adapters/venues/spotexchange/access.ts';
import { unknownCheck } from '../../domain/books/reserves.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import { createReserveCheck, RESERVES_MS, type ReservePlaces } from '../../trading/reserve-check.ts';
import type { WorkerDeps } from '../capabilities/capability.ts';
import type { Config } from '../config.ts';
import type { ExchangeAccounts } from './exchange-accounts.ts';
import type { OutsideReach } from '../outside/index.ts';
import type { ServiceProcess } from '../service-process.ts';
import { namedSystems } from '../sandbox/simulated-clock.ts';
import type { SignExchangeRequest } from '../../adapters/identity/signer/protocol.ts';

/** True if vaults hold real assets: orders go to the exchange, or a real node of the primary chain is configured. */
function isRealMoney(config: Pick<Config, 'SVC_LIVE_SPOTEXCHANGE_ENABLED' | 'SPOTCHAIN_RPC_URL'>): boolean {
  return config.SVC_LIVE_SPOTEXCHANGE_ENABLED || config.SPOTCHAIN_RPC_URL !== null;
}

/** True if no real system is configured and no live order goes to the exchange, so that dollars are simulated. */
export function isSimulatedMoney(config: Config): boolean {
  return !isRealMoney(config) && namedSystems(config).length === 0;
}

/**
 * Opens the backing of deposits: account comparisons, simulated dollars in a sandbox, or nothing if real systems but no account are
 * configured.
 */
export function openVaultReserves(config: Config, sql: Sql, clock: { now(): EpochMs }): VaultReserves & ReserveReads {
  const store = createReserveStore(sql);
  if (isRealMoney(config)) return store;
  if (isSimulatedMoney(config)) return createSimulatedReserves(sql, clock);
  const real = namedSystems(config).join(', ');
  const why = `no place that holds money is set up: set SPOTCHAIN_RPC_URL or SVC_LIVE_SPOTEXCHANGE_ENABLED beside ${real}`;
  return { ...store, newest: async () => ({ ...unknownCheck(why, clock.now()), number: null }) };
}

/** Opens the sources of reserves, or returns null if no real assets are held. */
export function openReservePlaces(
  { config, clock, metrics, onStop }: ServiceProcess,
  reach: OutsideReach,
  accounts: ExchangeAccounts,
  sign: SignExchangeRequest | null,
  predictions: OnchainPredictions | null,
): ReservePlaces | null {
  if (!isRealMoney(config)) return null;
  const exchange = config.SVC_LIVE_SPOTEXCHANGE_ENABLED && sign !== null ? openSpotAccounts(reach, sign) : null;
  if (exchange !== null) onStop('the accounts whose balances are compared', async () => exchange.close());
  const { rpcUrl } = reach.addresses.spotchain;
  const wallets = rpcUrl === null ? null : createPrimaryWallets(rpcUrl, clock, (code) => metrics.unanswered('primarychain', code));
  if (wallets !== null) onStop('the wallets whose balances are compared', async () => wallets.close());
  return {
    exchange: exchange === null ? null : { hasAccount: accounts.has, read: exchange.read },
    balancesOf: wallets?.balancesOf ?? null,
    positionsOf: predictions?.venue.positions ?? null,
  };
}

/** Returns the work that compares all reserves every two minutes, planned by the queue. */
export function reserveWork(
  { sql, trading, clock, containment }: WorkerDeps,
  metrics: Pick<ServiceMetrics, 'reservesCompared'>,
): readonly RecurringWork[] {
  const places = trading?.reserves;
  if (places === undefined) return [];
  const what = 'comparing what vaults claim with what is held';
  const { run } = createReserveCheck({ store: createReserveStore(sql), places, clock, contained: containment(what) });
  return [{ what, everyMs: RESERVES_MS, run: async () => metrics.reservesCompared(await run()) }];
}
