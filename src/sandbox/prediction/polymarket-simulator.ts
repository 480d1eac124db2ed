/** A simulator of Polymarket on loopback: Gamma, CLOB and Data under `/gamma`, `/clob` and `/data`, the market channel under `/ws/market`. */
import { createHash } from 'node:crypto';
import type { Clock } from '../../../streams/clock.ts';
import type { EpochMs } from '../../domain/time.ts';
import { bendPrices, bendsPrices, createFaultSwitch, type FaultSwitch } from '../faults.ts';
import { type LoopbackAnswer, type LoopbackRequest, type LoopbackSession, type LoopbackSocket, listenOnLoopback } from '../loopback.ts';
import type { SeededBook, SeededQuestion, SeededQuestions } from './seeded-questions.ts';
import { polymarketWords } from './wording.ts';

/** A new market is listed for so long before its tokens exist. */
const HYDRATION_MS = 60_000;
/** After its end: orders stop, an outcome is proposed, some are disputed and proposed again, then it is final. */
const PROPOSED_MS = 20_000;
const DISPUTED_MS = 50_000;
const REPROPOSED_MS = 80_000;
const FINAL_MS = 120_000;
const STEP_MS = 1_000;
const MAX_ASSETS = 500;

export interface PolymarketSimulatorOptions {
  readonly questions: SeededQuestions;
  readonly clock: Clock;
  /** Default: a switch of its own with every fault off. */
  readonly faults?: FaultSwitch;
  /** 0 = any free port. */
  readonly port: number;
}

export interface PolymarketSimulator {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** `ws://127.0.0.1:<port>/ws/market` */
  readonly wsUrl: string;
  readonly faults: FaultSwitch;
  close(): Promise<void>;
}

/** One listed question with the ids that this venue gives it. */
interface Listing {
  readonly question: SeededQuestion;
  readonly conditionId: string;
  readonly tokens: readonly [string, string];
  readonly number: number;
}

interface Session {
  readonly socket: LoopbackSocket;
  readonly assets: Set<string>;
  /** What was sent last of each token, by side and price. */
  readonly sent: Map<string, Map<string, string>>;
}

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');
const price = (thousandths: number): string => (thousandths / 1_000).toFixed(3).replace(/0$/, '');
const side = (key: string): string => (key.startsWith('b') ? 'BUY' : 'SELL');

/** The book of the other outcome: every order at one minus its price. */
function mirrored({ bids, asks }: SeededBook): SeededBook {
  const flip = (levels: SeededBook['bids']): SeededBook['bids'] =>
    levels.map((level) => ({ price: 1_000 - level.price, size: level.size }));
  return { bids: flip(asks), asks: flip(bids) };
}

/** The market of a question by this venue's name: its condition, and the number that the catalogue gives it. */
export function polymarketIds({ key }: SeededQuestion): { readonly conditionId: string; readonly number: number } {
  const conditionId = `0x${sha(`condition/${key}`)}`;
  return { conditionId, number: Number.parseInt(conditionId.slice(2, 9), 16) };
}

export async function createPolymarketSimulator(options: PolymarketSimulatorOptions): Promise<PolymarketSimulator> {
  const { questions, clock } = options;
  const faults = options.faults ?? createFaultSwitch();
  const venueNow = (): EpochMs => clock.now() + faults.settings.clockOffsetMs;
  const sessions = new Set<Session>();
  const listings = new Map<string, Listing>();
  const byToken = new Map<string, Listing>();
  let cancelStep: () => void = () => {};
  let steppedAt = clock.now();
  let closed = false;

  function listingOf(question: SeededQuestion): Listing {
    let listing = listings.get(question.key);
    if (listing === undefined) {
      const token = (label: string): string => BigInt(`0x${sha(`${question.key}/${label}`)}`).toString();
      listing = { question, ...polymarketIds(question), tokens: [token('yes'), token('no')] };
      listings.set(question.key, listing);
      byToken.set(listing.tokens[0], listing);
      byToken.set(listing.tokens[1], listing);
      if (listings.size > 2_000) {
        const oldest = listings.values().next().value as Listing;
        listings.delete(oldest.question.key);
        for (const one of oldest.tokens) byToken.delete(one);
      }
    }
    return listing;
  }

  const listed = (now: EpochMs): Listing[] => questions.listed('polymarket', now).map(listingOf);

  // --- What a market looks like ------------------------------------------------------------------------------------

  /** Where the oracle stands, and through which words it went. */
  function oracleOf({ question }: Listing, now: EpochMs): { word: string | null; history: string[]; final: boolean } {
    const past = now - question.resolvesAt;
    if (past < PROPOSED_MS) return { word: null, history: [], final: false };
    const contested = questions.fate(question, 'dispute') < 0.15;
    if (past >= FINAL_MS) {
      return {
        word: 'resolved',
        history: contested ? ['proposed', 'disputed', 'proposed', 'resolved'] : ['proposed', 'resolved'],
        final: true,
      };
    }
    if (!contested || past < DISPUTED_MS) return { word: 'proposed', history: ['proposed'], final: false };
    if (past < REPROPOSED_MS) return { word: 'disputed', history: ['proposed', 'disputed'], final: false };
    return { word: 'proposed', history: ['proposed', 'disputed', 'proposed'], final: false };
  }

  function stepOf({ question }: Listing, now: EpochMs): number {
    return questions.step(question, 'polymarket', 500, now);
  }

  function marketBody(listing: Listing, now: EpochMs, event: boolean): object {
    const { question, conditionId, tokens } = listing;
    const { title, rules, source } = polymarketWords(question);
    const oracle = oracleOf(listing, now);
    const trading = now < question.resolvesAt;
    const { bids, asks } = questions.book(question, 'polymarket', Math.min(now, question.resolvesAt - 1));
    const [bid, ask] = [(bids[0]?.price ?? 0) / 1_000, (asks[0]?.price ?? 1_000) / 1_000];
    const won = oracle.final && questions.outcome(question);
    // Some old markets never got prices: only the order books know who won.
    const legacy = oracle.final && questions.fate(question, 'legacy') < 0.1;
    const middle = (bid + ask) / 2;
    const prices = legacy ? ['0', '0'] : oracle.final ? (won ? ['1', '0'] : ['0', '1']) : [middle.toFixed(4), (1 - middle).toFixed(4)];
    const age = Math.max(0, Math.min(now, question.resolvesAt) - question.createdAt) / 1_000;
    const volume = (age * (1 + 9 * questions.fate(question, 'volume'))).toFixed(6);
    const [last] = questions.trades(question, 'polymarket', Math.min(now, question.resolvesAt) - 300_000, now).slice(-1);
    return {
      id: String(listing.number),
      question: title,
      conditionId,
      slug: question.key.toLowerCase(),
      resolutionSource: source,
      endDate: new Date(question.resolvesAt).toISOString(),
      startDate: new Date(question.createdAt).toISOString(),
      liquidity: [...bids, ...asks].reduce((sum, level) => sum + (level.size * level.price) / 1_000, 0).toFixed(4),
      description: rules,
      outcomes: '["Yes", "No"]',
      outcomePrices: JSON.stringify(prices),
      volume,
      volumeNum: Number(volume),
      volume24hr: Math.round(Number(volume) / 2),
      active: true,
      closed: oracle.final,
      archived: false,
      restricted: true,
      createdAt: new Date(question.createdAt).toISOString(),
      updatedAt: new Date(now - (now % 1_000)).toISOString(),
      ...(oracle.final
        ? { closedTime: spaced(question.resolvesAt + FINAL_MS), umaEndDate: new Date(question.resolvesAt + FINAL_MS).toISOString() }
        : {}),
      groupItemTitle: question.upper === null ? `$${question.threshold}` : `$${question.threshold}-${question.upper}`,
      questionID: `0x${sha(`question/${question.key}`)}`,
      enableOrderBook: true,
      orderPriceMinTickSize: stepOf(listing, now) / 1_000,
      orderMinSize: 5,
      clobTokenIds: now - question.createdAt < HYDRATION_MS ? '["", ""]' : JSON.stringify(tokens),
      umaBond: '500',
      umaReward: '5',
      ...(oracle.word === null ? {} : { umaResolutionStatus: oracle.word }),
      umaResolutionStatuses: JSON.stringify(oracle.history),
      acceptingOrders: trading,
      negRisk: question.exclusive,
      negRiskOther: false,
      feesEnabled: !question.share,
      feeType: question.share ? null : 'crypto_fees_v2',
      ...(question.share ? {} : { feeSchedule: { rate: 0.072, exponent: 1, takerOnly: true, rebateRate: 0.2 } }),
      spread: Number((ask - bid).toFixed(3)),
      ...(last === undefined ? {} : { lastTradePrice: last.price / 1_000 }),
      bestBid: bid,
      bestAsk: ask,
      ...(event ? {} : { events: [{ id: eventIdOf(question), title: eventTitle(question), negRisk: question.exclusive }] }),
    };
  }

  const spaced = (at: EpochMs): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')}+00`;
  const eventIdOf = (question: SeededQuestion): string => String(Number.parseInt(sha(question.group).slice(0, 7), 16));
  const eventTitle = (question: SeededQuestion): string => `${question.asset}: ${question.group}`;

  function eventBodies(query: URLSearchParams, now: EpochMs): object[] {
    const groups = new Map<string, Listing[]>();
    for (const one of listed(now)) groups.set(one.question.group, [...(groups.get(one.question.group) ?? []), one]);
    const wanted = query.get('closed');
    const events = [...groups.values()].filter((group) => {
      const over = group.every((one) => oracleOf(one, now).final);
      return wanted === null || over === (wanted === 'true');
    });
    return paged(events, query).map((group) => {
      const { question } = group[0] as Listing;
      return {
        id: eventIdOf(question),
        ticker: question.group.toLowerCase(),
        slug: question.group.toLowerCase(),
        title: eventTitle(question),
        active: true,
        closed: wanted === 'true',
        negRisk: question.exclusive,
        negRiskAugmented: false,
        enableOrderBook: true,
        openInterest: 0,
        markets: group.map((one) => marketBody(one, now, true)),
      };
    });
  }

  function paged<Item>(items: readonly Item[], query: URLSearchParams): readonly Item[] {
    const offset = Number(query.get('offset') ?? 0);
    const limit = Math.min(500, Number(query.get('limit') ?? 20));
    return items.slice(offset, offset + limit);
  }

  // --- HTTP --------------------------------------------------------------------------------------------------------

  const refuse = (status: number, error: string): LoopbackAnswer => ({ status, body: { error } });

  function bookBody(listing: Listing, token: string, now: EpochMs): object {
    const own = questions.book(listing.question, 'polymarket', clock.now());
    const { bids, asks } = token === listing.tokens[0] ? own : mirrored(own);
    const bent = bendPrices(faults, bids[0]?.price ?? 0, asks[0]?.price ?? 1_000, (value) => (value / 1_000).toFixed(4));
    const levels = (list: SeededBook['bids'], best: string) =>
      list.map((level, index) => ({ price: index === 0 ? plain(best) : price(level.price), size: level.size.toFixed(2) }));
    return {
      market: listing.conditionId,
      asset_id: token,
      timestamp: String(now),
      hash: sha(`${token}/${now}`).slice(0, 40),
      // The best comes last on both sides.
      bids: levels(bids, bent.bid).reverse(),
      asks: levels(asks, bent.ask).reverse(),
      min_order_size: '5',
      tick_size: String(stepOf(listing, clock.now()) / 1_000),
      neg_risk: listing.question.exclusive,
    };
  }

  const plain = (text: string): string => text.replace(/(\.\d\d)0+$/, '$1').replace(/(\.\d\d\d)0$/, '$1');

  function request({ method, path, query }: LoopbackRequest): LoopbackAnswer {
    if (faults.happens(faults.settings.status429)) return refuse(429, 'rate limit exceeded');
    if (faults.happens(faults.settings.status5xx)) return refuse(503, 'service unavailable');
    if (method !== 'GET') return refuse(405, 'method not allowed');
    const now = venueNow();
    const market = /^\/clob\/markets\/(0x[0-9a-f]{64})$/.exec(path)?.[1];
    if (market !== undefined) return clobMarket(market, now);
    switch (path) {
      case '/gamma/events':
        return { status: 200, body: eventBodies(query, now) };
      case '/gamma/markets':
        return gammaMarkets(query, now);
      case '/clob/book':
        return clobBook(query.get('token_id') ?? '', now);
      case '/clob/time':
        return { status: 200, body: Math.floor(now / 1_000) };
      case '/data/trades':
        return dataTrades(query, now);
      default:
        return refuse(404, 'not found');
    }
  }

  function gammaMarkets(query: URLSearchParams, now: EpochMs): LoopbackAnswer {
    const ids = new Set(query.getAll('condition_ids'));
    if (ids.size > 100) return refuse(422, 'too many condition_ids');
    // Without the word, closed markets are left out.
    const over = query.get('closed') === 'true';
    const found = listed(now).filter((one) => (ids.size === 0 || ids.has(one.conditionId)) && oracleOf(one, now).final === over);
    return { status: 200, body: paged(found, query).map((one) => marketBody(one, now, false)) };
  }

  const alive = (listing: Listing | undefined, now: EpochMs): listing is Listing =>
    listing !== undefined && now - listing.question.createdAt >= HYDRATION_MS && now < listing.question.resolvesAt + PROPOSED_MS;

  function clobBook(token: string, now: EpochMs): LoopbackAnswer {
    listed(now);
    const listing = byToken.get(token);
    if (!alive(listing, now)) return refuse(404, 'No orderbook exists for the requested token id');
    return { status: 200, body: bookBody(listing, token, now) };
  }

  function clobMarket(conditionId: string, now: EpochMs): LoopbackAnswer {
    const listing = listed(now).find((one) => one.conditionId === conditionId);
    if (listing === undefined || now - listing.question.createdAt < HYDRATION_MS) return refuse(404, 'market not found');
    const { final } = oracleOf(listing, now);
    const won = final && questions.outcome(listing.question);
    const token = (index: 0 | 1, label: string) => {
      const winner = final && (index === 0) === won;
      return { token_id: listing.tokens[index], outcome: label, price: final ? Number(winner) : 0.5, winner };
    };
    return {
      status: 200,
      body: {
        condition_id: conditionId,
        question_id: `0x${sha(`question/${listing.question.key}`)}`,
        active: true,
        closed: final,
        accepting_orders: now < listing.question.resolvesAt,
        minimum_order_size: 5,
        minimum_tick_size: stepOf(listing, now) / 1_000,
        neg_risk: listing.question.exclusive,
        tokens: [token(0, 'Yes'), token(1, 'No')],
      },
    };
  }

  /** A trade on either token: who buys no, sells or buys on the other token at one minus the price. */
  function tradeFields(
    listing: Listing,
    trade: { price: number; side: 'yes' | 'no'; size: number },
  ): { asset: string; side: string; price: number } {
    return trade.side === 'yes'
      ? { asset: listing.tokens[0], side: 'BUY', price: trade.price }
      : { asset: listing.tokens[1], side: 'BUY', price: 1_000 - trade.price };
  }

  function dataTrades(query: URLSearchParams, now: EpochMs): LoopbackAnswer {
    const listing = listed(now).find((one) => one.conditionId === query.get('market'));
    if (listing === undefined) return { status: 200, body: [] };
    const limit = Math.min(500, Number(query.get('limit') ?? 100));
    const recent = questions
      .trades(listing.question, 'polymarket', now - 3_600_000, now)
      .slice(-limit)
      .reverse();
    return {
      status: 200,
      body: recent.map((trade) => ({
        ...tradeFields(listing, trade),
        conditionId: listing.conditionId,
        price: tradeFields(listing, trade).price / 1_000,
        size: trade.size,
        timestamp: Math.floor(trade.at / 1_000),
        transactionHash: `0x${sha(trade.id)}`,
        proxyWallet: `0x${'1'.repeat(40)}`,
        title: polymarketWords(listing.question).title,
      })),
    };
  }

  // --- The market channel ------------------------------------------------------------------------------------------

  const levelsOf = (book: SeededBook): Map<string, string> =>
    new Map([
      ...book.bids.map(({ price: at, size }) => [`b${price(at)}`, size.toFixed(2)] as const),
      ...book.asks.map(({ price: at, size }) => [`a${price(at)}`, size.toFixed(2)] as const),
    ]);

  function dump(session: Session, token: string): void {
    const now = venueNow();
    listed(now);
    const listing = byToken.get(token);
    if (!alive(listing, now)) return;
    session.socket.data(JSON.stringify([{ event_type: 'book', ...bookBody(listing, token, now) }]));
    const own = questions.book(listing.question, 'polymarket', clock.now());
    session.sent.set(token, levelsOf(token === listing.tokens[0] ? own : mirrored(own)));
  }

  function stepToken(session: Session, listing: Listing, token: string, now: EpochMs): void {
    // A book that the switch bends goes out whole, as venues that are wrong are wrong.
    if (bendsPrices(faults)) return dump(session, token);
    const own = questions.book(listing.question, 'polymarket', clock.now());
    const book = token === listing.tokens[0] ? own : mirrored(own);
    const levels = levelsOf(book);
    const before = session.sent.get(token);
    if (before === undefined) return dump(session, token);
    const changed = [...levels].filter(([key, size]) => before.get(key) !== size);
    for (const key of before.keys()) if (!levels.has(key)) changed.push([key, '0']);
    if (changed.length === 0) return;
    session.sent.set(token, levels);
    const best = { best_bid: price(book.bids[0]?.price ?? 0), best_ask: price(book.asks[0]?.price ?? 1_000) };
    session.socket.data(
      JSON.stringify({
        event_type: 'price_change',
        market: listing.conditionId,
        timestamp: String(now),
        price_changes: changed.map(([key, size]) => ({
          asset_id: token,
          price: key.slice(1),
          size,
          side: side(key),
          hash: sha(`${token}/${key}/${size}`).slice(0, 40),
          ...best,
        })),
      }),
    );
  }

  function step(): void {
    const real = clock.now();
    const now = venueNow();
    const before = steppedAt;
    steppedAt = real;
    for (const session of sessions) {
      for (const token of session.assets) {
        const listing = byToken.get(token);
        if (listing === undefined) continue;
        const { question, conditionId, tokens } = listing;
        const crossedInto = (at: EpochMs): boolean => before < at && real >= at;
        if (token === tokens[0] && (crossedInto(question.resolvesAt) || crossedInto(question.resolvesAt + FINAL_MS))) {
          session.socket.data(JSON.stringify(resolvedFrame(listing, now)));
        }
        if (real >= question.resolvesAt) continue;
        const [was, is] = [stepOf(listing, before), stepOf(listing, real)];
        if (was !== is) {
          const sizes = { old_tick_size: String(was / 1_000), new_tick_size: String(is / 1_000) };
          session.socket.data(
            JSON.stringify({ event_type: 'tick_size_change', market: conditionId, asset_id: token, ...sizes, timestamp: String(now) }),
          );
        }
        stepToken(session, listing, token, now);
        if (token !== tokens[0]) continue;
        for (const trade of questions.trades(question, 'polymarket', before, real)) {
          const { asset, side: word, price: at } = tradeFields(listing, trade);
          session.socket.data(
            JSON.stringify({
              event_type: 'last_trade_price',
              market: conditionId,
              asset_id: asset,
              fee_rate_bps: '0',
              price: price(at),
              side: word,
              size: trade.size.toFixed(1),
              timestamp: String(trade.at + faults.settings.clockOffsetMs),
            }),
          );
        }
      }
    }
    cancelStep = closed ? () => {} : clock.deadline(real + STEP_MS, step);
  }

  function resolvedFrame({ question, conditionId, tokens }: Listing, now: EpochMs): object {
    const won = questions.outcome(question);
    return {
      event_type: 'market_resolved',
      market: conditionId,
      assets_ids: tokens,
      winning_asset_id: won ? tokens[0] : tokens[1],
      winning_outcome: won ? 'Yes' : 'No',
      timestamp: String(now),
    };
  }

  function receive(session: Session, text: string): void {
    if (text === 'PING') return session.socket.control('PONG');
    let message: Record<string, unknown>;
    try {
      message = JSON.parse(text) as Record<string, unknown>;
    } catch {
      return session.socket.control('INVALID OPERATION');
    }
    const ids = message['assets_ids'];
    if (!Array.isArray(ids)) return session.socket.control('INVALID OPERATION');
    const tokens = ids.filter((id): id is string => typeof id === 'string');
    if (message['operation'] === 'unsubscribe') {
      for (const token of tokens) {
        session.assets.delete(token);
        session.sent.delete(token);
      }
      return;
    }
    for (const token of tokens) {
      session.assets.add(token);
      // Beyond so many tokens the first books silently stay away.
      if (session.assets.size <= MAX_ASSETS) dump(session, token);
    }
  }

  function open(socket: LoopbackSocket): LoopbackSession | null {
    if (socket.path !== '/ws/market') return null;
    const session: Session = { socket, assets: new Set(), sent: new Map() };
    sessions.add(session);
    return { message: (text) => receive(session, text), closed: () => void sessions.delete(session) };
  }

  const server = await listenOnLoopback({ clock, faults, port: options.port, request, socket: open });
  cancelStep = clock.deadline(clock.now() + STEP_MS, step);
  return {
    url: server.url,
    wsUrl: `${server.wsUrl}/ws/market`,
    faults,
    close: () => {
      closed = true;
      cancelStep();
      return server.close();
    },
  };
}
