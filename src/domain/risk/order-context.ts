/**
 * Combines the inputs of risk, for every caller: ticks, approvals, executions, manual orders, portfolio impact, replays and stress tests.
 */
import type { Autonomy, Stage } from '../agents/agent.ts';
import type { MarkedBook } from '../books/book.ts';
import { carriedIn, isReadableCarried } from '../conditions/carried-reference.ts';
import { findCostModel } from '../orders/costs.ts';
import type { Observation } from '../market/cut.ts';
import type { DecimalString } from '../values/decimal.ts';
import type { Manifest } from '../manifest/manifest.ts';
import type { Order, OrderQuote, OrderSide } from '../orders/order.ts';
import type { ReferencePrice } from '../market/quote.ts';
import type { EpochMs } from '../values/time.ts';
import { type ExecutableVenue, splitInstrumentKey } from '../market/venue.ts';
import { type OtherBooks, observedOrderQuote, type RiskContext } from './context.ts';
import { combineMandate } from './mandate.ts';
import type { RiskPreferences } from './preferences.ts';

/** Maximum age in milliseconds of a pool's liquidity. Older liquidity is unknown. */
export const POOL_LIQUIDITY_MAX_AGE_MS = 300_000;

/** Liquidity of a pool as received, in US dollars of both sides. */
export interface PoolLiquidity {
  readonly liquidityUsd: DecimalString;
  readonly observedAt: EpochMs;
}

/** Returns the known liquidity of a pool at a time, or null if it was never received or is too old. */
export function knownLiquidity(known: PoolLiquidity | null, at: EpochMs): DecimalString | null {
  return known === null || at - known.observedAt > POOL_LIQUIDITY_MAX_AGE_MS ? null : known.liquidityUsd;
}

/** Market of an order's instrument at one moment. */
export interface RiskMarket {
  readonly at: EpochMs;
  readonly quote: OrderQuote | null;
  readonly reference: RiskContext['reference']['observed'];
  readonly liquidityUsd: DecimalString | null;
}

/** Returns the market of an instrument as a tick observed it. The cut has already dropped outdated values. */
export function observedMarket(observation: Observation): RiskMarket {
  const { slot, reference, liquidityUsd } = observation;
  return { at: slot, quote: observedOrderQuote(observation), reference, liquidityUsd };
}

/** Returns the market of an instrument as received now. Quote and reference have their quality at `at`. */
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

/** Trader of an order: an agent with its manifest, or a person with the organization's preferences. */
interface RiskAgent {
  readonly manifest: Manifest;
  readonly stage: Stage;
  readonly autonomy: Autonomy;
}

/**
 * Setting that live orders lack, by venue. A venue that is not listed accepts live orders. `entries` names what only purchases lack:
 * positions there can still be closed.
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

/** Returns the setting that an order on this venue lacks, or null. */
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

/** Facts that determine how a halt or a pause affects an order. */
interface HaltFacts {
  /** Control epoch of the order's decision. `epoch` is the organization's present one. A halt begins a new epoch. */
  readonly decidedEpoch: number;
  readonly epoch: number;
  /** True if the agent is paused now. False for a manual order. */
  readonly paused: boolean;
  /** True if a person or a kill switch closes a position, which a pause does not stop. */
  readonly closes: boolean;
}

/** Returns the effect of halts and pauses. Nothing begins after a halt or for a paused agent. A pause lets positions be closed. */
export function decideHalt({ decidedEpoch, epoch, paused, closes }: HaltFacts): RiskContext['halt'] {
  if (decidedEpoch !== epoch) return 'all';
  if (!paused) return 'none';
  return closes ? 'entries' : 'all';
}

interface OrderContextInputs {
  readonly market: RiskMarket;
  /** True if the rules behind the order read the reference price. */
  readonly readsReference: boolean;
  /** Null for a manual order. */
  readonly agent: RiskAgent | null;
  readonly preferences: RiskPreferences;
  /** The order's own book, marked. */
  readonly book: MarkedBook;
  readonly others: OtherBooks;
  readonly control: TradingControl;
  /** Quantity of the instrument in the account of a sale. Default zero. */
  readonly accountHolds?: DecimalString | undefined;
  /** Maximum fee of the order in basis points. Default: the venue's taker fee. */
  readonly feeBps?: number | undefined;
}

function isCarried({ reference, at }: RiskMarket, agent: RiskAgent | null): boolean {
  return agent !== null && isReadableCarried(reference, at, carriedIn(agent.manifest));
}

/** Returns the context for the assessment of an order. */
export function orderContext(order: Pick<Order, 'instrument' | 'mode' | 'side'>, inputs: OrderContextInputs): RiskContext {
  const { market, agent, control } = inputs;
  const venue = splitInstrumentKey(order.instrument).venue as ExecutableVenue;
  return {
    at: market.at,
    quote: market.quote,
    reference: { required: inputs.readsReference, observed: market.reference, carried: isCarried(market, agent) },
    liquidityUsd: market.liquidityUsd,
    mandate: combineMandate(agent?.manifest ?? null, inputs.preferences, agent?.stage ?? null, agent?.autonomy),
    book: inputs.book,
    others: inputs.others,
    halt: control.halt,
    ...(inputs.accountHolds === undefined ? {} : { accountHolds: inputs.accountHolds }),
    disabledFeature: order.mode === 'live' ? missingSetting(control.disabled, venue, order.side) : null,
    feeBps: inputs.feeBps ?? findCostModel(order.instrument).takerFeeBps,
  };
}
