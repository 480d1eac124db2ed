/** Dollars that an organization's accounts hold beside the cash of its live books. Nothing else of them is money of the organization. */
import { isPosition } from './book.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import { DOLLARS_ASSET, RESERVE_AGE_MS, type ReserveCheck, walletPlace } from './reserves.ts';
import type { EpochMs } from '../values/time.ts';
import type { InstrumentKey } from '../market/venue.ts';

/** Accounts and live books as they were read at one moment. US dollars. */
export interface AccountFacts {
  /** Newest comparison of the claims of books with the holdings of accounts; null if nothing was compared. */
  readonly check: Pick<ReserveCheck, 'at' | 'lines' | 'unknown' | 'dollars'> | null;
  /** Paid into all live books minus paid out of them. */
  readonly booksCapitalUsd: DecimalString;
  /** Cash of the books of live Takes, by book. It is an allocation, which limits a Take's spending and proves no money. */
  readonly takesCash: Readonly<Record<string, DecimalString>>;
}

/** No account and no live book. */
export const NO_ACCOUNTS: AccountFacts = Object.freeze({ check: null, booksCapitalUsd: '0', takesCash: {} });

/**
 * `usd` plus the cash of all live books is what accounts hold. It is below zero if books claim more. Unknown accounts hold nothing beside
 * vaults, whose deposits were backed: then `usd` excludes the allocations of Takes.
 */
export interface FreeDollars {
  readonly usd: DecimalString;
  /** Time at which accounts were read; null if what they hold is not known. */
  readonly at: EpochMs | null;
  /** Reason why it is unknown; empty if it is known, and if no account was ever named. */
  readonly why: string;
  /** The dollars of each account. */
  readonly places: readonly { readonly place: string; readonly usd: DecimalString }[];
}

/**
 * Works out free dollars from the newest comparison. Money that moved between accounts and books since then changed the capital of
 * books; purchases and sales since then moved both sides alike.
 * @param ownBookId the book of the order that is assessed: its account must at least have what the order costs.
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

/** A coin of an account that no live book holds. */
export interface OutsideCoin {
  readonly instrument: InstrumentKey;
  readonly quantity: DecimalString;
}

/** Coins of the account at the exchange beyond those of live books, as the newest comparison found them. They back no dollars, and no closing sells them. */
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

/** The same without wallets that are counted on their own. */
export function withoutWallets(free: FreeDollars, addresses: readonly string[]): FreeDollars {
  const named = new Set(addresses.map(walletPlace));
  const counted = free.places.filter(({ place }) => named.has(place));
  return {
    ...free,
    usd: plainDecimal(counted.reduce((left, { usd }) => left.minus(usd), new Decimal(free.usd))),
    places: free.places.filter(({ place }) => !named.has(place)),
  };
}

/** Returns the free dollars after this amount was paid into live books. */
export function paidInto(free: FreeDollars, amountUsd: DecimalString): FreeDollars {
  return free.at === null ? free : { ...free, usd: plainDecimal(new Decimal(free.usd).minus(amountUsd)) };
}
