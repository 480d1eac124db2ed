/** A book: the isolated cash and positions of one agent or person, as a fold of its fills. */

import { compareDecimals, Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import type { AgentBook } from '../agents/decision.ts';
import { UUID_PATTERN } from '../values/ids.ts';
import { findMarketStep } from '../market/market-step.ts';
import type { ExecutionMode, OrderSide } from '../orders/order.ts';
import { DAY_MS, type EpochMs } from '../values/time.ts';
import type { InstrumentKey } from '../market/venue.ts';
import { type Exact, toExact, exactText, minus, plus, times, ZERO } from '../values/exact.ts';

/** Decimals of a fill price that does not divide evenly. */
export const PRICE_DECIMALS = 12;
/** Decimals of a quantity after its token's multiplier changed. */
const RESCALED_DECIMALS = 18;
/** Half a unit of the last decimal. */
const PRICE_ROUNDING: Exact = { units: 5n, scale: PRICE_DECIMALS + 1 };
const BASIS_POINT: Exact = { units: 1n, scale: 4 };

/** Quote that a fill was made on, so that the fill can be checked later. */
export interface FillQuote {
  readonly source: string;
  readonly observedAt: EpochMs;
  readonly bid: DecimalString | null;
  readonly ask: DecimalString | null;
}

/** One execution. Append-only. A book is the fold of its fills. */
export interface Fill {
  readonly id: string;
  readonly orderId: string;
  readonly bookId: string;
  readonly instrument: InstrumentKey;
  readonly side: OrderSide;
  /** Quantity that entered or left the book. */
  readonly quantity: DecimalString;
  /** Quantity executed by the venue, if it took its commission out of a purchase and less arrived. Absent otherwise, and not stored. */
  readonly executedQuantity?: DecimalString;
  /**
   * notionalUsd / quantity, exact, or rounded half-even to `PRICE_DECIMALS` if it does not divide evenly. A swap has amounts and no price.
   */
  readonly fillPrice: DecimalString;
  /** Positive if paid, negative if received (a rebate). */
  readonly feeUsd: DecimalString;
  /** Amount paid or received in US dollars, exact and without the fee. Books and the ledger count this, never the price. */
  readonly notionalUsd: DecimalString;
  /** Price at the decision. Slippage is measured from it. */
  readonly decisionPrice: DecimalString;
  /** Slippage against the decision price in basis points. Negative is better. A ratio, hence a number. */
  readonly slippageBps: number;
  readonly at: EpochMs;
  readonly quotes: readonly FillQuote[];
}

/** One open position at cost. */
export interface Position {
  readonly instrument: InstrumentKey;
  readonly quantity: DecimalString;
  /** Cost of the open quantity, without fees. */
  readonly costUsd: DecimalString;
  readonly openedAt: EpochMs;
}

/** A pending or executing proposal, which reserves capacity of the mandate. */
export interface OpenProposal {
  readonly id: string;
  readonly instrument: InstrumentKey;
  readonly side: OrderSide;
  readonly quantity: DecimalString;
  readonly notionalUsd: DecimalString;
}

/** State of a book: plain JSON, money as decimal text. */
export interface TradingBook {
  readonly id: string;
  readonly mode: ExecutionMode;
  /** Deposits minus withdrawals. */
  readonly capitalUsd: DecimalString;
  /** Negative if a perpetual position exceeds the capital. */
  readonly cashUsd: DecimalString;
  /** Positions in the order of opening. */
  readonly holdings: readonly Position[];
  /** Proceeds of sales minus the cost of the sold units. Fees and funding are separate. */
  readonly realizedPnlUsd: DecimalString;
  readonly feesUsd: DecimalString;
  /** Funding paid by its perpetuals. Negative if they received more. */
  readonly fundingUsd: DecimalString;
  readonly fills: number;
  /** Bought and sold notional together. */
  readonly turnoverUsd: DecimalString;
  /** Sum over all fills of notionalUsd x slippageBps / 10,000. */
  readonly slippageUsd: DecimalString;
  /** Start of the UTC day that `dayStartEquityUsd` belongs to; null before the first mark. */
  readonly day: EpochMs | null;
  readonly dayStartEquityUsd: DecimalString | null;
  readonly openProposals: readonly OpenProposal[];
}

/** Ids of books: one per agent and paper manifest version, one live book per agent, and one manual book per organization and mode. */
export const bookIds = {
  paper: (agentId: string, manifestVersion: number): string => `agent:${agentId}:paper:${manifestVersion}`,
  live: (agentId: string): string => `agent:${agentId}:live`,
  manual: (orgId: string, mode: ExecutionMode = 'paper'): string => `manual:${orgId}${mode === 'live' ? ':live' : ''}`,
};

const BOOK_ID = new RegExp(`^(?:agent:(${UUID_PATTERN}):(?:paper:([1-9][0-9]{0,8})|live)|manual:(${UUID_PATTERN})(:live)?)$`);

/** Owner and mode of a book, from its id. */
interface BookName {
  /** Null for a manual book. */
  readonly agentId: string | null;
  /** Organization of a manual book. Null for an agent's book. */
  readonly orgId: string | null;
  readonly mode: ExecutionMode;
  /** Manifest version of an agent's paper book, or null. */
  readonly manifestVersion: number | null;
}

/** Reads a book id; null if it is not one. */
export function readBookId(id: string): BookName | null {
  const match = BOOK_ID.exec(id);
  if (match === null) return null;
  const [, agentId, version, orgId, live] = match;
  if (agentId === undefined)
    return { agentId: null, orgId: orgId ?? null, mode: live === undefined ? 'paper' : 'live', manifestVersion: null };
  return {
    agentId,
    orgId: null,
    mode: version === undefined ? 'live' : 'paper',
    manifestVersion: version === undefined ? null : Number(version),
  };
}

/** Returns a book without any event. */
export function emptyBook(id: string, mode: ExecutionMode, capitalUsd: DecimalString): TradingBook {
  return {
    id,
    mode,
    capitalUsd: plainDecimal(capitalUsd),
    cashUsd: plainDecimal(capitalUsd),
    holdings: [],
    realizedPnlUsd: '0',
    feesUsd: '0',
    fundingUsd: '0',
    fills: 0,
    turnoverUsd: '0',
    slippageUsd: '0',
    day: null,
    dayStartEquityUsd: null,
    openProposals: [],
  };
}

/** Returns the open position in an instrument, or undefined. */
export function findPosition(state: TradingBook, instrument: InstrumentKey): Position | undefined {
  for (const holding of state.holdings) if (holding.instrument === instrument) return holding;
  return undefined;
}

/** True if a holding is at least one lot. Less is dust: no position, but it keeps its value and is sold with the next sale. */
export function isPosition({ instrument, quantity }: Pick<Position, 'instrument' | 'quantity'>): boolean {
  return !quantity.startsWith('-') && compareDecimals(quantity, findMarketStep(instrument).lot) >= 0;
}

/**
 * Returns the sellable quantity of an instrument: its holdings minus pending sales, to the last unit, never negative. `accountHolds` is the
 * account's balance, which may be sold although no book bought it.
 */
export function computeSellable(state: TradingBook, instrument: InstrumentKey, accountHolds: DecimalString = '0'): DecimalString {
  const held = Decimal.max(findPosition(state, instrument)?.quantity ?? 0, accountHolds);
  const waiting = state.openProposals.filter((open) => open.side === 'sell' && open.instrument === instrument);
  const left = waiting.reduce((rest, { quantity }) => rest.minus(quantity), held);
  return left.gt(0) ? plainDecimal(left) : '0';
}

/** Returns the book after funding was paid, in US dollars, or received if negative. Funding is neither price nor fee. */
export function applyFunding(state: TradingBook, paidUsd: DecimalString): TradingBook {
  return {
    ...state,
    cashUsd: plainDecimal(new Decimal(state.cashUsd).minus(paidUsd)),
    fundingUsd: plainDecimal(new Decimal(state.fundingUsd).plus(paidUsd)),
  };
}

/**
 * Returns the book after a fill. A sale takes its share of the position's cost, rounded half-even to 12 decimals. The last sale takes the
 * rest, so that no amount is created or lost. @throws Error if the fill belongs to another book, is not above zero, or sells more than is
 * held: impossible states.
 */
export function applyFill(state: TradingBook, fill: Fill): TradingBook {
  if (fill.bookId !== state.id) throw new Error(`a fill of book ${fill.bookId} cannot be booked to ${state.id}`);
  const quantity = toExact(fill.quantity);
  const priced = times(quantity, toExact(fill.fillPrice));
  const notional = toExact(fill.notionalUsd);
  const fee = toExact(fill.feeUsd);
  if (quantity.units <= 0n || priced.units <= 0n) throw new Error(`fill ${fill.id} has no positive quantity and price`);
  const rounded = minus(priced, notional);
  const difference = rounded.units < 0n ? minus(ZERO, rounded) : rounded;
  if (minus(difference, times(quantity, PRICE_ROUNDING)).units > 0n)
    throw new Error(`fill ${fill.id} states a notional of ${fill.notionalUsd} for ${fill.quantity} at ${fill.fillPrice}`);
  const buys = fill.side === 'buy';
  const moved = buys ? enlarged(state, fill, notional) : reduced(state, fill, notional);
  const cash = toExact(state.cashUsd);
  const slipped = times(times(notional, toExact(plainDecimal(fill.slippageBps))), BASIS_POINT);
  return {
    id: state.id,
    mode: state.mode,
    capitalUsd: state.capitalUsd,
    cashUsd: exactText(minus(buys ? minus(cash, notional) : plus(cash, notional), fee)),
    holdings: moved.holdings,
    realizedPnlUsd: exactText(plus(toExact(state.realizedPnlUsd), moved.realized)),
    feesUsd: exactText(plus(toExact(state.feesUsd), fee)),
    fundingUsd: state.fundingUsd,
    fills: state.fills + 1,
    turnoverUsd: exactText(plus(toExact(state.turnoverUsd), notional)),
    slippageUsd: exactText(plus(toExact(state.slippageUsd), slipped)),
    day: state.day,
    dayStartEquityUsd: state.dayStartEquityUsd,
    openProposals: state.openProposals,
  };
}

/** Tokens that a wallet sold although no purchase of the manual book brought them. US dollars at the price of the sale. */
export interface BroughtIn {
  readonly instrument: InstrumentKey;
  readonly quantity: DecimalString;
  readonly costUsd: DecimalString;
  readonly at: EpochMs;
}

/** Returns the tokens that a person's wallet sells beyond its book, or null if the book holds all of them, and for every other book. */
export function broughtInBy(fill: Fill, state: TradingBook): BroughtIn | null {
  const { instrument, side, fillPrice, at } = fill;
  const isOfWallet =
    side === 'sell' && instrument.startsWith('spotchain:') && state.mode === 'live' && readBookId(state.id)?.agentId === null;
  if (!isOfWallet) return null;
  const missing = new Decimal(fill.quantity).minus(findPosition(state, instrument)?.quantity ?? 0);
  return missing.gt(0) ? { instrument, quantity: plainDecimal(missing), costUsd: plainDecimal(missing.times(fillPrice)), at } : null;
}

/** Returns the book after a wallet brought tokens in. They count as capital in kind, so that selling them earns no profit. */
export function applyBroughtIn(state: TradingBook, { costUsd, ...tokens }: BroughtIn): TradingBook {
  const { capitalUsd, dayStartEquityUsd } = applyTransfer(state, costUsd);
  return { ...state, capitalUsd, dayStartEquityUsd, holdings: enlarged(state, tokens, toExact(costUsd)).holdings };
}

interface Moved {
  readonly holdings: readonly Position[];
  readonly realized: Exact;
}

function enlarged(state: TradingBook, fill: Pick<Fill, 'instrument' | 'quantity' | 'at'>, notional: Exact): Moved {
  const held = findPosition(state, fill.instrument);
  const holding: Position = {
    instrument: fill.instrument,
    quantity: exactText(plus(toExact(held?.quantity ?? '0'), toExact(fill.quantity))),
    costUsd: exactText(plus(toExact(held?.costUsd ?? '0'), notional)),
    // Dust of an earlier position does not make this one older.
    openedAt: held !== undefined && isPosition(held) ? held.openedAt : fill.at,
  };
  const holdings = held === undefined ? [...state.holdings, holding] : state.holdings.map((each) => (each === held ? holding : each));
  return { holdings, realized: ZERO };
}

function reduced(state: TradingBook, fill: Fill, notional: Exact): Moved {
  const held = findPosition(state, fill.instrument);
  const left = minus(toExact(held?.quantity ?? '0'), toExact(fill.quantity));
  if (held === undefined || left.units < 0n) {
    throw new Error(`fill ${fill.id} sells ${fill.quantity} ${fill.instrument} of ${held?.quantity ?? '0'} in ${state.id}`);
  }
  const whole = toExact(held.costUsd);
  if (left.units === 0n) return { holdings: state.holdings.filter((each) => each !== held), realized: minus(notional, whole) };
  const cost = toExact(plainDecimal(new Decimal(held.costUsd).times(fill.quantity).div(held.quantity).toDecimalPlaces(12)));
  const holding = { ...held, quantity: exactText(left), costUsd: exactText(minus(whole, cost)) };
  return { holdings: state.holdings.map((each) => (each === held ? holding : each)), realized: minus(notional, cost) };
}

/**
 * Returns the book after a deposit (positive) or withdrawal (negative). The day's first equity moves along, so that a deposit is no gain
 * and a withdrawal no drawdown.
 */
export function applyTransfer(state: TradingBook, amountUsd: DecimalString): TradingBook {
  const plus = (money: DecimalString): DecimalString => plainDecimal(new Decimal(money).plus(amountUsd));
  return {
    ...state,
    capitalUsd: plus(state.capitalUsd),
    cashUsd: plus(state.cashUsd),
    dayStartEquityUsd: state.dayStartEquityUsd === null ? null : plus(state.dayStartEquityUsd),
  };
}

/**
 * Returns a manual book after its account has paid or received the cash. People's money is in their accounts, so a manual book holds only
 * positions: a purchase is a deposit, and the proceeds of a sale are withdrawn.
 */
export function settledByAccount(state: TradingBook): TradingBook {
  return new Decimal(state.cashUsd).isZero() ? state : applyTransfer(state, accountPays(state));
}

/** Returns the dollars that the account of a manual book pays in (positive) or receives (negative). */
export function accountPays({ cashUsd }: Pick<TradingBook, 'cashUsd'>): DecimalString {
  return plainDecimal(new Decimal(cashUsd).neg());
}

/** Payout of a resolved market for the book's whole holding of one outcome. Booked once, without a fee. */
export interface Settlement {
  readonly bookId: string;
  readonly instrument: InstrumentKey;
  readonly quantity: DecimalString;
  /** US dollars per contract, from 0 to 1. */
  readonly payout: DecimalString;
  readonly at: EpochMs;
}

/**
 * Returns the book after a resolved market paid: the position is gone, its payout is cash, and the rest of its cost is lost. @throws Error
 * if the book holds another quantity, or the payout is not between 0 and 1, which are impossible states.
 */
export function applySettlement(state: TradingBook, { instrument, quantity, payout }: Settlement): TradingBook {
  const held = findPosition(state, instrument);
  if (held === undefined || !new Decimal(held.quantity).eq(quantity))
    throw new Error(`a settlement of ${quantity} ${instrument} is not what ${state.id} holds: ${held?.quantity ?? '0'}`);
  if (!new Decimal(payout).gte(0) || !new Decimal(payout).lte(1)) throw new Error(`${instrument} cannot pay ${payout}`);
  const paid = new Decimal(quantity).times(payout);
  return {
    ...state,
    cashUsd: plainDecimal(new Decimal(state.cashUsd).plus(paid)),
    holdings: state.holdings.filter((each) => each !== held),
    realizedPnlUsd: plainDecimal(new Decimal(state.realizedPnlUsd).plus(paid).minus(held.costUsd)),
  };
}

/** Change of a token's multiplier, in force from `at` on. */
export interface MultiplierChange {
  readonly instrument: InstrumentKey;
  readonly at: EpochMs;
  readonly before: DecimalString;
  readonly after: DecimalString;
}

/**
 * Change of a token's multiplier as a book counts it: whoever held the token has more units, or fewer, each worth accordingly. `quantity` is
 * what the change adds to the book's holding, negative if it takes from it.
 */
export interface Rescaling {
  readonly bookId: string;
  readonly instrument: InstrumentKey;
  readonly quantity: DecimalString;
  /** Time from which the new multiplier is in force. */
  readonly at: EpochMs;
}

/**
 * Returns the units that a change of the multiplier adds to a quantity held at that instant. The new quantity is cut after
 * `RESCALED_DECIMALS`, far below any token's raw unit, so that no book holds more than its wallet.
 */
export function rescaledBy(held: DecimalString, before: DecimalString, after: DecimalString): DecimalString {
  const quantity = new Decimal(held).times(after).div(before).toDecimalPlaces(RESCALED_DECIMALS, Decimal.ROUND_DOWN);
  return plainDecimal(quantity.minus(held));
}

/** Returns the book after a multiplier changed. Costs, cash and profit stay. @throws Error if more is taken than is held */
export function applyRescaling(state: TradingBook, { instrument, quantity, at }: Rescaling): TradingBook {
  const held = findPosition(state, instrument);
  const left = plus(toExact(held?.quantity ?? '0'), toExact(quantity));
  if (left.units < 0n) throw new Error(`a new multiplier of ${instrument} takes ${quantity} of ${held?.quantity ?? '0'} in ${state.id}`);
  if (held === undefined)
    return left.units === 0n
      ? state
      : { ...state, holdings: [...state.holdings, { instrument, quantity: exactText(left), costUsd: '0', openedAt: at }] };
  if (left.units > 0n)
    return { ...state, holdings: state.holdings.map((each) => (each === held ? { ...held, quantity: exactText(left) } : each)) };
  return {
    ...state,
    holdings: state.holdings.filter((each) => each !== held),
    realizedPnlUsd: exactText(minus(toExact(state.realizedPnlUsd), toExact(held.costUsd))),
  };
}

/** Returns the book after a change of the multiplier of what it holds now. */
export function rescaledBook(state: TradingBook, { instrument, at, before, after }: MultiplierChange): TradingBook {
  const held = findPosition(state, instrument);
  if (held === undefined) return state;
  return applyRescaling(state, { bookId: state.id, instrument, quantity: rescaledBy(held.quantity, before, after), at });
}

interface MarkedPosition {
  readonly instrument: InstrumentKey;
  readonly quantity: DecimalString;
  readonly costUsd: DecimalString;
  /** quantity x mark, or null without a mark. */
  readonly valueUsd: DecimalString | null;
}

/** A book at market prices. Fields that depend on a missing mark are null, because unknown is never good. */
export interface MarkedBook {
  readonly state: TradingBook;
  readonly positions: readonly MarkedPosition[];
  readonly exposureUsd: DecimalString | null;
  /** Cash plus exposure. */
  readonly equityUsd: DecimalString | null;
  readonly unrealizedPnlUsd: DecimalString | null;
  /** (equity at the day's first mark - equity now) / equity at the day's first mark x 100, never negative. */
  readonly dailyDrawdownPct: number | null;
  readonly unpriced: readonly InstrumentKey[];
  /** Dust without a mark. It makes no sum unknown and counts as 0. */
  readonly leftOut: readonly InstrumentKey[];
}

/**
 * Marks a book at an instant. The first mark of a UTC day begins the day: the returned `state` then has the day's first equity and must be
 * stored.
 */
export function markBook(state: TradingBook, marks: Pick<ReadonlyMap<InstrumentKey, DecimalString>, 'get'>, at: EpochMs): MarkedBook {
  let exposure = ZERO;
  let cost = ZERO;
  const unpriced: InstrumentKey[] = [];
  const leftOut: InstrumentKey[] = [];
  const positions = state.holdings.map((holding): MarkedPosition => {
    const mark = marks.get(holding.instrument);
    if (mark === undefined) (isPosition(holding) ? unpriced : leftOut).push(holding.instrument);
    const value = mark === undefined ? null : times(toExact(holding.quantity), toExact(mark));
    if (value !== null) exposure = plus(exposure, value);
    cost = plus(cost, toExact(holding.costUsd));
    return {
      instrument: holding.instrument,
      quantity: holding.quantity,
      costUsd: holding.costUsd,
      valueUsd: value === null ? null : exactText(value),
    };
  });
  if (unpriced.length > 0) {
    return { state, positions, exposureUsd: null, equityUsd: null, unrealizedPnlUsd: null, dailyDrawdownPct: null, unpriced, leftOut };
  }
  const equityUsd = exactText(plus(exposure, toExact(state.cashUsd)));
  const marked = withDay(state, equityUsd, at);
  return {
    state: marked,
    positions,
    exposureUsd: exactText(exposure),
    equityUsd,
    unrealizedPnlUsd: exactText(minus(exposure, cost)),
    dailyDrawdownPct: drawdownPct(marked.dayStartEquityUsd as DecimalString, equityUsd),
    unpriced,
    leftOut,
  };
}

/**
 * Returns the day's loss in percent, with each position without a mark at its worst known price, or at its cost if no price is known.
 * Breakers use it, because a position without a price may have fallen.
 */
export function worstDrawdownPct({ state, positions }: MarkedBook, worst: ReadonlyMap<InstrumentKey, DecimalString>, at: EpochMs): number {
  let equity = new Decimal(state.cashUsd);
  for (const { instrument, quantity, costUsd, valueUsd } of positions) {
    const price = worst.get(instrument);
    equity = equity.plus(valueUsd ?? (price === undefined ? costUsd : new Decimal(quantity).times(price)));
  }
  const equityUsd = plainDecimal(equity);
  return drawdownPct(withDay(state, equityUsd, at).dayStartEquityUsd as DecimalString, equityUsd);
}

/** Returns the start of an instant's UTC day. */
export function startOfUtcDay(at: EpochMs): EpochMs {
  return Math.floor(at / DAY_MS) * DAY_MS;
}

/** Returns the start of the next UTC day, when a daily drawdown is measured anew. */
export function nextUtcDay(at: EpochMs): EpochMs {
  return startOfUtcDay(at) + DAY_MS;
}

/** True if a mark at this instant begins a day of the book. */
export function beginsDay({ day }: Pick<TradingBook, 'day'>, at: EpochMs): boolean {
  return day === null || day < startOfUtcDay(at);
}

function withDay(state: TradingBook, equityUsd: DecimalString, at: EpochMs): TradingBook {
  return beginsDay(state, at) ? { ...state, day: startOfUtcDay(at), dayStartEquityUsd: equityUsd } : state;
}

function drawdownPct(dayStartEquityUsd: DecimalString, equityUsd: DecimalString): number {
  if (minus(toExact(dayStartEquityUsd), toExact(equityUsd)).units <= 0n) return 0;
  const start = new Decimal(dayStartEquityUsd);
  const lost = start.minus(equityUsd);
  return start.gt(0) ? lost.times(100).div(start).toDecimalPlaces(8).toNumber() : 100;
}

/** Returns the average price of a holding, rounded half-even to 12 decimals. */
export function averageEntryPrice({ costUsd, quantity }: Pick<Position, 'costUsd' | 'quantity'>): DecimalString {
  return plainDecimal(new Decimal(costUsd).div(quantity).toDecimalPlaces(12));
}

/** Returns the book as a decision reads and records it: its positions, without dust. */
export function agentBook(state: TradingBook): AgentBook {
  return {
    positions: state.holdings.filter(isPosition).map((holding) => ({
      instrument: holding.instrument,
      quantity: holding.quantity,
      averageEntryPrice: averageEntryPrice(holding),
      openedAt: holding.openedAt,
    })),
    openProposals: state.openProposals.length,
    fills: state.fills,
    realizedPnlUsd: state.realizedPnlUsd,
    slippageBps: meanSlippageBps(state),
  };
}

/** Returns the mean slippage of the fills, weighted by notional, or null before the first fill. A ratio, hence a number. */
export function meanSlippageBps(state: Pick<TradingBook, 'fills' | 'slippageUsd' | 'turnoverUsd'>): number | null {
  if (state.fills === 0) return null;
  return new Decimal(state.slippageUsd).times(10_000).div(state.turnoverUsd).toDecimalPlaces(8).toNumber() + 0;
}
