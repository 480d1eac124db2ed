/** Limits the effects on its wallet of a transaction that opens a prediction order. Chain amounts are raw base units. */
import type { BalanceChanges } from './chain.ts';
import type { WireTransaction } from './message.ts';
import { MEMO_PROGRAM } from './programs.ts';
import { routeObjection } from './swap.ts';

/** Maximum payment of the wallet: one deposit into one escrow. Plain JSON. */
export type DepositPromise = {
  readonly wallet: string;
  /** The stablecoin. */
  readonly mint: string;
  /** Raw units. `0` for a sell. */
  readonly depositRaw: string;
  /** Token account that holds the deposit, or null if the venue names none. */
  readonly escrowAccount: string | null;
};

/** Maximum lamports for opening an order: fees, and the rent of new accounts. */
const MOST_LAMPORTS = 12_000_000n;

/** Returns why a wallet must not be asked to sign an unsigned transaction for an order, or null. */
export function depositTransactionObjection(
  transaction: WireTransaction,
  promise: Pick<DepositPromise, 'wallet'>,
  venuePrograms: readonly string[],
  tables: ReadonlyMap<string, readonly string[]>,
): string | null {
  return routeObjection(transaction, promise, { programs: new Set([MEMO_PROGRAM, ...venuePrograms]), makers: new Set(), tables });
}

/** Returns why these balance changes break the promise, or null if they keep it. */
export function depositObjection(changes: BalanceChanges, promise: DepositPromise): string | null {
  const { wallet, mint, depositRaw, escrowAccount } = promise;
  let paid = 0n;
  for (const { owner, mint: moved, before, after, account } of changes.tokens) {
    if (owner !== wallet) continue;
    const change = BigInt(after) - BigInt(before);
    if (moved === mint) paid -= change;
    else if (change < 0n) return `the wallet would also lose of ${moved} (${account})`;
  }
  if (paid !== BigInt(depositRaw)) return `the wallet would pay ${paid} of ${mint}, and not the ${depositRaw} of the deposit`;
  if (escrowAccount !== null && BigInt(depositRaw) > 0n) {
    const escrow = changes.tokens.find(({ account }) => account === escrowAccount);
    const arrived = escrow === undefined ? 0n : BigInt(escrow.after) - BigInt(escrow.before);
    if (arrived !== BigInt(depositRaw))
      return `${arrived} of ${mint} would arrive in the escrow ${escrowAccount}, and not the ${depositRaw} of the deposit`;
  }
  for (const { account, before, after } of changes.lamports)
    if (account === wallet && BigInt(before) - BigInt(after) > MOST_LAMPORTS)
      return `the wallet would also pay ${BigInt(before) - BigInt(after)} lamports, more than ${MOST_LAMPORTS}`;
  return null;
}
