/**
 * Separates the holders of a token: curves, pools, lockers and burn addresses from wallets. Only the shares of wallets measure
 * concentration.
 */

import { POOL_AUTHORITY, SUCCESSOR_AUTHORITY, SUCCESSOR_PROGRAM } from '../launch/curve/program.ts';
import { CURVE_PROGRAM, LOCKER_PROGRAM } from '../solana/programs.ts';

export const HOLDER_KINDS = ['wallet', 'curve', 'pool', 'locker', 'burned'] as const;
type HolderKind = (typeof HOLDER_KINDS)[number];

/** One token account, as a node reports it. */
export interface TokenHolding {
  readonly account: string;
  readonly owner: string;
  /** Program that owns the owner's account, or null if the owner has no account, like new wallets. */
  readonly ownerProgram: string | null;
  /** Raw units. */
  readonly amount: bigint;
}

/** The largest accounts of a mint at one slot. */
export interface HolderReading {
  readonly slot: number;
  /** Raw units. */
  readonly supply: bigint;
  readonly decimals: number;
  /** Largest first, at most `asked` of them. */
  readonly holdings: readonly TokenHolding[];
  readonly asked: number;
}

interface WalletShare {
  readonly owner: string;
  readonly amount: bigint;
  /** Share of the circulating supply, in percent. */
  readonly pct: number;
}

export interface HolderConcentration {
  readonly slot: number;
  readonly supply: bigint;
  /** Supply outside of curves, pools, lockers and burn addresses. */
  readonly circulating: bigint;
  readonly excluded: readonly { readonly kind: Exclude<HolderKind, 'wallet'>; readonly amount: bigint; readonly pctOfSupply: number }[];
  /** Largest first, each owner once. */
  readonly wallets: readonly WalletShare[];
  /** Percent of the circulating supply, or null if nothing circulates. */
  readonly top1Pct: number | null;
  readonly top10Pct: number | null;
  /** False if there are more accounts than a node reports. Smaller ones are then in no sum, and excluded ones may be missing. */
  readonly isComplete: boolean;
}

const BURN_ADDRESSES: ReadonlySet<string> = new Set(['1nc1nerator11111111111111111111111111111111', '11111111111111111111111111111111']);
/** Owners of the accounts of every pool of a program. */
const AUTHORITIES: ReadonlyMap<string, HolderKind> = new Map([
  [POOL_AUTHORITY, 'curve'],
  [SUCCESSOR_AUTHORITY, 'pool'],
  // Raydium's constant-product pools.
  ['5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1', 'pool'],
  ['GpMZbSM2GgvTKHJirzeGfMFoaZ8UR2X7F4v8vHTvxFbL', 'pool'],
]);
/** Programs whose pools own their accounts directly. */
const PROGRAMS: ReadonlyMap<string, HolderKind> = new Map([
  [CURVE_PROGRAM, 'curve'],
  [SUCCESSOR_PROGRAM, 'pool'],
  [LOCKER_PROGRAM, 'locker'],
  // pump.fun's curve and its pools, Orca, Raydium's concentrated pools, Meteora's bins, Streamflow's lockers.
  ['6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P', 'curve'],
  ['pAMMBay6oceH9fJKAxRdZh1wvTLWWHKhDgjLzkZLQjs', 'pool'],
  ['whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc', 'pool'],
  ['CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK', 'pool'],
  ['LBUZKhRxPF3XUpBCjp4YzTKgLccjZhTSDM9YuVaPwxo', 'pool'],
  ['strmRqUCoQUgGUan5YhzUZa6KqdzwX5L6FpUxfmKg5m', 'locker'],
]);

/**
 * Returns the kind of an owner. An unknown owner is a wallet, because it can sell. `makers` are the market makers that quote against the
 * venue's takers.
 */
export function holderKind(
  { owner, ownerProgram }: Pick<TokenHolding, 'owner' | 'ownerProgram'>,
  makers: ReadonlySet<string> = new Set(),
): HolderKind {
  if (BURN_ADDRESSES.has(owner)) return 'burned';
  if (makers.has(owner)) return 'pool';
  return AUTHORITIES.get(owner) ?? (ownerProgram === null ? undefined : PROGRAMS.get(ownerProgram)) ?? 'wallet';
}

/** `part` of `whole` in percent, to six decimals. */
export function toPercent(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * 100_000_000n) / whole) / 1_000_000;
}

/** Returns the concentration of a token among the holders that can sell it. */
export function measureConcentration(reading: HolderReading, makers: ReadonlySet<string> = new Set()): HolderConcentration {
  const { slot, supply, holdings, asked } = reading;
  const apart = new Map<Exclude<HolderKind, 'wallet'>, bigint>();
  const byOwner = new Map<string, bigint>();
  for (const holding of holdings) {
    if (holding.amount === 0n) continue;
    const kind = holderKind(holding, makers);
    if (kind === 'wallet') byOwner.set(holding.owner, (byOwner.get(holding.owner) ?? 0n) + holding.amount);
    else apart.set(kind, (apart.get(kind) ?? 0n) + holding.amount);
  }
  const circulating = [...apart.values()].reduce((left, amount) => left - amount, supply);
  const wallets = [...byOwner]
    .map(([owner, amount]): WalletShare => ({ owner, amount, pct: toPercent(amount, circulating) }))
    .sort((a, b) => (a.amount === b.amount ? (a.owner < b.owner ? -1 : 1) : a.amount < b.amount ? 1 : -1));
  const top = (count: number): number | null =>
    circulating <= 0n
      ? null
      : toPercent(
          wallets.slice(0, count).reduce((sum, { amount }) => sum + amount, 0n),
          circulating,
        );
  return {
    slot,
    supply,
    circulating,
    excluded: [...apart].map(([kind, amount]) => ({ kind, amount, pctOfSupply: toPercent(amount, supply) })),
    wallets,
    top1Pct: top(1),
    top10Pct: top(10),
    isComplete: holdings.length < asked,
  };
}
