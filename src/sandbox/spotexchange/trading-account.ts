/** Account of the simulated exchange: balances, orders, and matching against the simulated books. */
import type { EpochMs } from '../../domain/values/time.ts';
import type { BookChange, SimulatedBook } from './simulated-book.ts';
import { amountText, ONE, product, stepped } from './symbol-filters.ts';

type OrderStatus = 'NEW' | 'PARTIALLY_FILLED' | 'FILLED' | 'CANCELED' | 'EXPIRED';

/** Execution types of the venue. */
export type ExecutionType = 'NEW' | 'TRADE' | 'CANCELED' | 'EXPIRED';

export interface OrderRequest {
  readonly book: SimulatedBook;
  readonly side: 'BUY' | 'SELL';
  readonly type: 'LIMIT' | 'LIMIT_MAKER' | 'MARKET';
  /** Time in force. Market orders execute as IOC; post-only orders rest as GTC. */
  readonly timeInForce: 'GTC' | 'IOC' | 'FOK';
  /** Limit price, or null for a market order. */
  readonly price: bigint | null;
  /** Quantity in base units, or null if `quoteQuantity` gives the amount to spend or earn. */
  readonly quantity: bigint | null;
  readonly quoteQuantity: bigint | null;
  readonly clientOrderId: string;
}

export interface Trade {
  readonly id: number;
  readonly orderId: number;
  readonly symbol: string;
  readonly price: bigint;
  readonly quantity: bigint;
  readonly quoteQuantity: bigint;
  readonly commission: bigint;
  readonly commissionAsset: string;
  readonly at: EpochMs;
  readonly buys: boolean;
  readonly maker: boolean;
}

export interface VenueOrder {
  readonly request: OrderRequest;
  readonly orderId: number;
  readonly at: EpochMs;
  status: OrderStatus;
  expiryReason: string | null;
  executed: bigint;
  executedQuote: bigint;
  /** Balance locked for the unfilled rest, in quote units for a buy and in base units for a sell. */
  locked: bigint;
  changedAt: EpochMs;
  readonly trades: Trade[];
}

interface AccountOptions {
  /** Initial balances in whole units by asset: `{ USDT: '1000000' }`. */
  readonly balances: Readonly<Record<string, bigint>>;
  /** Commission in hundred-thousandths of the received amount: 100 is 0.1 %. */
  readonly commissionRate: bigint;
  /** Asset that pays the commission, with its price in quote units, or null if the received asset does. */
  readonly commissionIn: { readonly asset: string; readonly price: bigint } | null;
  /** First number of orders and trades. */
  readonly firstId: number;
  /** Reports every change that a match makes to a book. */
  readonly onTaken: (book: SimulatedBook, change: BookChange) => void;
  /** Reports every event of an order. */
  readonly onReport: (order: VenueOrder, type: ExecutionType, trade: Trade | null) => void;
}

const RATE_WHOLE = 100_000n;

interface Balance {
  free: bigint;
  locked: bigint;
}

/** Levels that an order takes, with their totals. */
interface Walk {
  readonly levels: readonly (readonly [ticks: number, lots: number])[];
  readonly quantity: bigint;
}

export class TradingAccount {
  readonly #options: AccountOptions;
  readonly #balances = new Map<string, Balance>();
  readonly #orders: VenueOrder[] = [];
  #trades: number;
  /** Asset that pays the commission. It may change during the account's life. */
  commissionIn: AccountOptions['commissionIn'];

  constructor(options: AccountOptions) {
    this.#options = options;
    this.#trades = options.firstId;
    this.commissionIn = options.commissionIn;
    for (const [asset, free] of Object.entries(options.balances)) this.#balances.set(asset, { free, locked: 0n });
  }

  get orders(): readonly VenueOrder[] {
    return this.#orders;
  }

  balances(): readonly { readonly asset: string; readonly free: string; readonly locked: string }[] {
    return [...this.#balances].map(([asset, { free, locked }]) => ({ asset, free: amountText(free), locked: amountText(locked) }));
  }

  open(symbol: string | null): readonly VenueOrder[] {
    return this.#orders.filter((order) => isOpen(order) && (symbol === null || order.request.book.rules.symbol === symbol));
  }

  /** Returns the newest order with this id. Client ids are unique only among open orders. */
  find(symbol: string, by: { readonly orderId?: number; readonly clientOrderId?: string }): VenueOrder | undefined {
    return this.#orders.findLast(
      ({ orderId, request }) =>
        request.book.rules.symbol === symbol &&
        (by.orderId === undefined || by.orderId === orderId) &&
        (by.clientOrderId === undefined || by.clientOrderId === request.clientOrderId),
    );
  }

  /**
   * Places an order and fills it against the book. Returns `insufficient` if the account cannot pay, `would_match` if a post-only order
   * would take.
   */
  place(request: OrderRequest, at: EpochMs): VenueOrder | 'insufficient' | 'would_match' {
    const { book, side, timeInForce } = request;
    const walk = this.#walk(request);
    if (request.type === 'LIMIT_MAKER' && walk.levels.length > 0) return 'would_match';
    const needed = this.#needed(request, walk);
    const paying = this.#balance(side === 'BUY' ? 'USDT' : book.rules.base);
    if (paying.free < needed) return 'insufficient';
    const order: VenueOrder = {
      request,
      orderId: this.#options.firstId + this.#orders.length + 1,
      at,
      status: 'NEW',
      expiryReason: null,
      executed: 0n,
      executedQuote: 0n,
      locked: 0n,
      changedAt: at,
      trades: [],
    };
    this.#orders.push(order);
    this.#options.onReport(order, 'NEW', null);
    const whole = request.quantity !== null && walk.quantity === request.quantity;
    if (timeInForce !== 'FOK' || whole) {
      for (const [ticks, lots] of walk.levels)
        this.#execute(order, stepped(ticks, book.rules.tickDigits), stepped(lots, book.rules.lotDigits), at, false);
      if (walk.levels.length > 0) this.#options.onTaken(book, book.take(side === 'BUY' ? 'ask' : 'bid', walk.levels));
    }
    const filled = request.quantity === null ? walk.levels.length > 0 : order.executed === request.quantity;
    if (filled) order.status = 'FILLED';
    else if (timeInForce === 'GTC' && request.type !== 'MARKET') this.#rest(order);
    else {
      order.status = 'EXPIRED';
      order.expiryReason =
        request.type === 'MARKET'
          ? 'INSUFFICIENT_LIQUIDITY'
          : timeInForce === 'FOK'
            ? 'UNFILLED_FOK_ORDER_EXPIRED'
            : 'UNFILLED_IOC_QUANTITY_EXPIRED';
      this.#options.onReport(order, 'EXPIRED', null);
    }
    return order;
  }

  /** Cancels the rest of an order. */
  cancel(order: VenueOrder, at: EpochMs): void {
    this.#release(order);
    order.status = 'CANCELED';
    order.changedAt = at;
    this.#options.onReport(order, 'CANCELED', null);
  }

  /** Fills a quantity of a resting order at its own price. */
  fill(order: VenueOrder, quantity: bigint, at: EpochMs): void {
    const { price } = order.request;
    if (price === null || !isOpen(order)) throw new RangeError('the order does not rest');
    this.#release(order);
    this.#execute(order, price, quantity, at, true);
    if (isOpen(order)) this.#rest(order);
  }

  /** Fills the resting orders that the market has reached, at their own prices. */
  settle(book: SimulatedBook, at: EpochMs): void {
    for (const order of this.open(book.rules.symbol)) {
      const { side, price, quantity } = order.request;
      if (price === null || quantity === null) continue;
      const [best] = book.rungs(side === 'BUY' ? 'ask' : 'bid');
      if (best === undefined) continue;
      const touch = stepped(best[0], book.rules.tickDigits);
      if (side === 'BUY' ? touch > price : touch < price) continue;
      this.fill(order, quantity - order.executed, at);
    }
  }

  #balance(asset: string): Balance {
    const held = this.#balances.get(asset) ?? { free: 0n, locked: 0n };
    this.#balances.set(asset, held);
    return held;
  }

  /** Collects the levels within the order's price, up to its size. */
  #walk({ book, side, price, quantity, quoteQuantity }: OrderRequest): Walk {
    const lot = stepped(1, book.rules.lotDigits);
    const levels: (readonly [number, number])[] = [];
    let left = quantity;
    let money = quoteQuantity ?? 0n;
    let total = 0n;
    for (const [ticks, lots] of book.rungs(side === 'BUY' ? 'ask' : 'bid')) {
      const at = stepped(ticks, book.rules.tickDigits);
      if (price !== null && (side === 'BUY' ? at > price : at < price)) break;
      const wanted = left === null ? (money * ONE) / at / lot : left / lot;
      const here = wanted < BigInt(lots) ? Number(wanted) : lots;
      if (here === 0) break;
      levels.push([ticks, here]);
      const amount = stepped(here, book.rules.lotDigits);
      total += amount;
      if (left === null) money -= product(amount, at);
      else left -= amount;
    }
    return { levels, quantity: total };
  }

  /** Returns the balance that an order requires: a limit order its whole size at its limit, a market order its cost. */
  #needed({ book, side, price, quantity, quoteQuantity }: OrderRequest, walk: Walk): bigint {
    if (side === 'SELL') return quantity ?? walk.quantity;
    if (price !== null && quantity !== null) return product(price, quantity);
    if (quoteQuantity !== null) return quoteQuantity;
    return walk.levels.reduce(
      (sum, [ticks, lots]) => sum + product(stepped(ticks, book.rules.tickDigits), stepped(lots, book.rules.lotDigits)),
      0n,
    );
  }

  #execute(order: VenueOrder, price: bigint, quantity: bigint, at: EpochMs, maker: boolean): void {
    const { book, side } = order.request;
    const { base, symbol } = book.rules;
    const quoteQuantity = product(price, quantity);
    const buys = side === 'BUY';
    const [given, got] = buys ? [this.#balance('USDT'), this.#balance(base)] : [this.#balance(base), this.#balance('USDT')];
    given.free -= buys ? quoteQuantity : quantity;
    const received = buys ? quantity : quoteQuantity;
    got.free += received;
    const own = this.commissionIn;
    const commissionAsset = own?.asset ?? (buys ? base : 'USDT');
    const commission =
      own === null
        ? (received * this.#options.commissionRate) / RATE_WHOLE
        : (((quoteQuantity * this.#options.commissionRate) / RATE_WHOLE) * ONE) / own.price;
    this.#balance(commissionAsset).free -= commission;
    order.executed += quantity;
    order.executedQuote += quoteQuantity;
    order.changedAt = at;
    order.status = order.executed === order.request.quantity ? 'FILLED' : 'PARTIALLY_FILLED';
    this.#trades += 1;
    const trade: Trade = {
      id: this.#trades,
      orderId: order.orderId,
      symbol,
      price,
      quantity,
      quoteQuantity,
      commission,
      commissionAsset,
      at,
      buys,
      maker,
    };
    order.trades.push(trade);
    this.#options.onReport(order, 'TRADE', trade);
  }

  #rest(order: VenueOrder): void {
    const { book, side, price, quantity } = order.request;
    const left = (quantity as bigint) - order.executed;
    order.locked = side === 'BUY' ? product(price as bigint, left) : left;
    const paying = this.#balance(side === 'BUY' ? 'USDT' : book.rules.base);
    paying.free -= order.locked;
    paying.locked += order.locked;
  }

  #release(order: VenueOrder): void {
    const paying = this.#balance(order.request.side === 'BUY' ? 'USDT' : order.request.book.rules.base);
    paying.free += order.locked;
    paying.locked -= order.locked;
    order.locked = 0n;
  }
}

function isOpen({ status }: VenueOrder): boolean {
  return status === 'NEW' || status === 'PARTIALLY_FILLED';
}
