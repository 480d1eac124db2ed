/**
 * Live orders through the on-chain counterpart of both providers. It returns an unsigned transaction and receives nothing else. An
 * order's result is read from its owner's history, in which every event has its own number.
 * See docs/reference/outside/on-chain-predictions.md.
 */
import type { BookLevel } from '../../../domain/market/order-book.ts';
import type { OfferRequest } from '../../../../actors/prediction-order/onchain-venue.ts';
import type { Clock } from '../../../../streams/clock/clock.ts';
import type { NoteUnknownField } from '../../../../streams/feed-counters.ts';
import type { Fill } from '../../../domain/books/book.ts';
import { computeSlippageBps } from '../../../domain/orders/costs.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import { contentId } from '../../../domain/values/ids.ts';
import { floorToStep, findMarketStep } from '../../../domain/market/market-step.ts';
import type { Order } from '../../../domain/orders/order.ts';
import { complement, type PredictionBook, type PredictionMarket } from '../../../domain/prediction/market.ts';
import { contractsAtVenue, type OnchainTerms } from '../../../domain/prediction/prediction-order.ts';
import { type Outcome, refuse } from '../../../domain/values/refusal.ts';
import { isAddress } from '../../../domain/solana/base58.ts';
import { valueText } from '../../../domain/values/value-text.ts';
import { knownFields } from '../known-fields.ts';
import type { RequestBudget } from '../request-budget.ts';
import { VenueError } from '../venue-feed.ts';
import { createVenueHttp, type VenueHttp } from '../venue-http.ts';
import { readDecimal, type Fields, flagIn, listIn, maybeText, objectIn, readPrice, readSize, textIn, Unreadable } from './fields.ts';
import { bestFirst } from './level-book.ts';

const SOURCE = 'jupiter-prediction:orderbook';
/** Fields that the venue documents or was seen to send, used or not. Data that it passes on from other endpoints is not checked. */
const BOOK_FIELDS = knownFields(SOURCE, 'yes no yes_dollars no_dollars');
const OFFER_FIELDS = knownFields('jupiter-prediction:orders', [
  'transaction txMeta externalOrderId requiredSigners execution executionModel settlement order',
  {
    txMeta: 'blockhash lastValidBlockHeight',
    execution: 'endpoint context',
    order:
      'orderPubkey orderAtaPubkey userPubkey marketId marketIdHash positionPubkey isBuy isYes contracts contractsMicro ' +
      'contractsDecimal newContracts newContractsMicro newContractsDecimal maxBuyPriceUsd minSellPriceUsd externalOrderId ' +
      'orderCostUsd newAvgPriceUsd newSizeUsd newPayoutUsd estimatedProtocolFeeUsd estimatedVenueFeeUsd estimatedTotalFeeUsd ' +
      'slippageBps maxSlippageBps',
  },
]);
const HISTORY_FIELDS = knownFields('jupiter-prediction:history', [
  'data pagination',
  {
    pagination: 'start end total hasNext',
    data: [
      'id eventType signature slot timestamp orderPubkey positionPubkey marketId ownerPubkey keeperPubkey externalOrderId orderId ' +
        'isBuy isYes contracts contractsMicro contractsDecimal filledContracts filledContractsMicro filledContractsDecimal ' +
        'contractsSettled contractsSettledMicro contractsSettledDecimal maxFillPriceUsd avgFillPriceUsd maxBuyPriceUsd minSellPriceUsd depositAmountUsd ' +
        'totalCostUsd feeUsd grossProceedsUsd netProceedsUsd transferAmountToken realizedPnl realizedPnlBeforeFees payoutAmountUsd ' +
        'eventId marketMetadata eventMetadata',
      {
        marketMetadata: [
          'marketId eventId title subtitle description provider status result closeTime openTime isTeamMarket marketOptions ' +
            'rulesPrimary rulesSecondary',
          { marketOptions: 'label buyYes' },
        ],
        eventMetadata:
          'eventId title subtitle slug series closeTime imageUrl isLive isActive category subcategory tags beginAt closeCondition',
      },
    ],
  },
]);
const POSITION_FIELDS = knownFields('jupiter-prediction:positions', [
  'data pagination',
  {
    pagination: 'start end total hasNext',
    data:
      'pubkey positionPubkey owner ownerPubkey market marketPubkey marketId marketIdHash isYes contracts contractsMicro contractsDecimal ' +
      'totalCostUsd sizeUsd valueUsd avgPriceUsd markPriceUsd sellPriceUsd pnlUsd pnlUsdPercent pnlUsdAfterFees pnlUsdAfterFeesPercent ' +
      'openOrders feesPaidUsd realizedPnlUsd claimed claimedUsd openedAt updatedAt claimableAt payoutUsd bump eventId eventMetadata ' +
      'marketMetadata settlementDate claimable',
  },
]);
const MICRO = 1_000_000;
/** Events per page of one owner's history, and maximum pages per order. */
const HISTORY_PAGE = 100;
const MOST_PAGES = 20;

interface OnchainOrdersOptions {
  /** Base URL: `https://api.jup.ag/prediction/v1`. */
  readonly baseUrl: string;
  readonly key: string;
  readonly stable: { readonly mint: string; readonly decimals: number };
  readonly programs: readonly string[];
  readonly clock: Clock;
  readonly random: () => number;
  readonly budget: RequestBudget;
  /** Maximum wait for budget, in milliseconds. Default 2 s, because a person waits. */
  readonly maxWaitMs?: number;
  /** Counts unknown fields of answers. */
  readonly note?: NoteUnknownField;
}

/** Returns the venue's id of a market: Kalshi's ticker, or Polymarket's catalog number. Null if the listing has none. */
export function findVenueMarketId({
  provider,
  providerId,
  providerIds,
}: Pick<PredictionMarket, 'provider' | 'providerId' | 'providerIds'>): string | null {
  if (provider === 'kalshi') return providerId;
  const number = providerIds['marketId'];
  return number === undefined ? null : `POLY-${number}`;
}

/** Parses an error `{ type, message, … }`. */
function readError(body: unknown): { code: string; message: string } | null {
  const { type, message } = (body ?? {}) as { type?: unknown; message?: unknown };
  return typeof type === 'string' && typeof message === 'string' ? { code: type, message: message.slice(0, 200) } : null;
}

/** Reads an answer. @throws VenueError if it is unreadable */
function read<Value>(what: string, reading: () => Value): Value {
  try {
    return reading();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    throw new VenueError('prediction', 200, error.reason, `${what}: ${error.message}`);
  }
}

/** Returns an amount in millionths as a decimal. @throws Unreadable */
function microIn(fields: Fields, name: string): Decimal {
  const value = fields[name];
  if (typeof value !== 'string' || !/^\d{1,30}$/.test(value))
    throw new Unreadable('bad_number', `${name} ${valueText(value, 40)} is not an amount in millionths`);
  return new Decimal(value).div(MICRO);
}

function addressIn(fields: Fields, name: string): string {
  const value = textIn(fields, name);
  if (!isAddress(value)) throw new Unreadable('unknown_shape', `${name} is not an address`);
  return value;
}

export function createOnchainOrders(options: OnchainOrdersOptions) {
  const { clock, stable } = options;
  const http = createVenueHttp({
    venue: 'prediction',
    baseUrl: options.baseUrl,
    clock,
    random: options.random,
    budget: options.budget,
    weightPerMinute: 60,
    headers: { 'x-api-key': options.key },
    maxWaitMs: options.maxWaitMs ?? 2_000,
    ...(options.note === undefined ? {} : { note: options.note }),
    readError,
  });

  function named(market: PredictionMarket): string {
    const id = findVenueMarketId(market);
    if (id === null) throw new VenueError('prediction', 0, 'not_found', `the on-chain venue has no name for ${market.id}`);
    return id;
  }

  function body(wish: OfferRequest): object {
    const { wallet, outcome, order } = wish;
    const shared = { ownerPubkey: wallet, isYes: outcome === 'yes', isBuy: order.side === 'buy' };
    if (order.side === 'sell')
      return { ...shared, positionPubkey: wish.positionAccount, contractsMicro: new Decimal(order.quantity).times(MICRO).toFixed(0) };
    const depositAmount = new Decimal(wish.depositUsd).times(new Decimal(10).pow(stable.decimals)).toFixed(0);
    return { ...shared, marketId: named(wish.market), depositAmount, depositMint: stable.mint };
  }

  return {
    stable,
    programs: options.programs,

    /** Reads the book at this venue, which prices its orders. @throws VenueError */
    async book(market: PredictionMarket): Promise<PredictionBook> {
      const answer = await http.get(`/orderbook/${encodeURIComponent(named(market))}`, {}, 1, BOOK_FIELDS);
      const receivedAt = clock.now();
      return read('the order book', () => mapOnchainBook(answer, market, receivedAt));
    },

    async offer(wish: OfferRequest) {
      try {
        const answer = await http.post('/orders', body(wish), 1, OFFER_FIELDS);
        const offered = read('the order', () => mapOffer(answer));
        const wrong = mismatch(offered, wish, findVenueMarketId(wish.market));
        if (wrong !== null) return refuse('state_conflict', `the venue offers another order than was asked for: ${wrong}`);
        const { wallet: _, isBuy: __, isYes: ___, ...offer } = offered;
        return { ok: true, value: offer } as Outcome<typeof offer>;
      } catch (error) {
        if (!(error instanceof VenueError)) throw error;
        if (error.status >= 400 && error.status < 429) return refuse('state_conflict', `the venue takes no such order: ${error.message}`);
        return refuse('unavailable', `the venue gives no order now: ${error.message}`);
      }
    },

    async news(orderId: string, context: OnchainOrderContext) {
      const { onchain } = context;
      if (onchain === null) throw new Error(`order ${orderId} has no transaction on the chain`);
      const rows: HistoryEvent[] = [];
      for (let page = 0; page < MOST_PAGES; page++) {
        const query = {
          ownerPubkey: onchain.wallet,
          positionPubkey: onchain.positionAccount,
          start: page * HISTORY_PAGE,
          end: (page + 1) * HISTORY_PAGE,
        };
        const answer = await http.get('/history', query, 1, HISTORY_FIELDS);
        const { events, hasNext } = read('the history', () => mapHistory(answer));
        rows.push(...events.filter(({ orderAccount }) => orderAccount === onchain.orderAccount));
        if (!hasNext || rows.some(({ type }) => type === 'order_created')) break;
      }
      return deriveNews(orderId, context, rows, stable.decimals);
    },

    positions: (owner: string) => heldBy(http, owner),

    close: () => http.close(),
  };
}

/** Reads the contracts by position account of a wallet. Paid-out positions count as zero. @throws VenueError */
async function heldBy(http: VenueHttp, owner: string): Promise<ReadonlyMap<string, DecimalString>> {
  const held = new Map<string, DecimalString>();
  for (let page = 0; page < MOST_PAGES; page++) {
    const query = { ownerPubkey: owner, start: page * HISTORY_PAGE, end: (page + 1) * HISTORY_PAGE };
    const answer = await http.get('/positions', query, 1, POSITION_FIELDS);
    const { positions, hasNext } = read('the positions', () => mapPositions(answer, owner));
    for (const { account, contracts } of positions) held.set(account, contracts);
    if (!hasNext) return held;
  }
  throw new VenueError('prediction', 200, 'too_many', `the wallet has more than ${MOST_PAGES * HISTORY_PAGE} positions`);
}

/** Maps one page of positions. @throws Unreadable if one belongs to another wallet, or its number of contracts is not exact */
export function mapPositions(
  answer: unknown,
  owner: string,
): { readonly positions: readonly { readonly account: string; readonly contracts: DecimalString }[]; readonly hasNext: boolean } {
  const fields = objectIn(answer, 'the positions');
  const positions = listIn(fields['data'], 'data').map((raw) => {
    const position = objectIn(raw, 'a position');
    if (addressIn(position, 'ownerPubkey') !== owner) throw new Unreadable('unknown_shape', 'a position is of another wallet');
    // Whole-contract fields are rounded legacy values and are not used.
    const contracts = flagIn(position, 'claimed') ? '0' : plainDecimal(microIn(position, 'contractsMicro'));
    return { account: addressIn(position, 'pubkey'), contracts };
  });
  return { positions, hasNext: flagIn(objectIn(fields['pagination'], 'pagination'), 'hasNext') };
}

/** Returns how an offer differs from the request, or null if it does not. */
function mismatch(offer: ReturnType<typeof mapOffer>, { wallet, outcome, order }: OfferRequest, marketId: string | null): string | null {
  if (offer.wallet !== wallet) return `for the wallet ${offer.wallet}`;
  if (offer.isBuy !== (order.side === 'buy')) return 'the other side';
  if (offer.isYes !== (outcome === 'yes')) return 'the other outcome';
  return offer.venueMarketId === marketId ? null : `on ${offer.venueMarketId}`;
}

/** Maps the answer of `POST /orders`. @throws Unreadable */
export function mapOffer(answer: unknown) {
  const fields = objectIn(answer, 'the answer');
  const order = objectIn(fields['order'], 'order');
  const meta = objectIn(fields['txMeta'], 'txMeta');
  const height = meta['lastValidBlockHeight'];
  if (typeof height !== 'number' || !Number.isSafeInteger(height)) throw new Unreadable('bad_number', 'lastValidBlockHeight is no height');
  const isBuy = flagIn(order, 'isBuy');
  const limit = microIn(order, isBuy ? 'maxBuyPriceUsd' : 'minSellPriceUsd');
  const { lot } = findMarketStep('prediction:');
  const contracts = microIn(order, 'contractsMicro');
  const escrow = maybeText(order, 'orderAtaPubkey');
  return {
    wallet: addressIn(order, 'userPubkey'),
    isBuy,
    isYes: flagIn(order, 'isYes'),
    transactionBase64: textIn(fields, 'transaction'),
    blockhash: textIn(meta, 'blockhash'),
    lastValidBlockHeight: height,
    venueMarketId: textIn(order, 'marketId'),
    orderAccount: addressIn(order, 'orderPubkey'),
    escrowAccount: escrow,
    positionAccount: addressIn(order, 'positionPubkey'),
    // Whole-contract fields are rounded legacy values and are not used.
    quantity: floorToStep(contracts, lot),
    contracts: plainDecimal(contracts),
    limitPrice: readPrice(plainDecimal(limit), 'the worst price'),
  };
}

/** Maps the bids of both outcomes, ascending. An ask of yes is one minus a bid for no. @throws Unreadable */
export function mapOnchainBook(answer: unknown, market: PredictionMarket, receivedAt: number): PredictionBook {
  const fields = objectIn(answer, 'the book');
  const side = (name: string): BookLevel[] =>
    listIn(fields[name], name).flatMap((raw) => {
      const [price, size] = listIn(raw, `a level of ${name}`);
      const level = { price: readPrice(readDecimal(price, name), name), size: readSize(size, name) };
      return level.size === '0' ? [] : [level];
    });
  const bids = bestFirst(side('yes_dollars'), 'bids');
  const asks = bestFirst(
    side('no_dollars').map(({ price, size }) => ({ price: complement(price), size })),
    'asks',
  );
  // The venue sends no time, so a requested book has the time of receipt.
  return { marketId: market.id, provider: market.provider, source: SOURCE, observedAt: receivedAt, receivedAt, bids, asks };
}

interface HistoryEvent {
  readonly id: number;
  readonly type: string;
  readonly orderAccount: string;
  readonly signature: string;
  readonly at: number;
  readonly filled: Decimal;
  readonly price: Decimal;
  readonly fee: Decimal;
  /** Returned base units, or null if the event does not contain them. */
  readonly returned: string | null;
}

/** Maps a page of an owner's history. @throws Unreadable */
export function mapHistory(answer: unknown): { readonly events: readonly HistoryEvent[]; readonly hasNext: boolean } {
  const fields = objectIn(answer, 'the history');
  const pagination = objectIn(fields['pagination'], 'pagination');
  const events = listIn(fields['data'], 'data').map((raw): HistoryEvent => {
    const event = objectIn(raw, 'an event');
    const { id, timestamp } = event;
    if (typeof id !== 'number' || !Number.isSafeInteger(id)) throw new Unreadable('bad_number', 'an event has no number');
    if (typeof timestamp !== 'number' || !Number.isSafeInteger(timestamp)) throw new Unreadable('bad_number', 'an event has no time');
    const type = textIn(event, 'eventType');
    const fills = type === 'order_filled';
    const returned = maybeText(event, 'transferAmountToken');
    if (returned !== null && !/^\d{1,30}$/.test(returned)) throw new Unreadable('bad_number', 'transferAmountToken is not an amount');
    return {
      id,
      type,
      orderAccount: textIn(event, 'orderPubkey'),
      signature: textIn(event, 'signature'),
      at: timestamp * 1_000,
      filled: fills ? microIn(event, 'filledContractsMicro') : new Decimal(0),
      price: fills ? microIn(event, 'avgFillPriceUsd') : new Decimal(0),
      fee: fills && (event['feeUsd'] ?? null) !== null ? microIn(event, 'feeUsd') : new Decimal(0),
      returned,
    };
  });
  return { events, hasNext: flagIn(pagination, 'hasNext') };
}

/** Facts about an order from which its news are derived. */
interface OnchainOrderContext {
  readonly order: Order;
  readonly decisionPrice: DecimalString;
  readonly onchain:
    | (Pick<OnchainTerms, 'contracts'> & { readonly wallet: string; readonly orderAccount: string; readonly positionAccount: string })
    | null;
}

/**
 * Derives the news of an order from its events, which may repeat in any order and have unique numbers. A fill names its event, so that it
 * is booked once. An order counts as failed or closed only after the venue has closed it, because its deposit is still in transit before.
 */
export function deriveNews(
  orderId: string,
  { order, decisionPrice, onchain }: OnchainOrderContext,
  events: readonly HistoryEvent[],
  decimals: number,
) {
  const ordered = [...new Map(events.map((event) => [event.id, event])).values()].sort((a, b) => a.id - b.id);
  if (ordered.length === 0) return { outcome: 'unknown', detail: 'the venue has no history of the order yet' } as const;
  const fills = ordered.filter(({ type }) => type === 'order_filled').map((event) => toFill(orderId, order, decisionPrice, event));
  const filled = fills.reduce((sum, { quantity }) => sum.plus(quantity), new Decimal(0));
  const closed = ordered.find(({ type }) => type === 'order_closed');
  const failed = ordered.some(({ type }) => type === 'order_failed');
  const refundUsd =
    closed === undefined || closed.returned === null ? null : plainDecimal(new Decimal(closed.returned).div(new Decimal(10).pow(decimals)));
  if (filled.gte(contractsAtVenue(order.quantity, onchain))) return { outcome: 'filled', fills, refundUsd, reason: null } as const;
  if (closed === undefined) return { outcome: 'open', fills } as const;
  return failed
    ? ({ outcome: 'failed', fills, refundUsd, reason: 'failed_at_venue' } as const)
    : ({ outcome: 'cancelled', fills, refundUsd, reason: 'closed_by_venue' } as const);
}

function toFill(orderId: string, order: Order, decisionPrice: DecimalString, event: HistoryEvent): Fill {
  const { filled, price, fee } = event;
  if (!filled.gt(0) || !price.gt(0)) throw new VenueError('prediction', 200, 'bad_number', `event ${event.id} fills nothing`);
  return {
    id: contentId(`prediction fill\n${orderId}\n${event.id}`),
    orderId,
    bookId: order.bookId,
    instrument: order.instrument,
    side: order.side,
    quantity: plainDecimal(filled),
    fillPrice: plainDecimal(price),
    feeUsd: plainDecimal(fee),
    notionalUsd: plainDecimal(filled.times(price)),
    decisionPrice,
    slippageBps: computeSlippageBps(order.side, decisionPrice, price),
    at: event.at,
    // The keeper does not report the quote of a fill, so the event's transaction identifies it.
    quotes: [{ source: `jupiter-prediction:${event.signature}`, observedAt: event.at, bid: null, ask: null }],
  };
}
