/** Order reports of the simulated exchange's websocket API: signed subscriptions and their events. */
import type { Clock } from '../../../streams/clock/clock.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import type { LoopbackAnswer, LoopbackRequest, LoopbackSession, LoopbackSocket } from '../loopback.ts';
import { RepeatingCalls } from '../repeating-calls.ts';
import { keepAlive } from './socket-life.ts';
import { amountText } from './symbol-filters.ts';
import type { ExecutionType, Trade, TradingAccount, VenueOrder } from './trading-account.ts';

/** Interval at which resting orders are checked for fills. Milliseconds. */
const SETTLE_MS = 250;
const PATH = '/ws-api/v3';

interface Session {
  readonly socket: LoopbackSocket;
  /** Accounts by subscription id. */
  readonly subscriptions: Map<number, TradingAccount>;
}

interface OrderReportsOptions {
  readonly clock: Clock;
  readonly venueNow: () => EpochMs;
  /** Returns the account of a signed request, or the error response. */
  readonly accountOf: (request: Pick<LoopbackRequest, 'headers' | 'search' | 'body'>) => TradingAccount | LoopbackAnswer;
  /** Fills the account's resting orders that the market has reached. */
  readonly settle: (account: TradingAccount) => void;
}

export class OrderReports {
  readonly #options: OrderReportsOptions;
  readonly #calls: RepeatingCalls;
  readonly #sessions = new Set<Session>();
  #numbered = 0;

  constructor(options: OrderReportsOptions) {
    this.#options = options;
    this.#calls = new RepeatingCalls(options.clock);
  }

  /** Number of open subscriptions. */
  get followed(): number {
    return [...this.#sessions].reduce((sum, { subscriptions }) => sum + subscriptions.size, 0);
  }

  /** Opens the session of a socket, or returns null for another path. */
  open(socket: LoopbackSocket): LoopbackSession | null {
    if (socket.path !== PATH) return null;
    const session: Session = { socket, subscriptions: new Map() };
    this.#sessions.add(session);
    const name = `socket ${this.#numbered++}`;
    const receivedPong = keepAlive(this.#calls, this.#options.clock, name, socket);
    return {
      signal(kind) {
        if (kind === 'pong') receivedPong();
      },
      message: (text) => socket.control(JSON.stringify(this.#answer(session, text))),
      closed: () => {
        this.#sessions.delete(session);
        this.#calls.cancel(name);
        if (this.followed === 0) this.#calls.cancel('settling');
      },
    };
  }

  /** Reports an event to the account's subscribers. */
  report(account: TradingAccount, order: VenueOrder, type: ExecutionType, trade: Trade | null): void {
    const event = formatReport(order, type, trade, { id: ++this.#numbered, at: this.#options.venueNow() });
    for (const { socket, subscriptions } of this.#sessions)
      for (const [subscriptionId, followed] of subscriptions)
        if (followed === account) socket.data(JSON.stringify({ subscriptionId, event }));
  }

  /** Ends every subscription, as the venue does if a key is revoked. The sockets stay open. */
  terminate(): void {
    for (const { socket, subscriptions } of this.#sessions) {
      for (const subscriptionId of subscriptions.keys())
        socket.control(JSON.stringify({ subscriptionId, event: { e: 'eventStreamTerminated', E: this.#options.venueNow() } }));
      subscriptions.clear();
    }
  }

  /** Stops every timer. The listener closes the sockets. */
  close(): void {
    this.#calls.close();
  }

  #answer(session: Session, text: string): object {
    let message: Readonly<Record<string, unknown>>;
    try {
      message = Object(JSON.parse(text)) as Readonly<Record<string, unknown>>;
    } catch {
      return refused(null, 400, -1135, 'Invalid JSON Request');
    }
    const { id = null, method, params } = message;
    if (method !== 'userDataStream.subscribe.signature') return refused(id, 400, -1000, `Unknown method '${String(method)}'.`);
    const { apiKey, signature, ...signed } = Object(params) as Readonly<Record<string, unknown>>;
    // The signed text lists the parameters by name.
    const parts = Object.entries({ apiKey, ...signed }).sort(([one], [other]) => (one < other ? -1 : 1));
    const search = new URLSearchParams(parts.map(([name, value]): [string, string] => [name, String(value)]));
    const account = this.#options.accountOf({
      headers: { 'x-mbx-apikey': typeof apiKey === 'string' ? apiKey : '' },
      search: `${search.toString()}&signature=${encodeURIComponent(String(signature ?? ''))}`,
      body: '',
    });
    if ('body' in account) {
      const { code, msg } = account.body as { readonly code: number; readonly msg: string };
      return refused(id, account.status, code, msg);
    }
    const subscriptionId = session.subscriptions.size;
    session.subscriptions.set(subscriptionId, account);
    this.#settleAgainAndAgain();
    return { id, status: 200, result: { subscriptionId }, rateLimits: [] };
  }

  /** Checks for fills repeatedly while there are subscribers. */
  #settleAgainAndAgain(): void {
    const { clock, settle } = this.#options;
    if (this.#calls.has('settling')) return;
    this.#calls.repeat('settling', clock.now() + SETTLE_MS, () => {
      for (const account of new Set([...this.#sessions].flatMap(({ subscriptions }) => [...subscriptions.values()]))) settle(account);
      return clock.now() + SETTLE_MS;
    });
  }
}

function refused(id: unknown, status: number, code: number, msg: string): object {
  return { id, status, error: { code, msg }, rateLimits: [] };
}

/** Formats an execution report. @param at Sending time by the venue's clock */
function formatReport(
  { request, orderId, at: placedAt, status, executed, executedQuote, changedAt, expiryReason }: VenueOrder,
  type: ExecutionType,
  trade: Trade | null,
  { id, at }: { readonly id: number; readonly at: EpochMs },
): object {
  const { book, side, clientOrderId } = request;
  return {
    e: 'executionReport',
    E: at,
    s: book.rules.symbol,
    c: type === 'CANCELED' ? `cancel${id}` : clientOrderId,
    S: side,
    o: request.type,
    f: request.timeInForce,
    q: amountText(request.quantity ?? executed),
    p: amountText(request.price ?? 0n),
    P: '0.00000000',
    F: '0.00000000',
    g: -1,
    C: type === 'CANCELED' ? clientOrderId : '',
    x: type,
    X: status,
    r: 'NONE',
    i: orderId,
    l: amountText(trade?.quantity ?? 0n),
    z: amountText(executed),
    L: amountText(trade?.price ?? 0n),
    n: trade === null ? '0' : amountText(trade.commission),
    N: trade?.commissionAsset ?? null,
    T: trade?.at ?? changedAt,
    t: trade?.id ?? -1,
    I: id,
    w: status === 'NEW' || status === 'PARTIALLY_FILLED',
    m: trade?.maker ?? false,
    M: false,
    O: placedAt,
    Z: amountText(executedQuote),
    Y: amountText(trade?.quoteQuantity ?? 0n),
    Q: amountText(request.quoteQuantity ?? 0n),
    W: placedAt,
    V: 'EXPIRE_MAKER',
    ...(type === 'EXPIRED' ? { eR: expiryReason } : {}),
  };
}
