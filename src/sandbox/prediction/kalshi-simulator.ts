/** A simulator of Kalshi on loopback: `/trade-api/v2` and the signed socket `/trade-api/ws/v2` over the seeded questions. */
import { constants, createPublicKey, verify } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../../streams/clock.ts';
import type { EpochMs } from '../../domain/time.ts';
import { bendPrices, bendsPrices, createFaultSwitch, type FaultSwitch } from '../faults.ts';
import { type LoopbackAnswer, type LoopbackRequest, type LoopbackSession, type LoopbackSocket, listenOnLoopback } from '../loopback.ts';
import type { SeededBook, SeededQuestion, SeededQuestions, SeededTrade } from './seeded-questions.ts';
import { kalshiWords } from './wording.ts';

const PREFIX = '/trade-api/v2';
const SOCKET_PATH = '/trade-api/ws/v2';
/** A bucket of 200 tokens that refills by 200 a second; a read costs 10. */
const BUCKET = 200;
const READ_COST = 10;
const DETERMINED_MS = 20_000;
const FINAL_MS = 80_000;
const STEP_MS = 1_000;
const PING_MS = 10_000;
/** How far a signed time may be off. */
const SIGNED_WITHIN_MS = 10_000;
const CHANNELS = new Set(['orderbook_delta', 'ticker', 'trade', 'market_lifecycle_v2']);

export interface KalshiSimulatorOptions {
  readonly questions: SeededQuestions;
  /** Whose signature opens the socket. */
  readonly key: { readonly id: string; readonly publicKey: string };
  readonly clock: Clock;
  /** Default: a switch of its own with every fault off. */
  readonly faults?: FaultSwitch;
  /** 0 = any free port. */
  readonly port: number;
}

export interface KalshiSimulator {
  /** `http://127.0.0.1:<port>/trade-api/v2` */
  readonly restUrl: string;
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** `ws://127.0.0.1:<port>/trade-api/ws/v2` */
  readonly wsUrl: string;
  readonly faults: FaultSwitch;
  close(): Promise<void>;
}

interface Subscription {
  readonly sid: number;
  readonly channel: string;
  readonly tickers: Set<string>;
  seq: number;
}

interface Session {
  readonly socket: LoopbackSocket;
  readonly byChannel: Map<string, Subscription>;
  sids: number;
  /** What was sent last of each market: sizes by `yes` or `no` and price. */
  readonly sent: Map<string, Map<string, number>>;
}

const dollars = (thousandths: number): string => (thousandths / 1_000).toFixed(4);
const count = (size: number): string => size.toFixed(2);
const STRIKES = { above: 'greater', at_or_above: 'greater_or_equal', below: 'less', between: 'between' } as const;

function seriesOf({ asset, group }: SeededQuestion): string {
  return `KX${asset}${(group.split('-')[1] ?? '').slice(0, 1).toUpperCase()}`;
}
function eventOf(question: SeededQuestion): string {
  return `${seriesOf(question)}-${question.group.split('-').at(-1)}`;
}
/** The market of a question by this venue's name. */
export function tickerOf(question: SeededQuestion): string {
  const letter = question.comparator === 'between' ? 'B' : question.comparator === 'below' ? 'L' : 'T';
  return `${eventOf(question)}-${letter}${question.threshold}`;
}

export async function createKalshiSimulator(options: KalshiSimulatorOptions): Promise<KalshiSimulator> {
  const { questions, clock, key } = options;
  const faults = options.faults ?? createFaultSwitch();
  const publicKey = createPublicKey(key.publicKey);
  const venueNow = (): EpochMs => clock.now() + faults.settings.clockOffsetMs;
  const sessions = new Set<Session>();
  const cancels = new Map<string, () => void>();
  let steppedAt = clock.now();
  let bucket = { at: clock.now(), tokens: BUCKET };
  let closed = false;

  const listed = (now: EpochMs): ReadonlyMap<string, SeededQuestion> =>
    new Map(questions.listed('kalshi', now).map((question) => [tickerOf(question), question]));

  // --- What a market looks like ------------------------------------------------------------------------------------

  function statusOf({ resolvesAt }: SeededQuestion, now: EpochMs): string {
    const past = now - resolvesAt;
    return past < 0 ? 'active' : past < DETERMINED_MS ? 'closed' : past < FINAL_MS ? 'determined' : 'finalized';
  }

  function marketBody(question: SeededQuestion, now: EpochMs): object {
    const status = statusOf(question, now);
    const open = status === 'active';
    const { bids, asks } = questions.book(question, 'kalshi', Math.min(clock.now(), question.resolvesAt - 1));
    const [bid, ask] = [bids[0], asks[0]];
    const words = kalshiWords(question);
    const won = status === 'determined' || status === 'finalized' ? questions.outcome(question) : null;
    const [last] = questions.trades(question, 'kalshi', Math.min(now, question.resolvesAt) - 300_000, now).slice(-1);
    const age = Math.max(0, Math.min(now, question.resolvesAt) - question.createdAt) / 1_000;
    const volume = Math.floor(age * (1 + 4 * questions.fate(question, 'volume')));
    const bent = bendPrices(faults, bid?.price ?? 0, ask?.price ?? 1_000, dollars);
    const at = (level: { price: number } | undefined, none: number): string => dollars(open ? (level?.price ?? none) : none);
    const { threshold, upper, comparator } = question;
    const bounds =
      comparator === 'between'
        ? { floor_strike: threshold, cap_strike: upper }
        : comparator === 'below'
          ? { cap_strike: threshold }
          : { floor_strike: threshold };
    return {
      ticker: tickerOf(question),
      event_ticker: eventOf(question),
      market_type: 'binary',
      title: words.title,
      yes_sub_title: words.subtitle,
      no_sub_title: `Not ${words.subtitle}`,
      created_time: new Date(question.createdAt).toISOString(),
      open_time: new Date(question.createdAt).toISOString(),
      close_time: new Date(question.resolvesAt).toISOString(),
      expected_expiration_time: new Date(question.resolvesAt + FINAL_MS).toISOString(),
      latest_expiration_time: new Date(question.resolvesAt + 7 * 86_400_000).toISOString(),
      settlement_timer_seconds: 60,
      status,
      yes_bid_dollars: open ? bent.bid : dollars(0),
      yes_bid_size_fp: count(bid?.size ?? 0),
      yes_ask_dollars: open ? bent.ask : dollars(1_000),
      yes_ask_size_fp: count(ask?.size ?? 0),
      no_bid_dollars: at(ask === undefined ? undefined : { price: 1_000 - ask.price }, 0),
      no_ask_dollars: at(bid === undefined ? undefined : { price: 1_000 - bid.price }, 1_000),
      last_price_dollars: dollars(last?.price ?? 0),
      volume_fp: count(volume),
      volume_24h_fp: count(Math.floor(volume / 2)),
      open_interest_fp: count(Math.floor(volume / 3)),
      liquidity_dollars: dollars([...bids, ...asks].reduce((sum, level) => sum + level.size * level.price, 0)),
      notional_value_dollars: '1.0000',
      price_level_structure: 'tapered_deci_cent',
      price_ranges: [
        { start: '0.0000', end: '0.1000', step: '0.0010' },
        { start: '0.1000', end: '0.9000', step: '0.0100' },
        { start: '0.9000', end: '1.0000', step: '0.0010' },
      ],
      result: won === null ? '' : won ? 'yes' : 'no',
      ...(status === 'finalized'
        ? {
            settlement_value_dollars: won ? '1.0000' : '0.0000',
            settlement_ts: new Date(question.resolvesAt + FINAL_MS).toISOString(),
            expiration_value: words.subtitle,
          }
        : { expiration_value: '' }),
      can_close_early: false,
      rules_primary: words.rulesPrimary,
      rules_secondary: words.rulesSecondary,
      strike_type: STRIKES[comparator as keyof typeof STRIKES],
      ...bounds,
    };
  }

  // --- HTTP --------------------------------------------------------------------------------------------------------

  const refuse = (status: number, code: string, message: string): LoopbackAnswer => ({
    status,
    body: { error: { code, message, service: 'sandbox' } },
  });

  function admitted(): boolean {
    const now = clock.now();
    const tokens = Math.min(BUCKET, bucket.tokens + ((now - bucket.at) / 1_000) * BUCKET);
    const enough = tokens >= READ_COST;
    bucket = { at: now, tokens: enough ? tokens - READ_COST : tokens };
    return enough;
  }

  function request({ method, path, query }: LoopbackRequest): LoopbackAnswer {
    // The limit comes without a term.
    if (!admitted() || faults.happens(faults.settings.status429)) return { status: 429, body: { error: 'too many requests' } };
    if (faults.happens(faults.settings.status5xx)) return refuse(503, 'service_unavailable', 'service unavailable');
    if (method !== 'GET' || !path.startsWith(PREFIX)) return refuse(404, 'not_found', 'not found');
    const now = venueNow();
    const route = path.slice(PREFIX.length);
    const [, series] = /^\/series\/([\w.-]+)$/.exec(route) ?? [];
    if (series !== undefined) return seriesBody(series, now);
    const [, ticker] = /^\/markets\/([\w.-]+)\/orderbook$/.exec(route) ?? [];
    if (ticker !== undefined) return orderBook(ticker, now);
    if (route === '/events') return events(query, now);
    if (route === '/markets') return markets(query, now);
    if (route === '/markets/trades') return trades(query, now);
    if (route === '/exchange/status')
      return { status: 200, body: { exchange_active: true, trading_active: true, exchange_estimated_resume_time: null } };
    const [, single] = /^\/markets\/([\w.-]+)$/.exec(route) ?? [];
    const found = single === undefined ? undefined : listed(now).get(single);
    return found === undefined ? refuse(404, 'not_found', 'not found') : { status: 200, body: { market: marketBody(found, now) } };
  }

  function seriesBody(ticker: string, now: EpochMs): LoopbackAnswer {
    const question = [...listed(now).values()].find((one) => seriesOf(one) === ticker);
    if (question === undefined) return refuse(404, 'not_found', 'series not found');
    return {
      status: 200,
      body: {
        series: {
          ticker,
          title: `${question.asset} series`,
          category: question.share ? 'Financials' : 'Crypto',
          frequency: 'daily',
          fee_type: 'quadratic',
          fee_multiplier: question.share ? 0.5 : 1,
          settlement_sources: kalshiWords(question).sources,
          tags: null,
        },
      },
    };
  }

  /** A page and the cursor of the next; the cursor is opaque to clients. */
  function page<Item>(
    items: readonly Item[],
    query: URLSearchParams,
    most: number,
  ): { readonly items: readonly Item[]; readonly cursor: string } | null {
    const limit = Number(query.get('limit') ?? 100);
    if (!Number.isInteger(limit) || limit < 1 || limit > most) return null;
    const from = Number(Buffer.from(query.get('cursor') ?? '', 'base64url').toString() || 0);
    const end = from + limit;
    return { items: items.slice(from, end), cursor: end < items.length ? Buffer.from(String(end)).toString('base64url') : '' };
  }

  const FILTERS: Readonly<Record<string, readonly string[]>> = {
    unopened: ['initialized'],
    open: ['active'],
    closed: ['closed', 'determined'],
    settled: ['finalized'],
  };

  function events(query: URLSearchParams, now: EpochMs): LoopbackAnswer {
    const filter = query.get('status');
    if (filter !== null && FILTERS[filter] === undefined) return refuse(400, 'bad_request', `invalid status: ${filter}`);
    const groups = new Map<string, SeededQuestion[]>();
    for (const question of listed(now).values()) {
      const event = eventOf(question);
      groups.set(event, [...(groups.get(event) ?? []), question]);
    }
    const wanted = [...groups.entries()].filter(
      ([, group]) => filter === null || group.some((one) => (FILTERS[filter] as readonly string[]).includes(statusOf(one, now))),
    );
    const cut = page(wanted, query, 200);
    if (cut === null) return refuse(400, 'bad_request', 'limit must be between 1 and 200');
    return {
      status: 200,
      body: {
        cursor: cut.cursor,
        milestones: [],
        events: cut.items.map(([event, group]) => {
          const question = group[0] as SeededQuestion;
          return {
            event_ticker: event,
            series_ticker: seriesOf(question),
            title: kalshiWords(question).title,
            sub_title: '',
            category: question.share ? 'Financials' : 'Crypto',
            mutually_exclusive: question.exclusive,
            collateral_return_type: question.exclusive ? 'MECNET' : '',
            strike_period: '',
            available_on_brokers: false,
            ...(query.get('with_nested_markets') === 'true' ? { markets: group.map((one) => marketBody(one, now)) } : {}),
          };
        }),
      },
    };
  }

  function markets(query: URLSearchParams, now: EpochMs): LoopbackAnswer {
    const filter = query.get('status');
    if (filter !== null && FILTERS[filter] === undefined) return refuse(400, 'bad_request', `invalid status: ${filter}`);
    const tickers = query.get('tickers')?.split(',') ?? null;
    const found = [...listed(now)].filter(
      ([ticker, one]) =>
        (tickers === null || tickers.includes(ticker)) &&
        (filter === null || (FILTERS[filter] as readonly string[]).includes(statusOf(one, now))),
    );
    const cut = page(found, query, 1_000);
    if (cut === null) return refuse(400, 'bad_request', 'limit must be between 1 and 1000');
    return { status: 200, body: { cursor: cut.cursor, markets: cut.items.map(([, one]) => marketBody(one, now)) } };
  }

  /** Bids of both outcomes, from the worst to the best; whoever offers yes bids for no. */
  function sidesOf(question: SeededQuestion): { yes: [string, string][]; no: [string, string][] } {
    const book = questions.book(question, 'kalshi', clock.now());
    const bent = bendPrices(faults, book.bids[0]?.price ?? 0, book.asks[0]?.price ?? 1_000, String);
    const yes = book.bids.map(({ price, size }, index): [string, string] => [
      index === 0 ? bentDollars(bent.bid) : dollars(price),
      count(size),
    ]);
    const no = book.asks.map(({ price, size }, index): [string, string] => {
      const own = index === 0 ? 1_000 - Number(bent.ask) : 1_000 - price;
      return [dollars(own), count(size)];
    });
    return { yes: yes.reverse(), no: no.reverse() };
  }

  const bentDollars = (text: string): string => (text === 'NaN' ? text : dollars(Number(text)));

  function orderBook(ticker: string, now: EpochMs): LoopbackAnswer {
    const question = listed(now).get(ticker);
    if (question === undefined) return refuse(404, 'not_found', 'market not found');
    if (statusOf(question, now) !== 'active') return { status: 200, body: { orderbook_fp: { yes_dollars: [], no_dollars: [] } } };
    const { yes, no } = sidesOf(question);
    return { status: 200, body: { orderbook_fp: { yes_dollars: yes, no_dollars: no } } };
  }

  function tradeBody(ticker: string, trade: SeededTrade) {
    return {
      trade_id: `${ticker}-${trade.id}`,
      count_fp: count(trade.size),
      yes_price_dollars: dollars(trade.price),
      no_price_dollars: dollars(1_000 - trade.price),
      taker_side: trade.side,
    };
  }

  function trades(query: URLSearchParams, now: EpochMs): LoopbackAnswer {
    const ticker = query.get('ticker') ?? '';
    const question = listed(now).get(ticker);
    const all =
      question === undefined
        ? []
        : questions
            .trades(question, 'kalshi', now - 3_600_000, now)
            .slice()
            .reverse();
    const cut = page(all, query, 1_000);
    if (cut === null) return refuse(400, 'bad_request', 'limit must be between 1 and 1000');
    const body = cut.items.map((trade) => ({ ticker, ...tradeBody(ticker, trade), created_time: new Date(trade.at).toISOString() }));
    return { status: 200, body: { cursor: cut.cursor, trades: body } };
  }

  // --- The socket --------------------------------------------------------------------------------------------------

  /** 401 where the handshake is not signed by the key over its time, method and path. */
  function admit({ path, headers }: { readonly path: string; readonly headers: IncomingHttpHeaders }): number | null {
    if (path !== SOCKET_PATH) return 404;
    const text = (name: string): string => String(headers[name] ?? '');
    const at = text('kalshi-access-timestamp');
    if (text('kalshi-access-key') !== key.id || Math.abs(Number(at) - clock.now()) > SIGNED_WITHIN_MS) return 401;
    const signature = Buffer.from(text('kalshi-access-signature'), 'base64');
    const pss = { key: publicKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
    return verify('sha256', Buffer.from(`${at}GET${path}`), pss, signature) ? null : 401;
  }

  function number(session: Session, subscription: Subscription, type: string, message: object): void {
    subscription.seq += 1;
    session.socket.data(JSON.stringify({ type, sid: subscription.sid, seq: subscription.seq, msg: message }));
  }

  const levelsOf = (book: SeededBook): Map<string, number> =>
    new Map([
      ...book.bids.map(({ price, size }) => [`yes ${dollars(price)}`, size] as const),
      ...book.asks.map(({ price, size }) => [`no ${dollars(1_000 - price)}`, size] as const),
    ]);

  function snapshot(session: Session, subscription: Subscription, ticker: string): void {
    const question = listed(venueNow()).get(ticker);
    if (question === undefined) return;
    const { yes, no } = sidesOf(question);
    number(session, subscription, 'orderbook_snapshot', {
      market_ticker: ticker,
      ...(yes.length === 0 ? {} : { yes_dollars_fp: yes }),
      ...(no.length === 0 ? {} : { no_dollars_fp: no }),
    });
    session.sent.set(ticker, levelsOf(questions.book(question, 'kalshi', clock.now())));
  }

  function stepBook(session: Session, subscription: Subscription, ticker: string, question: SeededQuestion, now: EpochMs): void {
    if (bendsPrices(faults)) return snapshot(session, subscription, ticker);
    const before = session.sent.get(ticker);
    if (before === undefined) return snapshot(session, subscription, ticker);
    const levels = levelsOf(questions.book(question, 'kalshi', clock.now()));
    session.sent.set(ticker, levels);
    for (const key of new Set([...before.keys(), ...levels.keys()])) {
      const delta = (levels.get(key) ?? 0) - (before.get(key) ?? 0);
      if (delta === 0) continue;
      const [side, price] = key.split(' ');
      number(session, subscription, 'orderbook_delta', {
        market_ticker: ticker,
        price_dollars: price,
        delta_fp: count(delta),
        side,
        ts_ms: now,
      });
    }
  }

  function step(): void {
    const real = clock.now();
    const now = venueNow();
    const before = steppedAt;
    steppedAt = real;
    const all = sessions.size === 0 ? new Map<string, SeededQuestion>() : listed(now);
    for (const session of sessions) {
      const books = session.byChannel.get('orderbook_delta');
      for (const ticker of books?.tickers ?? []) {
        const question = all.get(ticker);
        if (question !== undefined && books !== undefined && real < question.resolvesAt) stepBook(session, books, ticker, question, now);
      }
      const heard = session.byChannel.get('trade');
      for (const ticker of heard?.tickers ?? []) {
        const question = all.get(ticker);
        if (question === undefined || heard === undefined) continue;
        for (const trade of questions.trades(question, 'kalshi', before, real)) {
          const ts = trade.at + faults.settings.clockOffsetMs;
          number(session, heard, 'trade', { market_ticker: ticker, ...tradeBody(ticker, trade), ts: Math.floor(ts / 1_000), ts_ms: ts });
        }
      }
      const life = session.byChannel.get('market_lifecycle_v2');
      if (life !== undefined) {
        for (const [ticker, { resolvesAt }] of all) {
          if (before < resolvesAt + DETERMINED_MS && real >= resolvesAt + DETERMINED_MS)
            number(session, life, 'market_lifecycle_v2', { event_type: 'determined', market_ticker: ticker });
          if (before < resolvesAt + FINAL_MS && real >= resolvesAt + FINAL_MS)
            number(session, life, 'market_lifecycle_v2', { event_type: 'settled', market_ticker: ticker });
        }
      }
    }
    if (!closed) cancels.set('step', clock.deadline(real + STEP_MS, step));
  }

  const tickersIn = (params: Record<string, unknown>): string[] => {
    const list = params['market_tickers'];
    return Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : [];
  };

  function receive(session: Session, text: string): void {
    let message: Record<string, unknown>;
    try {
      message = JSON.parse(text) as Record<string, unknown>;
    } catch {
      return fail(session, 0, 1, 'Unable to process message');
    }
    const id = typeof message['id'] === 'number' ? message['id'] : 0;
    const params = message['params'];
    if (typeof params !== 'object' || params === null) return fail(session, id, 2, 'Params required');
    if (message['cmd'] === 'subscribe') return subscribe(session, id, params as Record<string, unknown>);
    if (message['cmd'] === 'update_subscription') return update(session, id, params as Record<string, unknown>);
    return fail(session, id, 5, 'Unknown command');
  }

  function fail(session: Session, id: number, code: number, msg: string): void {
    session.socket.control(JSON.stringify({ type: 'error', id, msg: { code, msg } }));
  }

  function subscribe(session: Session, id: number, params: Record<string, unknown>): void {
    const { channels } = params;
    if (!Array.isArray(channels) || channels.length === 0) return fail(session, id, 3, 'Channels required');
    for (const channel of channels as unknown[]) {
      if (typeof channel !== 'string' || !CHANNELS.has(channel)) return fail(session, id, 8, 'Unknown channel name');
      const tickers = tickersIn(params);
      let subscription = session.byChannel.get(channel);
      if (subscription === undefined) {
        session.sids += 1;
        subscription = { sid: session.sids, channel, tickers: new Set(), seq: 0 };
        session.byChannel.set(channel, subscription);
        session.socket.control(JSON.stringify({ type: 'subscribed', id, msg: { channel, sid: subscription.sid } }));
      } else session.socket.control(JSON.stringify({ type: 'ok', id, sid: subscription.sid, msg: { market_tickers: tickers } }));
      addTickers(session, subscription, tickers);
    }
  }

  function addTickers(session: Session, subscription: Subscription, tickers: readonly string[]): void {
    for (const ticker of tickers) {
      subscription.tickers.add(ticker);
      if (subscription.channel === 'orderbook_delta') snapshot(session, subscription, ticker);
    }
  }

  function update(session: Session, id: number, params: Record<string, unknown>): void {
    const sids = params['sids'];
    if (!Array.isArray(sids) || sids.length !== 1) return fail(session, id, 12, 'Exactly one subscription ID is required');
    const subscription = [...session.byChannel.values()].find(({ sid }) => sid === sids[0]);
    if (subscription === undefined) return fail(session, id, 7, 'Unknown subscription ID');
    const tickers = tickersIn(params);
    session.socket.control(JSON.stringify({ type: 'ok', id, sid: subscription.sid, msg: { market_tickers: tickers } }));
    switch (params['action']) {
      case 'add_markets':
        return addTickers(session, subscription, tickers);
      case 'delete_markets':
        for (const ticker of tickers) {
          subscription.tickers.delete(ticker);
          session.sent.delete(ticker);
        }
        return;
      case 'get_snapshot':
        for (const ticker of tickers) snapshot(session, subscription, ticker);
        return;
      default:
        return fail(session, id, 13, 'Unsupported action');
    }
  }

  let opened = 0;
  function open(socket: LoopbackSocket): LoopbackSession | null {
    const session: Session = { socket, byChannel: new Map(), sids: 0, sent: new Map() };
    sessions.add(session);
    opened += 1;
    const name = `ping ${opened}`;
    const beat = (): void => {
      socket.ping('heartbeat');
      if (!closed) cancels.set(name, clock.deadline(clock.now() + PING_MS, beat));
    };
    cancels.set(name, clock.deadline(clock.now() + PING_MS, beat));
    return {
      message: (text) => receive(session, text),
      closed() {
        sessions.delete(session);
        cancels.get(name)?.();
        cancels.delete(name);
      },
    };
  }

  const server = await listenOnLoopback({ clock, faults, port: options.port, request, admit, socket: open });
  cancels.set('step', clock.deadline(clock.now() + STEP_MS, step));
  return {
    url: server.url,
    restUrl: `${server.url}${PREFIX}`,
    wsUrl: `${server.wsUrl}${SOCKET_PATH}`,
    faults,
    close: () => {
      closed = true;
      for (const cancel of cancels.values()) cancel();
      return server.close();
    },
  };
}
