/**
 * Valued holdings: every position at the middle of its own venue's quote, with that quote's quality. Positions without a price are named.
 */
import { type Catalog, isTradableAt } from '../catalog/catalog.ts';
import { Decimal, type DecimalString, isPositive, plainDecimal } from '../values/decimal.ts';
import type { Quality, QualityFlag, Quote } from '../market/quote.ts';
import { underlyingOf } from '../risk/capacity.ts';
import type { EpochMs } from '../values/time.ts';
import { midPrice } from '../market/valuation.ts';
import { type InstrumentKey, splitInstrumentKey, type Venue } from '../market/venue.ts';
import { ageInWords } from '../values/words.ts';
import type { Account, AccountPosition } from './account.ts';
import { type AssetClass, assetClassOf } from './asset-class.ts';
import type { OutcomeFact } from './outcome.ts';
import { catalogInputId, quoteInputId } from './trace.ts';

/**
 * `live`: at a live quote. `qualified`: at a price that is known and no longer (or not quite) the market's, with the
 * reason beside it. `unpriced`: at nothing, and in no sum.
 */
export const PRICINGS = ['live', 'qualified', 'unpriced'] as const;
export type Pricing = (typeof PRICINGS)[number];

/** A quote older than this says nothing of the value now. */
export const QUALIFIED_MAX_AGE_MS = 86_400_000;
/** Flags of a price that was the market's once; any other one doubts the price itself, which then values nothing. */
const AGED: ReadonlySet<QualityFlag> = new Set(['over_age', 'session_closed', 'carried_forward', 'feed_down']);

/** The quote that a holding was, or was not, valued at. */
export interface PriceSource {
  readonly venue: Venue;
  readonly source: string;
  readonly observedAt: EpochMs;
  readonly ageMs: number;
  readonly quality: Quality;
  readonly flags: readonly QualityFlag[];
}

/** One position of one place, valued. */
export interface PortfolioPosition {
  /** `<place>/<asset>`. */
  readonly id: string;
  readonly place: string;
  readonly instrument: InstrumentKey | null;
  readonly symbol: string;
  readonly name: string;
  readonly assetClass: AssetClass;
  readonly sector: string;
  readonly underlying: string;
  /** Below zero is short. */
  readonly quantity: DecimalString;
  readonly costUsd: DecimalString | null;
  readonly pricing: Pricing;
  /** (bid + ask) / 2; null if there is no price, or where the venue reported a value instead. */
  readonly mark: DecimalString | null;
  /** quantity x mark, signed; null if it is unpriced. */
  readonly valueUsd: DecimalString | null;
  readonly quote: PriceSource | null;
  /** Reason why it is qualified or unpriced; empty if it is live. */
  readonly why: string;
  readonly inputs: readonly string[];
}

interface Valuation extends Pick<PortfolioPosition, 'pricing' | 'mark' | 'valueUsd' | 'quote' | 'why'> {
  readonly inputs: readonly string[];
}

function unpriced(why: string, quote: PriceSource | null, inputs: readonly string[] = []): Valuation {
  return { pricing: 'unpriced', mark: null, valueUsd: null, quote, why, inputs };
}

/** The middle of a quote that may value a holding; null if its two sides are no market. */
function markOf({ bid, ask }: Quote): DecimalString | null {
  const middle = midPrice(bid, ask);
  return middle !== null && isPositive(middle) ? middle : null;
}

/** Returns why a quote that is not live values nothing; null if it does, qualified. */
function doubtOf({ quality, flags }: Quote, ageMs: number): string | null {
  const doubtful = flags.filter((flag) => !AGED.has(flag));
  if (doubtful.length > 0) return `its quote is ${quality} (${doubtful.join(', ')}): the price itself is in doubt`;
  if (quality === 'degraded' && flags.length === 0) return 'its quote is degraded: the price itself is in doubt';
  return ageMs > QUALIFIED_MAX_AGE_MS
    ? `its quote is ${ageInWords(ageMs)} old, and ${ageInWords(QUALIFIED_MAX_AGE_MS)} is the most that values a holding`
    : null;
}

/** Prices that value the holdings. */
export interface PriceFacts {
  readonly at: EpochMs;
  /** The newest quote of each instrument, aged to this instant. */
  readonly quotes: ReadonlyMap<InstrumentKey, Quote>;
  readonly outcomes: ReadonlyMap<InstrumentKey, OutcomeFact>;
  readonly catalog: Catalog;
}

function valued(position: AccountPosition, facts: PriceFacts): Valuation {
  const { instrument, quantity } = position;
  const found = priced(position, facts);
  const outcome = instrument === null ? undefined : facts.outcomes.get(instrument);
  if (found.pricing !== 'unpriced' || outcome === undefined) return found;
  const { mark, why, source, observedAt } = outcome;
  if (mark === null) return { ...found, why: `${found.why}; ${why}` };
  const quote: PriceSource = {
    venue: 'prediction',
    source,
    observedAt,
    ageMs: Math.max(0, facts.at - observedAt),
    quality: 'delayed',
    flags: [],
  };
  return { ...found, pricing: 'qualified', mark, valueUsd: plainDecimal(new Decimal(quantity).times(mark)), quote, why };
}

function priced(position: AccountPosition, { at, quotes, catalog }: PriceFacts): Valuation {
  const { instrument, reported, quantity, caveat } = position;
  if (instrument === null) {
    const why = 'the catalog does not list it, so that nothing prices it';
    return unpriced(caveat === '' ? why : `${why}; ${caveat}`, null);
  }
  const token = catalog.byKey(instrument)?.token ?? null;
  if (token !== null && !isTradableAt(token, at)) return unpriced('its mint is not valid at this moment: nothing of it is quoted', null);
  if (reported !== null) {
    const { observedAt, valueUsd } = reported;
    const quote: PriceSource = {
      venue: splitInstrumentKey(instrument).venue,
      source: 'reported',
      observedAt,
      ageMs: Math.max(0, at - observedAt),
      quality: 'delayed',
      flags: [],
    };
    return {
      pricing: 'qualified',
      mark: null,
      valueUsd,
      quote,
      why: 'the venue reports its value; no quote of it is received',
      inputs: [],
    };
  }
  const received = quotes.get(instrument);
  if (received === undefined) return unpriced(`no quote of ${instrument} was received`, null);
  const ageMs = Math.max(0, at - received.observedAt);
  const { venue, source, observedAt, quality, flags } = received;
  const quote: PriceSource = { venue, source, observedAt, ageMs, quality, flags };
  const inputs = [quoteInputId(instrument)];
  const mark = markOf(received);
  if (mark === null)
    return unpriced(
      `its quote has no ${received.bid === null ? 'bid' : received.ask === null ? 'ask' : 'price above zero'}`,
      quote,
      inputs,
    );
  const doubt = quality === 'live' ? null : doubtOf(received, ageMs);
  if (doubt !== null) return unpriced(doubt, quote, inputs);
  const reasons = [...(quality === 'live' ? [] : [`its quote is ${[quality, ...flags].join(', ')}`]), ...(caveat === '' ? [] : [caveat])];
  return {
    pricing: reasons.length === 0 ? 'live' : 'qualified',
    mark,
    valueUsd: plainDecimal(new Decimal(quantity).times(mark)),
    quote,
    why: reasons.join('; '),
    inputs,
  };
}

/** The positions of a place, valued; in the order of the place. */
export function holdingsOf(place: Account, facts: PriceFacts): readonly PortfolioPosition[] {
  const { catalog, outcomes } = facts;
  return place.positions.map((position) => {
    const { instrument, asset, symbol, quantity, costUsd } = position;
    const entry = instrument === null ? undefined : catalog.byKey(instrument);
    const assetClass = instrument === null ? 'unlisted' : assetClassOf(instrument, catalog);
    const outcome = instrument === null ? undefined : outcomes.get(instrument);
    const { inputs, ...valuation } = valued(position, facts);
    return {
      id: `${place.id}/${asset}`,
      place: place.id,
      instrument,
      symbol,
      name: entry?.name ?? outcome?.name ?? symbol,
      assetClass,
      sector: entry?.sector ?? assetClass,
      underlying: outcome?.underlying ?? (instrument === null ? asset : underlyingOf(catalog, instrument)),
      quantity,
      costUsd,
      ...valuation,
      inputs: [...position.inputs, ...inputs, ...(instrument === null ? [] : [catalogInputId(instrument)])],
    };
  });
}

/** Totals of a portfolio, by the quality of their prices. */
export interface PortfolioTotals {
  /** Cash and every holding with a price. Holdings named `unpriced` or missing are excluded. */
  readonly valueUsd: DecimalString;
  readonly cashUsd: DecimalString;
  /** Signed values of the holdings at live quotes. */
  readonly liveUsd: DecimalString;
  /** Signed values of the qualified ones. */
  readonly qualifiedUsd: DecimalString;
  /** Absolute values of all that is priced: notional, shorts and leverage included. */
  readonly grossExposureUsd: DecimalString;
  /** Gross exposure / value, a ratio; null if the value is not above zero. */
  readonly leverage: number | null;
  readonly coverage: 'complete' | 'partial';
  /** Parts that the value includes and leaves out, as a sentence. */
  readonly includes: string;
  readonly inputs: readonly string[];
}

/**
 * Names instruments that both a book and a wallet hold. A book says what was traded and a wallet what is there. Only the person who named
 * the wallet knows whether they are the same; until then both count.
 */
function twiceWords(places: readonly Account[], holdings: readonly PortfolioPosition[]): string {
  const books = new Set(places.filter(({ kind }) => kind === 'book').map(({ id }) => id));
  const instrumentsOf = (ofBooks: boolean) =>
    holdings.filter(({ place }) => books.has(place) === ofBooks).map(({ instrument }) => instrument);
  const inWallets = new Set(instrumentsOf(false));
  const twice = [...new Set(instrumentsOf(true))].filter((instrument) => instrument !== null && inWallets.has(instrument));
  if (twice.length === 0) return '';
  return `; held by books and by wallets, and counted in both although the wallet may hold what the book bought: ${twice.join(', ')}`;
}

/** `1 place`, `2 places`. */
function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The sums over places and their holdings. `missing` counts wallets that did not answer. */
export function totalsOf(places: readonly Account[], holdings: readonly PortfolioPosition[], missing: number): PortfolioTotals {
  const zero = new Decimal(0);
  const cash = places.reduce((sum, { cashUsd }) => sum.plus(cashUsd), zero);
  const sumOf = (pricing: Pricing): Decimal =>
    holdings.reduce((sum, each) => (each.pricing === pricing ? sum.plus(each.valueUsd ?? '0') : sum), zero);
  const live = sumOf('live');
  const qualified = sumOf('qualified');
  const gross = holdings.reduce((sum, { valueUsd }) => sum.plus(new Decimal(valueUsd ?? '0').abs()), zero);
  const value = cash.plus(live).plus(qualified);
  const count = (pricing: Pricing): number => holdings.filter((each) => each.pricing === pricing).length;
  const left = count('unpriced');
  const included = `cash of ${counted(places.length, 'place')}, ${counted(count('live'), 'holding')} at live quotes, ${count('qualified')} qualified`;
  const excluded = `${counted(left, 'unpriced holding')}, ${counted(missing, 'unread wallet')}`;
  return {
    valueUsd: plainDecimal(value),
    cashUsd: plainDecimal(cash),
    liveUsd: plainDecimal(live),
    qualifiedUsd: plainDecimal(qualified),
    grossExposureUsd: plainDecimal(gross),
    leverage: value.gt(0) ? gross.div(value).toDecimalPlaces(8).toNumber() : null,
    coverage: left === 0 && missing === 0 ? 'complete' : 'partial',
    includes: `${included}; not in it: ${excluded}${twiceWords(places, holdings)}`,
    inputs: [...places.map(({ id }) => id), ...holdings.filter(({ valueUsd }) => valueUsd !== null).map(({ id }) => id)],
  };
}
