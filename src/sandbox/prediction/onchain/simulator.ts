/**
 * Simulator of the on-chain counterpart of both prediction venues. It builds unsigned transactions that pay an order's deposit into
 * escrow on the sandbox's chain, and opens the order once its transaction is final. A keeper fills it later in parts, or closes it and
 * refunds the rest.
 */
import { address } from '@solana/kit';
import type { Clock } from '../../../../streams/clock/clock.ts';
import { createFaultSwitch, type FaultSwitch } from '../../faults.ts';
import { type LoopbackAnswer, type LoopbackRequest, listenOnLoopback } from '../../loopback.ts';
import type { SolanaChain } from '../../solana/chain.ts';
import { ISSUER } from '../../solana/genesis.ts';
import { fail, fill, giveBack, type KeeperMode, look } from './keeper.ts';
import { marketBody, marketsNow, orderBook } from './markets.ts';
import { createOrder, refusal } from './create-order.ts';
import { type HistoryRow, MICRO, computeNotional, type OrderRecord, type VenueState } from './venue-state.ts';
import type { SeededQuestions } from '../seeded-questions.ts';

const PREFIX = '/prediction/v1';

export interface OnchainPredictionSimulatorOptions {
  readonly questions: SeededQuestions;
  readonly chain: SolanaChain;
  readonly stable: { readonly mint: string; readonly decimals: number };
  readonly clock: Clock;
  readonly faults?: FaultSwitch;
  /** Port; 0 takes any free port. */
  readonly port: number;
  /** API key required in `x-api-key`. */
  readonly key: string;
  /** Mode of the keeper. Default `fills`. */
  readonly keeper?: KeeperMode;
}

export async function createOnchainPredictionSimulator(options: OnchainPredictionSimulatorOptions) {
  const { questions, chain, stable, clock, key, keeper = 'fills' } = options;
  const faults = options.faults ?? createFaultSwitch();
  const state: VenueState = {
    questions,
    chain,
    stable: { ...stable, mint: address(stable.mint) },
    clock,
    orders: new Map(),
    positions: new Map(),
    positionMarkets: new Map(),
    counts: { events: 0, made: 0 },
  };
  const request = (asked: LoopbackRequest): LoopbackAnswer => {
    const refused = turnedAway(state, faults, asked.headers['x-api-key'] === key);
    if (refused !== null) return refused;
    look(state, keeper);
    return answer(state, asked);
  };
  const orderAt = (orderAccount: string): OrderRecord => {
    look(state, keeper);
    const order = state.orders.get(orderAccount);
    if (order === undefined || order.history.length === 0) throw new RangeError(`${orderAccount} is no open order`);
    return order;
  };
  const server = await listenOnLoopback({ clock, faults, port: options.port, request, socket: () => null });
  return {
    /** `http://127.0.0.1:<port>` */
    url: server.url,
    /** `http://127.0.0.1:<port>/prediction/v1` */
    restUrl: `${server.url}${PREFIX}`,
    faults,
    /** Controls for tests in place of the keeper. Amounts are micro-contracts. */
    keeper: {
      /** Fills part of an open order at a price in micro-dollars. If that completes the order, the rest of its deposit is refunded. */
      fill: (orderAccount: string, contractsMicro: bigint, priceMicro: bigint) =>
        fill(state, orderAt(orderAccount), contractsMicro, priceMicro),
      /** Closes an incomplete order and refunds the unspent part of its deposit. */
      close: (orderAccount: string, how: 'closed' | 'failed') => (how === 'failed' ? fail : giveBack)(state, orderAt(orderAccount)),
      /** Removes part of a position, like an unrecorded payout. */
      lose: (positionAccount: string, contractsMicro: bigint) =>
        void state.positions.set(positionAccount, (state.positions.get(positionAccount) ?? 0n) - contractsMicro),
    },
    close: () => server.close(),
  };
}

/** Returns the refusal of a request that has no key or hits a fault, or null. */
function turnedAway({ counts }: VenueState, faults: FaultSwitch, hasKey: boolean): LoopbackAnswer | null {
  const refused = (status: number, type: string, message: string): LoopbackAnswer => ({
    status,
    body: { type, message, request_id: `req-${++counts.made}` },
  });
  if (!hasKey) return refused(401, 'authentication_error', 'Unauthorized');
  if (faults.happens(faults.settings.status429)) return refused(429, 'rate_limit_error', 'Too many requests');
  if (faults.happens(faults.settings.status5xx)) return refused(502, 'api_error', 'upstream');
  return null;
}

function answer(state: VenueState, { method, path, query, body }: LoopbackRequest): LoopbackAnswer {
  const route = path.startsWith(PREFIX) ? path.slice(PREFIX.length) : '';
  if (method === 'POST' && route === '/orders') return createOrder(state, body);
  if (method === 'GET' && route === '/history') return history(state, query);
  if (method === 'GET' && route === '/positions') return listPositions(state, query);
  if (method === 'GET' && route === '/trading-status') return { status: 200, body: { trading_active: true } };
  const [, kind, marketId] = /^\/(markets|orderbook)\/([\w.-]+)$/.exec(route) ?? [];
  const market = marketId === undefined ? undefined : marketsNow(state).get(marketId);
  if (method !== 'GET' || marketId === undefined || market === undefined) return refusal(state.counts, 404, 'not found');
  const { question, venue } = market;
  return { status: 200, body: kind === 'markets' ? marketBody(state, marketId, question, venue) : orderBook(state, question, venue) };
}

/** Lists history rows, newest first. */
function history(state: VenueState, query: URLSearchParams): LoopbackAnswer {
  const owner = query.get('ownerPubkey');
  const [start, end] = [Number(query.get('start') ?? 0), Number(query.get('end') ?? 20)];
  const rows = [...state.orders.values()]
    .filter((order) => order.owner === owner)
    .flatMap((order) => order.history.map((row) => ({ order, row })))
    .sort((a, b) => b.row.id - a.row.id);
  const data = rows.slice(start, end).map(({ order, row }) => historyBody(state, order, row));
  return { status: 200, body: { data, pagination: { start, end, total: rows.length, hasNext: end < rows.length } } };
}

/** Returns a wallet's positions, one row per account. */
function listPositions({ orders, positions }: VenueState, query: URLSearchParams): LoopbackAnswer {
  const owner = query.get('ownerPubkey');
  const [start, end] = [Number(query.get('start') ?? 0), Number(query.get('end') ?? 20)];
  const own = new Map([...orders.values()].filter((order) => order.owner === owner).map((order) => [order.position as string, order]));
  const rows = [...own].filter(([account]) => (positions.get(account) ?? 0n) > 0n);
  const data = rows.slice(start, end).map(([account, order]) => positionBody(account, order, positions.get(account) ?? 0n));
  return { status: 200, body: { data, pagination: { start, end, total: rows.length, hasNext: end < rows.length } } };
}

function positionBody(account: string, { owner, marketId, isYes }: OrderRecord, contractsMicro: bigint): object {
  return {
    pubkey: account,
    owner,
    ownerPubkey: owner,
    marketId,
    marketIdHash: marketId,
    isYes,
    contracts: String(contractsMicro / MICRO),
    contractsMicro: String(contractsMicro),
    contractsDecimal: (Number(contractsMicro) / 1e6).toFixed(6),
    claimed: false,
    claimedUsd: '0',
    claimable: false,
  };
}

function historyBody({ chain }: VenueState, order: OrderRecord, row: HistoryRow): object {
  return {
    id: row.id,
    eventType: row.eventType,
    signature: row.signature,
    slot: String(chain.slot('processed')),
    timestamp: Math.floor(row.at / 1_000),
    orderPubkey: order.account.address,
    positionPubkey: order.position,
    marketId: order.marketId,
    ownerPubkey: order.owner,
    keeperPubkey: ISSUER.address,
    externalOrderId: order.externalId,
    orderId: '',
    isBuy: order.isBuy,
    isYes: order.isYes,
    contracts: String(order.contractsMicro / MICRO),
    contractsMicro: String(order.contractsMicro),
    filledContracts: String(row.filledMicro / MICRO),
    filledContractsMicro: String(row.filledMicro),
    contractsSettled: '0',
    maxFillPriceUsd: String(order.limitMicro),
    avgFillPriceUsd: String(row.priceMicro),
    maxBuyPriceUsd: order.isBuy ? String(order.limitMicro) : null,
    minSellPriceUsd: order.isBuy ? null : String(order.limitMicro),
    depositAmountUsd: String(order.deposit),
    totalCostUsd: String(computeNotional(row.filledMicro, row.priceMicro)),
    feeUsd: String(row.feeMicro),
    grossProceedsUsd: '0',
    netProceedsUsd: '0',
    transferAmountToken: row.returned === null ? null : String(row.returned),
    realizedPnl: null,
    realizedPnlBeforeFees: null,
    payoutAmountUsd: '0',
    eventId: '',
    marketMetadata: {},
    eventMetadata: {},
  };
}
