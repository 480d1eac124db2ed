/** A simulator of the perpetuals venue on loopback: Hyperliquid's `/info` and `/ws` wire formats over the seeded market. */
import type { Clock } from '../../../streams/clock.ts';
import type { EpochMs } from '../../domain/time.ts';
import { bendPrices, createFaultSwitch, type FaultSwitch, seededRandom } from '../faults.ts';
import { type LoopbackAnswer, type LoopbackRequest, type LoopbackSession, type LoopbackSocket, listenOnLoopback } from '../loopback.ts';
import type { Market } from '../market/market.ts';
import { RequestWeight } from '../request-weight.ts';
import { clearinghouseState, type PerpListing, perpPrice, userFills, userFillsSince } from './wallets.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

const INTERVAL_MS: Readonly<Record<string, number>> = {
  '1m': MINUTE_MS,
  '3m': 3 * MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '30m': 30 * MINUTE_MS,
  '1h': HOUR_MS,
  '2h': 2 * HOUR_MS,
  '4h': 4 * HOUR_MS,
  '8h': 8 * HOUR_MS,
  '12h': 12 * HOUR_MS,
  '1d': DAY_MS,
};

const WEIGHT_LIMIT = 1_200;
const REACHABLE_BARS = 5_000;
const FUNDING_PAGE = 500;
const IDLE_MS = 60_000;
const FAST_LEVELS = 5;
const LEVELS = 20;
/** Builder-deployed markets: perpetuals on shares carry this dex as a prefix, `xyz:TSLA`. */
const SHARE_DEX = 'xyz';
/** Listed, delisted and still shown, as real ones are: no book, no premium, mark at yesterday's price. */
const DELISTED = { name: 'MATIC', szDecimals: 1, maxLeverage: 20, price: '0.37621' };

export interface EvmVenueSimulatorOptions {
  readonly market: Market;
  readonly clock: Clock;
  /** Default: a switch of its own with every fault off. */
  readonly faults?: FaultSwitch;
  /** 0 = any free port. */
  readonly port: number;
  readonly seed?: number;
}

export interface EvmVenueSimulator {
  /** `http://127.0.0.1:<port>`; requests go to `/info`. */
  readonly url: string;
  /** `ws://127.0.0.1:<port>/ws`. */
  readonly wsUrl: string;
  readonly faults: FaultSwitch;
  /** The coins of the main dex that trade, e.g. `BTC`. */
  readonly coins: readonly string[];
  close(): Promise<void>;
}

interface Session {
  readonly socket: LoopbackSocket;
  /** By content, since the venue has no ids: canonical text of the subscription. */
  readonly subscriptions: Map<string, Subscription>;
  sentAt: EpochMs;
}

interface Subscription {
  readonly type: string;
  readonly coin: string;
  readonly interval: string;
  readonly fast: boolean;
}

interface Level {
  readonly px: string;
  readonly sz: string;
  readonly n: number;
}

/** Starts the simulator. Its prices are the market's at the clock's time; equal seeds, clocks and requests give equal answers. */
export async function createEvmVenueSimulator(options: EvmVenueSimulatorOptions): Promise<EvmVenueSimulator> {
  const { market, clock } = options;
  const seed = options.seed ?? 1;
  const faults = options.faults ?? createFaultSwitch(seed);
  const venueNow = (): EpochMs => clock.now() + faults.settings.clockOffsetMs;
  const weight = new RequestWeight(WEIGHT_LIMIT, false);
  const sessions = new Set<Session>();
  const timers = new Map<string, () => void>();
  const listings = new Map<string, PerpListing>();
  let closed = false;
  let trades = 0;

  for (const { symbol, kind } of market.assets) {
    if (kind === 'pre_ipo') continue;
    const price = market.perp(symbol, clock.now()).mark;
    const coin = kind === 'crypto' ? symbol : `${SHARE_DEX}:${symbol}`;
    const sizeDecimals = Math.max(0, Math.min(5, Math.floor(Math.log10(price)) + 1));
    listings.set(coin, { coin, asset: symbol, sizeDecimals, maxLeverage: kind === 'crypto' ? 40 : 10 });
  }
  const mainDex = [...listings.values()].filter(({ coin }) => !coin.includes(':'));
  const shareDex = [...listings.values()].filter(({ coin }) => coin.includes(':'));

  function repeat(name: string, first: EpochMs, call: () => EpochMs): void {
    if (closed) return;
    timers.set(
      name,
      clock.deadline(first, () => {
        const next = call();
        // The call itself may have been what made it unwanted.
        if (timers.has(name)) repeat(name, next, call);
      }),
    );
  }

  function cancel(name: string): void {
    timers.get(name)?.();
    timers.delete(name);
  }

  // --- What the market looks like on this venue --------------------------------------------------------------------

  /** Levels around the mark. Sizes follow from (coin, price), the best one also from the time in steps of a second. */
  function levels(listing: PerpListing, now: EpochMs, count: number): [Level[], Level[]] {
    const { mark } = market.perp(listing.asset, now);
    const step = Math.max(mark * 0.000_05, 10 ** Math.max(Math.floor(Math.log10(mark)) - 4, listing.sizeDecimals - 6));
    const side = (sign: 1 | -1): Level[] =>
      Array.from({ length: count }, (_, index) => {
        const price = perpPrice(mark + sign * step * (index + 1), listing.sizeDecimals);
        const random = seededRandom(Math.round(Number(price) * 1e6) + (index === 0 ? Math.floor(now / 1000) : 0));
        const size = (500 + 40_000 * random()) / mark;
        return {
          px: price,
          sz: Math.max(size, 10 ** -listing.sizeDecimals).toFixed(listing.sizeDecimals),
          n: 1 + Math.floor(random() * 9),
        };
      });
    return [side(-1), side(1)];
  }

  function context(listing: PerpListing, now: EpochMs): object {
    const { mark, oracle, hourlyFunding, openInterest, dayNotional } = market.perp(listing.asset, now);
    const [bids, asks] = levels(listing, now, 1);
    const bid = (bids[0] as Level).px;
    const ask = (asks[0] as Level).px;
    const premium = Math.max(Number(bid) - oracle, 0) - Math.max(oracle - Number(ask), 0);
    return {
      funding: rate(hourlyFunding),
      openInterest: openInterest.toFixed(listing.sizeDecimals),
      prevDayPx: perpPrice(market.perp(listing.asset, now - DAY_MS).mark, listing.sizeDecimals),
      dayNtlVlm: dayNotional.toFixed(6),
      premium: rate(premium / oracle),
      oraclePx: perpPrice(oracle, listing.sizeDecimals),
      markPx: perpPrice(mark, listing.sizeDecimals),
      midPx: perpPrice(mark, listing.sizeDecimals),
      impactPxs: [bid, ask],
      dayBaseVlm: (dayNotional / mark).toFixed(listing.sizeDecimals),
    };
  }

  /** A rate as the venue writes it: ten decimals without trailing zeros, "0.0" for none. */
  function rate(value: number): string {
    const text = value.toFixed(10).replace(/0+$/, '');
    return text.endsWith('.') ? `${text}0` : text;
  }

  const DELISTED_CONTEXT = {
    funding: '0.0',
    openInterest: '0.0',
    prevDayPx: DELISTED.price,
    dayNtlVlm: '0.0',
    premium: null,
    oraclePx: DELISTED.price,
    markPx: DELISTED.price,
    midPx: null,
    impactPxs: null,
    dayBaseVlm: '0.0',
  };

  function wireCandle(
    listing: PerpListing,
    interval: string,
    bar: { openTime: EpochMs; open: number; high: number; low: number; close: number; volume: number },
  ): object {
    const barMs = INTERVAL_MS[interval] as number;
    const price = (value: number) => perpPrice(value, listing.sizeDecimals);
    return {
      t: bar.openTime,
      T: bar.openTime + barMs - 1,
      s: listing.coin,
      i: interval,
      o: price(bar.open),
      c: price(bar.close),
      h: price(bar.high),
      l: price(bar.low),
      v: bar.volume.toFixed(listing.sizeDecimals),
      n: 1 + Math.floor(bar.volume),
    };
  }

  function closedCandles(listing: PerpListing, interval: string, from: EpochMs, to: EpochMs): object[] {
    return market.candles('perp', listing.asset, INTERVAL_MS[interval] as number, from, to).map((bar) =>
      wireCandle(listing, interval, {
        openTime: bar.openTime,
        open: Number(bar.open),
        high: Number(bar.high),
        low: Number(bar.low),
        close: Number(bar.close),
        volume: Number(bar.volume),
      }),
    );
  }

  /** The bar that is still open, sampled from the market. */
  function formingCandle(listing: PerpListing, interval: string, now: EpochMs): object {
    const barMs = INTERVAL_MS[interval] as number;
    const openTime = Math.floor(now / barMs) * barMs;
    const marks = [0, 0.2, 0.4, 0.6, 0.8, 1].map((part) => market.perp(listing.asset, Math.floor(openTime + (now - openTime) * part)).mark);
    return wireCandle(listing, interval, {
      openTime,
      open: marks[0] as number,
      high: Math.max(...marks),
      low: Math.min(...marks),
      close: marks.at(-1) as number,
      volume: (now - openTime) / 1000,
    });
  }

  function trade(listing: PerpListing, at: EpochMs, chance: number): object {
    const { mark } = market.perp(listing.asset, at);
    trades += 1;
    return {
      coin: listing.coin,
      side: chance < 0.5 ? 'A' : 'B',
      px: perpPrice(mark, listing.sizeDecimals),
      sz: Math.max((50 + 5_000 * chance) / mark, 10 ** -listing.sizeDecimals).toFixed(listing.sizeDecimals),
      time: at + faults.settings.clockOffsetMs,
      hash: `0x${trades.toString(16).padStart(64, '0')}`,
      tid: trades,
      users: [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`],
    };
  }

  function recentTrades(listing: PerpListing, now: EpochMs): object[] {
    const random = seededRandom(seed);
    return Array.from({ length: 10 }, (_, index) => trade(listing, now - index * 700, random()));
  }

  // --- The socket --------------------------------------------------------------------------------------------------

  function send(session: Session, channel: string, data: unknown): void {
    session.sentAt = clock.now();
    session.socket.data(JSON.stringify({ channel, data }));
  }

  function publish(type: string, coin: string, data: unknown, matches: (subscription: Subscription) => boolean = () => true): void {
    for (const session of sessions) {
      for (const subscription of session.subscriptions.values()) {
        if (subscription.type === type && subscription.coin === coin && matches(subscription)) send(session, type, data);
      }
    }
  }

  function bbo(listing: PerpListing, now: EpochMs): object {
    const [bids, asks] = levels(listing, now, 1);
    const bid = bids[0] as Level;
    const ask = asks[0] as Level;
    const bent = bendPrices(faults, Number(bid.px), Number(ask.px), (price) => perpPrice(price, listing.sizeDecimals));
    return {
      coin: listing.coin,
      time: now + faults.settings.clockOffsetMs,
      bbo: [
        { px: bent.bid, sz: bid.sz, n: bid.n },
        { px: bent.ask, sz: ask.sz, n: ask.n },
      ],
    };
  }

  function book(listing: PerpListing, now: EpochMs, fast: boolean): object {
    const [bids, asks] = levels(listing, now, fast ? FAST_LEVELS : LEVELS) as [[Level, ...Level[]], [Level, ...Level[]]];
    const bent = bendPrices(faults, Number(bids[0].px), Number(asks[0].px), (price) => perpPrice(price, listing.sizeDecimals));
    const body = {
      coin: listing.coin,
      time: now + faults.settings.clockOffsetMs,
      levels: [
        [{ ...bids[0], px: bent.bid }, ...bids.slice(1)],
        [{ ...asks[0], px: bent.ask }, ...asks.slice(1)],
      ],
    };
    return fast ? { ...body, fast: true } : body;
  }

  /** Starts what a subscription needs, once however many sockets want it. */
  function start({ type, coin, interval, fast }: Subscription): void {
    const listing = listings.get(coin) as PerpListing;
    const name = `${type} ${coin} ${interval} ${fast}`;
    if (timers.has(name)) return;
    const random = seededRandom(seed + coin.length + timers.size);
    const now = clock.now();
    if (type === 'bbo') {
      let last = '';
      repeat(name, now + Math.floor(100 * random()), () => {
        const at = clock.now();
        const { bbo: sides } = bbo(listing, at) as { bbo: unknown };
        const text = JSON.stringify(sides);
        // Only on change, as the venue does.
        if (text !== last) publish('bbo', coin, { coin, time: at + faults.settings.clockOffsetMs, bbo: sides });
        last = text;
        return at + 100 + Math.floor(233 * random());
      });
    } else if (type === 'l2Book') {
      repeat(name, now, () => {
        publish('l2Book', coin, book(listing, clock.now(), fast), (subscription) => subscription.fast === fast);
        return clock.now() + (fast ? 500 : 5_000);
      });
    } else if (type === 'activeAssetCtx') {
      repeat(name, now, () => {
        publish('activeAssetCtx', coin, { coin, ctx: context(listing, clock.now()) });
        return clock.now() + 1_000;
      });
    } else if (type === 'trades') {
      repeat(name, now + 500, () => {
        publish('trades', coin, [trade(listing, clock.now(), random())]);
        return clock.now() + 300 + Math.floor(1_500 * random());
      });
    } else {
      const barMs = INTERVAL_MS[interval] as number;
      let open = Math.floor(now / barMs) * barMs;
      repeat(name, now, () => {
        const at = clock.now();
        const current = Math.floor(at / barMs) * barMs;
        const matches = (subscription: Subscription) => subscription.interval === interval;
        // The last word on a bar that has just closed is the bar as the history has it.
        for (const bar of open < current ? closedCandles(listing, interval, open, current) : []) publish('candle', coin, bar, matches);
        open = current;
        publish('candle', coin, formingCandle(listing, interval, at), matches);
        return Math.min(at + 1_000, current + barMs);
      });
    }
  }

  function stopUnused(): void {
    const wanted = new Set<string>();
    for (const session of sessions) {
      for (const { type, coin, interval, fast } of session.subscriptions.values()) wanted.add(`${type} ${coin} ${interval} ${fast}`);
    }
    for (const name of timers.keys()) if (!name.startsWith('socket ') && !wanted.has(name)) cancel(name);
  }

  const CHANNELS = new Set(['bbo', 'l2Book', 'activeAssetCtx', 'candle', 'trades']);

  function readSubscription(value: unknown): Subscription | null {
    if (typeof value !== 'object' || value === null) return null;
    const { type, coin, interval, fast } = value as Record<string, unknown>;
    if (typeof type !== 'string' || !CHANNELS.has(type) || typeof coin !== 'string' || !listings.has(coin)) return null;
    if (type === 'candle' && !(typeof interval === 'string' && Object.hasOwn(INTERVAL_MS, interval))) return null;
    return { type, coin, interval: type === 'candle' ? (interval as string) : '', fast: type === 'l2Book' && fast === true };
  }

  function receive(session: Session, text: string): void {
    const control = (channel: string, data?: unknown) => {
      session.sentAt = clock.now();
      session.socket.control(JSON.stringify(data === undefined ? { channel } : { channel, data }));
    };
    let message: Record<string, unknown>;
    try {
      message = (JSON.parse(text) ?? {}) as Record<string, unknown>;
    } catch {
      return control('error', `Error parsing JSON into valid websocket request: ${text.slice(0, 100)}`);
    }
    const { method } = message;
    if (method === 'ping') return control('pong');
    const raw = message['subscription'];
    const subscription = readSubscription(raw);
    if ((method !== 'subscribe' && method !== 'unsubscribe') || subscription === null) {
      return control('error', `Invalid subscription ${JSON.stringify(raw ?? message)}`);
    }
    const key = JSON.stringify(subscription);
    if (method === 'unsubscribe') {
      if (!session.subscriptions.delete(key)) return control('error', `Already unsubscribed: ${JSON.stringify(raw)}`);
      control('subscriptionResponse', { method, subscription: raw });
      return stopUnused();
    }
    if (session.subscriptions.has(key)) return control('error', `Already subscribed: ${JSON.stringify(raw)}`);
    session.subscriptions.set(key, subscription);
    control('subscriptionResponse', {
      method,
      subscription:
        subscription.type === 'l2Book'
          ? { type: 'l2Book', coin: subscription.coin, nSigFigs: null, mantissa: null, fast: subscription.fast }
          : raw,
    });
    const listing = listings.get(subscription.coin) as PerpListing;
    // The first message on trades repeats what was traded before.
    if (subscription.type === 'trades') send(session, 'trades', recentTrades(listing, clock.now()));
    if (subscription.type === 'bbo') send(session, 'bbo', bbo(listing, clock.now()));
    start(subscription);
  }

  let socketCount = 0;
  function open(socket: LoopbackSocket): LoopbackSession | null {
    if (socket.path !== '/ws') return null;
    const session: Session = { socket, subscriptions: new Map(), sentAt: clock.now() };
    sessions.add(session);
    socket.control('Websocket connection established.');
    const name = `socket ${socketCount++}`;
    // A socket to which nothing was sent for a minute is closed: quiet clients must ping.
    repeat(name, clock.now() + IDLE_MS, () => {
      if (clock.now() - session.sentAt >= IDLE_MS) socket.close(1000, 'Inactive');
      return clock.now() + 5_000;
    });
    return {
      message: (text) => receive(session, text),
      closed() {
        sessions.delete(session);
        cancel(name);
        stopUnused();
      },
    };
  }

  // --- REST --------------------------------------------------------------------------------------------------------

  function meta(dex: unknown): object | null {
    if (dex !== undefined && dex !== '' && dex !== SHARE_DEX) return null;
    const own = dex === SHARE_DEX ? shareDex : mainDex;
    const universe: object[] = own.map(({ coin, sizeDecimals, maxLeverage }) =>
      dex === SHARE_DEX
        ? {
            name: coin,
            szDecimals: sizeDecimals,
            maxLeverage,
            marginTableId: maxLeverage,
            onlyIsolated: true,
            marginMode: 'strictIsolated',
          }
        : { name: coin, szDecimals: sizeDecimals, maxLeverage, marginTableId: maxLeverage },
    );
    if (dex !== SHARE_DEX) {
      universe.push({
        name: DELISTED.name,
        szDecimals: DELISTED.szDecimals,
        maxLeverage: DELISTED.maxLeverage,
        marginTableId: 20,
        isDelisted: true,
      });
    }
    return { universe, marginTables: [], collateralToken: 0 };
  }

  interface InfoType {
    readonly weight: number;
    /** Undefined: the request is malformed. */
    readonly answer: (body: Record<string, unknown>, now: EpochMs) => unknown;
  }

  const listingOf = (coin: unknown): PerpListing | undefined => (typeof coin === 'string' ? listings.get(coin) : undefined);
  const addressOf = (user: unknown): string | null =>
    typeof user === 'string' && /^0x[0-9a-fA-F]{40}$/.test(user) ? user.toLowerCase() : null;

  const INFO: Readonly<Record<string, InfoType>> = {
    meta: { weight: 20, answer: ({ dex }) => meta(dex) ?? undefined },
    metaAndAssetCtxs: {
      weight: 20,
      answer: ({ dex }, now) => {
        const head = meta(dex);
        if (head === null) return undefined;
        const contexts = (dex === SHARE_DEX ? shareDex : mainDex).map((listing) => context(listing, now));
        return [head, dex === SHARE_DEX ? contexts : [...contexts, DELISTED_CONTEXT]];
      },
    },
    perpDexs: {
      weight: 20,
      answer: () => [
        null,
        { name: SHARE_DEX, fullName: 'Shares', deployer: `0x${'8'.repeat(40)}`, oracleUpdater: null, feeRecipient: null },
      ],
    },
    allMids: {
      weight: 2,
      answer: (_body, now) =>
        Object.fromEntries(mainDex.map((listing) => [listing.coin, perpPrice(market.perp(listing.asset, now).mark, listing.sizeDecimals)])),
    },
    l2Book: {
      weight: 2,
      answer: ({ coin }, now) => {
        const listing = listingOf(coin);
        return listing === undefined ? null : book(listing, now, false);
      },
    },
    recentTrades: {
      weight: 20,
      answer: ({ coin }, now) => {
        const listing = listingOf(coin);
        return listing === undefined ? null : recentTrades(listing, now);
      },
    },
    candleSnapshot: {
      weight: 20,
      answer: ({ req }, now) => {
        const { coin, interval, startTime, endTime } = (req ?? {}) as Record<string, unknown>;
        const listing = listingOf(coin);
        if (typeof interval !== 'string' || !Object.hasOwn(INTERVAL_MS, interval) || typeof startTime !== 'number') return undefined;
        if (listing === undefined) return null;
        const barMs = INTERVAL_MS[interval] as number;
        const current = Math.floor(now / barMs) * barMs;
        const end = Math.min(typeof endTime === 'number' ? endTime : now, now);
        const oldest = current - (REACHABLE_BARS - 1) * barMs;
        const from = Math.max(Math.floor(startTime / barMs) * barMs, oldest);
        const bars = closedCandles(listing, interval, from, Math.min(end + 1, current));
        return end >= current && current >= from ? [...bars, formingCandle(listing, interval, now)] : bars;
      },
    },
    fundingHistory: {
      weight: 20,
      answer: ({ coin, startTime, endTime }, now) => {
        const listing = listingOf(coin);
        if (typeof startTime !== 'number') return undefined;
        if (listing === undefined) return null;
        const end = Math.min(typeof endTime === 'number' ? endTime : now, now);
        const rows: object[] = [];
        for (let hour = Math.floor(startTime / HOUR_MS) * HOUR_MS; hour <= end && rows.length < FUNDING_PAGE; hour += HOUR_MS) {
          // Settled on the hour, written some milliseconds later.
          const time = hour + 10 + Math.floor(seededRandom(hour / HOUR_MS)() * 190);
          if (time < startTime || time > end) continue;
          const { mark, oracle, hourlyFunding } = market.perp(listing.asset, hour);
          rows.push({ coin: listing.coin, fundingRate: rate(hourlyFunding), premium: rate((mark - oracle) / oracle), time });
        }
        return rows;
      },
    },
    clearinghouseState: {
      weight: 2,
      answer: ({ user }, now) => {
        const address = addressOf(user);
        return address === null ? undefined : clearinghouseState(address, market, mainDex, now, venueNow());
      },
    },
    userFills: {
      weight: 20,
      answer: ({ user }, now) => {
        const address = addressOf(user);
        return address === null ? undefined : userFills(address, market, mainDex, now);
      },
    },
    userFillsByTime: {
      weight: 20,
      answer: ({ user, startTime }, now) => {
        const address = addressOf(user);
        return address === null || typeof startTime !== 'number' ? undefined : userFillsSince(address, market, mainDex, now, startTime);
      },
    },
  };

  /** Rows that each cost a part of a unit of weight, by type. */
  const ROWS_PER_WEIGHT: Readonly<Record<string, number>> = {
    candleSnapshot: 60,
    fundingHistory: 20,
    userFills: 20,
    userFillsByTime: 20,
    recentTrades: 20,
  };

  function request({ method, path, body }: LoopbackRequest): LoopbackAnswer {
    if (path !== '/info' || method !== 'POST') return { status: 404, body: 'Not found' };
    if (faults.happens(faults.settings.status5xx)) return { status: 503, body: 'Service Unavailable' };
    if (faults.happens(faults.settings.status429)) return { status: 429, body: null, headers: { 'retry-after': '1' } };
    let asked: Record<string, unknown>;
    try {
      asked = (JSON.parse(body) ?? {}) as Record<string, unknown>;
    } catch {
      return { status: 422, body: 'Failed to deserialize the JSON body into the target type' };
    }
    const { type } = asked;
    const info = typeof type === 'string' && Object.hasOwn(INFO, type) ? INFO[type] : undefined;
    if (info === undefined) return { status: 422, body: 'Failed to deserialize the JSON body into the target type' };
    const now = clock.now();
    if (weight.charge(info.weight, now).status !== 200) return { status: 429, body: null };
    const answer = info.answer(asked, now);
    if (answer === undefined) return { status: 422, body: 'Failed to deserialize the JSON body into the target type' };
    const perWeight = ROWS_PER_WEIGHT[type as string];
    if (perWeight !== undefined && Array.isArray(answer)) weight.charge(Math.ceil(answer.length / perWeight), now);
    return { status: 200, body: answer };
  }

  const server = await listenOnLoopback({ clock, faults, port: options.port, request, socket: open });
  return {
    url: server.url,
    wsUrl: `${server.wsUrl}/ws`,
    faults,
    coins: mainDex.map(({ coin }) => coin),
    async close() {
      closed = true;
      for (const name of timers.keys()) cancel(name);
      await server.close();
    },
  };
}
