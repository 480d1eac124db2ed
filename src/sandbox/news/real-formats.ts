/** The sandbox's stories in the formats of real news providers, which give no category, tone or story id. */
import { createHash } from 'node:crypto';
import { CATALOG } from '../../domain/catalog/catalog.ts';
import { DAY_MS } from '../../domain/values/time.ts';
import type { WireItem } from '../intelligence/seeded-stories.ts';

/** Returns the items of [from, to) in order of time. */
type Published = (from: number, to: number) => readonly WireItem[];

/** Returns the article number of an item, derived from its id. */
const numberOf = (id: string): number => createHash('sha256').update(id).digest().readUIntBE(0, 6);

const isCoin = (symbol: string): boolean => CATALOG.source.tables.crypto.some((coin) => coin.symbol === symbol);
const isShare = (symbol: string): boolean => CATALOG.source.tables.shares.some(({ underlying }) => underlying === symbol);

/** Returns a real provider's answer under its own path, or null for any other path. */
export function realAnswer(path: string, query: URLSearchParams, published: Published): unknown {
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
    id: numberOf(id),
    headline,
    author: 'Sandbox Staff',
    created_at: publishedAt,
    updated_at: publishedAt,
    summary: '',
    content: '',
    url: url ?? `https://www.benzinga.com/news/${numberOf(id)}`,
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
    id: numberOf(id),
    image: '',
    related,
    source: source.name,
    summary: '',
    url: url ?? `https://finnhub.io/api/news?id=${numberOf(id)}`,
  };
}
