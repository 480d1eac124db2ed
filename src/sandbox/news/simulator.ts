/** Simulator of a wire service on loopback: items in order of publication, paged by cursor. */
import type { Clock } from '../../../streams/clock/clock.ts';
import { createFaultSwitch, type FaultSwitch } from '../faults.ts';
import type { SeededStories, WireItem } from '../intelligence/seeded-stories.ts';
import { createHttpSimulator } from '../reference/http-simulator.ts';
import { DAY_MS } from '../../domain/values/time.ts';
import { createHash } from 'node:crypto';
import { CATALOG } from '../../domain/catalog/catalog.ts';

export interface NewsSimulatorOptions {
  readonly news: SeededStories;
  readonly clock: Clock;
  readonly faults?: FaultSwitch;
  /** Port; 0 takes any free port. */
  readonly port: number;
}

const MAX_LIMIT = 200;
const MAX_LOOKBACK_MS = 30 * DAY_MS;

/** Parses a cursor `<ms>/<id>`, which means every report after this one. */
function readCursor(text: string): { at: number; id: string } | null {
  const slash = text.indexOf('/');
  const at = Number(text.slice(0, slash));
  return slash > 0 && Number.isInteger(at) ? { at, id: text.slice(slash + 1) } : null;
}

/**
 * Opens the simulator. `GET /v1/reports?from=<ms>|cursor=<cursor>&limit=` answers `{ reports, cursor }`. The paths of real providers
 * answer in their own formats.
 */
export async function createNewsSimulator(options: NewsSimulatorOptions) {
  const { news, clock } = options;
  const faults = options.faults ?? createFaultSwitch();
  const own: WireItem[] = [];
  /** Returns the items published in [from, to) and not later than now, in order of time. */
  const published = (from: number, to: number): WireItem[] => {
    const at = ({ publishedAt }: WireItem): number => Date.parse(publishedAt);
    const until = Math.min(to, clock.now() + 1);
    const since = Math.max(from, clock.now() - MAX_LOOKBACK_MS);
    const told = own.filter((item) => at(item) >= since && at(item) < until);
    return [...news.between(since, until), ...told].sort((a, b) => at(a) - at(b));
  };
  const server = await createHttpSimulator({
    clock,
    faults,
    port: options.port,
    reply: ({ path, query }) => {
      const told = realAnswer(path, query, (from, to) => published(from, to));
      if (told !== null) return { status: 200, body: told };
      if (path !== '/v1/reports') return { status: 404, body: { error: 'not found' } };
      const now = clock.now();
      const limit = Math.min(MAX_LIMIT, Math.max(1, Number(query.get('limit') ?? 50) || 50));
      const text = query.get('cursor');
      const cursor = text === null ? { at: Number(query.get('from') ?? now), id: '' } : readCursor(text);
      if (cursor === null || !Number.isFinite(cursor.at)) return { status: 400, body: { error: 'cursor or from cannot be read' } };
      const from = Math.max(cursor.at, now - MAX_LOOKBACK_MS);
      const reports = published(from, now + 1)
        .filter((report) => Date.parse(report.publishedAt) > cursor.at || report.id > cursor.id)
        .sort((a, b) => (a.publishedAt < b.publishedAt ? -1 : a.publishedAt > b.publishedAt ? 1 : a.id < b.id ? -1 : 1))
        .slice(0, limit);
      const last = reports[reports.length - 1];
      const next = last === undefined ? `${cursor.at}/${cursor.id}` : `${Date.parse(last.publishedAt)}/${last.id}`;
      return { status: 200, body: { reports, cursor: next } };
    },
  });
  return {
    ...server,
    /** Publishes a report now. */
    publish: (report: Omit<WireItem, 'publishedAt'>) => {
      own.push({ ...report, publishedAt: new Date(clock.now()).toISOString() });
    },
  };
}

/** Returns the items of [from, to) in order of time. */
type Published = (from: number, to: number) => readonly WireItem[];

/** Returns the article number of an item, derived from its id. */
const deriveNumber = (id: string): number => createHash('sha256').update(id).digest().readUIntBE(0, 6);

const isCoin = (symbol: string): boolean => CATALOG.source.tables.crypto.some((coin) => coin.symbol === symbol);
const isShare = (symbol: string): boolean => CATALOG.source.tables.shares.some(({ underlying }) => underlying === symbol);

/** Returns a real provider's answer under its own path, or null for any other path. */
function realAnswer(path: string, query: URLSearchParams, published: Published): unknown {
  if (path === '/v1beta1/news') return alpacaPage(query, published);
  if (path === '/company-news') {
    const [from, to] = [query.get('from'), query.get('to')].map((day) => Date.parse(`${day}T00:00:00Z`)) as [number, number];
    const symbol = query.get('symbol') ?? '';
    return published(from, to + DAY_MS)
      .filter(({ symbols }) => symbols.includes(symbol))
      .map((item) => finnhubArticle(item, 'company', symbol));
  }
  if (path === '/news') return finnhubMarket(query, published);
  return null;
}

function alpacaPage(query: URLSearchParams, published: Published): object {
  const from = Date.parse(query.get('start') ?? '');
  const limit = Math.min(50, Number(query.get('limit') ?? 10));
  const offset = Number(query.get('page_token') ?? 0);
  const items = published(Number.isFinite(from) ? from : 0, Number.POSITIVE_INFINITY);
  const next = offset + limit;
  return { news: items.slice(offset, next).map(alpacaArticle), next_page_token: next < items.length ? String(next) : null };
}

function alpacaArticle({ id, publishedAt, headline, symbols, url }: WireItem): object {
  return {
    id: deriveNumber(id),
    headline,
    author: 'Sandbox Staff',
    created_at: publishedAt,
    updated_at: publishedAt,
    summary: '',
    content: '',
    url: url ?? `https://www.benzinga.com/news/${deriveNumber(id)}`,
    images: [],
    // Articles name only listed symbols.
    symbols: symbols.filter((symbol) => isCoin(symbol) || isShare(symbol)).map((symbol) => (isCoin(symbol) ? `${symbol}USD` : symbol)),
    source: 'benzinga',
  };
}

/** Formats market news, which have no symbols: the headline contains the names. */
function finnhubMarket(query: URLSearchParams, published: Published): readonly object[] {
  const category = query.get('category') ?? 'general';
  const wanted = ({ symbols }: WireItem): boolean =>
    category === 'crypto' ? symbols.some(isCoin) : category === 'general' && !symbols.some((symbol) => isCoin(symbol) || isShare(symbol));
  return published(0, Number.POSITIVE_INFINITY)
    .filter(wanted)
    .slice(-100)
    .map((item) => finnhubArticle(item, category, ''));
}

function finnhubArticle({ id, publishedAt, headline, source, url }: WireItem, category: string, related: string): object {
  return {
    category,
    datetime: Math.floor(Date.parse(publishedAt) / 1_000),
    headline,
    id: deriveNumber(id),
    image: '',
    related,
    source: source.name,
    summary: '',
    url: url ?? `https://finnhub.io/api/news?id=${deriveNumber(id)}`,
  };
}
