/** Risk at the moment of an approval and of an execution: the present quote, the present book and the mandate, asked together. */
import { untouchedBook } from '../../actors/agent/tick-risk.ts';
import type { ManualVerdict } from '../../actors/manual-order/verdict.ts';
import type { MarketOrderRequest, MarketPreTrade } from '../../actors/market-order/commands.ts';
import type { PresentVerdict, PreTrade } from '../../actors/proposal/pre-trade.ts';
import type { Clock } from '../../streams/clock.ts';
import { markReference, OVER_AGE } from '../../streams/flag-bits.ts';
import { createFreshness, type Freshness } from '../../streams/freshness.ts';
import type { BusQuote } from '../adapters/queue/quote-bus.ts';
import { booksOf, booksOfOrganizations, type StoredBook } from '../adapters/store/books/book-store.ts';
import { poolLiquidity } from '../adapters/store/catalog/pool-liquidity-store.ts';
import type { Sql } from '../adapters/store/database.ts';
import { preferencesOf } from '../adapters/store/risk/risk-preferences-store.ts';
import type { Autonomy, Stage } from '../domain/agent.ts';
import { bookIds, markBook, type OpenProposal, type TradingBook } from '../domain/book.ts';
import { CATALOG } from '../domain/catalog.ts';
import { costModelOf } from '../domain/costs.ts';
import { Decimal, type DecimalString } from '../domain/decimal.ts';
import type { Manifest } from '../domain/manifest/manifest.ts';
import { floorToStep, marketStepOf } from '../domain/market-step.ts';
import { type ExecutionMode, limitPriceOf, type Order, orderOf } from '../domain/order.ts';
import type { OrderBook } from '../domain/order-book.ts';
import type { Depth, PaperMarket } from '../domain/paper-fill.ts';
import { atPresentPrice } from '../domain/present-order.ts';
import type { Quote, ReferencePrice } from '../domain/quote.ts';
import { type Outcome, refuse } from '../domain/refusal.ts';
import { assessOrder, mandateOf, otherBooksOf, type RiskContext } from '../domain/risk/index.ts';
import { liveTouch } from '../domain/risk/refusal.ts';
import type { EpochMs } from '../domain/time.ts';
import { type ExecutableVenue, type InstrumentKey, splitInstrumentKey, type Venue } from '../domain/venue.ts';
import { agedQuote, createLiveMarks } from './live-marks.ts';
import { createManualRisk } from './manual-risk.ts';

/** How far a person's order may go beyond the price that it was placed on, where neither the person nor the preferences say. */
const MANUAL_SLIPPAGE_BPS = 50;
/** Names orders that are never placed. */
const PREVIEW = 'preview';
/** Levels of a book that an order is filled through. */
const DEPTH_LEVELS = 100;
/** Liquidity of a pool that was heard longer ago is not known any more. */
export const LIQUIDITY_MAX_AGE_MS = 180_000;

/** Asks a venue for its order book. */
export interface BookDepthReads {
  /** At most `depth` levels of each side; refuses with `not_found` or `unavailable`. */
  read(venue: Venue, instrument: string, depth: number): Promise<Outcome<OrderBook>>;
}

export interface PreTradeDeps {
  readonly sql: Sql;
  /** The newest quote of each instrument that this process has heard of. */
  readonly bus: { latest(key: InstrumentKey): BusQuote | null };
  readonly orderBooks: BookDepthReads;
  readonly clock: Pick<Clock, 'now'>;
}

interface StoredAgent {
  id: string;
  stage: Stage;
  autonomy: Autonomy;
  manifest_version: number;
  canonical: string;
}

/** Venues whose books are asked for at the moment of a fill. */
const WITH_BOOKS: ReadonlySet<ExecutableVenue> = new Set(['spotexchange', 'evmvenue']);

/** Judges what a person might order, and shows what it was judged by; nothing is stored or reserved. */
export interface ImpactPreTrade {
  /** `alongside` counts as pending in the manual book. */
  preview(
    orgId: string,
    mode: ExecutionMode,
    request: MarketOrderRequest,
    alongside: readonly OpenProposal[],
  ): Promise<Outcome<ManualVerdict & { readonly context: RiskContext }>>;
}

export function createPreTrade(deps: PreTradeDeps): PreTrade & MarketPreTrade & ImpactPreTrade {
  const { sql, bus, clock } = deps;
  const freshness = createFreshness();

  async function market(order: Pick<Order, 'instrument' | 'venue'>): Promise<PaperMarket> {
    const { instrument } = splitInstrumentKey(order.instrument);
    const [depth, liquidityUsd] = await Promise.all([
      WITH_BOOKS.has(order.venue) ? depthOf(deps.orderBooks, order.venue, instrument) : null,
      order.venue === 'spotchain' ? liquidityOf(sql, order.instrument, clock.now()) : null,
    ]);
    const heard = bus.latest(order.instrument);
    const quote = heard?.kind === 'quote' ? agedQuote(heard, freshness, clock.now()) : null;
    // A book that was asked for just now is the younger word on the same venue.
    return { quote: depth === null ? quote : topOf(depth, instrument), depth, liquidityUsd };
  }

  const referenceOf = (instrument: InstrumentKey) => referenceNow(bus, freshness, instrument, clock.now());

  const marks = createLiveMarks(bus, clock);
  const marked = (state: TradingBook) => markBook(state, marks(state.holdings.map(({ instrument }) => instrument)), clock.now());
  const manual = createManualRisk(deps);

  /** Judges an order of a person, made by `compile` of what is quoted now. */
  async function judgeManual(
    orgId: string,
    mode: ExecutionMode,
    instrument: InstrumentKey,
    compile: (market: PaperMarket, maxSlippageBps: number) => Outcome<Order>,
    alongside: readonly OpenProposal[] = [],
  ): Promise<Outcome<ManualVerdict & { readonly context: RiskContext }>> {
    const { venue } = splitInstrumentKey(instrument);
    const present = await market({ instrument, venue: venue as ExecutableVenue });
    const priced = (longest: number): Outcome<Order> => {
      const compiled = compile(present, longest);
      return compiled.ok ? { ok: true, value: atPresentPrice(compiled.value, present.quote) } : compiled;
    };
    return manual.judge(orgId, mode, present, priced, { alongside, reference: referenceOf(instrument) });
  }

  return {
    judge: (orgId, id, mode, request) =>
      judgeManual(orgId, mode, request.instrument, ({ quote }, longest) => compiledManual(orgId, id, mode, request, quote, longest)),

    preview: (orgId, mode, request, alongside) =>
      judgeManual(
        orgId,
        mode,
        request.instrument,
        ({ quote }, longest) => compiledManual(orgId, PREVIEW, mode, request, quote, longest),
        alongside,
      ),

    async reassess(orgId, order) {
      const judged = await judgeManual(orgId, order.mode, order.instrument, () => ({ ok: true, value: order }));
      if (!judged.ok) throw new Error(judged.refusal.detail);
      return judged.value.verdict;
    },

    async assess(orgId, { agentId, order, readsReference }): Promise<PresentVerdict> {
      const [[row], books, others, { preferences }, present] = await Promise.all([
        sql<StoredAgent[]>`
          select a.id, a.stage, a.autonomy, a.manifest_version, m.canonical from agents a
          join manifests m on m.agent_id = a.id and m.version = a.manifest_version where a.id = ${agentId} and a.org_id = ${orgId}`,
        booksOf(sql, [agentId]),
        booksOfOrganizations(sql, [orgId], order.mode),
        preferencesOf(sql, orgId),
        market(order),
      ]);
      if (row === undefined) throw new Error(`organization ${orgId} has no agent ${agentId}`);
      const manifest = JSON.parse(row.canonical) as Manifest;
      const agent = { id: row.id, stage: row.stage, manifest, manifestVersion: row.manifest_version };
      const book = marked(books.get(order.bookId)?.state ?? untouchedBook(agent));
      const context: RiskContext = {
        at: clock.now(),
        quote: present.quote,
        reference: { required: readsReference, observed: referenceOf(order.instrument) },
        liquidityUsd: present.liquidityUsd,
        mandate: mandateOf(manifest, preferences, row.stage, row.autonomy),
        book,
        others: otherBooksOf(
          others.map(({ state }: StoredBook) => marked(state)),
          order.mode,
          order.bookId,
        ),
        halt: 'none',
        disabledFeature: null,
        feeBps: costModelOf(order.instrument).takerFeeBps,
      };
      // What has come closer since the decision keeps its slippage budget; a better price is no breach of it.
      const verdict = assessOrder(atPresentPrice(order, present.quote), context);
      return verdict.ok
        ? { ok: true, approved: verdict.approved, risk: verdict.attribution, market: present }
        : { ok: false, risk: verdict.attribution };
    },
  };
}

/** A person's order on the present price: sized, with a limit on its slippage, in whole steps of its instrument. */
function compiledManual(
  orgId: string,
  id: string,
  mode: ExecutionMode,
  request: MarketOrderRequest,
  quote: Quote | null,
  longestSlippageBps: number,
): Outcome<Order> {
  const { instrument, side } = request;
  const { lot, tick } = marketStepOf(instrument);
  const whole = (value: DecimalString, step: DecimalString): boolean => new Decimal(value).mod(step).isZero();
  if (request.quantity !== null && !whole(request.quantity, lot))
    return refuse('malformed', `$.quantity: it should be a multiple of ${lot}`);
  if (request.limitPrice !== null && !whole(request.limitPrice, tick))
    return refuse('malformed', `$.limitPrice: it should be a multiple of ${tick}`);
  const touch = liveTouch(instrument, side, quote);
  if (!touch.ok) return touch;
  const maxSlippageBps = request.maxSlippageBps ?? Math.min(MANUAL_SLIPPAGE_BPS, longestSlippageBps);
  const limitPrice = request.limitPrice ?? limitPriceOf(instrument, side, touch.value, maxSlippageBps);
  const quantity = request.quantity ?? floorToStep(new Decimal(request.notionalUsd ?? '0').div(limitPrice), lot);
  if (!new Decimal(quantity).gt(0)) return refuse('malformed', `$.notionalUsd: at ${limitPrice} it is less than one lot of ${lot}`);
  const bookId = bookIds.manual(orgId, mode);
  return { ok: true, value: orderOf({ id, origin: 'manual', mode, bookId, instrument, side, quantity, limitPrice, maxSlippageBps }) };
}

/** The book as the venue answers now; null where it does not answer, and the top that was heard has to do. */
async function depthOf(orderBooks: BookDepthReads, venue: ExecutableVenue, instrument: string): Promise<Depth | null> {
  const book = await orderBooks.read(venue, instrument, DEPTH_LEVELS);
  if (!book.ok) return null;
  const { source, observedAt, quality, flags, bids, asks } = book.value;
  return { venue, source, observedAt, quality, flags, bids, asks };
}

/** The best of both sides as the quote that prices the order. */
export function topOf(depth: Depth, instrument: string): Quote {
  const [bid, ask] = [depth.bids[0] ?? null, depth.asks[0] ?? null];
  return {
    kind: 'quote',
    venue: depth.venue,
    instrument,
    source: depth.source,
    observedAt: depth.observedAt,
    receivedAt: depth.observedAt,
    sourceTime: true,
    bid: bid?.price ?? null,
    ask: ask?.price ?? null,
    bidSize: bid?.size ?? null,
    askSize: ask?.size ?? null,
    sequence: null,
    quality: depth.quality,
    flags: depth.flags,
  };
}

/** What an instrument is benchmarked against, as it was heard last and is worth now; null where nothing was heard. */
export function referenceNow(
  bus: PreTradeDeps['bus'],
  freshness: Freshness,
  instrument: InstrumentKey,
  now: EpochMs,
): RiskContext['reference']['observed'] {
  const benchmark = CATALOG.byKey(instrument)?.benchmark ?? null;
  const heard = benchmark === null ? null : bus.latest(benchmark);
  return heard?.kind === 'reference' ? agedReference(heard, freshness, now) : null;
}

/** Liquidity of the instrument's pools as it was heard last; null where that is too long ago. */
export async function liquidityOf(sql: Sql, instrument: InstrumentKey, now: EpochMs): Promise<DecimalString | null> {
  const pools = await poolLiquidity(sql, [instrument], now - LIQUIDITY_MAX_AGE_MS);
  return pools.get(instrument)?.liquidityUsd ?? null;
}

function agedReference(
  reference: ReferencePrice,
  freshness: Freshness,
  now: EpochMs,
): { quality: ReferencePrice['quality']; flags: ReferencePrice['flags']; ageMs: number } {
  const ageMs = Math.max(0, now - reference.feedUpdatedAt);
  const over = !freshness.isIssuerMark(reference) && ageMs > freshness.maxAgeMs(reference);
  const { quality, flags } = over ? markReference(reference, freshness.sessionMarks(reference, now) | OVER_AGE) : reference;
  return { quality, flags, ageMs };
}
