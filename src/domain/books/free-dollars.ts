/** Dollars that an organization's accounts hold besides the cash of its live books. Nothing else in them counts as its money. */
import { isPosition } from './book.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import { DOLLARS_ASSET, RESERVE_AGE_MS, type ReserveCheck, walletPlace } from './reserves.ts';
import type { EpochMs } from '../values/time.ts';
import type { InstrumentKey } from '../market/venue.ts';

/** Accounts and live books at one moment. US dollars. */
export interface AccountFacts {
  /** Newest reserve check, or null if there was none. */
  readonly check: Pick<ReserveCheck, 'at' | 'lines' | 'unknown' | 'dollars'> | null;
  /** Deposits into all live books minus withdrawals. */
  readonly booksCapitalUsd: DecimalString;
  /** Cash of the live Takes' books, by book. It is an allocation, which limits a Take's spending and proves no money. */
  readonly takesCash: Readonly<Record<string, DecimalString>>;
}

/** Facts without any account or live book. */
export const NO_ACCOUNTS: AccountFacts = Object.freeze({ check: null, booksCapitalUsd: '0', takesCash: {} });

/**
 * Free dollars. `usd` plus the cash of all live books is what the accounts hold. It is negative if books claim more. Unknown accounts hold
 * nothing besides vaults, whose deposits were backed. `usd` then excludes the allocations of Takes.
 */
export interface FreeDollars {
  readonly usd: DecimalString;
  /** Time at which accounts were read, or null if their contents are unknown. */
  readonly at: EpochMs | null;
  /** Reason why it is unknown. Empty if it is known or no account was ever named. */
  readonly why: string;
  /** Dollars of each account. */
  readonly places: readonly { readonly place: string; readonly usd: DecimalString }[];
}

/**
 * Computes free dollars from the newest reserve check. Money that moved between accounts and books since then changed the capital of books.
 * Purchases and sales since then moved both sides alike. @param ownBookId Book of the assessed order. Its account must at least cover the
 * order's cost.
 */
export function freeDollars({ check, booksCapitalUsd, takesCash }: AccountFacts, now: EpochMs, ownBookId?: string): FreeDollars {
  const held = check?.lines.find(({ asset }) => asset === DOLLARS_ASSET)?.held ?? null;
  const dollars = check?.dollars ?? null;
  if (check === null || held === null || dollars === null || dollars.places.length === 0 || Math.abs(now - check.at) > RESERVE_AGE_MS) {
    const allocated = Object.entries(takesCash).reduce((sum, [id, usd]) => (id === ownBookId ? sum : sum.plus(usd)), new Decimal(0));
    return { usd: plainDecimal(allocated.neg()), at: null, why: check === null ? '' : whyUnknown(check, now), places: [] };
  }
  const paidInSince = new Decimal(booksCapitalUsd).minus(dollars.booksCapitalUsd);
  const usd = plainDecimal(new Decimal(held).minus(dollars.booksCashUsd).minus(paidInSince));
  return { usd, at: check.at, why: '', places: dollars.places };
}

/** Coins in an account that no live book holds. */
export interface OutsideCoin {
  readonly instrument: InstrumentKey;
  readonly quantity: DecimalString;
}

/**
 * Returns the coins in the exchange account beyond those of live books, by the newest reserve check. They back no dollars, and no closing
 * sells them.
 */
export function coinsOutside({ check }: Pick<AccountFacts, 'check'>, now: EpochMs): readonly OutsideCoin[] {
  if (check === null || Math.abs(now - check.at) > RESERVE_AGE_MS) return [];
  return check.lines.flatMap(({ asset, claimed, held }) => {
    if (held === null || !asset.startsWith('spotexchange:')) return [];
    const coin = { instrument: asset as InstrumentKey, quantity: plainDecimal(new Decimal(held).minus(claimed)) };
    return isPosition(coin) ? [coin] : [];
  });
}

function whyUnknown({ at, unknown }: NonNullable<AccountFacts['check']>, now: EpochMs): string {
  if (unknown.length > 0) return unknown.join('; ');
  if (now - at <= RESERVE_AGE_MS) return 'no account was read';
  return `accounts were read ${Math.round((now - at) / 1_000)} s ago, and that counts for ${RESERVE_AGE_MS / 1_000} s`;
}

/** Returns the same without wallets that are counted separately. */
export function withoutWallets(free: FreeDollars, addresses: readonly string[]): FreeDollars {
  const named = new Set(addresses.map(walletPlace));
  const counted = free.places.filter(({ place }) => named.has(place));
  return {
    ...free,
    usd: plainDecimal(counted.reduce((left, { usd }) => left.minus(usd), new Decimal(free.usd))),
    places: free.places.filter(({ place }) => !named.has(place)),
  };
}

/** Returns the free dollars after this amount was deposited into live books. */
export function paidInto(free: FreeDollars, amountUsd: DecimalString): FreeDollars {
  return free.at === null ? free : { ...free, usd: plainDecimal(new Decimal(free.usd).minus(amountUsd)) };
}
