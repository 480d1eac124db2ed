/**
 * Risk for whatever people order, on any venue: the organization's preferences are the mandate, its manual book is what
 * is traded in, and everything that waits on that book counts.
 */
import type { ManualVerdict } from '../../actors/manual-order/verdict.ts';
import type { Clock } from '../../streams/clock.ts';
import type { BusQuote } from '../adapters/queue/quote-bus.ts';
import { booksOfOrganizations } from '../adapters/store/books/book-store.ts';
import type { Sql } from '../adapters/store/database.ts';
import { openMarketOrders } from '../adapters/store/orders/market-order-store.ts';
import { marketsOfOutcomes, openPredictionOrders } from '../adapters/store/orders/prediction-order-store.ts';
import { openPreparedTransactions } from '../adapters/store/orders/prepared-transaction-store.ts';
import { preferencesOf } from '../adapters/store/risk/risk-preferences-store.ts';
import { bookIds, emptyBook, markBook, type OpenProposal, type TradingBook } from '../domain/book.ts';
import { CATALOG } from '../domain/catalog.ts';
import { costModelOf } from '../domain/costs.ts';
import { type DecimalString, plainDecimal } from '../domain/decimal.ts';
import type { ExecutionMode, Order } from '../domain/order.ts';
import type { PaperMarket } from '../domain/paper-fill.ts';
import type { PredictionMarket } from '../domain/prediction/market.ts';
import { exposureOf, readOutcomeKey, restingMark } from '../domain/prediction/order.ts';
import type { Outcome } from '../domain/refusal.ts';
import { assessOrder, mandateOf, otherBooksOf, type RiskCatalog, type RiskContext } from '../domain/risk/index.ts';
import type { InstrumentKey } from '../domain/venue.ts';
import { createLiveMarks } from './live-marks.ts';

export interface ManualRisk {
  /**
   * Judges an order of a person on the market that it would trade on, and shows what it was judged by. `compile` makes
   * it, told the organization's own limit of slippage in basis points and the book with everything that waits on it.
   */
  judge(
    orgId: string,
    mode: ExecutionMode,
    present: PaperMarket,
    compile: (longestSlippageBps: number, book: TradingBook) => Outcome<Order>,
    more?: ManualRiskOptions,
  ): Promise<Outcome<ManualVerdict & { readonly context: RiskContext }>>;
}

interface ManualRiskOptions {
  /** The most that the order may pay, where the venue's cost model does not say it. */
  readonly feeBps?: (order: Order) => number;
  /** Counts as pending in the manual book besides what really is. */
  readonly alongside?: readonly OpenProposal[];
  /** What the instrument is benchmarked against, as it is now; looked at where the mandate asks for a live one. */
  readonly reference?: RiskContext['reference']['observed'];
}

export function createManualRisk(deps: {
  readonly sql: Sql;
  readonly bus: { latest(key: InstrumentKey): BusQuote | null };
  readonly clock: Pick<Clock, 'now'>;
}): ManualRisk {
  const { sql, clock } = deps;
  const live = createLiveMarks(deps.bus, clock);

  /** Live marks, and for outcomes that nobody quotes what is known of their market. */
  function marksOf(instruments: readonly InstrumentKey[], markets: ReadonlyMap<string, PredictionMarket>) {
    const marks = new Map(live(instruments));
    for (const key of instruments) {
      const name = marks.has(key) ? null : readOutcomeKey(key);
      const market = name === null ? undefined : markets.get(name.marketId);
      if (name !== null && market !== undefined) marks.set(key, restingMark(market, name.outcome, clock.now()));
    }
    return marks;
  }

  return {
    async judge(orgId, mode, present, compile, { feeBps, alongside = [], reference = null } = {}) {
      const bookId = bookIds.manual(orgId, mode);
      const [[control], { preferences }, books, waiting] = await Promise.all([
        sql<{ epoch: number }[]>`select epoch from control where org_id = ${orgId}`,
        preferencesOf(sql, orgId),
        booksOfOrganizations(sql, [orgId], mode),
        waitingOn(sql, orgId, bookId),
      ]);
      const capitalUsd = preferences.maxCapitalUsd;
      const stored = books.find((book) => book.id === bookId);
      const state: TradingBook = { ...(stored?.state ?? emptyBook(bookId, mode, capitalUsd)), openProposals: [...waiting, ...alongside] };
      const compiled = compile(preferences.maxSlippageBps, state);
      if (!compiled.ok) return compiled;
      const order = compiled.value;
      const held = [state, ...books.map((book) => book.state)].flatMap((book) => instrumentsOf(book));
      const markets = await marketsOfOutcomes(sql, [order.instrument, ...held]);
      const marked = (book: TradingBook) =>
        markBook(
          book,
          marksOf(
            book.holdings.map(({ instrument }) => instrument),
            markets,
          ),
          clock.now(),
        );
      const context: RiskContext = {
        at: clock.now(),
        quote: present.quote,
        reference: { required: false, observed: reference },
        liquidityUsd: present.liquidityUsd,
        mandate: mandateOf(null, preferences, null),
        book: marked(state),
        others: otherBooksOf(
          books.map((book) => marked(book.state)),
          mode,
          bookId,
        ),
        halt: 'none',
        disabledFeature: null,
        feeBps: feeBps?.(order) ?? costModelOf(order.instrument).takerFeeBps,
      };
      const verdict = assessOrder(order, context, withOutcomes(markets));
      const touch: DecimalString | null | undefined = order.side === 'buy' ? present.quote?.ask : present.quote?.bid;
      return {
        ok: true,
        value: {
          order,
          verdict: verdict.ok
            ? { ok: true, approved: verdict.approved, risk: verdict.attribution, market: present }
            : { ok: false, risk: verdict.attribution },
          touch: plainDecimal(touch ?? order.limitPrice),
          epoch: control?.epoch ?? 0,
          bookVersion: stored?.version ?? 0,
          capitalUsd,
          context,
        },
      };
    },
  };
}

/** Everything that waits on a manual book and reserves capacity there. */
export async function waitingOn(sql: Sql, orgId: string, bookId: string): Promise<readonly OpenProposal[]> {
  const waiting = await Promise.all([
    openMarketOrders(sql, orgId, bookId),
    openPreparedTransactions(sql, orgId, bookId),
    openPredictionOrders(sql, orgId, bookId),
  ]);
  return waiting.flat();
}

function instrumentsOf({ holdings, openProposals }: TradingBook): InstrumentKey[] {
  return [...holdings, ...openProposals].map(({ instrument }) => instrument);
}

/** The catalog, and the outcomes of these markets: what excludes each other is one exposure. */
function withOutcomes(markets: ReadonlyMap<string, PredictionMarket>): RiskCatalog {
  return {
    byKey(key) {
      const name = readOutcomeKey(key);
      if (name === null) return CATALOG.byKey(key);
      const market = markets.get(name.marketId);
      return market === undefined ? undefined : { underlying: `prediction:${exposureOf(market)}`, token: null, benchmarkKind: null };
    },
  };
}
