/**
 * Seeded stories about the market's assets, and everything that is said of them: a rumour on a social platform, the
 * filing, wire items of two families, copies, corrections. The same seed and time give the same world.
 */
import { newYorkOffsetMs } from '../../domain/session.ts';
import type { EpochMs } from '../../domain/time.ts';
import { mixed, seedOf, uniform } from '../market/seeded-noise.ts';

const MINUTE = 60_000;
const HOUR = 3_600_000;

/** One item as the sandbox's wire words it. Several items of one story share `storyId`. */
export interface WireItem {
  readonly id: string;
  readonly storyId: string;
  /** ISO 8601. */
  readonly publishedAt: string;
  /** Publisher; two names of one family are not independent. */
  readonly source: { readonly name: string; readonly family: string; readonly primary: boolean };
  readonly category: string;
  readonly tone: 'negative' | 'neutral' | 'positive';
  readonly symbols: readonly string[];
  readonly headline: string;
  readonly action?: 'report' | 'correction' | 'retraction';
  readonly corrects?: string;
  readonly url?: string;
  /** Items of form 8-K, where a provider passes them on. */
  readonly items?: readonly string[];
}

export interface SeededFiling {
  readonly symbol: string;
  readonly accessionNumber: string;
  readonly form: string;
  readonly items: readonly string[];
  readonly acceptedAt: EpochMs;
}

export interface SeededRumor {
  readonly symbol: string;
  readonly at: EpochMs;
  readonly text: string;
}

interface Plot {
  readonly weight: number;
  readonly category: string;
  readonly tone: WireItem['tone'];
  readonly items: readonly string[] | null;
  /** The same in the words of two agencies, and as it is whispered. */
  readonly first: (name: string) => string;
  readonly second: (name: string) => string;
  readonly whisper: (tag: string) => string;
}

function plot(
  weight: number,
  category: string,
  tone: WireItem['tone'],
  items: readonly string[] | null,
  first: Plot['first'],
  second: Plot['second'],
  whisper: Plot['whisper'],
): Plot {
  return { weight, category, tone, items, first, second, whisper };
}

/** Mostly harmless, now and then serious: a negative event of high severity comes about once a month and asset. */
const PLOTS: readonly Plot[] = [
  plot(
    30,
    'product',
    'positive',
    null,
    (n) => `${n} announces a new product line`,
    (n) => `New line of products comes from ${n}, company says`,
    (t) => `big launch from ${t} coming?`,
  ),
  plot(
    24,
    'analyst',
    'neutral',
    null,
    (n) => `Analysts reiterate their view on ${n}`,
    (n) => `Brokers leave ratings of ${n} where they were`,
    (t) => `${t} ratings unchanged again`,
  ),
  plot(
    16,
    'results',
    'positive',
    ['2.02', '9.01'],
    (n) => `${n} reports results above expectations`,
    (n) => `Quarter at ${n} beats what analysts had forecast`,
    (t) => `receiving a beat at ${t}`,
  ),
  plot(
    8,
    'results',
    'negative',
    ['2.02', '9.01'],
    (n) => `${n} reports results below expectations`,
    (n) => `Quarter at ${n} misses what analysts had forecast`,
    (t) => `${t} numbers will be ugly`,
  ),
  plot(
    9,
    'mna',
    'neutral',
    ['1.01'],
    (n) => `${n} enters a material agreement`,
    (n) => `Deal signed: ${n} binds itself to a partner`,
    (t) => `${t} deal talk`,
  ),
  plot(
    6,
    'regulation_fd',
    'neutral',
    ['7.01', '9.01'],
    (n) => `${n} furnishes a presentation to investors`,
    (n) => `Slides for investors published by ${n}`,
    (t) => `new ${t} deck soon`,
  ),
  plot(
    3,
    'executive_departure',
    'negative',
    ['5.02'],
    (n) => `A senior officer leaves ${n}`,
    (n) => `Top manager quits at ${n} with immediate effect`,
    (t) => `somebody high up is out at ${t}`,
  ),
  plot(
    2,
    'regulatory_action',
    'negative',
    null,
    (n) => `Regulator opens an inquiry into ${n}`,
    (n) => `Authority is looking into the business of ${n}, sources say`,
    (t) => `${t} under investigation?`,
  ),
  plot(
    1,
    'cyber_incident',
    'negative',
    ['1.05'],
    (n) => `${n} discloses a material cyber incident`,
    (n) => `Intruders were inside the systems of ${n} for days`,
    (t) => `${t} hacked??`,
  ),
  plot(
    0.3,
    'restatement',
    'negative',
    ['4.02'],
    (n) => `Earlier statements of ${n} should no longer be relied upon`,
    (n) => `Books reopened: ${n} has to restate past years`,
    (t) => `${t} accounting does not add up`,
  ),
  plot(
    2,
    'fundraising',
    'positive',
    ['3.02'],
    (n) => `${n} raises new capital from investors`,
    (n) => `Fresh money for ${n} in a private round`,
    (t) => `${t} raising again`,
  ),
];

const AGENCIES = [
  { name: 'Sandbox Newswire', family: 'sandbox-wire', primary: false },
  { name: 'Loopback Financial', family: 'loopback-media', primary: false },
  { name: 'Sandbox Newswire Markets', family: 'sandbox-wire', primary: false },
  { name: 'Harbour Post', family: 'harbour-press', primary: false },
] as const;

const BUCKET = 12 * HOUR;
const STORY_CHANCE = 0.3;
/** A story's last word comes within this time of its bucket's start. */
const SPAN = 36 * HOUR;

export interface SeededStoriesOptions {
  readonly seed: number | string;
  /** Symbols that there is news of. */
  readonly symbols: readonly string[];
  /** Symbols whose issuers file with the regulator. */
  readonly filers?: readonly string[];
  /** Price of an asset: good stories follow rising prices, bad ones falling prices. Without it the tone is drawn. */
  readonly value?: (symbol: string, at: EpochMs) => number;
}

export interface SeededStories {
  /** Wire items with from <= publishedAt < to, ascending by time and then by id; of some of its symbols alone where they are named. */
  between(from: EpochMs, to: EpochMs, of?: readonly string[]): readonly WireItem[];
  /** Filings of a symbol with from <= acceptedAt < to, ascending. */
  filings(symbol: string, from: EpochMs, to: EpochMs): readonly SeededFiling[];
  /** Rumours that run ahead of a story, ascending. */
  rumors(from: EpochMs, to: EpochMs): readonly SeededRumor[];
}

interface Told {
  readonly items: readonly WireItem[];
  readonly filings: readonly SeededFiling[];
  readonly rumors: readonly SeededRumor[];
}

/** The next instant at which the regulator takes filings: 06:00 to 22:00 in New York. */
function acceptedFrom(at: EpochMs): EpochMs {
  const local = at + newYorkOffsetMs(at);
  const intoDay = ((local % 86_400_000) + 86_400_000) % 86_400_000;
  if (intoDay >= 6 * HOUR && intoDay < 22 * HOUR) return at;
  const day = local - intoDay + (intoDay < 6 * HOUR ? 0 : 86_400_000);
  const wanted = day + 6 * HOUR + (intoDay % (20 * MINUTE));
  return wanted - newYorkOffsetMs(wanted);
}

/** Inputs of a story's draw: an asset and one stretch of time. */
interface Draw {
  readonly symbol: string;
  readonly seed: number;
  readonly bucket: number;
  /** True if the asset's issuer files with the regulator. */
  readonly files: boolean;
  readonly value: SeededStoriesOptions['value'];
}

/** Returns the plot of a story, which never contradicts its asset's price. */
function plotOf({ symbol, seed, bucket, value }: Draw, at: EpochMs): Plot {
  const move = value === undefined ? 0 : value(symbol, at) - value(symbol, at - 6 * HOUR);
  const refused = move > 0 ? 'negative' : move < 0 ? 'positive' : '';
  const open = PLOTS.filter(({ tone }) => tone !== refused);
  let left = uniform(seed ^ 1, bucket) * open.reduce((sum, { weight }) => sum + weight, 0);
  for (const one of open) {
    left -= one.weight;
    if (left < 0) return one;
  }
  return PLOTS[0] as Plot;
}

/** Returns the story of an asset and a stretch, with all of its reports; null if nothing happens. */
function tell(drawn: Draw): Told | null {
  const { symbol, seed, bucket, files } = drawn;
  if (uniform(seed, bucket) >= STORY_CHANCE) return null;
  const draw = (number: number): number => uniform(seed ^ number, bucket);
  const begin = bucket * BUCKET + Math.floor(draw(2) * (BUCKET - 2 * HOUR)) + 2 * HOUR;
  const story = plotOf(drawn, begin);
  const number = mixed(seed, bucket);
  const filed = story.items !== null && files;
  const at = filed ? acceptedFrom(begin) : begin;
  return {
    items: wireOf(story, { symbol, storyId: `story-${symbol}-${number.toString(16)}`, at, filed, draw }),
    filings: filed ? filingsOf(symbol, story.items ?? [], at, number, draw) : [],
    rumors: draw(12) < 0.45 ? [{ symbol, at: at - Math.floor((10 + 80 * draw(13)) * MINUTE), text: story.whisper(`$${symbol}`) }] : [],
  };
}

/** Returns the agencies' items about a story. */
function wireOf(
  { category, tone, first, second }: Plot,
  of: {
    readonly symbol: string;
    readonly storyId: string;
    readonly at: EpochMs;
    readonly filed: boolean;
    readonly draw: (number: number) => number;
  },
): readonly WireItem[] {
  const { symbol, storyId, at, filed, draw } = of;
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
  const firstAt = at + (filed ? Math.floor((2 + 18 * draw(6)) * MINUTE) : 0);
  const wire = [item(1, firstAt, 0, first(symbol))];
  // Some stories of the wire are never picked up by anybody independent and stay rumours; some are only copied.
  const followed = draw(4) < 0.6;
  if (followed) wire.push(item(2, firstAt + Math.floor(draw(3) * 90 * MINUTE) + MINUTE, 1, second(symbol)));
  if (draw(5) < 0.35) wire.push(item(3, firstAt + Math.floor(draw(7) * 60 * MINUTE) + MINUTE, draw(8) < 0.5 ? 2 : 3, first(symbol)));
  if (!filed && !followed && draw(9) < 0.12)
    wire.push(
      item(4, firstAt + Math.floor((1 + 5 * draw(10)) * HOUR), 0, `${symbol}: our earlier report is withdrawn`, {
        action: 'retraction',
        corrects: `${storyId}-1`,
      }),
    );
  return wire;
}

/** The filing that a story began with, and now and then an amendment of it. */
function filingsOf(
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
  return [filing, { ...filing, accessionNumber: accession.replace(/^1/, '2'), form: '8-K/A', acceptedAt: acceptedFrom(at + 5 * HOUR) }];
}

export function createSeededStories(options: SeededStoriesOptions): SeededStories {
  const filers = new Set(options.filers ?? []);
  const seeds = new Map(options.symbols.map((symbol) => [symbol, seedOf(`${options.seed}/news/${symbol}`)]));
  const symbols = [...seeds.keys()];
  const told = new Map<string, Told | null>();

  function toldIn(symbol: string, bucket: number): Told | null {
    const key = `${symbol} ${bucket}`;
    let one = told.get(key);
    if (one === undefined) {
      one = tell({ symbol, seed: seeds.get(symbol) ?? 0, bucket, files: filers.has(symbol), value: options.value });
      told.set(key, one);
      if (told.size > 50_000) told.delete(told.keys().next().value as string);
    }
    return one;
  }

  function* over(of: readonly string[], from: EpochMs, to: EpochMs): Generator<Told> {
    for (let bucket = Math.floor((from - SPAN) / BUCKET); bucket * BUCKET < to + 2 * HOUR; bucket++) {
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
