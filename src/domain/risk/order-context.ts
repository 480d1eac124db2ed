/**
 * The one function that puts the inputs of risk together. A tick, an approval, an execution, a person's order, a
 * portfolio's impact, a replay and a stress test read them in different places and are the same from here on.
 */
import type { Autonomy, Stage } from '../agents/agent.ts';
import type { MarkedBook } from '../books/book.ts';
import { carriedIn, isReadableCarried } from '../conditions/carried-reference.ts';
import { costModelOf } from '../orders/costs.ts';
import type { Observation } from '../market/cut.ts';
import type { DecimalString } from '../values/decimal.ts';
import type { Manifest } from '../manifest/manifest.ts';
import type { Order, OrderQuote, OrderSide } from '../orders/order.ts';
import type { ReferencePrice } from '../market/quote.ts';
import type { EpochMs } from '../values/time.ts';
import { type ExecutableVenue, splitInstrumentKey } from '../market/venue.ts';
import { type OtherBooks, observedOrderQuote, type RiskContext } from './context.ts';
import { mandateOf } from './mandate.ts';
import type { RiskPreferences } from './preferences.ts';

/** Liquidity of a pool that was received longer ago than this is unknown. Milliseconds. */
export const POOL_LIQUIDITY_MAX_AGE_MS = 300_000;

/** The liquidity of a pool as it was received, in US dollars over both sides. */
export interface PoolLiquidity {
  readonly liquidityUsd: DecimalString;
  readonly observedAt: EpochMs;
}

/** The liquidity of a pool if it is known at a moment; null if it was never received, or too long ago. */
export function knownLiquidity(known: PoolLiquidity | null, at: EpochMs): DecimalString | null {
  return known === null || at - known.observedAt > POOL_LIQUIDITY_MAX_AGE_MS ? null : known.liquidityUsd;
}

/** Market of an order's instrument at a moment. */
export interface RiskMarket {
  readonly at: EpochMs;
  readonly quote: OrderQuote | null;
  readonly reference: RiskContext['reference']['observed'];
  readonly liquidityUsd: DecimalString | null;
}

/** Returns the market of an instrument as a tick observed it. The cut has dropped what was too old. */
export function observedMarket(observation: Observation): RiskMarket {
  const { slot, reference, liquidityUsd } = observation;
  return { at: slot, quote: observedOrderQuote(observation), reference, liquidityUsd };
}

/** Returns the market of an instrument as received now. Quote and reference carry their quality at `at`. */
export function presentMarket(known: {
  readonly at: EpochMs;
  readonly quote: OrderQuote | null;
  readonly reference: Pick<ReferencePrice, 'quality' | 'flags' | 'feedUpdatedAt'> | null;
  readonly liquidity: PoolLiquidity | null;
}): RiskMarket {
  const { at, quote, reference } = known;
  return {
    at,
    quote,
    reference:
      reference === null ? null : { quality: reference.quality, flags: reference.flags, ageMs: Math.max(0, at - reference.feedUpdatedAt) },
    liquidityUsd: knownLiquidity(known.liquidity, at),
  };
}

/** Trader: an agent by its manifest, or a person by the organization's preferences alone. */
export interface RiskAgent {
  readonly manifest: Manifest;
  readonly stage: Stage;
  readonly autonomy: Autonomy;
}

/**
 * The setting that live orders of a venue lack, by venue; a venue that is not named takes live orders. `entries` names what
 * purchases alone lack: positions there can be left all the same.
 */
export type DisabledVenues = Readonly<Partial<Record<ExecutableVenue, string | { readonly entries: string }>>>;

/** Missing requirement of live orders on the spot exchange if the organization has no account there. */
export const EXCHANGE_KEY = 'an API key of the organization at the spot exchange';
/** Command that adds it. */
export const ADD_EXCHANGE_KEY = 'sevengate exchange-keys add';

/** Describes in one sentence what an order on a venue lacks. */
export function lackInWords(venue: ExecutableVenue, missing: string): string {
  return missing === EXCHANGE_KEY
    ? `the organization has no API key at the spot exchange: ${ADD_EXCHANGE_KEY} adds one`
    : `live orders on ${venue} are switched off: ${missing}`;
}

/** Context in which every venue takes live orders. */
export const ALL_ENABLED: DisabledVenues = Object.freeze({});

/** The setting that an order on this venue lacks; null if it lacks none. */
export function missingSetting(disabled: DisabledVenues, venue: ExecutableVenue, side: OrderSide): string | null {
  const missing = disabled[venue] ?? null;
  if (missing === null || typeof missing === 'string') return missing;
  return side === 'buy' ? missing.entries : null;
}

/** Obstacles of orders besides limits and prices: halts, pauses and disabled venues. */
export interface TradingControl {
  readonly halt: RiskContext['halt'];
  readonly disabled: DisabledVenues;
}

/** Control of a simulation: nothing is halted or disabled. */
export const UNCONTROLLED: TradingControl = Object.freeze({ halt: 'none', disabled: ALL_ENABLED });

/** Facts that decide how a halt or a pause affects an order. */
export interface HaltFacts {
  /** The control epoch that the order was decided in, and the organization's epoch now; a halt begins a new one. */
  readonly decidedEpoch: number;
  readonly epoch: number;
  /** True if the agent is paused now; false for an order of a person. */
  readonly paused: boolean;
  /** True if the order closes a position by the word of a person or of a kill switch: a pause does not stop it. */
  readonly closes: boolean;
}

/** Returns the effect of halts and pauses. Nothing begins after a halt or for a paused agent. A pause lets positions be closed. */
export function haltOf({ decidedEpoch, epoch, paused, closes }: HaltFacts): RiskContext['halt'] {
  if (decidedEpoch !== epoch) return 'all';
  if (!paused) return 'none';
  return closes ? 'entries' : 'all';
}

export interface OrderContextInputs {
  readonly market: RiskMarket;
  /** True if the rules that ask for the order read the reference price. */
  readonly readsReference: boolean;
  /** Null for an order of a person. */
  readonly agent: RiskAgent | null;
  readonly preferences: RiskPreferences;
  /** The order's own book, marked. */
  readonly book: MarkedBook;
  readonly others: OtherBooks;
  readonly control: TradingControl;
  /** Quantity of the instrument in the account of a sale; zero by default. */
  readonly accountHolds?: DecimalString | undefined;
  /** The most that the order may pay, in basis points; the venue's taker fee by default. */
  readonly feeBps?: number | undefined;
}

function isCarried({ reference, at }: RiskMarket, agent: RiskAgent | null): boolean {
  return agent !== null && isReadableCarried(reference, at, carriedIn(agent.manifest));
}

/** The context that an order is assessed in. */
export function orderContext(order: Pick<Order, 'instrument' | 'mode' | 'side'>, inputs: OrderContextInputs): RiskContext {
  const { market, agent, control } = inputs;
  const venue = splitInstrumentKey(order.instrument).venue as ExecutableVenue;
  return {
    at: market.at,
    quote: market.quote,
    reference: { required: inputs.readsReference, observed: market.reference, carried: isCarried(market, agent) },
    liquidityUsd: market.liquidityUsd,
    mandate: mandateOf(agent?.manifest ?? null, inputs.preferences, agent?.stage ?? null, agent?.autonomy),
    book: inputs.book,
    others: inputs.others,
    halt: control.halt,
    ...(inputs.accountHolds === undefined ? {} : { accountHolds: inputs.accountHolds }),
    disabledFeature: order.mode === 'live' ? missingSetting(control.disabled, venue, order.side) : null,
    feeBps: inputs.feeBps ?? costModelOf(order.instrument).takerFeeBps,
  };
}
