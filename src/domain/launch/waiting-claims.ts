/** Claimable amounts of a launch, from its accounts at one moment. */
import { type Outcome, refuse } from '../values/refusal.ts';
import type { PoolConfigAccount, VirtualPoolAccount } from './curve/program.ts';
import type { ClaimKind } from './launch-transactions.ts';
import {
  type Claimer,
  type EscrowAccount,
  MIGRATION_FEE_BITS,
  computeMigrationFee,
  computeSurplus,
  computeUnlocked,
} from './withdrawals.ts';

/** Accounts of a launch. The escrow is null if nothing is locked, or not yet. */
export interface LaunchAccounts {
  readonly pool: VirtualPoolAccount;
  readonly config: PoolConfigAccount;
  readonly escrow: EscrowAccount | null;
}

/** Raw units of both tokens. */
interface Waiting {
  readonly quote: bigint;
  readonly base: bigint;
}

const conflict = (detail: string): Outcome<never> => refuse('state_conflict', detail);

/**
 * Returns the amount that the creator or the partner can claim. Refuses with `state_conflict` and the reason if there is none. `now` in
 * Unix seconds.
 */
export function waitingFor(accounts: LaunchAccounts, kind: ClaimKind, as: Claimer, now: bigint): Outcome<Waiting> {
  if (kind === 'fees') return waitingFees(accounts, as);
  if (kind === 'unlocked') return waitingUnlocked(accounts, as, now);
  return waitingOnce(accounts, kind, as);
}

function waitingFees({ pool }: LaunchAccounts, as: Claimer): Outcome<Waiting> {
  const [quote, base] = as === 'creator' ? [pool.creatorQuoteFee, pool.creatorBaseFee] : [pool.partnerQuoteFee, pool.partnerBaseFee];
  return quote === 0n && base === 0n ? conflict(`there are no fees for the ${as} to claim`) : { ok: true, value: { quote, base } };
}

/** Returns the surplus or migration fee, each of which is paid out once after the curve is complete. */
function waitingOnce({ pool, config }: LaunchAccounts, kind: 'surplus' | 'migration_fee', as: Claimer): Outcome<Waiting> {
  if (pool.quoteReserve < config.migrationQuoteThreshold) return conflict('the curve is not complete');
  const words = kind === 'surplus' ? 'surplus' : 'migration fee';
  const isOut =
    kind === 'surplus'
      ? (as === 'creator' ? pool.isCreatorWithdrawSurplus : pool.isPartnerWithdrawSurplus) !== 0
      : (pool.migrationFeeWithdrawStatus & MIGRATION_FEE_BITS[as]) !== 0;
  if (isOut) return conflict(`the ${as} has already claimed the ${words}`);
  const quote = kind === 'surplus' ? computeSurplus(config, pool, as) : computeMigrationFee(config, as);
  return quote === 0n ? conflict(`the launch has no ${words} for the ${as}`) : { ok: true, value: { quote, base: 0n } };
}

function waitingUnlocked({ escrow }: LaunchAccounts, as: Claimer, now: bigint): Outcome<Waiting> {
  if (as !== 'creator') return conflict('only the creator has tokens in the locker');
  if (escrow === null) return conflict('the locker holds no tokens of the launch');
  const base = computeUnlocked(escrow, now);
  return base <= 0n ? conflict('no more tokens are unlocked now') : { ok: true, value: { quote: 0n, base } };
}
