/**
 * Risk of manual orders on any venue. The mandate is the organization's preferences, the book its manual book, with everything pending on
 * it.
 */
import type { LeftByOrder, ManualVerdict } from '../../actors/manual-order/manual-order.ts';
import type { ManualAccount } from '../adapters/store/risk/risk-reads.ts';
import {
  applyFill,
  applyTransfer,
  bookIds,
  emptyBook,
  type Fill,
  markBook,
  type OpenProposal,
  settledByAccount,
  type TradingBook,
} from '../domain/books/book.ts';
import { freeDollars } from '../domain/books/free-dollars.ts';
import { toDollarVenue } from '../domain/books/reserves.ts';
import { CATALOG } from '../domain/catalog/catalog.ts';
import type { InstrumentKey } from '../domain/market/venue.ts';
import { findCostModel } from '../domain/orders/costs.ts';
import type { ExecutionMode, Order } from '../domain/orders/order.ts';
import type { PredictionMarket } from '../domain/prediction/market.ts';
import { readOutcomeKey, restingMark, toExposureId } from '../domain/prediction/prediction-order.ts';
import {
  assessOrder,
  decideHalt,
  exposureOfSums,
  orderContext,
  plusCash,
  type RiskCatalog,
  type RiskContext,
  type RiskVerdict,
} from '../domain/risk/index.ts';
import { type BoundDollars, boundDollarsObjection } from '../domain/take/live-capital.ts';
import { Decimal, type DecimalString, plainDecimal } from '../domain/values/decimal.ts';
import type { Outcome } from '../domain/values/refusal.ts';
import type { EpochMs } from '../domain/values/time.ts';
import { createLiveMarks } from './live-marks.ts';
import type { PresentInstrument, RiskDeps } from './present-market.ts';

export interface ManualRiskOptions {
  /** Returns the maximum fee of the order in basis points, if the venue's cost model does not give it. */
  readonly feeBps?: (order: Order) => number;
  /** Treated as pending in the manual book, besides what is. */
  readonly alongside?: readonly OpenProposal[];
  /** Control epoch of the order's placement. Default: that of the assessment. */
  readonly placedIn?: number | undefined;
  /** Quantity of the instrument in the wallet of a sale. */
  readonly accountHolds?: DecimalString | undefined;
  /** Account of the assessment. Default: the present one. */
  readonly account?: ManualAccount;
}

/** Returns live marks, and for unquoted outcomes what is known of their market. */
function createMarks({ bus, clock }: Pick<RiskDeps, 'bus' | 'clock'>) {
  const live = createLiveMarks(bus, clock);
  return (
    instruments: readonly InstrumentKey[],
    markets: ReadonlyMap<string, PredictionMarket>,
  ): ReadonlyMap<InstrumentKey, DecimalString> => {
    const marks = new Map(live(instruments));
    for (const key of instruments) {
      const name = marks.has(key) ? null : readOutcomeKey(key);
      const market = name === null ? undefined : markets.get(name.marketId);
      if (name !== null && market !== undefined) marks.set(key, restingMark(market, name.outcome, clock.now()));
    }
    return marks;
  };
}

/** Returns the marks for assessing manual orders. */
export function createManualMarks(deps: Pick<RiskDeps, 'reads' | 'bus' | 'clock'>) {
  const marksOf = createMarks(deps);
  return async (instruments: readonly InstrumentKey[]): Promise<ReadonlyMap<InstrumentKey, DecimalString>> =>
    marksOf(instruments, await deps.reads.outcomeMarkets(instruments));
}

export function createManualRisk(deps: RiskDeps) {
  const { reads, clock } = deps;
  const marksOf = createMarks(deps);

  return {
    /**
     * Assesses a manual order on its market, and returns the inputs. `compile` makes the order from the organization's slippage
     * limit in basis points and the book with everything pending.
     */
    async validate(
      orgId: string,
      mode: ExecutionMode,
      present: Omit<PresentInstrument, 'edge'>,
      compile: (longestSlippageBps: number, book: TradingBook) => Outcome<Order>,
      { feeBps, alongside = [], placedIn, account, accountHolds }: ManualRiskOptions = {},
    ): Promise<Outcome<ManualVerdict & { readonly context: RiskContext }>> {
      const { epoch, preferences, book: stored, others, accounts, bound, waiting } = account ?? (await reads.manualAccount(orgId, mode));
      const state: TradingBook = {
        ...(stored?.state ?? emptyBook(bookIds.manual(orgId, mode), mode, '0')),
        openProposals: [...waiting, ...alongside],
      };
      const compiled = compile(preferences.maxSlippageBps, state);
      if (!compiled.ok) return compiled;
      const order = compiled.value;
      const fee = feeBps?.(order) ?? findCostModel(order.instrument).takerFeeBps;
      const elsewhere = others.assets.map(({ instrument }) => instrument);
      const held = state.holdings.map(({ instrument }) => instrument);
      const waitedFor = state.openProposals.map(({ instrument }) => instrument);
      const free = new Decimal(freeDollars(accounts, clock.now()).usd);
      const cost = costWithWaiting(state, order, fee);
      const markets = await reads.outcomeMarkets([order.instrument, ...held, ...waitedFor, ...elsewhere]);
      const context = orderContext(order, {
        market: present.market,
        readsReference: false,
        agent: null,
        preferences,
        book: markBook(paidByAccount(state, cost, free), marksOf(held, markets), clock.now()),
        others: exposureOfSums(plusCash(others, Decimal.min(free, 0)), marksOf(elsewhere, markets)),
        control: {
          halt: decideHalt({ decidedEpoch: placedIn ?? epoch, epoch, paused: false, closes: false }),
          disabled: deps.disabledVenues(null, orgId),
        },
        accountHolds,
        feeBps: fee,
      });
      const verdict = withoutBoundDollars(
        assessOrder(order, context, withOutcomes(markets)),
        order,
        fee,
        alongside,
        { ...bound, facts: accounts },
        clock.now(),
      );
      const touch = order.side === 'buy' ? present.quote?.ask : present.quote?.bid;
      return {
        ok: true,
        value: {
          order,
          // Only an account that pays for the order says how large another one may be.
          verdict: presentVerdict(order.side === 'sell' || free.gte(cost) ? verdict : withoutHeadroom(verdict), present),
          touch: plainDecimal(touch ?? order.limitPrice),
          epoch,
          bookVersion: stored?.version ?? 0,
          context,
        },
      };
    },
  };
}

export type ManualRisk = ReturnType<typeof createManualRisk>;

function presentVerdict(verdict: RiskVerdict, { quote, depth, market }: Omit<PresentInstrument, 'edge'>): ManualVerdict['verdict'] {
  if (!verdict.ok) return { ok: false, risk: verdict.attribution };
  const { approved, attribution: risk } = verdict;
  return { ok: true, approved, risk, market: { quote, depth, liquidityUsd: market.liquidityUsd } };
}

/** Returns the account after an order was placed on it. */
export function accountAfter(account: ManualAccount, orgId: string, mode: ExecutionMode, { fills, waits }: LeftByOrder): ManualAccount {
  const waiting = waits === null ? account.waiting : [...account.waiting, waits];
  if (fills.length === 0) return { ...account, waiting };
  const id = bookIds.manual(orgId, mode);
  const before = account.book ?? { id, agentId: null, version: 0, state: emptyBook(id, mode, '0') };
  const state = fills.reduce(booked, before.state);
  const paidIn = new Decimal(state.capitalUsd).minus(before.state.capitalUsd);
  const accounts = { ...account.accounts, booksCapitalUsd: plainDecimal(paidIn.plus(account.accounts.booksCapitalUsd)) };
  return { ...account, waiting, book: { ...before, version: before.version + fills.length, state }, accounts };
}

function booked(state: TradingBook, fill: Fill): TradingBook {
  return settledByAccount(applyFill(state, fill));
}

/**
 * Returns the book with the free dollars of the organization's accounts, but at least the cost of this order and of every pending purchase:
 * no venue fills an order that its account cannot pay, and not every account is known. The day's first equity moves along, so that drawdown
 * is measured on the same sum.
 */
function paidByAccount(state: TradingBook, cost: Decimal, free: Decimal): TradingBook {
  const cash = Decimal.max(free, cost, 0);
  return cash.isZero() ? state : applyTransfer(state, plainDecimal(cash));
}

function withoutHeadroom(verdict: RiskVerdict): RiskVerdict {
  const { headroom: _, ...attribution } = verdict.attribution;
  return { ...verdict, attribution };
}

/** Returns the cost of an order and of every pending purchase in US dollars, with what risk rounds up. */
function costWithWaiting(state: TradingBook, order: Order, feeBps: number): Decimal {
  const waiting = state.openProposals.filter(({ id, side }) => side === 'buy' && id !== order.id);
  const own = order.side === 'buy' ? new Decimal(order.notionalUsd).times(new Decimal(Math.max(0, feeBps)).div(10_000).plus(1)) : 0;
  const needed = waiting.reduce((sum, { notionalUsd }) => sum.plus(notionalUsd), new Decimal(own));
  // Risk rounds each amount to a millionth of a dollar against the order.
  const rounding = new Decimal(needed.isZero() ? 0 : waiting.length + state.holdings.length + 2).times('0.000001');
  return needed.plus(rounding);
}

/**
 * Removes the dollars that vaults and armed Takes have bound in the paying account from a purchase at the exchange. Wallets pay by
 * transactions, whose dollars the database binds.
 */
function withoutBoundDollars(
  verdict: RiskVerdict,
  order: Order,
  feeBps: number,
  alongside: readonly OpenProposal[],
  dollars: BoundDollars,
  now: EpochMs,
): RiskVerdict {
  if (order.side === 'sell' || order.venue !== 'spotexchange') return verdict;
  const own = new Decimal(order.notionalUsd).times(new Decimal(Math.max(0, feeBps)).div(10_000).plus(1));
  const needed = alongside.reduce(
    (sum, { side, instrument, notionalUsd }) => (side === 'buy' && toDollarVenue(instrument) === order.venue ? sum.plus(notionalUsd) : sum),
    own,
  );
  const lacking = boundDollarsObjection(dollars, { id: order.id, venue: order.venue, wallet: null, usd: plainDecimal(needed) }, now);
  if (lacking === null) return verdict;
  const { attribution } = verdict;
  return { ok: false, attribution: { ...attribution, verdict: 'blocked', rejections: [...attribution.rejections, lacking] } };
}

/** Returns the catalog with the outcomes of these markets, in which mutually exclusive outcomes are one exposure. */
function withOutcomes(markets: ReadonlyMap<string, PredictionMarket>): RiskCatalog {
  return {
    byKey(key) {
      const name = readOutcomeKey(key);
      if (name === null) return CATALOG.byKey(key);
      const market = markets.get(name.marketId);
      return market === undefined ? undefined : { underlying: `prediction:${toExposureId(market)}`, token: null, benchmarkKind: null };
    },
  };
}
