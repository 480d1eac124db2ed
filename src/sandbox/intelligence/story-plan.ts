/**
 * Plan of an asset's news: times, kinds and price effects, read by the wire, the regulator and the market. A price reacts to a story
 * after its first publication, never before.
 */
import { newYorkOffsetMs } from '../../domain/market/session.ts';
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from '../../domain/values/time.ts';
import { deriveSeed, uniform } from '../market/seeded-noise.ts';

/** Length of a bucket in milliseconds. An asset has at most one story per bucket. */
export const BUCKET = 12 * HOUR_MS;
const STORY_CHANCE = 0.3;

/** Texts of a kind of news, and its price effect. */
interface Plot {
  readonly weight: number;
  /** Size of its price shock, in standard deviations of an ordinary day. */
  readonly shock: number;
  readonly category: string;
  readonly tone: 'negative' | 'neutral' | 'positive';
  readonly items: readonly string[] | null;
  /** Headlines of the two agencies, and the text of the rumor. */
  readonly first: (name: string) => string;
  readonly second: (name: string) => string;
  readonly whisper: (tag: string) => string;
}

function plot(
  weight: number,
  shock: number,
  category: string,
  tone: Plot['tone'],
  items: readonly string[] | null,
  first: Plot['first'],
  second: Plot['second'],
  whisper: Plot['whisper'],
): Plot {
  return { weight, shock, category, tone, items, first, second, whisper };
}

/** Kinds of news, mostly harmless. A severe negative event happens about once a month per asset. */
const PLOTS: readonly Plot[] = [
  plot(
    30,
    0.12,
    'product',
    'positive',
    null,
    (n) => `${n} announces a new product line`,
    (n) => `New line of products comes from ${n}, company says`,
    (t) => `big launch from ${t} coming?`,
  ),
  plot(
    24,
    0,
    'analyst',
    'neutral',
    null,
    (n) => `Analysts reiterate their view on ${n}`,
    (n) => `Brokers leave ratings of ${n} where they were`,
    (t) => `${t} ratings unchanged again`,
  ),
  plot(
    16,
    0.6,
    'results',
    'positive',
    ['2.02', '9.01'],
    (n) => `${n} reports results above expectations`,
    (n) => `Quarter at ${n} beats what analysts had forecast`,
    (t) => `receiving a beat at ${t}`,
  ),
  plot(
    8,
    -0.7,
    'results',
    'negative',
    ['2.02', '9.01'],
    (n) => `${n} reports results below expectations`,
    (n) => `Quarter at ${n} misses what analysts had forecast`,
    (t) => `${t} numbers will be ugly`,
  ),
  plot(
    9,
    0.5,
    'mna',
    'neutral',
    ['1.01'],
    (n) => `${n} enters a material agreement`,
    (n) => `Deal signed: ${n} binds itself to a partner`,
    (t) => `${t} deal talk`,
  ),
  plot(
    6,
    0,
    'regulation_fd',
    'neutral',
    ['7.01', '9.01'],
    (n) => `${n} furnishes a presentation to investors`,
    (n) => `Slides for investors published by ${n}`,
    (t) => `new ${t} deck soon`,
  ),
  plot(
    3,
    -0.7,
    'executive_departure',
    'negative',
    ['5.02'],
    (n) => `A senior officer leaves ${n}`,
    (n) => `Top manager quits at ${n} with immediate effect`,
    (t) => `somebody high up is out at ${t}`,
  ),
  plot(
    2,
    -1.2,
    'regulatory_action',
    'negative',
    null,
    (n) => `Regulator opens an inquiry into ${n}`,
    (n) => `Authority is looking into the business of ${n}, sources say`,
    (t) => `${t} under investigation?`,
  ),
  plot(
    1,
    -1.5,
    'cyber_incident',
    'negative',
    ['1.05'],
    (n) => `${n} discloses a material cyber incident`,
    (n) => `Intruders were inside the systems of ${n} for days`,
    (t) => `${t} hacked??`,
  ),
  plot(
    0.3,
    -3,
    'restatement',
    'negative',
    ['4.02'],
    (n) => `Earlier statements of ${n} should no longer be relied upon`,
    (n) => `Books reopened: ${n} has to restate past years`,
    (t) => `${t} accounting does not add up`,
  ),
  plot(
    2,
    0.5,
    'fundraising',
    'positive',
    ['3.02'],
    (n) => `${n} raises new capital from investors`,
    (n) => `Fresh money for ${n} in a private round`,
    (t) => `${t} raising again`,
  ),
];

const WEIGHT = PLOTS.reduce((sum, { weight }) => sum + weight, 0);

/** Minimum size of a story. Sizes follow a Pareto distribution, capped at fourteen times this. */
const SIZE_LEAST = 0.35;
const SIZE_CUT = 0.93;
/** Maximum shock in standard deviations of an ordinary day: 7 % for Bitcoin, 14 % for a volatile share. */
const SHOCK_MOST = 4;

/** Returns the next time at which the regulator accepts filings: 06:00 to 22:00 New York time. */
export function acceptedFrom(at: EpochMs): EpochMs {
  const local = at + newYorkOffsetMs(at);
  const intoDay = ((local % DAY_MS) + DAY_MS) % DAY_MS;
  if (intoDay >= 6 * HOUR_MS && intoDay < 22 * HOUR_MS) return at;
  const day = local - intoDay + (intoDay < 6 * HOUR_MS ? 0 : DAY_MS);
  const wanted = day + 6 * HOUR_MS + (intoDay % (20 * MINUTE_MS));
  return wanted - newYorkOffsetMs(wanted);
}

/** Plan of a story, without its texts. */
export interface StoryPlan {
  readonly plot: Plot;
  /** Time of first publication: the filing if the issuer files it, otherwise the first wire item. */
  readonly at: EpochMs;
  readonly filed: boolean;
  /** True if a second agency confirms it. */
  readonly followed: boolean;
  /** Time of withdrawal by the wire, or null if the story stands. */
  readonly withdrawnAt: EpochMs | null;
  /** Shock to the price, in standard deviations of an ordinary day. */
  readonly shock: number;
}

export function storySeed(seed: number | string, symbol: string): number {
  return deriveSeed(`${seed}/news/${symbol}`);
}

/** Plans the story of an asset's bucket, or returns null if there is none. @param files true if the issuer files with the regulator */
export function storyPlan(seed: number, bucket: number, files: boolean): StoryPlan | null {
  if (uniform(seed, bucket) >= STORY_CHANCE) return null;
  const draw = (number: number): number => uniform(seed ^ number, bucket);
  const begin = bucket * BUCKET + Math.floor(draw(2) * (BUCKET - 2 * HOUR_MS)) + 2 * HOUR_MS;
  const plot = drawnPlot(draw(1));
  const filed = plot.items !== null && files;
  const at = filed ? acceptedFrom(begin) : begin;
  const followed = draw(4) < 0.6;
  const size = SIZE_LEAST / (1 - SIZE_CUT * draw(14));
  const sign = plot.tone === 'neutral' && draw(15) < 0.5 ? -1 : 1;
  return {
    plot,
    at,
    filed,
    followed,
    withdrawnAt: !filed && !followed && draw(9) < 0.12 ? at + Math.floor((1 + 5 * draw(10)) * HOUR_MS) : null,
    shock: sign * Math.max(-SHOCK_MOST, Math.min(SHOCK_MOST, size * plot.shock)),
  };
}

function drawnPlot(chance: number): Plot {
  let left = chance * WEIGHT;
  for (const one of PLOTS) {
    left -= one.weight;
    if (left < 0) return one;
  }
  return PLOTS[0] as Plot;
}
