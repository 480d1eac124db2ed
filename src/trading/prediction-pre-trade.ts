/** Risk of prediction orders, on the market's listing, its book requested now, and the shared risk function. */
import { passed } from '../../actors/manual-order/manual-order.ts';
import type { PredictionPreTrade } from '../../actors/prediction-order/commands.ts';
import { predictionSubject } from '../../actors/prediction-order/purpose.ts';
import type { PreparedTransactionContext } from '../../actors/prepared-transaction/machine.ts';
import { createFreshness } from '../../streams/quality/freshness.ts';
import { assessedBook } from '../../streams/quality/prediction-quality.ts';
import { bookIds } from '../domain/books/book.ts';
import { atPresentPrice } from '../domain/orders/order.ts';
import type { OutcomeSide, PredictionBook, PredictionMarket } from '../domain/prediction/market.ts';
import {
  closedBecause,
  compilePredictionOrder,
  depthOfOutcome,
  feeCeilingBps,
  isListedNow,
  LISTING_MAX_AGE_MS,
  outcomeKey,
  readOutcomeKey,
} from '../domain/prediction/prediction-order.ts';
import { notLive } from '../domain/risk/blocked-by-risk.ts';
import { presentMarket } from '../domain/risk/index.ts';
import { type Outcome, refuse } from '../domain/values/refusal.ts';
import type { EpochMs } from '../domain/values/time.ts';
import { agedQuote, type LatestQuotes } from './live-marks.ts';
import type { ManualRisk } from './manual-risk.ts';
import { type PresentInstrument, toTopQuote } from './present-market.ts';

interface PredictionPreTradeDeps {
  readonly risk: ManualRisk;
  readonly markets: { get(id: string): Promise<PredictionMarket | null> };
  /** Returns the provider's present listing, or null if it has none or does not answer. */
  readonly listed: (market: PredictionMarket) => Promise<PredictionMarket | null>;
  /** Returns the market's book at the order's venue, or null if the venue gives none. */
  readonly book: (market: PredictionMarket) => Promise<PredictionBook | null>;
  /** Newest quotes of that venue, used if it gives no book. Null if none are received. */
  readonly bus: LatestQuotes | null;
  readonly clock: { now(): EpochMs };
}

export function createPredictionPreTrade(deps: PredictionPreTradeDeps): PredictionPreTrade {
  const { clock } = deps;
  const freshness = createFreshness();

  /** Returns the outcome's book from the venue, else its received top. */
  async function present(market: PredictionMarket, outcome: OutcomeSide): Promise<PresentInstrument> {
    const key = outcomeKey(market.id, outcome);
    const book = await deps.book(market);
    const at = clock.now();
    const depth = book === null ? null : depthOfOutcome(assessedBook(book, at), outcome);
    const received = depth === null ? (deps.bus?.latest(key) ?? null) : null;
    const aged = received?.kind === 'quote' ? agedQuote(received, freshness, at) : null;
    const quote = depth === null ? aged : toTopQuote(depth, key.slice('prediction:'.length));
    return { quote, depth, edge: null, market: presentMarket({ at, quote, reference: null, liquidity: null }) };
  }

  /** Returns the market with its present listing, if available. Fields inherited from its event stay as listed. */
  async function listed(market: PredictionMarket): Promise<PredictionMarket> {
    if (isListedNow(market, clock.now())) return market;
    const fresh = await deps.listed(market);
    return fresh === null ? market : { ...fresh, event: market.event, fee: fresh.fee.model === 'unknown' ? market.fee : fresh.fee };
  }

  return {
    async validate(orgId, id, mode, wish) {
      const stored = await deps.markets.get(wish.marketId);
      const market = stored === null ? null : await listed(stored);
      if (market === null) return refuse('not_found', 'there is no prediction market with this id');
      const refused = notTaken(market, clock.now());
      if (refused !== null) return refused;
      const now = await present(market, wish.outcome);
      const terms = { id, origin: 'manual', mode, bookId: bookIds.manual(orgId, mode) } as const;
      const assessed = await deps.risk.validate(
        orgId,
        mode,
        now,
        (longestSlippageBps) => compilePredictionOrder(market, wish, now.quote, { ...terms, longestSlippageBps }),
        { feeBps: (order) => feeCeilingBps(market.fee, order) },
      );
      return assessed.ok ? { ok: true, value: { market, ...assessed.value } } : assessed;
    },

    async revalidate(orgId, known, order) {
      const market = await listed(known);
      const outcome = readOutcomeKey(order.instrument)?.outcome;
      if (outcome === undefined) throw new Error(`${order.instrument} is not an outcome`);
      const refused = notTaken(market, clock.now());
      if (refused !== null) return refused;
      const now = await present(market, outcome);
      // A price that has come closer keeps its slippage budget. The order itself is unchanged.
      const compile = () => ({ ok: true, value: atPresentPrice(order, now.quote) }) as const;
      const assessed = await deps.risk.validate(orgId, order.mode, now, compile, { feeBps: () => feeCeilingBps(market.fee, order) });
      return assessed.ok ? { ok: true, value: { market, ...assessed.value, order } } : assessed;
    },
  };
}

/** Returns why the market accepts no order now, or null. */
function notTaken(market: PredictionMarket, now: number): Outcome<never> | null {
  const closed = closedBecause(market, now);
  if (closed !== null) return refuse('state_conflict', closed);
  if (isListedNow(market, now)) return null;
  return notLive(
    `the listing of the market is ${market.quality} and ${Math.round((now - market.receivedAt) / 1_000)} s old; at most ${LISTING_MAX_AGE_MS / 1_000} s are allowed`,
  );
}

/** A placed order and its market. */
interface PlacedPredictionOrder {
  readonly marketId: string;
  readonly order: Parameters<PredictionPreTrade['revalidate']>[2];
}

/** Checks that an order may be sent: its market is open and risk accepts it on the present book, without its own reservation. */
export function predictionMayLeave(deps: {
  readonly orders: { find(orgId: string, orderId: string): Promise<PlacedPredictionOrder | null> };
  readonly markets: { get(id: string): Promise<PredictionMarket | null> };
  readonly preTrade: Pick<ReturnType<typeof createPredictionPreTrade>, 'revalidate'>;
}) {
  const { orders, markets, preTrade } = deps;
  return async (orgId: string, transactionId: string, context: PreparedTransactionContext): Promise<Outcome<null>> => {
    const order = await orders.find(orgId, predictionSubject(context).orderId);
    const market = order === null ? null : await markets.get(order.marketId);
    if (order === null || market === null) return refuse('not_found', 'there is no such prediction order');
    const assessed = passed(await preTrade.revalidate(orgId, market, { ...order.order, id: transactionId }));
    return assessed.ok ? { ok: true, value: null } : assessed;
  };
}
