/**
 * Seeded stories about the market's assets with all their reports: a rumor, the filing, wire items of two families, copies and
 * corrections. Equal seeds and times give equal stories.
 */
import { type EpochMs, HOUR_MS, MINUTE_MS } from '../../domain/values/time.ts';
import { mixed, uniform } from '../market/seeded-noise.ts';
import { acceptedFrom, BUCKET, type StoryPlan, storyPlan, storySeed } from './story-plan.ts';

/** Item of the sandbox's wire. Items of one story share `storyId`. */
export interface WireItem {
  readonly id: string;
  readonly storyId: string;
  /** Time of publication, ISO 8601. */
  readonly publishedAt: string;
  /** Publisher. Two names of one family are not independent. */
  readonly source: { readonly name: string; readonly family: string; readonly primary: boolean };
  readonly category: string;
  readonly tone: 'negative' | 'neutral' | 'positive';
  readonly symbols: readonly string[];
  readonly headline: string;
  readonly action?: 'report' | 'correction' | 'retraction';
  readonly corrects?: string;
  readonly url?: string;
  /** Items of form 8-K, if the provider passes them on. */
  readonly items?: readonly string[];
}

export interface SeededFiling {
  readonly symbol: string;
  readonly accessionNumber: string;
  readonly form: string;
  readonly items: readonly string[];
  readonly acceptedAt: EpochMs;
}

interface SeededRumor {
  readonly symbol: string;
  readonly at: EpochMs;
  readonly text: string;
}

const AGENCIES = [
  { name: 'Sandbox Newswire', family: 'sandbox-wire', primary: false },
  { name: 'Loopback Financial', family: 'loopback-media', primary: false },
  { name: 'Sandbox Newswire Markets', family: 'sandbox-wire', primary: false },
  { name: 'Harbour Post', family: 'harbour-press', primary: false },
] as const;

/** Maximum time from a bucket's start to the last report of its story. */
const SPAN = 36 * HOUR_MS;

interface SeededStoriesOptions {
  readonly seed: number | string;
  /** Symbols with news. */
  readonly symbols: readonly string[];
  /** Symbols whose issuers file with the regulator. */
  readonly filers?: readonly string[];
}

export interface SeededStories {
  /** Returns wire items with from <= publishedAt < to, by time and then id, optionally only those of the symbols `of`. */
  between(from: EpochMs, to: EpochMs, of?: readonly string[]): readonly WireItem[];
  /** Returns a symbol's filings with from <= acceptedAt < to, ascending. */
  filings(symbol: string, from: EpochMs, to: EpochMs): readonly SeededFiling[];
  /** Returns the rumors that precede stories, ascending. */
  rumors(from: EpochMs, to: EpochMs): readonly SeededRumor[];
}

interface Told {
  readonly items: readonly WireItem[];
  readonly filings: readonly SeededFiling[];
  readonly rumors: readonly SeededRumor[];
}

/** Returns the story of an asset in a bucket with all its reports, or null if there is none. */
function tell(symbol: string, seed: number, bucket: number, files: boolean): Told | null {
  const plan = storyPlan(seed, bucket, files);
  if (plan === null) return null;
  const { plot, at, filed } = plan;
  const draw = (number: number): number => uniform(seed ^ number, bucket);
  const number = mixed(seed, bucket);
  return {
    items: createWireItems(plan, symbol, `story-${symbol}-${number.toString(16)}`, draw),
    filings: filed ? createFilings(symbol, plot.items ?? [], at, number, draw) : [],
    rumors: draw(12) < 0.45 ? [{ symbol, at: at - Math.floor((10 + 80 * draw(13)) * MINUTE_MS), text: plot.whisper(`$${symbol}`) }] : [],
  };
}

/** Returns the wire items of a story. */
function createWireItems(
  { plot, at, filed, followed, withdrawnAt }: StoryPlan,
  symbol: string,
  storyId: string,
  draw: (number: number) => number,
): readonly WireItem[] {
  const { category, tone, first, second } = plot;
  const item = (number: number, time: EpochMs, agency: number, headline: string, more: Partial<WireItem> = {}): WireItem => ({
    id: `${storyId}-${number}`,
    storyId,
    publishedAt: new Date(time).toISOString(),
    source: AGENCIES[agency] as WireItem['source'],
    category,
    tone,
    symbols: [symbol],
    headline,
    ...more,
  });
  const firstAt = at + (filed ? Math.floor((2 + 18 * draw(6)) * MINUTE_MS) : 0);
  const wire = [item(1, firstAt, 0, first(symbol))];
  // Some stories are never confirmed by an independent source and stay rumors; some are only copied.
  if (followed) wire.push(item(2, firstAt + Math.floor(draw(3) * 90 * MINUTE_MS) + MINUTE_MS, 1, second(symbol)));
  if (draw(5) < 0.35) wire.push(item(3, firstAt + Math.floor(draw(7) * 60 * MINUTE_MS) + MINUTE_MS, draw(8) < 0.5 ? 2 : 3, first(symbol)));
  if (withdrawnAt !== null)
    wire.push(item(4, withdrawnAt, 0, `${symbol}: our earlier report is withdrawn`, { action: 'retraction', corrects: `${storyId}-1` }));
  return wire;
}

/** Returns the filing that begins a story, and sometimes an amendment. */
function createFilings(
  symbol: string,
  items: readonly string[],
  at: EpochMs,
  number: number,
  draw: (number: number) => number,
): readonly SeededFiling[] {
  const year = String(new Date(at).getUTCFullYear()).slice(2);
  const accession = `${String(1_000_000_000 + (number % 1_000_000_000)).padStart(10, '0')}-${year}-${String(number % 1_000_000).padStart(6, '0')}`;
  const filing = { symbol, accessionNumber: accession, form: '8-K', items, acceptedAt: at };
  if (draw(11) >= 0.06) return [filing];
  return [filing, { ...filing, accessionNumber: accession.replace(/^1/, '2'), form: '8-K/A', acceptedAt: acceptedFrom(at + 5 * HOUR_MS) }];
}

export function createSeededStories(options: SeededStoriesOptions): SeededStories {
  const filers = new Set(options.filers ?? []);
  const seeds = new Map(options.symbols.map((symbol) => [symbol, storySeed(options.seed, symbol)]));
  const symbols = [...seeds.keys()];
  const told = new Map<string, Told | null>();

  function toldIn(symbol: string, bucket: number): Told | null {
    const key = `${symbol} ${bucket}`;
    let one = told.get(key);
    if (one === undefined) {
      one = tell(symbol, seeds.get(symbol) ?? 0, bucket, filers.has(symbol));
      told.set(key, one);
      if (told.size > 50_000) told.delete(told.keys().next().value as string);
    }
    return one;
  }

  function* over(of: readonly string[], from: EpochMs, to: EpochMs): Generator<Told> {
    for (let bucket = Math.floor((from - SPAN) / BUCKET); bucket * BUCKET < to + 2 * HOUR_MS; bucket++) {
      for (const symbol of of) {
        const one = toldIn(symbol, bucket);
        if (one !== null) yield one;
      }
    }
  }

  return {
    between: (from, to, of = symbols) =>
      [...over(of, from, to)]
        .flatMap(({ items }) => items)
        .filter(({ publishedAt }) => Date.parse(publishedAt) >= from && Date.parse(publishedAt) < to)
        .sort((a, b) => (a.publishedAt < b.publishedAt ? -1 : a.publishedAt > b.publishedAt ? 1 : a.id < b.id ? -1 : 1)),
    filings: (symbol, from, to) =>
      seeds.has(symbol)
        ? [...over([symbol], from, to)]
            .flatMap(({ filings }) => filings)
            .filter(({ acceptedAt }) => acceptedAt >= from && acceptedAt < to)
            .sort((a, b) => a.acceptedAt - b.acceptedAt)
        : [],
    rumors: (from, to) =>
      [...over(symbols, from, to)]
        .flatMap(({ rumors }) => rumors)
        .filter(({ at }) => at >= from && at < to)
        .sort((a, b) => a.at - b.at),
  };
}
