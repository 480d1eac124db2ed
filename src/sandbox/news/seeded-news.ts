/** Seeded filings and wire items about the market's assets: the same seed and time give the same news. */
import type { EpochMs } from '../../domain/time.ts';
import { mixed, seedOf, uniform } from '../market/seeded-noise.ts';

/** One report as the sandbox's provider words it. Several reports of one story share `storyId`. */
export interface NewsReport {
  readonly id: string;
  readonly storyId: string;
  /** ISO 8601. */
  readonly publishedAt: string;
  /** Who publishes; two names of one family are not independent. */
  readonly source: { readonly name: string; readonly family: string; readonly primary: boolean };
  /** `8-K` and its items for filings; null for wire items. */
  readonly form: string | null;
  readonly items: readonly string[];
  readonly category: string;
  readonly tone: 'negative' | 'neutral' | 'positive';
  readonly symbols: readonly string[];
  readonly headline: string;
}

interface Story {
  readonly weight: number;
  readonly category: string;
  readonly tone: NewsReport['tone'];
  readonly items: readonly string[] | null;
  readonly headline: (symbol: string) => string;
}

/** Mostly harmless, now and then serious: a negative event of high severity comes about once a month and asset. */
const STORIES: readonly Story[] = [
  { weight: 30, category: 'product', tone: 'positive', items: null, headline: (s) => `${s} announces a new product line` },
  { weight: 24, category: 'analyst', tone: 'neutral', items: null, headline: (s) => `Analysts reiterate their view on ${s}` },
  {
    weight: 16,
    category: 'results',
    tone: 'positive',
    items: ['2.02', '9.01'],
    headline: (s) => `${s} reports results above expectations`,
  },
  { weight: 8, category: 'results', tone: 'negative', items: ['2.02'], headline: (s) => `${s} reports results below expectations` },
  { weight: 9, category: 'mna', tone: 'neutral', items: ['1.01'], headline: (s) => `${s} enters a material agreement` },
  {
    weight: 6,
    category: 'regulation_fd',
    tone: 'neutral',
    items: ['7.01', '9.01'],
    headline: (s) => `${s} furnishes a presentation to investors`,
  },
  { weight: 3, category: 'executive_departure', tone: 'negative', items: ['5.02'], headline: (s) => `A senior officer leaves ${s}` },
  { weight: 2, category: 'regulatory_action', tone: 'negative', items: null, headline: (s) => `Regulator opens an inquiry into ${s}` },
  { weight: 1, category: 'cyber_incident', tone: 'negative', items: ['1.05'], headline: (s) => `${s} discloses a material cyber incident` },
  {
    weight: 0.3,
    category: 'restatement',
    tone: 'negative',
    items: ['4.02'],
    headline: (s) => `Earlier statements of ${s} should no longer be relied upon`,
  },
];
const TOTAL = STORIES.reduce((sum, story) => sum + story.weight, 0);

const WIRES = [
  { name: 'Sandbox Newswire', family: 'sandbox-wire', primary: false },
  { name: 'Loopback Financial', family: 'loopback-media', primary: false },
  { name: 'Sandbox Newswire Markets', family: 'sandbox-wire', primary: false },
] as const;
const FILINGS = { name: 'EDGAR', family: 'sec', primary: true } as const;

const BUCKET = 43_200_000;
const STORY_CHANCE = 0.3;
/** A story's later reports come within this time. */
const FOLLOW_UP = 5_400_000;

export interface SeededNewsOptions {
  readonly seed: number | string;
  /** Symbols that there is news of. */
  readonly symbols: readonly string[];
}

export interface SeededNews {
  /** Reports with from <= publishedAt < to, ascending by time and then by id. */
  between(from: EpochMs, to: EpochMs): readonly NewsReport[];
}

function storyOf(roll: number): Story {
  let left = roll * TOTAL;
  for (const story of STORIES) {
    left -= story.weight;
    if (left < 0) return story;
  }
  return STORIES[0] as Story;
}

/** News as a pure function of (seed, time). */
export function createSeededNews(options: SeededNewsOptions): SeededNews {
  const seeds = options.symbols.map((symbol) => [symbol, seedOf(`${options.seed}/news/${symbol}`)] as const);

  function bucketReports(symbol: string, seed: number, bucket: number): NewsReport[] {
    if (uniform(seed, bucket) >= STORY_CHANCE) return [];
    const story = storyOf(uniform(seed ^ 1, bucket));
    const at = bucket * BUCKET + Math.floor(uniform(seed ^ 2, bucket) * (BUCKET - FOLLOW_UP));
    const storyId = `story-${symbol}-${mixed(seed, bucket).toString(16)}`;
    const filed = story.items !== null;
    const report = (number: number, time: EpochMs, source: NewsReport['source']): NewsReport => ({
      id: `${storyId}-${number}`,
      storyId,
      publishedAt: new Date(time).toISOString(),
      source,
      form: source.primary ? '8-K' : null,
      items: source.primary ? (story.items ?? []) : [],
      category: story.category,
      tone: story.tone,
      symbols: [symbol],
      headline: story.headline(symbol),
    });
    const reports = [report(1, at, filed ? FILINGS : WIRES[0])];
    const second = Math.floor(uniform(seed ^ 3, bucket) * FOLLOW_UP);
    // Some wire stories are never picked up by anybody independent and stay rumours.
    if (uniform(seed ^ 4, bucket) < 0.6) reports.push(report(2, at + second, uniform(seed ^ 5, bucket) < 0.75 ? WIRES[1] : WIRES[2]));
    return reports;
  }

  return {
    between(from, to) {
      const reports: NewsReport[] = [];
      for (let bucket = Math.floor(from / BUCKET) - 1; bucket * BUCKET < to; bucket++) {
        for (const [symbol, seed] of seeds) {
          for (const report of bucketReports(symbol, seed, bucket)) {
            const at = Date.parse(report.publishedAt);
            if (at >= from && at < to) reports.push(report);
          }
        }
      }
      return reports.sort((a, b) => (a.publishedAt < b.publishedAt ? -1 : a.publishedAt > b.publishedAt ? 1 : a.id < b.id ? -1 : 1));
    },
  };
}
