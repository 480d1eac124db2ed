/** Values holdings: every position at its own venue's quote midpoint, with the quote's quality. Names positions without a price. */
import { type Catalog, isTradableAt } from '../catalog/catalog.ts';
import { Decimal, type DecimalString, isPositive, plainDecimal } from '../values/decimal.ts';
import type { Quality, QualityFlag, Quote } from '../market/quote.ts';
import type { HoldingMargin } from '../orders/margin.ts';
import { findExposureUnderlying } from '../risk/capacity.ts';
import { DAY_MS, type EpochMs } from '../values/time.ts';
import { midPrice } from '../market/valuation.ts';
import { type InstrumentKey, splitInstrumentKey, type Venue } from '../market/venue.ts';
import { ageInWords } from '../values/words.ts';
import type { Account, AccountPosition } from './account.ts';
import { type AssetClass, classifyAsset } from './asset-class.ts';
import type { OutcomeFact } from './outcome.ts';
import { catalogInputId, quoteInputId } from './input-trace.ts';

/**
 * `live`: at a live quote. `qualified`: at a known price that is no longer (or not quite) the market's, with the reason. `unpriced`:
 * without a value, and in no sum.
 */
export const PRICINGS = ['live', 'qualified', 'unpriced'] as const;
type Pricing = (typeof PRICINGS)[number];

/** Maximum age in milliseconds of a quote that still values a holding. */
export const QUALIFIED_MAX_AGE_MS = DAY_MS;
/** Flags of a price that was once the market's. Any other flag casts doubt on the price itself, which then values nothing. */
const AGED: ReadonlySet<QualityFlag> = new Set(['over_age', 'session_closed', 'carried_forward', 'feed_down']);

/** Quote by which a holding was valued, or was not. */
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
  /** Negative if short. */
  readonly quantity: DecimalString;
  readonly costUsd: DecimalString | null;
  readonly pricing: Pricing;
  /** (bid + ask) / 2, or null without a price or if the venue reported a value instead. */
  readonly mark: DecimalString | null;
  /** quantity x mark, signed, or null without a price. */
  readonly valueUsd: DecimalString | null;
  readonly quote: PriceSource | null;
  /** Reason why it is qualified or unpriced. Empty if it is live. */
  readonly why: string;
  /** Margin of a perpetual in a book; null for everything else. */
  readonly margin: HoldingMargin | null;
  readonly inputs: readonly string[];
}

interface Valuation extends Pick<PortfolioPosition, 'pricing' | 'mark' | 'valueUsd' | 'quote' | 'why'> {
  readonly inputs: readonly string[];
}

function unpriced(why: string, quote: PriceSource | null, inputs: readonly string[] = []): Valuation {
  return { pricing: 'unpriced', mark: null, valueUsd: null, quote, why, inputs };
}

/** Returns the midpoint of a quote that may value a holding, or null if its sides form no market. */
function computeMark({ bid, ask }: Quote): DecimalString | null {
  const middle = midPrice(bid, ask);
  return middle !== null && isPositive(middle) ? middle : null;
}

/** Returns why a quote that is not live values nothing, or null if it does, as qualified. */
function findDoubt({ quality, flags }: Quote, ageMs: number): string | null {
  const doubtful = flags.filter((flag) => !AGED.has(flag));
  if (doubtful.length > 0) return `its quote is ${quality} (${doubtful.join(', ')}), so its price is unreliable`;
  if (quality === 'degraded' && flags.length === 0) return 'its quote is degraded, so its price is unreliable';
  return ageMs > QUALIFIED_MAX_AGE_MS
    ? `its quote is ${ageInWords(ageMs)} old, and a quote older than ${ageInWords(QUALIFIED_MAX_AGE_MS)} values no holding`
    : null;
}

/** Prices that value the holdings. */
interface PriceFacts {
  readonly at: EpochMs;
  /** Newest quote of each instrument, aged to this instant. */
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
    const why = 'the catalog does not list it, so it has no price';
    return unpriced(caveat === '' ? why : `${why}; ${caveat}`, null);
  }
  const token = catalog.byKey(instrument)?.token ?? null;
  if (token !== null && !isTradableAt(token, at)) return unpriced('its mint is not valid now, so it is not quoted', null);
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
      why: 'no quote received; this is the value that the venue reports',
      inputs: [],
    };
  }
  const received = quotes.get(instrument);
  if (received === undefined) return unpriced(`no quote received for ${instrument}`, null);
  const ageMs = Math.max(0, at - received.observedAt);
  const { venue, source, observedAt, quality, flags } = received;
  const quote: PriceSource = { venue, source, observedAt, ageMs, quality, flags };
  const inputs = [quoteInputId(instrument)];
  const mark = computeMark(received);
  if (mark === null)
    return unpriced(
      `its quote has no ${received.bid === null ? 'bid' : received.ask === null ? 'ask' : 'price above zero'}`,
      quote,
      inputs,
    );
  const doubt = quality === 'live' ? null : findDoubt(received, ageMs);
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

/** Returns the valued positions of a place, in order. */
export function valueHoldings(place: Account, facts: PriceFacts): readonly PortfolioPosition[] {
  const { catalog, outcomes } = facts;
  return place.positions.map((position) => {
    const { instrument, asset, symbol, quantity, costUsd } = position;
    const entry = instrument === null ? undefined : catalog.byKey(instrument);
    const assetClass = instrument === null ? 'unlisted' : classifyAsset(instrument, catalog);
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
      underlying: outcome?.underlying ?? (instrument === null ? asset : findExposureUnderlying(catalog, instrument)),
      quantity,
      costUsd,
      ...valuation,
      margin: position.margin ?? null,
      inputs: [...position.inputs, ...inputs, ...(instrument === null ? [] : [catalogInputId(instrument)])],
    };
  });
}

/** Totals of a portfolio, by the quality of their prices. */
export interface PortfolioTotals {
  /** Cash and every holding with a price. */
  readonly valueUsd: DecimalString;
  readonly cashUsd: DecimalString;
  /** Signed values of holdings at live quotes. */
  readonly liveUsd: DecimalString;
  /** Signed values of qualified holdings. */
  readonly qualifiedUsd: DecimalString;
  /** Absolute values of all priced holdings: notional, with shorts and leverage. */
  readonly grossExposureUsd: DecimalString;
  /** Gross exposure / value as a ratio, or null if the value is not positive. */
  readonly leverage: number | null;
  readonly coverage: 'complete' | 'partial';
  /** Describes in one sentence what the value includes and leaves out. */
  readonly includes: string;
  readonly inputs: readonly string[];
}

/**
 * Names instruments that both a book and a wallet hold. A book states trades and a wallet its contents. Only the person who named the
 * wallet knows if they are the same. Until then both count.
 */
function twiceWords(places: readonly Account[], holdings: readonly PortfolioPosition[]): string {
  const books = new Set(places.filter(({ kind }) => kind === 'book').map(({ id }) => id));
  const listInstruments = (ofBooks: boolean) =>
    holdings.filter(({ place }) => books.has(place) === ofBooks).map(({ instrument }) => instrument);
  const inWallets = new Set(listInstruments(false));
  const twice = [...new Set(listInstruments(true))].filter((instrument) => instrument !== null && inWallets.has(instrument));
  if (twice.length === 0) return '';
  return `. Books and wallets both hold ${twice.join(', ')}: these holdings may be counted twice`;
}

/** Returns a count with its noun: `1 account`, `2 accounts`. */
function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Returns a count with its noun if there is one to name. */
function named(count: number, noun: string, more = ''): string[] {
  return count === 0 ? [] : [`${counted(count, noun)}${more}`];
}

/** Sums places and their holdings. `missing` counts wallets that did not answer. */
export function sumTotals(places: readonly Account[], holdings: readonly PortfolioPosition[], missing: number): PortfolioTotals {
  const zero = new Decimal(0);
  const cash = places.reduce((sum, { cashUsd }) => sum.plus(cashUsd), zero);
  const sumPriced = (pricing: Pricing): Decimal =>
    holdings.reduce((sum, each) => (each.pricing === pricing ? sum.plus(each.valueUsd ?? '0') : sum), zero);
  const live = sumPriced('live');
  const qualified = sumPriced('qualified');
  const gross = holdings.reduce((sum, { valueUsd }) => sum.plus(new Decimal(valueUsd ?? '0').abs()), zero);
  const value = cash.plus(live).plus(qualified);
  const count = (pricing: Pricing): number => holdings.filter((each) => each.pricing === pricing).length;
  const left = count('unpriced');
  const included = [
    `cash of ${counted(places.length, 'account')}`,
    ...named(count('live'), 'holding', ' at live prices'),
    ...named(count('qualified'), 'holding', ' at qualified prices'),
  ];
  const excluded = [...named(left, 'unpriced holding'), ...named(missing, 'unread wallet')];
  return {
    valueUsd: plainDecimal(value),
    cashUsd: plainDecimal(cash),
    liveUsd: plainDecimal(live),
    qualifiedUsd: plainDecimal(qualified),
    grossExposureUsd: plainDecimal(gross),
    leverage: value.gt(0) ? gross.div(value).toDecimalPlaces(8).toNumber() : null,
    coverage: left === 0 && missing === 0 ? 'complete' : 'partial',
    includes: `${included.join(', ')}${excluded.length === 0 ? '' : `. Excludes ${excluded.join(', ')}`}${twiceWords(places, holdings)}`,
    inputs: [...places.map(({ id }) => id), ...holdings.filter(({ valueUsd }) => valueUsd !== null).map(({ id }) => id)],
  };
}
