/** Pre-trade risk function on a tape's current quotes. */
import { untouchedBook } from '../../../actors/agent/tick-risk.ts';
import type { PresentVerdict, PreTrade } from '../../../actors/proposal/present-verdict.ts';
import type { MarketView } from '../../../streams/market-view.ts';
import type { InstrumentRelations } from '../../../streams/slot-cut.ts';
import { markBook } from '../../domain/books/book.ts';
import { midPrice } from '../../domain/market/valuation.ts';
import type { InstrumentKey } from '../../domain/market/venue.ts';
import { atPresentPrice } from '../../domain/orders/order.ts';
import {
  ALL_ENABLED,
  assessOrder,
  computeExposure,
  decideHalt,
  orderContext,
  presentMarket,
  type RiskPreferences,
} from '../../domain/risk/index.ts';
import type { DecimalString } from '../../domain/values/decimal.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import type { BrokeredAgent, ReplayBooks } from './replay-books.ts';

interface ReplayRiskDeps {
  readonly books: ReplayBooks;
  readonly view: MarketView;
  readonly now: () => EpochMs;
  readonly agent: (id: string) => BrokeredAgent;
  readonly relations: (key: InstrumentKey) => InstrumentRelations | undefined;
  readonly preferences: RiskPreferences;
  readonly marks: Marks;
}

/** Middle prices of live quotes at one moment. */
export type Marks = Pick<ReadonlyMap<InstrumentKey, DecimalString>, 'get'>;

/** Assesses an agent's order as a worker would at this moment. */
export function assessOnTape(
  { books, view, now, agent: agentOf, relations: relationsOf, preferences, marks }: ReplayRiskDeps,
  orgId: string,
  { agentId, order, readsReference }: Parameters<PreTrade['assess']>[1],
): PresentVerdict {
  const at = now();
  const agent = agentOf(agentId);
  const relations = relationsOf(order.instrument);
  const quote = view.quoteAt(order.instrument, at);
  const reference = relations === undefined || relations.benchmark === null ? null : view.referenceAt(relations.benchmark, at);
  const market = presentMarket({ at, quote, reference, liquidity: view.instrument(order.instrument)?.liquidity ?? null });
  const context = orderContext(order, {
    market,
    readsReference,
    agent,
    preferences,
    book: markBook(books.touched(agentId) ?? untouchedBook(agent), marks, at),
    others: computeExposure(books.sumsWithout(orgId, order.mode, order.bookId), marks),
    // A live run's epoch is not on its tape. A halt reaches the agents as a pause.
    control: { halt: decideHalt({ decidedEpoch: 0, epoch: 0, paused: agent.paused, closes: false }), disabled: ALL_ENABLED },
  });
  const verdict = assessOrder(atPresentPrice(order, quote), context);
  if (!verdict.ok) return { ok: false, risk: verdict.attribution };
  const { liquidityUsd } = market;
  return { ok: true, approved: verdict.approved, risk: verdict.attribution, market: { quote, depth: null, liquidityUsd } };
}

/** Creates the live marks of a view at a moment. Each middle is computed once and valid until the view changes. */
export function createMarks(view: MarketView, at: EpochMs): Marks {
  const middles = new Map<InstrumentKey, DecimalString | null>();
  return {
    get(instrument) {
      let middle = middles.get(instrument);
      if (middle === undefined) {
        const quote = view.quoteAt(instrument, at);
        middle = quote === null || quote.quality !== 'live' ? null : midPrice(quote.bid, quote.ask);
        middles.set(instrument, middle);
      }
      return middle ?? undefined;
    },
  };
}
