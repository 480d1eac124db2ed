/** Compares the claims of an organization's vaults and books with the holdings of its exchange account and wallets. */
import { isPosition } from './book.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import type { EpochMs } from '../values/time.ts';
import { type InstrumentKey, splitInstrumentKey } from '../market/venue.ts';

/** Tolerated shortfall of holdings in basis points: commission leaves dust, and balances are read while an order is being booked. */
const RESERVE_TOLERANCE_BPS = 10;
/** Time in milliseconds for which a comparison is valid. After that the holdings are unknown. */
export const RESERVE_AGE_MS = 360_000;
/** Line of US dollars: cash of vaults, and dollar stablecoins at par. */
export const DOLLARS_ASSET = 'USD';
/** Stablecoins of the exchange that count as US dollars. */
export const EXCHANGE_DOLLARS: ReadonlySet<string> = new Set(['USD', 'USDT', 'USDC', 'FDUSD']);

/** Claims of an organization's live books. */
export interface ReserveClaims {
  /** Cash of all vaults, in US dollars. The cash of other books is a mandate, not money. */
  readonly cashUsd: DecimalString;
  /** Part of it that belongs to vaults with a single venue. Dollars elsewhere cannot pay for their purchases. */
  readonly cashAt: Readonly<Record<DollarVenue, DecimalString>>;
  /** Holdings of all live books. */
  readonly holdings: readonly { readonly instrument: InstrumentKey; readonly quantity: DecimalString }[];
  /** Total deposits into vaults, in US dollars. */
  readonly depositedUsd: DecimalString;
  /** Cash of all live books, and their deposits minus withdrawals, in US dollars. */
  readonly books: { readonly cashUsd: DecimalString; readonly capitalUsd: DecimalString };
}

/** A place with holdings, as it reports itself. */
export type ReservePlace = { readonly place: string; readonly venue: ReserveVenue } & (
  | { readonly known: true; readonly dollars: DecimalString; readonly assets: ReadonlyMap<InstrumentKey, DecimalString> }
  /** The source gave no balances. `venue` tells which instruments the place may hold. */
  | { readonly known: false; readonly why: string }
);

/** Venues whose holdings can be compared. The first two hold dollars. */
type ReserveVenue = DollarVenue | 'prediction';
/** Venue that holds dollars. On-chain prediction markets are paid from wallets of the primary chain. */
export type DollarVenue = 'spotexchange' | 'spotchain';
const DOLLAR_VENUES: readonly DollarVenue[] = ['spotexchange', 'spotchain'];
/** Returns the line of vaults that trade at one venue only. */
const dollarsAt = (venue: DollarVenue): string => `${DOLLARS_ASSET}:${venue}`;
const COMPARED: ReadonlySet<string> = new Set<ReserveVenue>(['spotexchange', 'spotchain', 'prediction']);

/** Returns the prediction outcomes that live books claim. */
export function claimedOutcomes({ holdings }: Pick<ReserveClaims, 'holdings'>): readonly InstrumentKey[] {
  return [...new Set(holdings.filter((held) => splitInstrumentKey(held.instrument).venue === 'prediction').map((held) => held.instrument))];
}

export interface ReserveLine {
  /** `USD`, or an instrument key. */
  readonly asset: string;
  readonly claimed: DecimalString;
  /** Null if a place that may hold it did not answer. */
  readonly held: DecimalString | null;
}

/** `short`: holdings are below a claim, beyond the tolerance. `unknown`: a place did not answer. */
export type ReserveVerdict = 'backed' | 'short' | 'unknown';

export interface ReserveCheck {
  readonly at: EpochMs;
  readonly verdict: ReserveVerdict;
  readonly lines: readonly ReserveLine[];
  /** Reasons why places did not answer, one sentence each. */
  readonly unknown: readonly string[];
  /**
   * Total deposits into vaults when the claims were read, in US dollars. Later deposits are not included. Null for comparisons that did not
   * record it.
   */
  readonly depositedUsd: DecimalString | null;
  /** Dollars of each place that answered, and of live books at that time. Null for comparisons that did not record it. */
  readonly dollars: HeldDollars | null;
}

/** Dollars of accounts, and of live books at the same moment. US dollars. */
export interface HeldDollars {
  readonly places: readonly { readonly place: string; readonly venue: ReserveVenue; readonly usd: DecimalString }[];
  readonly booksCashUsd: DecimalString;
  readonly booksCapitalUsd: DecimalString;
}

/** Returns the place name of a wallet. */
export const walletPlace = (address: string): string => `wallet ${address}`;

/** A numbered comparison. Later comparisons have larger numbers. */
export interface KeptReserveCheck extends ReserveCheck {
  readonly number: number;
}

/** Claims of an organization's vaults at a deposit, and all deposits so far. US dollars. */
export interface PresentClaims {
  readonly claimedUsd: DecimalString;
  readonly depositedUsd: DecimalString;
  /** Dollars that armed Takes may still spend, that Takes and people spent since the comparison, and those at the vault's venue. */
  readonly armedUsd: DecimalString;
  readonly armedAtVenueUsd: DecimalString;
  /** The vault's only venue, or null if it has several. */
  readonly venue: DollarVenue | null;
}

/** Returns a spot-exchange account as a place. Amounts locked in orders count as held. */
export function exchangePlace(
  account: string,
  balances: readonly { readonly asset: string; readonly free: DecimalString; readonly locked: DecimalString }[],
): ReservePlace {
  let dollars = new Decimal(0);
  const assets = new Map<InstrumentKey, DecimalString>();
  for (const { asset, free, locked } of balances) {
    const whole = new Decimal(free).plus(locked);
    if (EXCHANGE_DOLLARS.has(asset)) dollars = dollars.plus(whole);
    else assets.set(`spotexchange:${asset}USDT`, plainDecimal(whole));
  }
  return { place: `spot exchange, account ${account}`, venue: 'spotexchange', known: true, dollars: plainDecimal(dollars), assets };
}

/** Compares claims with places. Instruments of venues that cannot be compared are left out of both. */
export function compareReserves(claims: ReserveClaims, places: readonly ReservePlace[], at: EpochMs): ReserveCheck {
  const claimed = new Map<InstrumentKey, Decimal>();
  for (const { instrument, quantity } of claims.holdings) {
    const { venue } = splitInstrumentKey(instrument);
    if (COMPARED.has(venue)) claimed.set(instrument, (claimed.get(instrument) ?? new Decimal(0)).plus(quantity));
  }
  const silent = places.flatMap((place) => (place.known ? [] : [place]));
  const told = places.flatMap((place) => (place.known ? [place] : []));
  // Assets that no book claims are the organization's own. They are shown with a claim of zero.
  for (const { assets } of told)
    for (const [instrument, quantity] of assets)
      if (!claimed.has(instrument) && isPosition({ instrument, quantity })) claimed.set(instrument, new Decimal(0));
  const sum = (of: (place: (typeof told)[number]) => DecimalString | undefined): Decimal =>
    told.reduce((total, place) => total.plus(of(place) ?? 0), new Decimal(0));
  const dollars: ReserveLine = {
    asset: DOLLARS_ASSET,
    claimed: plainDecimal(claims.cashUsd),
    held: silent.some(({ venue }) => venue !== 'prediction') ? null : plainDecimal(sum((place) => place.dollars)),
  };
  const dollarPlaces = told.map(({ place, venue, dollars: usd }) => ({ place, venue, usd }));
  const atVenues = DOLLAR_VENUES.flatMap((venue): ReserveLine[] => {
    if (new Decimal(claims.cashAt[venue]).isZero()) return [];
    const held = silent.some((place) => place.venue === venue) ? null : plainDecimal(heldAt(dollarPlaces, venue));
    return [{ asset: dollarsAt(venue), claimed: plainDecimal(claims.cashAt[venue]), held }];
  });
  const lines = [...claimed]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([instrument, quantity]): ReserveLine => {
      const isUnknown = silent.some(({ venue }) => venue === splitInstrumentKey(instrument).venue);
      const held = isUnknown ? null : plainDecimal(sum(({ assets }) => assets.get(instrument)));
      return { asset: instrument, claimed: plainDecimal(quantity), held };
    });
  const all = [dollars, ...atVenues, ...lines];
  const verdict = all.some(isShort) ? 'short' : all.some(({ held }) => held === null) ? 'unknown' : 'backed';
  const { depositedUsd, books } = claims;
  const noted: HeldDollars = {
    places: dollarPlaces,
    booksCashUsd: books.cashUsd,
    booksCapitalUsd: books.capitalUsd,
  };
  return { at, verdict, lines: all, unknown: silent.map(({ place, why }) => `${place}: ${why}`), depositedUsd, dollars: noted };
}

/** Returns a sandbox's simulated dollars as a comparison. They belong to no venue, and nothing else is compared. */
export function simulatedCheck(
  { held, claimed, depositedUsd }: { readonly held: DecimalString; readonly claimed: DecimalString; readonly depositedUsd: DecimalString },
  at: EpochMs,
): ReserveCheck {
  const line = { asset: DOLLARS_ASSET, claimed, held };
  return { at, verdict: isShort(line) ? 'short' : 'backed', lines: [line], unknown: [], depositedUsd, dollars: null };
}

/** Returns the comparison of a deployment without any place that holds money. It backs nothing. */
export function unknownCheck(why: string, at: EpochMs): ReserveCheck {
  const line = { asset: DOLLARS_ASSET, claimed: '0', held: null };
  return { at, verdict: 'unknown', lines: [line], unknown: [why], depositedUsd: null, dollars: null };
}

/** Returns the dollars at a venue, and the part that vaults of only this venue claim. */
export function dollarsAtVenue(
  lines: ReserveCheck['lines'],
  places: HeldDollars['places'],
  venue: DollarVenue,
): { readonly held: Decimal; readonly claimed: Decimal } {
  return { held: heldAt(places, venue), claimed: new Decimal(lines.find(({ asset }) => asset === dollarsAt(venue))?.claimed ?? 0) };
}

/** Returns the venue whose dollars pay for an instrument. */
export function toDollarVenue(instrument: InstrumentKey): DollarVenue {
  return splitInstrumentKey(instrument).venue === 'spotexchange' ? 'spotexchange' : 'spotchain';
}

function heldAt(places: HeldDollars['places'], venue: DollarVenue): Decimal {
  return places.reduce((sum, place) => (place.venue === venue ? sum.plus(place.usd) : sum), new Decimal(0));
}

/** True if holdings are below the claim, beyond the tolerance. An unknown holding is not short. */
export function isShort({ claimed, held }: Pick<ReserveLine, 'claimed' | 'held'>): boolean {
  return held !== null && new Decimal(held).times(10_000).lt(new Decimal(claimed).times(10_000 - RESERVE_TOLERANCE_BPS));
}

/** Describes the shortfalls, such as `1 of 2 USD`. Empty if there are none. */
export function lackingText({ lines }: Pick<ReserveCheck, 'lines'>): string {
  return lines
    .filter(isShort)
    .map(({ asset, claimed, held }) => `${held} of ${claimed} ${asset}`)
    .join(', ');
}

/** Reason why holdings do not back a deposit, or null. */
type Unbacked =
  | { readonly kind: 'unknown'; readonly detail: string }
  | { readonly kind: 'short'; readonly detail: string; readonly freeUsd: DecimalString; readonly heldUsd: DecimalString };

/**
 * Returns why a further amount cannot be claimed, or null. It cannot if the last comparison is old, a place did not answer, or something is
 * short. The comparison's claims count with all deposits since, even if agents have spent them, because the spent dollars are no longer
 * held. The database checks the same sum (`back_vault_deposit`).
 */
export function depositObjection(
  check: ReserveCheck | null,
  { amountUsd, present, now }: { readonly amountUsd: DecimalString; readonly present: PresentClaims; readonly now: EpochMs },
): Unbacked | null {
  if (check === null) return { kind: 'unknown', detail: 'the balances of the exchange account and the wallets have not been checked yet' };
  if (now - check.at > RESERVE_AGE_MS || check.at > now + RESERVE_AGE_MS)
    return {
      kind: 'unknown',
      detail: `the last check of balances is ${Math.round((now - check.at) / 1_000)} s old (max ${RESERVE_AGE_MS / 1_000} s)`,
    };
  const dollars = check.lines.find(({ asset }) => asset === DOLLARS_ASSET);
  if (check.verdict === 'unknown' || dollars === undefined || dollars.held === null || check.depositedUsd === null)
    return { kind: 'unknown', detail: `balances are unknown: ${check.unknown.join('; ') || 'no account answered'}` };
  const paidInSince = new Decimal(present.depositedUsd).minus(check.depositedUsd);
  const claimed = Decimal.max(present.claimedUsd, paidInSince.plus(dollars.claimed)).plus(present.armedUsd);
  const free = new Decimal(dollars.held).minus(claimed);
  const figures = { freeUsd: plainDecimal(Decimal.max(0, free)), heldUsd: dollars.held };
  const lacking = lackingText(check);
  if (lacking !== '') return { kind: 'short', detail: `balances are already below the claims: ${lacking}`, ...figures, freeUsd: '0' };
  if (free.lt(amountUsd))
    return { kind: 'short', detail: `${dollars.held} US dollars are held and ${plainDecimal(claimed)} of them claimed`, ...figures };
  return present.venue === null
    ? null
    : venueObjection(check, present.venue, { amountUsd, boundSince: paidInSince.plus(present.armedAtVenueUsd) });
}

/**
 * Checks the dollars at the vault's venue, because dollars elsewhere cannot pay for its purchases. Includes deposits into any vault since
 * the comparison, and what Takes armed there may spend.
 */
function venueObjection(
  { lines, dollars }: ReserveCheck,
  venue: DollarVenue,
  { amountUsd, boundSince }: { readonly amountUsd: DecimalString; readonly boundSince: Decimal },
): Unbacked | null {
  if (dollars === null) return { kind: 'unknown', detail: `the balance at ${venue} is unknown` };
  const { held, claimed: before } = dollarsAtVenue(lines, dollars.places, venue);
  const claimed = boundSince.plus(before);
  const free = Decimal.max(0, held.minus(claimed));
  if (free.gte(amountUsd)) return null;
  const detail = `the vault trades at ${venue} only, where ${plainDecimal(held)} US dollars are held and ${plainDecimal(claimed)} of them claimed`;
  return { kind: 'short', detail, freeUsd: plainDecimal(free), heldUsd: plainDecimal(held) };
}
