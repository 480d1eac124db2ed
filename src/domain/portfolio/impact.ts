/** Simulates a proposed allocation on a copy of a portfolio. Nothing is stored. */
import { applyFill, emptyBook, type Fill, findPosition, settledByAccount, type TradingBook } from '../books/book.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { findCostModel, computeFeeUsd, pooledPrice, poolOfDepth, computeSlippageBps } from '../orders/costs.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import type { RiskAttribution } from '../agents/decision.ts';
import { type Order, type OrderQuote, type OrderSide, resized } from '../orders/order.ts';
import { paidInto } from '../books/free-dollars.ts';
import type { LimitUse } from '../risk/limit-uses.ts';
import type { EpochMs } from '../values/time.ts';
import type { InstrumentKey } from '../market/venue.ts';
import type { PortfolioBook } from './account.ts';
import { isPooled } from './pool-exit.ts';
import { instrumentInputs, type Portfolio, type PortfolioMaterial, computePortfolio } from './portfolio.ts';
import { catalogInputId, MANDATE_INPUT, type PortfolioInput, plainInput, poolInputId, quoteInputId } from './input-trace.ts';

/** One proposed purchase or sale. */
export interface Allocation {
  readonly instrument: InstrumentKey;
  readonly side: OrderSide;
  readonly notionalUsd: DecimalString;
}

/** An allocation with its risk assessment. `order` is null if there is no price for one. */
export interface AssessedAllocation {
  readonly allocation: Allocation;
  readonly order: Order | null;
  /** Price that it would trade at. */
  readonly touch: DecimalString | null;
  /** Top of the book used for the assessment, or null if none is live. */
  readonly quote: OrderQuote | null;
  readonly risk: RiskAttribution | null;
  /** Limits on the order's size with the amounts before and after. Empty for a sell, which has none. */
  readonly limits: readonly LimitUse[];
  /** Reason why there is no order. Empty if there is one. */
  readonly problem: string;
}

/** Inputs of a simulation: the organization's holdings and the proposal. */
export interface ImpactMaterial {
  readonly material: PortfolioMaterial;
  /** Manual book in which allocations are simulated. Its account pays for them. */
  readonly bookId: string;
  readonly assessed: readonly AssessedAllocation[];
}

/** An allocation and its simulated result. */
export interface SimulatedAllocation extends AssessedAllocation {
  /** Id of the input. */
  readonly id: string;
  readonly wouldPass: boolean;
  /** Zero if nothing could be simulated. */
  readonly quantity: DecimalString;
  readonly feeUsd: DecimalString;
  readonly note: string;
  readonly inputs: readonly string[];
}

interface PortfolioImpact {
  readonly before: Portfolio;
  readonly after: Portfolio;
  readonly allocations: readonly SimulatedAllocation[];
  /** Meaning of every id in both portfolios and in the allocations. */
  readonly inputs: readonly PortfolioInput[];
}

/**
 * Returns the holdings before and after. A refused allocation is simulated too, and marked as refused. One without a live price is not
 * simulated. A sell takes no more than the book holds.
 */
export function computeImpact(
  material: PortfolioMaterial,
  bookId: string,
  assessed: readonly AssessedAllocation[],
  catalog: Catalog,
): PortfolioImpact {
  const opened = withBook(material, bookId);
  let current = bookIn(opened, bookId);
  const simulated: SimulatedAllocation[] = [];
  for (const [index, each] of assessed.entries()) {
    const id = allocationId(index);
    const { state, done } = simulate(current.state, each, id, material);
    current = withTrade(current, state, each.allocation.instrument, done.quantity === '0' ? null : id);
    simulated.push(done);
  }
  const books = opened.books.map((one) => (one.state.id === bookId ? current : one));
  // An untraded book is not part of the holdings. Only a trade opens it.
  const before = computePortfolio(material, catalog);
  const isTraded = simulated.some(({ quantity }) => quantity !== '0');
  const after = isTraded ? computePortfolio({ ...opened, books, ...freeAfter(opened, bookIn(opened, bookId), current) }, catalog) : before;
  const traded = simulated.map(({ allocation }) => allocation.instrument);
  const inputs = [
    ...before.inputs,
    ...after.inputs,
    ...instrumentInputs(material, traded, catalog),
    ...simulated.flatMap((each) => askedInputs(each, material.at)),
  ];
  return { before, after, allocations: simulated, inputs: onceEach(inputs) };
}

/** Returns the free dollars after the trade: the account pays for a purchase, and receives the proceeds of a sale. */
function freeAfter({ free }: PortfolioMaterial, before: PortfolioBook, after: PortfolioBook): Pick<PortfolioMaterial, 'free'> {
  const paid = new Decimal(after.state.capitalUsd).minus(before.state.capitalUsd);
  return free === undefined ? {} : { free: paidInto(free, plainDecimal(paid)) };
}

/** Returns the allocation and the top of the book behind its assessment, as inputs. */
function askedInputs({ id, allocation, quote, touch }: SimulatedAllocation, at: EpochMs): PortfolioInput[] {
  const { side, notionalUsd, instrument } = allocation;
  const asked = plainInput({
    id,
    kind: 'allocation',
    what: `${side} ${instrument} for ${notionalUsd} US dollars`,
    value: notionalUsd,
    source: 'the request',
  });
  if (quote === null) return [asked];
  const { bid, ask, venue, observedAt, quality, flags } = quote;
  const what = `bid ${bid ?? 'none'}, ask ${ask ?? 'none'}: what it was assessed on`;
  const ageMs = Math.max(0, at - observedAt);
  return [asked, plainInput({ id: touchInputId(id), kind: 'quote', what, value: touch, source: venue, observedAt, ageMs, quality, flags })];
}

/** Removes duplicate inputs. If both portfolios have one, the earlier is kept. */
function onceEach(inputs: readonly PortfolioInput[]): readonly PortfolioInput[] {
  const known = new Map<string, PortfolioInput>();
  for (const input of inputs) if (!known.has(input.id)) known.set(input.id, input);
  return [...known.values()];
}

function touchInputId(allocation: string): string {
  return `touch:${allocation}`;
}

/** Returns the input id of an allocation by its place in the request. */
function allocationId(index: number): string {
  return `allocation:${index}`;
}

function bookIn({ books }: PortfolioMaterial, id: string): PortfolioBook {
  const found = books.find(({ state }) => state.id === id);
  if (found === undefined) throw new Error(`the material has no book ${id}`);
  return found;
}

/** Returns the inputs with the book at its opening, before any booking. */
function withBook(material: PortfolioMaterial, id: string): PortfolioMaterial {
  if (material.books.some(({ state }) => state.id === id)) return material;
  const state = emptyBook(id, material.mode, '0');
  const untouched: PortfolioBook = { agentId: null, version: 0, state, fills: new Map(), margins: new Map() };
  return { ...material, books: [...material.books, untouched] };
}

/** Returns the book after an allocation, which becomes an input of its position. */
function withTrade(book: PortfolioBook, state: TradingBook, instrument: InstrumentKey, allocation: string | null): PortfolioBook {
  if (allocation === null) return book;
  const simulated = new Map(book.simulated);
  simulated.set(instrument, [...(simulated.get(instrument) ?? []), allocation]);
  return { ...book, state, simulated };
}

function simulate(
  state: TradingBook,
  assessed: AssessedAllocation,
  id: string,
  { pools, at }: Pick<PortfolioMaterial, 'pools' | 'at'>,
): { readonly state: TradingBook; readonly done: SimulatedAllocation } {
  const { allocation, risk, touch } = assessed;
  const { instrument } = allocation;
  const wouldPass = risk?.verdict === 'passed';
  const inputs = [
    id,
    ...(assessed.quote === null ? [] : [touchInputId(id)]),
    quoteInputId(instrument),
    catalogInputId(instrument),
    MANDATE_INPUT,
    state.id,
    ...(isPooled(instrument) ? [poolInputId(instrument)] : []),
  ];
  const order = assessed.order === null ? null : fitting(assessed.order, state);
  const shared = { ...assessed, id, wouldPass, inputs };
  if (order === null || touch === null) {
    const note = assessed.order === null ? assessed.problem : `the book ${state.id} holds none of ${instrument}`;
    return { state, done: { ...shared, quantity: '0', feeUsd: '0', note } };
  }
  const { quantity } = order;
  const fillPrice = averageFrom(order, touch, pools);
  if (!fillPrice.isFinite())
    return { state, done: { ...shared, quantity: '0', feeUsd: '0', note: `the pools of ${instrument} do not hold as much` } };
  const notional = new Decimal(quantity).times(fillPrice);
  const feeUsd = computeFeeUsd(notional, findCostModel(instrument));
  const fill: Fill = {
    id,
    orderId: order.id,
    bookId: state.id,
    instrument,
    side: order.side,
    quantity,
    fillPrice: plainDecimal(fillPrice),
    feeUsd,
    notionalUsd: plainDecimal(notional),
    decisionPrice: touch,
    slippageBps: computeSlippageBps(order.side, touch, fillPrice),
    at,
    quotes: [],
  };
  const cut = quantity === assessed.order?.quantity ? '' : `cut to the ${quantity} that the book holds`;
  const refused = wouldPass ? '' : 'risk would refuse it';
  const note = [cut, refused].filter((part) => part !== '').join('; ');
  return { state: settledByAccount(applyFill(state, fill)), done: { ...shared, quantity, feeUsd, note } };
}

/**
 * Returns the average price from the touch on: along the curve of a token's pools, as on paper. Instruments with a book trade at the touch.
 */
function averageFrom({ instrument, side, quantity }: Order, touch: DecimalString, pools: PortfolioMaterial['pools']): Decimal {
  if (!isPooled(instrument)) return new Decimal(touch);
  const liquidityUsd = pools.get(instrument)?.liquidityUsd ?? poolOfDepth(findCostModel(instrument).depthUsd);
  return pooledPrice(side, touch, quantity, liquidityUsd).toSignificantDigits(12, side === 'buy' ? Decimal.ROUND_UP : Decimal.ROUND_DOWN);
}

/** Returns the order at a quantity that the book allows, or null if it holds nothing to sell. */
function fitting(order: Order, state: TradingBook): Order | null {
  if (order.side === 'buy') return order;
  const held = findPosition(state, order.instrument)?.quantity ?? '0';
  if (new Decimal(held).isZero()) return null;
  return new Decimal(order.quantity).gt(held) ? resized(order, held) : order;
}
