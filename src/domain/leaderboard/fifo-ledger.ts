/**
 * Cost basis of a wallet's tokens, first in first out, from purchases and sales against a stablecoin in the order of the chain. Quantities
 * and dollars are raw units. No rounding is lost, because a lot's cost is split by its running total.
 */

/** Effect of one transaction on the holdings of a wallet. Plain JSON, raw units as texts. */
export type WalletEvent =
  /** One token against one stablecoin. Both amounts are positive. */
  | { readonly kind: 'buy' | 'sell'; readonly mint: string; readonly quantity: string; readonly usd: string }
  /** A transfer, a swap against something else, or an unknown effect: the signed change of each token. */
  | { readonly kind: 'moved'; readonly changes: readonly { readonly mint: string; readonly change: string }[] };

/** Tokens bought together, of which `used` have been sold. */
interface Lot {
  readonly quantity: string;
  readonly used: string;
  /** Raw dollars for all of `quantity`, or null if unknown. */
  readonly cost: string | null;
}

/** Lots by mint, oldest first. Plain JSON. */
export type FifoLedger = Readonly<Record<string, readonly Lot[]>>;

export const EMPTY_LEDGER: FifoLedger = {};

/** A sale against a stablecoin. */
interface Sale {
  readonly mint: string;
  readonly quantity: string;
  readonly usd: string;
  /** Raw dollars paid for the sold units, or null if any part of the basis is unknown. */
  readonly cost: string | null;
}

interface LedgerStep {
  readonly ledger: FifoLedger;
  /** Null unless the event was a sale. */
  readonly sale: Sale | null;
}

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Returns the cost of the first `used` units of a lot. The parts of a lot add up to its cost. */
function costUpTo({ quantity, cost }: Lot, used: bigint): bigint | null {
  return cost === null ? null : (BigInt(cost) * used) / BigInt(quantity);
}

function heldIn(lots: readonly Lot[]): bigint {
  return lots.reduce((sum, { quantity, used }) => sum + BigInt(quantity) - BigInt(used), 0n);
}

/** Takes the oldest units. The cost is null if one of them has no known cost or the lots hold too few. */
function taken(lots: readonly Lot[], asked: bigint): { readonly lots: readonly Lot[]; readonly cost: bigint | null } {
  let missing = asked;
  let cost: bigint | null = 0n;
  const left: Lot[] = [];
  for (const lot of lots) {
    const used = BigInt(lot.used);
    const taking = min(missing, BigInt(lot.quantity) - used);
    if (taking > 0n) {
      const [before, after] = [costUpTo(lot, used), costUpTo(lot, used + taking)];
      cost = cost === null || before === null || after === null ? null : cost + after - before;
      missing -= taking;
    }
    if (used + taking < BigInt(lot.quantity)) left.push({ ...lot, used: (used + taking).toString() });
  }
  return { lots: left, cost: missing > 0n ? null : cost };
}

function withLots(ledger: FifoLedger, mint: string, lots: readonly Lot[]): FifoLedger {
  const { [mint]: _, ...others } = ledger;
  return lots.length === 0 ? others : { ...others, [mint]: lots };
}

/** Returns the lots of a mint after a change without a known cost. */
function unknownAfter(lots: readonly Lot[], change: bigint): readonly Lot[] {
  const held = heldIn(lots) + change;
  return held > 0n ? [{ quantity: held.toString(), used: '0', cost: null }] : [];
}

/**
 * Returns the ledger after one event. A sale of more than the lots hold, or of units without a known cost, has no basis at all, so that no
 * gain is guessed. Any other move leaves the whole holding of the token without a basis until it is sold.
 */
export function ledgerAfter(ledger: FifoLedger, event: WalletEvent): LedgerStep {
  if (event.kind === 'moved') {
    let after = ledger;
    for (const { mint, change } of event.changes) after = withLots(after, mint, unknownAfter(after[mint] ?? [], BigInt(change)));
    return { ledger: after, sale: null };
  }
  const { mint, quantity, usd } = event;
  const lots = ledger[mint] ?? [];
  if (event.kind === 'buy') return { ledger: withLots(ledger, mint, [...lots, { quantity, used: '0', cost: usd }]), sale: null };
  const sold = taken(lots, BigInt(quantity));
  return { ledger: withLots(ledger, mint, sold.lots), sale: { mint, quantity, usd, cost: sold.cost?.toString() ?? null } };
}
