/** Effect of a primary-chain transaction on a wallet: a purchase or sale against a stablecoin, or a move without a cost. */
import { USDC_MINT } from '../catalog/catalog.ts';
import { NATIVE_MINT } from '../launch/quote-tokens.ts';
import type { WalletEvent } from './fifo-ledger.ts';

/** Mints of dollar stablecoins with six decimals. */
const STABLE_MINTS: ReadonlySet<string> = new Set([USDC_MINT, 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB']);
/** Lamports that account rents, tips and wrapped leftovers may cost beside a swap. More counts as part of the price. */
const SIDE_LAMPORTS = 20_000_000n;

/** Net changes of a wallet in one transaction, in raw units. */
interface NetChanges {
  /** Change per mint over all of the wallet's accounts. */
  readonly tokens: ReadonlyMap<string, bigint>;
  /** Native and wrapped coin together, without the network fee. */
  readonly lamports: bigint;
}

/** Returns the wallet's event, or null if none of its tokens changed. Stablecoins and the native coin have no cost basis. */
export function toWalletEvent({ tokens, lamports }: NetChanges): WalletEvent | null {
  const changed = [...tokens].filter(([mint, change]) => change !== 0n && mint !== NATIVE_MINT);
  const stables = changed.filter(([mint]) => STABLE_MINTS.has(mint));
  const others = changed.filter(([mint]) => !STABLE_MINTS.has(mint));
  if (others.length === 0) return null;
  const moved: WalletEvent = { kind: 'moved', changes: others.map(([mint, change]) => ({ mint, change: change.toString() })) };
  const [[mint, token] = ['', 0n], [, stable] = ['', 0n]] = [others[0], stables[0]];
  const isSwap = others.length === 1 && stables.length === 1 && token > 0n !== stable > 0n;
  const isPaidBesides = lamports > SIDE_LAMPORTS || lamports < -SIDE_LAMPORTS;
  if (!isSwap || isPaidBesides) return moved;
  return token > 0n
    ? { kind: 'buy', mint, quantity: token.toString(), usd: (-stable).toString() }
    : { kind: 'sell', mint, quantity: (-token).toString(), usd: stable.toString() };
}

/** Returns a wallet's change in lamports including its wrapped coin, without the network fee it paid. */
export function computeLamports(native: bigint, tokens: ReadonlyMap<string, bigint>, feePaid: bigint): bigint {
  return native + (tokens.get(NATIVE_MINT) ?? 0n) + feePaid;
}
