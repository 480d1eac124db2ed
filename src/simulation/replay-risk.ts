/** The pre-trade risk function on what a tape quotes at this moment. */
import { untouchedBook } from '../../actors/agent/tick-risk.ts';
import type { PresentVerdict, PreTrade } from '../../actors/proposal/pre-trade.ts';
import type { MarketView } from '../../streams/market-view.ts';
import type { InstrumentRelations } from '../../streams/slot-cut.ts';
import { markBook, type TradingBook } from '../domain/book.ts';
import type { DecimalString } from '../domain/decimal.ts';
import { atPresentPrice } from '../domain/present-order.ts';
import {
  ALL_ENABLED,
  assessOrder,
  exposureTotals,
  haltOf,
  orderContext,
  presentMarket,
  type RiskPreferences,
} from '../domain/risk/index.ts';
import type { EpochMs } from '../domain/time.ts';
import { midPrice } from '../domain/valuation.ts';
import type { InstrumentKey } from '../domain/venue.ts';
import type { BrokeredAgent, ReplayBooks } from './replay-books.ts';

export interface ReplayRiskDeps {
  readonly books: ReplayBooks;
  readonly view: MarketView;
  readonly now: () => EpochMs;
  readonly agent: (id: string) => BrokeredAgent;
  readonly relations: (key: InstrumentKey) => InstrumentRelations | undefined;
  readonly preferences: RiskPreferences;
}

/** Assesses an order of an agent as a worker would at this moment. */
export function assessOnTape(
  { books, view, now, preferences, ...deps }: ReplayRiskDeps,
  orgId: string,
  { agentId, order, readsReference }: Parameters<PreTrade['assess']>[1],
): PresentVerdict {
  const at = now();
  const marksNow = (book: TradingBook) => markAt(book, view, at);
  const agent = deps.agent(agentId);
  const relations = deps.relations(order.instrument);
  const quote = view.quoteAt(order.instrument, at);
  const reference = relations === undefined || relations.benchmark === null ? null : view.referenceAt(relations.benchmark, at);
  const market = presentMarket({ at, quote, reference, liquidity: view.instrument(order.instrument)?.liquidity ?? null });
  const context = orderContext(order, {
    market,
    readsReference,
    agent,
    preferences,
    book: marksNow(books.touched(agent) ?? untouchedBook(agent)),
    others: exposureTotals(books.ofOrganization(orgId).map(marksNow), order.mode).without(order.bookId),
    // An epoch of a live run is not on its tape: a halt reaches the agents as their pause.
    control: { halt: haltOf({ decidedEpoch: 0, epoch: 0, paused: agent.paused, closes: false }), disabled: ALL_ENABLED },
  });
  const verdict = assessOrder(atPresentPrice(order, quote), context);
  if (!verdict.ok) return { ok: false, risk: verdict.attribution };
  const { liquidityUsd } = market;
  return { ok: true, approved: verdict.approved, risk: verdict.attribution, market: { quote, depth: null, liquidityUsd } };
}

/** A book at the middles of what is quoted live at a time. */
function markAt(book: TradingBook, view: MarketView, at: EpochMs): ReturnType<typeof markBook> {
  const marks = new Map<InstrumentKey, DecimalString>();
  for (const { instrument } of book.holdings) {
    const quote = view.quoteAt(instrument, at);
    const mid = quote === null || quote.quality !== 'live' ? null : midPrice(quote.bid, quote.ask);
    if (mid !== null) marks.set(instrument, mid);
  }
  return markBook(book, marks, at);
}
