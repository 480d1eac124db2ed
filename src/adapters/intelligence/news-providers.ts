/**
 * Real news providers behind one interface: their requests and the parsing of their articles. Text is truncated, and `readHeadline` alone
 * interprets it. See docs/reference/outside/newswire.md.
 */
import type { Clock } from '../../../streams/clock/clock.ts';
import type { NoteUnknownField } from '../../../streams/feed-counters.ts';
import { zonedInstant, DAY_MS, type EpochMs, MINUTE_MS, isoTime } from '../../domain/values/time.ts';
import type { EntityNames, Mention } from '../../domain/intelligence/entities.ts';
import { readHeadline } from '../../domain/intelligence/headline.ts';
import type { NewsProviderName } from '../../domain/intelligence/listening.ts';
import type { IntelligenceRecord } from '../../domain/intelligence/record.ts';
import { type Report, readCategory, readTone } from '../../domain/intelligence/report.ts';
import { knownFields, noteUnknown } from '../venues/known-fields.ts';
import type { Reading, Rejected } from '../venues/polling.ts';
import type { KeyedClient } from '../venues/reference/keyed-client.ts';
import { VenueError } from '../venues/venue-feed.ts';
import { readCount, toRecord, readText, readTexts, readUrl } from './field-reading.ts';

/** Dependencies of a news session. */
export interface NewsAsking {
  readonly client: KeyedClient;
  readonly names: EntityNames;
  /** Underlyings whose shares are requested one by one, if the provider needs that. */
  readonly shares: readonly string[];
  readonly clock: Pick<Clock, 'now'>;
  /** Milliseconds of the first look-back. */
  readonly lookbackMs: number;
  readonly note?: NoteUnknownField;
}

/** Successive reads of one provider; a new subscription starts a new session. */
export interface NewsSession {
  ask(): Promise<Reading<IntelligenceRecord>>;
  failed?(error: unknown): void;
}

/** News provider. Add another one as a further entry. */
export interface NewsProvider {
  /** Milliseconds between rounds. */
  readonly everyMs: number;
  /** Returns the headers that carry the key. */
  readonly headers: (key: string) => Readonly<Record<string, string>>;
  readonly open: (asking: NewsAsking) => NewsSession;
}

/** Article in a common form. */
interface Article {
  readonly id: string;
  readonly source: string;
  readonly publishedAt: EpochMs;
  readonly headline: string;
  readonly symbols: readonly string[];
  readonly url: string | null;
}

const MAX_SYMBOLS = 50;
const MAX_TEXT = 5_000;

/** Pattern of coins, which are named as pairs: `BTCUSD`, `ETH/USD`, `BINANCE:SOLUSDT`. */
const COIN_PAIR = /^(?:[A-Z]+:)?([A-Z]{2,10})\/?USDT?$/;

/** Returns the report of an article; null if it names nothing in the catalog. */
function toReport({ id, source, publishedAt, headline, symbols, url }: Article, names: EntityNames, receivedAt: EpochMs): Report | null {
  const tickers = symbols.map((symbol): Mention => ({ kind: 'ticker', text: COIN_PAIR.exec(symbol)?.[1] ?? symbol }));
  const { entities } = names.map([...tickers, ...names.mentionsIn(headline)]);
  if (entities.length === 0) return null;
  const read = readHeadline(headline);
  const { kind, severity } = readCategory(read.category);
  return {
    id,
    channel: 'wire',
    source,
    family: source.toLowerCase(),
    // A distributor is not the primary source.
    primary: false,
    publishedAt,
    receivedAt,
    kind,
    severity,
    direction: readTone(read.tone, severity),
    entities,
    unmapped: [],
    headline: headline.slice(0, 300).toWellFormed(),
    url,
    storyKey: null,
    action: /^\W*(correction|corrected)\b/i.test(headline)
      ? 'correction'
      : /^\W*(retraction|retracted)\b/i.test(headline)
        ? 'retraction'
        : 'report',
    corrects: null,
  };
}

/** Parses the articles of an answer one by one; leaves out those that name nothing in the catalog. */
function readAll(
  items: readonly unknown[],
  read: (item: unknown) => Article | string,
  { names, clock }: Pick<NewsAsking, 'names' | 'clock'>,
): { readonly messages: IntelligenceRecord[]; readonly rejected: Rejected[]; readonly articles: readonly Article[] } {
  const messages: IntelligenceRecord[] = [];
  const rejected: Rejected[] = [];
  const articles: Article[] = [];
  for (const item of items) {
    const article = read(item);
    if (typeof article === 'string') {
      rejected.push({ reason: 'unknown_shape', detail: article });
      continue;
    }
    articles.push(article);
    const report = toReport(article, names, clock.now());
    if (report !== null) messages.push({ kind: 'report', report });
  }
  return { messages, rejected, articles };
}

const ALPACA_FIELDS = knownFields('alpaca:news', [
  'news next_page_token',
  { news: ['id headline author created_at updated_at summary content url images symbols source', { images: 'size url' }] },
]);
const ALPACA_PAGE = 50;
/** Source of an article without one: at that time the provider distributed no other. */
const ALPACA_FIRST_SOURCE = 'benzinga';

/** Parses one article of `/v1beta1/news`, or returns a sentence with the problem. */
export function readAlpacaArticle(item: unknown): (Article & { readonly updatedAt: EpochMs }) | string {
  const row = toRecord(item);
  const id = readCount(row['id']);
  const [publishedAt, updatedAt] = [row['created_at'], row['updated_at']].map(zonedInstant) as [number, number];
  const headline = readText(row['headline'], MAX_TEXT);
  const source = [undefined, null, ''].some((none) => none === row['source']) ? ALPACA_FIRST_SOURCE : readText(row['source'], 120);
  const symbols = readTexts(row['symbols']);
  if (id === null) return 'an article whose "id" is no whole number';
  if (!Number.isFinite(publishedAt) || !Number.isFinite(updatedAt)) return `article ${id}: "created_at" and "updated_at" are not times`;
  if (headline === null || source === null) return `article ${id}: "headline" and "source" are no texts`;
  if (symbols === null) return `article ${id}: "symbols" is no list of texts`;
  return { id: `alpaca:${id}`, source, publishedAt, updatedAt, headline, symbols: symbols.slice(0, MAX_SYMBOLS), url: readUrl(row['url']) };
}

/**
 * Benzinga's news through Alpaca, oldest change first. Each read begins at the time of the last one and receives articles of that time
 * again; equal ids are equal reports.
 */
const ALPACA: NewsProvider = {
  everyMs: 15_000,
  headers(key) {
    const colon = key.indexOf(':');
    return colon < 0 ? { 'apca-api-key-id': key } : { 'apca-api-key-id': key.slice(0, colon), 'apca-api-secret-key': key.slice(colon + 1) };
  },
  open(asking) {
    const { client, clock, lookbackMs, note } = asking;
    let since = clock.now() - lookbackMs;
    let page: string | null = null;
    return {
      async ask() {
        const body = await client.get('/v1beta1/news', [
          ['start', isoTime(since)],
          ['sort', 'asc'],
          ['limit', String(ALPACA_PAGE)],
          ['include_content', 'false'],
          ...(page === null ? [] : [['page_token', page] as const]),
        ]);
        const { news, next_page_token: next } = toRecord(body);
        if (!Array.isArray(news)) throw new VenueError('reference', 200, 'unknown_shape', 'the answer has no list "news"');
        noteUnknown(body, ALPACA_FIELDS, note);
        const { messages, rejected, articles } = readAll(news, readAlpacaArticle, asking);
        page = typeof next === 'string' && next !== '' ? next : null;
        // A change that is dated ahead must not hide those before it.
        const changed = articles.map((article) => Math.min((article as Article & { updatedAt: EpochMs }).updatedAt, clock.now()));
        if (page === null) since = Math.max(since, ...changed);
        return { messages, rejected, more: page !== null };
      },
      // Start again from the first page if the provider no longer knows a page token; reports are deduplicated.
      failed() {
        page = null;
      },
    };
  },
};

const FINNHUB_FIELDS = knownFields('finnhub:news', 'category datetime headline id image related source summary url');
/** Categories of market news, which name no share and mention companies before their listing. */
const FINNHUB_CATEGORIES = ['general', 'crypto', 'merger'] as const;

/** Parses one article of `/news` or `/company-news`, or returns a sentence with the problem. */
export function readFinnhubArticle(item: unknown, asked: string | null): Article | string {
  const row = toRecord(item);
  const id = readCount(row['id']);
  const seconds = readCount(row['datetime']);
  const headline = readText(row['headline'], MAX_TEXT);
  const source = readText(row['source'], 120);
  const related = typeof row['related'] === 'string' ? row['related'].split(',').filter((one) => one !== '') : [];
  if (id === null) return 'an article whose "id" is no whole number';
  if (seconds === null || seconds < 946_684_800 || seconds > 4_102_444_800) return `article ${id}: "datetime" is no unix time in seconds`;
  if (headline === null || source === null) return `article ${id}: "headline" and "source" are no texts`;
  const symbols = [...new Set([...(asked === null ? [] : [asked]), ...related])].slice(0, MAX_SYMBOLS);
  return { id: `finnhub:${id}`, source, publishedAt: seconds * 1_000, headline, symbols, url: readUrl(row['url']) };
}

const toDay = (at: EpochMs): string => isoTime(at).slice(0, 10);

/**
 * Finnhub: a round has one request per share and one per category. The first round uses the whole look-back, and a later one begins a day
 * before the last complete one, so that an outage of days leaves no gap.
 */
const FINNHUB: NewsProvider = {
  // A round has one request per share, and the free plan allows sixty a minute.
  everyMs: MINUTE_MS,
  headers: (key) => ({ 'x-finnhub-token': key }),
  open(asking) {
    const { client, shares, clock, lookbackMs, note } = asking;
    const questions: readonly { readonly symbol: string | null; readonly category: string | null }[] = [
      ...shares.map((symbol) => ({ symbol, category: null })),
      ...FINNHUB_CATEGORIES.map((category) => ({ symbol: null, category })),
    ];
    const newest = new Map<string, number>();
    let next = 0;
    let startedAt = 0;
    let completeTo: EpochMs | null = null;
    return {
      async ask() {
        const { symbol, category } = questions[next] ?? { symbol: null, category: 'general' };
        const now = clock.now();
        if (next === 0) startedAt = now;
        const from = completeTo === null ? now - lookbackMs : Math.min(completeTo, now) - DAY_MS;
        const body =
          symbol === null
            ? await client.get('/news', [
                ['category', category ?? 'general'],
                ['minId', String(newest.get(category ?? 'general') ?? 0)],
              ])
            : await client.get('/company-news', [
                ['symbol', symbol],
                ['from', toDay(from)],
                ['to', toDay(now)],
              ]);
        if (!Array.isArray(body)) throw new VenueError('reference', 200, 'unknown_shape', 'the answer is no list of articles');
        for (const item of body) noteUnknown(item, FINNHUB_FIELDS, note);
        const { messages, rejected, articles } = readAll(body, (item) => readFinnhubArticle(item, symbol), asking);
        if (category !== null)
          newest.set(category, Math.max(newest.get(category) ?? 0, ...articles.map(({ id }) => Number(id.slice('finnhub:'.length)))));
        next = (next + 1) % questions.length;
        if (next === 0) completeTo = startedAt;
        return { messages, rejected, more: next !== 0 };
      },
    };
  },
};

/** Providers by name. The sandbox's format is in `newswire.ts`. */
export const NEWS_PROVIDERS: Readonly<Record<NewsProviderName, NewsProvider>> = { alpaca: ALPACA, finnhub: FINNHUB };
