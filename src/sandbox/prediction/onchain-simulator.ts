/**
 * A simulator of the on-chain counterpart of both prediction venues: it builds real unsigned transactions that
 * pay an order's deposit into escrow on the sandbox's chain, opens the order once its transaction is final, and has a
 * keeper fill it later, in parts, or close it and give back what was not filled.
 */
import { type Address, address, isAddress } from '@solana/kit';
import type { Clock } from '../../../streams/clock.ts';
import { createFaultSwitch, type FaultSwitch } from '../faults.ts';
import { type LoopbackAnswer, type LoopbackRequest, listenOnLoopback } from '../loopback.ts';
import type { SolanaChain } from '../solana/chain.ts';
import { ISSUER } from '../solana/genesis.ts';
import {
  associatedAccount,
  buildTransaction,
  computeLimit,
  computePrice,
  createAssociatedAccount,
  TOKEN,
  transferChecked,
} from '../solana/instructions.ts';
import { type SandboxKey, sandboxKey } from '../solana/keys.ts';
import { readWire } from '../solana/wire.ts';
import { tickerOf } from './kalshi-simulator.ts';
import { polymarketIds } from './polymarket-simulator.ts';
import type { SeededLevel, SeededQuestion, SeededQuestions, Venue } from './seeded-questions.ts';

const PREFIX = '/prediction/v1';
const MEMO = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
/** Micro-units of a dollar and of a contract. */
const MICRO = 1_000_000n;
/** Contracts are filled in hundredths. */
const HUNDREDTH = 10_000n;
/** The least order, in base units of the stablecoin. */
const LEAST_DEPOSIT = 5_000_000n;
const FEE_RATE = 0.07;
/** From the final transaction to the keeper's first fill, and from one fill to the next. */
const KEEPER_MS = 3_000;

/** What the keeper does with orders: fills them in two parts, or whatever a test tells it. */
export type KeeperMode = 'fills' | 'waits';

export interface OnchainPredictionSimulatorOptions {
  readonly questions: SeededQuestions;
  readonly chain: SolanaChain;
  readonly stable: { readonly mint: string; readonly decimals: number };
  readonly clock: Clock;
  readonly faults?: FaultSwitch;
  /** 0 = any free port. */
  readonly port: number;
  /** Whoever does not send it as `x-api-key` is refused. */
  readonly key: string;
  /** Default `fills`. */
  readonly keeper?: KeeperMode;
}

/** What a test does in the keeper's place. Amounts are micro-contracts. */
export interface KeeperControl {
  /** Fills so much of an open order at a price in micro-dollars; the rest of its deposit comes back where that completes it. */
  fill(orderAccount: string, contractsMicro: bigint, priceMicro: bigint): void;
  /** Closes an order before it is whole: what was not spent comes back. */
  close(orderAccount: string, how: 'closed' | 'failed'): void;
}

export interface OnchainPredictionSimulator {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** `http://127.0.0.1:<port>/prediction/v1` */
  readonly restUrl: string;
  readonly faults: FaultSwitch;
  readonly keeper: KeeperControl;
  close(): Promise<void>;
}

interface HistoryRow {
  readonly id: number;
  readonly eventType: 'order_created' | 'order_filled' | 'order_failed' | 'order_closed';
  readonly signature: string;
  readonly at: number;
  readonly filledMicro: bigint;
  readonly priceMicro: bigint;
  readonly feeMicro: bigint;
  readonly returned: bigint | null;
}

interface OrderRecord {
  readonly externalId: string;
  readonly account: SandboxKey;
  readonly escrow: Address;
  readonly position: Address;
  readonly owner: Address;
  readonly marketId: string;
  readonly venue: Venue;
  readonly question: SeededQuestion;
  readonly isYes: boolean;
  readonly isBuy: boolean;
  readonly deposit: bigint;
  readonly contractsMicro: bigint;
  readonly limitMicro: bigint;
  readonly history: HistoryRow[];
  keptUntil: number;
}

const thousandths = (price: number): bigint => BigInt(price) * 1_000n;
const notionalOf = (contractsMicro: bigint, priceMicro: bigint): bigint => (contractsMicro * priceMicro) / MICRO;

/** The fee of a trade in micro-dollars, rounded up to a cent. */
function feeOf(contractsMicro: bigint, priceMicro: bigint): bigint {
  const price = Number(priceMicro) / 1e6;
  const cents = Math.ceil(Number(contractsMicro) * 1e-6 * FEE_RATE * price * (1 - price) * 100 - 1e-9);
  return BigInt(Math.max(0, cents)) * 10_000n;
}

export async function createOnchainPredictionSimulator(options: OnchainPredictionSimulatorOptions): Promise<OnchainPredictionSimulator> {
  const { questions, chain, stable, clock, key } = options;
  const faults = options.faults ?? createFaultSwitch();
  const mint = address(stable.mint);
  const orders = new Map<string, OrderRecord>();
  const positions = new Map<string, bigint>();
  let events = 0;
  let made = 0;

  // --- Markets -----------------------------------------------------------------------------------------------------

  function marketsNow(): Map<string, { readonly question: SeededQuestion; readonly venue: Venue }> {
    const found = new Map<string, { question: SeededQuestion; venue: Venue }>();
    for (const question of questions.listed('kalshi', clock.now())) found.set(tickerOf(question), { question, venue: 'kalshi' });
    for (const question of questions.listed('polymarket', clock.now()))
      found.set(`POLY-${polymarketIds(question).number}`, { question, venue: 'polymarket' });
    return found;
  }

  /** Levels that an order takes, best first: asks of the outcome for a buy, bids for a sell. In thousandths of its own price. */
  function levelsOf(question: SeededQuestion, venue: Venue, isYes: boolean, isBuy: boolean): readonly SeededLevel[] {
    const { bids, asks } = questions.book(question, venue, clock.now());
    if (isYes) return isBuy ? asks : bids;
    return (isBuy ? bids : asks).map(({ price, size }) => ({ price: 1_000 - price, size }));
  }

  function marketBody(marketId: string, question: SeededQuestion, venue: Venue): object {
    const open = clock.now() < question.resolvesAt;
    const best = (isYes: boolean, isBuy: boolean) => {
      const [level] = levelsOf(question, venue, isYes, isBuy);
      return open && level !== undefined ? level.price * 1_000 : null;
    };
    return {
      marketId,
      eventId: `${venue === 'kalshi' ? '' : 'POLY-'}${question.group}`,
      provider: venue,
      title: question.key,
      status: open ? 'open' : 'closed',
      result: open ? null : questions.outcome(question) ? 'yes' : 'no',
      openTime: Math.floor(question.createdAt / 1_000),
      closeTime: Math.floor(question.resolvesAt / 1_000),
      resolveAt: null,
      pricing: {
        buyYesPriceUsd: best(true, true),
        sellYesPriceUsd: best(true, false),
        buyNoPriceUsd: best(false, true),
        sellNoPriceUsd: best(false, false),
        volume: 0,
      },
    };
  }

  function orderBook(question: SeededQuestion, venue: Venue): object {
    const { bids, asks } = questions.book(question, venue, clock.now());
    const side = (levels: readonly SeededLevel[]) => [...levels].sort((a, b) => a.price - b.price);
    const yes = side(bids);
    const no = side(asks.map(({ price, size }) => ({ price: 1_000 - price, size })));
    const cents = (levels: readonly SeededLevel[]) => levels.map(({ price, size }) => [Math.floor(price / 10), size]);
    const dollars = (levels: readonly SeededLevel[]) => levels.map(({ price, size }) => [(price / 1_000).toFixed(4), size]);
    return { yes: cents(yes), no: cents(no), yes_dollars: dollars(yes), no_dollars: dollars(no) };
  }

  // --- Orders ------------------------------------------------------------------------------------------------------

  const refuse = (status: number, message: string, param?: string): LoopbackAnswer => ({
    status,
    body: { type: 'invalid_request_error', message, ...(param === undefined ? {} : { param }), request_id: `req-${++made}` },
  });

  /** The price to which the book must be swept for the deposit, and the contracts that it pays for at that price, fees and all. */
  function swept(question: SeededQuestion, venue: Venue, isYes: boolean, deposit: bigint): { limit: bigint; contracts: bigint } | null {
    let left = deposit;
    for (const { price, size } of levelsOf(question, venue, isYes, true)) {
      const at = thousandths(price);
      left -= notionalOf(BigInt(size) * MICRO, at);
      if (left > 0n) continue;
      let contracts = ((deposit * MICRO) / at / HUNDREDTH) * HUNDREDTH;
      while (contracts > 0n && notionalOf(contracts, at) + feeOf(contracts, at) > deposit) contracts -= HUNDREDTH;
      return { limit: at, contracts };
    }
    return null;
  }

  function createOrder(body: string): LoopbackAnswer {
    const wish = JSON.parse(body) as Record<string, unknown>;
    const { ownerPubkey, isBuy, isYes } = wish;
    if (typeof ownerPubkey !== 'string' || !isAddress(ownerPubkey)) return refuse(400, 'ownerPubkey must be an address', 'ownerPubkey');
    if (typeof isBuy !== 'boolean' || typeof isYes !== 'boolean') return refuse(400, 'isBuy and isYes must be booleans', 'isBuy');
    const marketId = isBuy ? wish['marketId'] : positionMarkets.get(String(wish['positionPubkey']));
    const found = typeof marketId === 'string' ? marketsNow().get(marketId) : undefined;
    if (found === undefined || typeof marketId !== 'string') return refuse(400, 'market not found', isBuy ? 'marketId' : 'positionPubkey');
    const { question, venue } = found;
    if (clock.now() >= question.resolvesAt) return refuse(400, 'market is not open', 'marketId');
    const terms = isBuy ? buyTerms(wish, question, venue, isYes) : sellTerms(wish, question, venue, isYes);
    if ('status' in terms) return terms;
    const externalId = `ext-${++made}-${marketId}`;
    const account = sandboxKey(`prediction order ${externalId}`);
    const owner = ownerPubkey as Address;
    const order: OrderRecord = {
      externalId,
      account,
      escrow: associatedAccount(account.address, mint, TOKEN),
      position: sandboxKey(`prediction position ${owner} ${marketId} ${isYes}`).address,
      owner,
      marketId,
      venue,
      question,
      isYes,
      isBuy,
      ...terms,
      history: [],
      keptUntil: Number.POSITIVE_INFINITY,
    };
    orders.set(account.address, order);
    positionMarkets.set(order.position, marketId);
    const { blockhash, lastValidBlockHeight } = chain.latestBlockhash('confirmed');
    const transaction = unsigned(order, blockhash);
    return { status: 200, body: offer(order, transaction, blockhash, Number(lastValidBlockHeight)) };
  }

  const positionMarkets = new Map<string, string>();

  function buyTerms(wish: Record<string, unknown>, question: SeededQuestion, venue: Venue, isYes: boolean) {
    const amount = String(wish['depositAmount'] ?? '');
    if (!/^\d{1,18}$/.test(amount)) return refuse(400, 'depositAmount must be an amount of base units', 'depositAmount');
    if (wish['depositMint'] !== stable.mint) return refuse(400, 'depositMint is not supported', 'depositMint');
    const deposit = BigInt(amount);
    if (deposit < LEAST_DEPOSIT) return refuse(400, 'Minimum order is $5', 'depositAmount');
    const sweep = swept(question, venue, isYes, deposit);
    if (sweep === null || sweep.contracts === 0n) return refuse(400, 'Insufficient liquidity', 'depositAmount');
    return { deposit, contractsMicro: sweep.contracts, limitMicro: sweep.limit };
  }

  function sellTerms(wish: Record<string, unknown>, question: SeededQuestion, venue: Venue, isYes: boolean) {
    const amount = String(wish['contractsMicro'] ?? '');
    if (!/^\d{1,18}$/.test(amount) || BigInt(amount) === 0n)
      return refuse(400, 'contractsMicro must be an amount of micro-contracts', 'contractsMicro');
    const contractsMicro = (BigInt(amount) / HUNDREDTH) * HUNDREDTH;
    if ((positions.get(String(wish['positionPubkey'])) ?? 0n) < contractsMicro)
      return refuse(400, 'Insufficient contracts', 'contractsMicro');
    let left = contractsMicro;
    for (const { price, size } of levelsOf(question, venue, isYes, false)) {
      left -= BigInt(size) * MICRO;
      if (left <= 0n) return { deposit: 0n, contractsMicro, limitMicro: thousandths(price) };
    }
    return refuse(400, 'Insufficient liquidity', 'contractsMicro');
  }

  /** What the owner signs: the deposit into the order's escrow, and the order's name in a memo. */
  function unsigned({ owner, account, escrow, deposit, externalId, isBuy }: OrderRecord, blockhash: string): Uint8Array {
    const memo = { programAddress: MEMO, accounts: [], data: Buffer.from(externalId) };
    const paying = isBuy
      ? [
          createAssociatedAccount(owner, account.address, mint, TOKEN),
          transferChecked({
            program: TOKEN,
            mint,
            decimals: stable.decimals,
            from: associatedAccount(owner, mint, TOKEN),
            to: escrow,
            authority: owner,
            amount: deposit,
          }),
        ]
      : [];
    return buildTransaction({
      version: 0,
      feePayer: owner,
      blockhash,
      instructions: [computeLimit(120_000), computePrice(1_000n), ...paying, memo],
      signers: [],
    });
  }

  function offer(order: OrderRecord, transaction: Uint8Array, blockhash: string, lastValidBlockHeight: number): object {
    const { contractsMicro, limitMicro } = order;
    const fee = feeOf(contractsMicro, limitMicro);
    return {
      transaction: Buffer.from(transaction).toString('base64'),
      txMeta: { blockhash, lastValidBlockHeight },
      externalOrderId: order.externalId,
      requiredSigners: [order.owner],
      execution: { endpoint: '/api/v1/execute', context: { type: 'create_order', externalOrderId: order.externalId } },
      executionModel: null,
      settlement: null,
      order: {
        orderPubkey: order.account.address,
        orderAtaPubkey: order.escrow,
        userPubkey: order.owner,
        marketId: order.marketId,
        marketIdHash: order.marketId,
        positionPubkey: order.position,
        isBuy: order.isBuy,
        isYes: order.isYes,
        contracts: String(contractsMicro / MICRO),
        contractsMicro: String(contractsMicro),
        contractsDecimal: (Number(contractsMicro) / 1e6).toFixed(6),
        newContracts: String(contractsMicro / MICRO),
        newContractsMicro: String((positions.get(order.position) ?? 0n) + contractsMicro),
        maxBuyPriceUsd: order.isBuy ? String(limitMicro) : null,
        minSellPriceUsd: order.isBuy ? null : String(limitMicro),
        externalOrderId: order.externalId,
        orderCostUsd: String(notionalOf(contractsMicro, limitMicro)),
        newAvgPriceUsd: String(limitMicro),
        newSizeUsd: String(notionalOf(contractsMicro, limitMicro)),
        newPayoutUsd: String(contractsMicro),
        estimatedProtocolFeeUsd: '0',
        estimatedVenueFeeUsd: String(fee),
        estimatedTotalFeeUsd: String(fee),
        slippageBps: 0,
        maxSlippageBps: 200,
      },
    };
  }

  // --- The keeper --------------------------------------------------------------------------------------------------

  function note(order: OrderRecord, row: Omit<HistoryRow, 'id' | 'at'>): void {
    order.history.push({ id: ++events, at: clock.now(), ...row });
  }

  /** Opens orders whose transactions are final, and has the keeper do what is due. */
  function look(): void {
    for (const order of orders.values()) {
      if (order.history.length === 0) open(order);
      else if (options.keeper !== 'waits' && clock.now() >= order.keptUntil && !isClosed(order)) keep(order);
    }
  }

  function open(order: OrderRecord): void {
    const memo = `[${order.externalId.length}] ${order.externalId}`;
    const landed = chain.historyOf(order.owner).find((one) => one.memo === memo && one.run.error === null);
    if (landed === undefined || chain.standing(landed.slot) !== 'finalized') return;
    note(order, { eventType: 'order_created', signature: landed.signature, filledMicro: 0n, priceMicro: 0n, feeMicro: 0n, returned: null });
    order.keptUntil = clock.now() + KEEPER_MS;
  }

  const isClosed = ({ history }: OrderRecord): boolean => history.some(({ eventType }) => eventType === 'order_closed');
  const spentOf = ({ history }: OrderRecord): bigint =>
    history.reduce((sum, row) => sum + notionalOf(row.filledMicro, row.priceMicro) + row.feeMicro, 0n);
  const filledOf = ({ history }: OrderRecord): bigint => history.reduce((sum, { filledMicro }) => sum + filledMicro, 0n);

  /** Half of what is ordered first, the rest a while later. */
  function keep(order: OrderRecord): void {
    const left = order.contractsMicro - filledOf(order);
    const half = (order.contractsMicro / 2n / HUNDREDTH) * HUNDREDTH;
    fill(order, left === order.contractsMicro && half > 0n ? half : left, order.limitMicro);
    order.keptUntil = clock.now() + KEEPER_MS;
  }

  function fill(order: OrderRecord, contractsMicro: bigint, priceMicro: bigint): void {
    const left = order.contractsMicro - filledOf(order);
    if (contractsMicro <= 0n || contractsMicro > left)
      throw new RangeError(`${contractsMicro} of ${left} micro-contracts cannot be filled`);
    const signature = `fill-${events + 1}`;
    const fee = feeOf(contractsMicro, priceMicro);
    // Each fill's fee is rounded up, and the deposit was for one: together they take no more than was paid in.
    const unspent = order.deposit - spentOf(order) - notionalOf(contractsMicro, priceMicro);
    const feeMicro = order.isBuy && unspent >= 0n && fee > unspent ? unspent : fee;
    note(order, { eventType: 'order_filled', signature, filledMicro: contractsMicro, priceMicro, feeMicro, returned: null });
    const held = positions.get(order.position) ?? 0n;
    positions.set(order.position, order.isBuy ? held + contractsMicro : held - contractsMicro);
    if (contractsMicro === left) giveBack(order);
  }

  /** Returns what of the deposit was not spent, by a transaction of its own, and closes the order. */
  function giveBack(order: OrderRecord): void {
    const spent = spentOf(order);
    const rest = order.isBuy ? order.deposit - spent : 0n;
    if (rest < 0n) throw new RangeError(`${spent} were spent of a deposit of ${order.deposit}`);
    const returned = rest === 0n ? null : refund(order, rest);
    note(order, {
      eventType: 'order_closed',
      signature: returned ?? `close-${events + 1}`,
      filledMicro: 0n,
      priceMicro: 0n,
      feeMicro: 0n,
      returned: rest,
    });
  }

  function refund({ account, owner, escrow }: OrderRecord, amount: bigint): string {
    const bytes = buildTransaction({
      version: 0,
      feePayer: ISSUER.address,
      blockhash: chain.latestBlockhash('processed').blockhash,
      instructions: [
        transferChecked({
          program: TOKEN,
          mint,
          decimals: stable.decimals,
          from: escrow,
          to: associatedAccount(owner, mint, TOKEN),
          authority: account.address,
          amount,
        }),
      ],
      signers: [ISSUER, account],
    });
    const transaction = readWire(bytes);
    chain.submit(transaction);
    return transaction.signature;
  }

  function orderAt(orderAccount: string): OrderRecord {
    look();
    const order = orders.get(orderAccount);
    if (order === undefined || order.history.length === 0) throw new RangeError(`${orderAccount} is no open order`);
    return order;
  }

  // --- HTTP --------------------------------------------------------------------------------------------------------

  function historyBody(order: OrderRecord, row: HistoryRow): object {
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
      totalCostUsd: String(notionalOf(row.filledMicro, row.priceMicro)),
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

  /** Newest first, as the venue lists them. */
  function history(query: URLSearchParams): LoopbackAnswer {
    const owner = query.get('ownerPubkey');
    const [start, end] = [Number(query.get('start') ?? 0), Number(query.get('end') ?? 20)];
    const rows = [...orders.values()]
      .filter((order) => order.owner === owner)
      .flatMap((order) => order.history.map((row) => ({ order, row })))
      .sort((a, b) => b.row.id - a.row.id);
    const data = rows.slice(start, end).map(({ order, row }) => historyBody(order, row));
    return { status: 200, body: { data, pagination: { start, end, total: rows.length, hasNext: end < rows.length } } };
  }

  function request({ method, path, query, headers, body }: LoopbackRequest): LoopbackAnswer {
    if (headers['x-api-key'] !== key)
      return { status: 401, body: { type: 'authentication_error', message: 'Unauthorized', request_id: `req-${++made}` } };
    if (faults.happens(faults.settings.status429))
      return { status: 429, body: { type: 'rate_limit_error', message: 'Too many requests', request_id: `req-${++made}` } };
    if (faults.happens(faults.settings.status5xx))
      return { status: 502, body: { type: 'api_error', message: 'upstream', request_id: `req-${++made}` } };
    look();
    const route = path.startsWith(PREFIX) ? path.slice(PREFIX.length) : '';
    if (method === 'POST' && route === '/orders') return createOrder(body);
    if (method === 'GET' && route === '/history') return history(query);
    if (method === 'GET' && route === '/trading-status') return { status: 200, body: { trading_active: true } };
    const [, kind, marketId] = /^\/(markets|orderbook)\/([\w.-]+)$/.exec(route) ?? [];
    const market = marketId === undefined ? undefined : marketsNow().get(marketId);
    if (method !== 'GET' || marketId === undefined || market === undefined) return refuse(404, 'not found');
    const { question, venue } = market;
    return { status: 200, body: kind === 'markets' ? marketBody(marketId, question, venue) : orderBook(question, venue) };
  }

  const server = await listenOnLoopback({ clock, faults, port: options.port, request, socket: () => null });
  return {
    url: server.url,
    restUrl: `${server.url}${PREFIX}`,
    faults,
    keeper: {
      fill: (orderAccount, contractsMicro, priceMicro) => fill(orderAt(orderAccount), contractsMicro, priceMicro),
      close(orderAccount, how) {
        const order = orderAt(orderAccount);
        if (how === 'failed')
          note(order, {
            eventType: 'order_failed',
            signature: `fail-${events + 1}`,
            filledMicro: 0n,
            priceMicro: 0n,
            feeMicro: 0n,
            returned: null,
          });
        giveBack(order);
      },
    },
    close: () => server.close(),
  };
}
