/**
 * Disguise of one path of a replay session: other names, dates and price levels. Ratios, sessions, weekdays and hours stay true. The
 * service maps proposals back.
 */
import type { Observation } from '../../domain/market/cut.ts';
import type { AgentBook, BookPosition, Verdict } from '../../domain/agents/decision.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../domain/values/decimal.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import { computePriceStep } from '../../domain/market/market-step.ts';
import type { OrderSide } from '../../domain/orders/order.ts';
import type { BlindTrade } from '../../domain/outside/replay-step.ts';
import { type EpochMs, WEEK_MS, isoTime } from '../../domain/values/time.ts';
import type { InstrumentKey } from '../../domain/market/venue.ts';
import { roundedText } from '../backtest/history.ts';
import { openDraws, drawWhole, shuffled } from './draws.ts';

interface Mask {
  readonly key: InstrumentKey;
  readonly alias: string;
  /** Factor of shown prices. Shown quantities are divided by it, so that notionals do not change. */
  readonly price: number;
  /** Factor of shown liquidity. */
  readonly depth: number;
}

export interface Disguise {
  readonly masks: readonly Mask[];
  /** Shift in whole weeks, in milliseconds. Shown times are true times minus this. */
  readonly shiftMs: number;
}

/** Weeks by which dates are moved back: 10 to 40 years. */
const WEEKS = { least: 520, most: 2_080 };
/** Significant digits of scaled values, too few to reveal the level by the grid of true prices. */
const DIGITS = 6;
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ';
const ALIAS_LETTERS = 4;

/** Draws the disguise of a path. Aliases depend on the session, dates and levels on the path. */
export function drawDisguise(seed: string, path: number, { universe }: Pick<Manifest, 'universe'>): Disguise {
  const aliases = drawAliases(seed, universe.length);
  const draw = openDraws(seed, `disguise ${path}`);
  const shiftMs = drawWhole(draw, WEEKS.least, WEEKS.most) * WEEK_MS;
  const masks = universe.map(({ key }, place) => ({
    key,
    alias: aliases[place] as string,
    // Price factor between a tenth and ten, depth factor between a half and two, uniform on a logarithmic scale.
    price: Number((10 ** (2 * draw() - 1)).toPrecision(6)),
    depth: Number((2 ** (2 * draw() - 1)).toPrecision(6)),
  }));
  return { masks, shiftMs };
}

function drawAliases(seed: string, count: number): readonly string[] {
  const draw = openDraws(seed, 'aliases');
  const names = new Set<string>();
  while (names.size < count)
    names.add(`blind:${Array.from({ length: ALIAS_LETTERS }, () => LETTERS[drawWhole(draw, 0, LETTERS.length - 1)]).join('')}`);
  return shuffled([...names], draw);
}

/** Returns an observation in the form of the live context, without anything that identifies the instrument or the date. */
function disguised(observation: Observation, mask: Mask, shiftMs: number) {
  const at = (time: EpochMs): EpochMs => time - shiftMs;
  const price = (text: DecimalString | null): DecimalString | null => scaledText(text, mask.price);
  const { quote, reference, session, premiumPct, gapToMarkPct, basisPct, hourlyFunding, markPrice, liquidityUsd, events } = observation;
  return {
    slot: at(observation.slot),
    instrument: mask.alias,
    session,
    quote: quote === null ? null : shownQuote(quote, price, at),
    reference: reference === null ? null : shownReference(reference, mask, price, at),
    premiumPct,
    gapToMarkPct,
    basisPct,
    hourlyFunding,
    markPrice: price(markPrice),
    liquidityUsd: scaledText(liquidityUsd, mask.depth),
    indicators: shownIndicators(observation.indicators, mask, at),
    // Headlines and ids contain company names.
    events:
      events?.map(({ severity, negative, rumor, observedAt }, place) => ({
        id: `event-${place + 1}`,
        severity,
        negative,
        rumor,
        observedAt: at(observedAt),
        headline: '',
      })) ?? null,
  };
}

type Priced = (text: DecimalString | null) => DecimalString | null;
type Moved = (time: EpochMs) => EpochMs;

function shownQuote(quote: NonNullable<Observation['quote']>, price: Priced, at: Moved) {
  const { bid, ask, mid, observedAt, receivedAt, ageMs, quality, flags } = quote;
  const times = { observedAt: at(observedAt), receivedAt: at(receivedAt), ageMs };
  return { bid: price(bid), ask: price(ask), mid: price(mid), source: 'history', ...times, quality, flags };
}

function shownReference(reference: NonNullable<Observation['reference']>, { alias }: Mask, price: Priced, at: Moved) {
  const { referencePrice, confidence, feedUpdatedAt, receivedAt, ageMs, quality, flags } = reference;
  const times = { feedUpdatedAt: at(feedUpdatedAt), receivedAt: at(receivedAt), ageMs };
  return { instrument: alias, referencePrice: price(referencePrice), confidence: price(confidence), ...times, quality, flags };
}

/** Scales the indicators that are prices. */
function shownIndicators(indicators: Observation['indicators'], { price }: Mask, at: Moved) {
  return Object.fromEntries(
    Object.entries(indicators).map(([name, { value, previous, barOpenTime }]) => {
      const factor = name.startsWith('ema:') ? price : 1;
      const scaled = (number: number | null): number | null =>
        number === null || factor === 1 ? number : Number((number * factor).toPrecision(DIGITS));
      return [name, { value: scaled(value), previous: scaled(previous), barOpenTime: barOpenTime === null ? null : at(barOpenTime) }];
    }),
  );
}

function scaledText(text: DecimalString | null, factor: number): DecimalString | null {
  return text === null ? null : roundedText(Number(text) * factor, DIGITS);
}

/** Undisguised slot. `last` is the decision of the previous slot, or null at the first one. */
interface TrueSlot {
  readonly slot: EpochMs;
  readonly observations: ReadonlyMap<InstrumentKey, Observation>;
  readonly book: AgentBook;
  readonly cashUsd: number;
  /** Equity in US dollars, or null if a held instrument has no price. */
  readonly equityUsd: number | null;
  readonly last: Pick<Verdict, 'disposition' | 'reason'> | null;
}

/** Returns a slot as outside code sees it, in the form of the live context. */
export function shownSlot({ slot, observations, book, cashUsd, equityUsd, last }: TrueSlot, disguise: Disguise) {
  const { masks, shiftMs } = disguise;
  return {
    cut: {
      slot: isoTime(slot - shiftMs),
      observations: masks
        .flatMap((mask) => {
          const seen = observations.get(mask.key);
          return seen === undefined ? [] : [disguised(seen, mask, shiftMs)];
        })
        .sort((a, b) => (a.instrument < b.instrument ? -1 : 1)),
    },
    book: {
      cashUsd: usd(cashUsd),
      equityUsd: equityUsd === null ? null : usd(equityUsd),
      realizedPnlUsd: book.realizedPnlUsd,
      positions: disguisedPositions(book, disguise),
    },
    last,
  };
}

const CENTS = 100;

/** Formats a shown amount in whole cents, which reveal less than the units of a true price. */
function usd(amount: number): string {
  return String(Math.round(amount * CENTS) / CENTS);
}

export function isAlias({ masks }: Disguise, instrument: string): boolean {
  return masks.some(({ alias }) => alias === instrument);
}

/** Returns the shown positions, in the order of their aliases. */
function disguisedPositions({ positions }: AgentBook, { masks, shiftMs }: Disguise) {
  return positions
    .map((position) => {
      const mask = masks.find(({ key }) => key === position.instrument) as Mask;
      return {
        instrument: mask.alias,
        quantity: shownQuantity(position, mask),
        averageEntryPrice: scaledText(position.averageEntryPrice, mask.price) as DecimalString,
        openedAt: isoTime(position.openedAt - shiftMs),
      };
    })
    .sort((a, b) => (a.instrument < b.instrument ? -1 : 1));
}

function shownQuantity({ quantity }: Pick<BookPosition, 'quantity'>, { price }: Mask): DecimalString {
  return scaledText(quantity, 1 / price) as DecimalString;
}

/**
 * Converts a blind trade to true names and units, or returns null if its alias is unknown. Prices are rounded to the venue's grid against
 * the trade. A sell of the whole shown position sells the whole true one.
 */
export function undisguised(trade: BlindTrade, { masks }: Disguise, book: AgentBook): (Omit<BlindTrade, 'instrument'> & Named) | null {
  const mask = masks.find(({ alias }) => alias === trade.instrument);
  if (mask === undefined) return null;
  const { side, notionalUsd, quantity, limitPrice } = trade;
  return {
    side,
    instrument: mask.key,
    notionalUsd,
    quantity: quantity === null ? null : trueQuantity(quantity, mask, book),
    limitPrice: limitPrice === null ? null : onGrid(mask.key, side, new Decimal(limitPrice).div(mask.price)),
  };
}

interface Named {
  readonly instrument: InstrumentKey;
}

function trueQuantity(quantity: DecimalString, mask: Mask, { positions }: AgentBook): DecimalString {
  const held = positions.find(({ instrument }) => instrument === mask.key);
  if (held !== undefined && new Decimal(quantity).eq(shownQuantity(held, mask))) return held.quantity;
  return plainDecimal(new Decimal(quantity).times(mask.price).toSignificantDigits(DIGITS));
}

function onGrid(instrument: InstrumentKey, side: OrderSide, price: Decimal): DecimalString {
  const step = computePriceStep(instrument, plainDecimal(price));
  const steps = price.div(step);
  return plainDecimal((side === 'buy' ? steps.floor() : steps.ceil()).times(step));
}
