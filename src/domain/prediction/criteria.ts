/** Resolution criteria of a prediction market, and the differences between two markets of one question. */

import { isoTime } from '../values/time.ts';
import type { PredictionMarket, ResolutionSource } from './market.ts';

/** Aspects of a sentence in the rules. */
export const CRITERION_ASPECTS = ['condition', 'source', 'deadline', 'fallback', 'other'] as const;
type CriterionAspect = (typeof CRITERION_ASPECTS)[number];

interface Criterion {
  readonly aspect: CriterionAspect;
  /** The provider's own sentence. */
  readonly text: string;
}

/** The resolution criteria of one market. */
export interface CriteriaBreakdown {
  readonly marketId: string;
  readonly provider: PredictionMarket['provider'];
  readonly criteria: readonly Criterion[];
  readonly sources: readonly ResolutionSource[];
  readonly procedure: PredictionMarket['resolution']['procedure'];
  readonly closesAt: PredictionMarket['closesAt'];
  readonly expectedResolutionAt: PredictionMarket['expectedResolutionAt'];
  readonly latestResolutionAt: PredictionMarket['latestResolutionAt'];
  readonly mayCloseEarly: boolean | null;
}

/** An aspect in which two markets of the same question are resolved differently. */
interface CriteriaDifference {
  readonly aspect: 'sources' | 'procedure' | 'instant' | 'latest_resolution' | 'early_close' | 'fallback';
  readonly ours: string;
  readonly theirs: string;
  /** True if the same event could resolve differently on the two venues, so that holding both sides is a risk. */
  readonly material: boolean;
}

/** Patterns of the aspects. The first match classifies a sentence. */
const ASPECTS: readonly (readonly [pattern: RegExp, aspect: CriterionAspect])[] = [
  [/\b(otherwise|ambig|unavailable|discretion|postpone|cancel|50-50|not (be )?published|in the event)/i, 'fallback'],
  [/\b(resolution source|source for this|according to|published by|as reported by|verified from|determined by)\b/i, 'source'],
  [/\b(will resolve|resolves? to|resolves? (yes|no))\b/i, 'condition'],
  [/\b(by|before|on or before|at) .*\b(20\d\d|[AP]M|ET|UTC|EDT|EST)\b/i, 'deadline'],
];

/** Splits a text into sentences. A sentence ends with a stop before a blank or the end, so `$95,000.00` does not end one. */
function splitSentences(text: string): string[] {
  return text
    .split(/(?<=[.!?]["”]?)\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}

/** Classifies every sentence of a market's rules by aspect. */
export function classifyCriteria(market: PredictionMarket): CriteriaBreakdown {
  const { resolution } = market;
  const criteria = [...splitSentences(resolution.rules), ...splitSentences(resolution.secondaryRules)].map((text) => ({
    aspect: ASPECTS.find(([pattern]) => pattern.test(text))?.[1] ?? ('other' as const),
    text,
  }));
  return {
    marketId: market.id,
    provider: market.provider,
    criteria,
    sources: resolution.sources,
    procedure: resolution.procedure,
    closesAt: market.closesAt,
    expectedResolutionAt: market.expectedResolutionAt,
    latestResolutionAt: market.latestResolutionAt,
    mayCloseEarly: resolution.mayCloseEarly,
  };
}

/** Returns the host of a source with an address, else its name. */
function sourceKey({ name, url }: ResolutionSource): string {
  if (url !== null && URL.canParse(url)) return new URL(url).host.replace(/^www\./, '');
  return name.trim().toLowerCase();
}

const named = (sources: readonly ResolutionSource[]): string =>
  sources.length === 0 ? 'no source stated' : sources.map(({ name, url }) => (url === null ? name : `${name} (${url})`)).join('; ');
const timed = (at: number | null): string => (at === null ? 'not given' : isoTime(at));
const told = (value: boolean | null): string => (value === null ? 'not told' : value ? 'may close early' : 'never closes early');
const fallbacks = (market: PredictionMarket): string =>
  classifyCriteria(market)
    .criteria.filter(({ aspect }) => aspect === 'fallback')
    .map(({ text }) => text)
    .join(' ') || 'none stated';

/** Returns the differences in how two markets of the same question are resolved, material ones first. */
export function criteriaDifferences(ours: PredictionMarket, theirs: PredictionMarket): CriteriaDifference[] {
  const differences: CriteriaDifference[] = [];
  const ourSources = new Set(ours.resolution.sources.map(sourceKey));
  const theirSources = new Set(theirs.resolution.sources.map(sourceKey));
  const alike = ourSources.size === theirSources.size && [...ourSources].every((source) => theirSources.has(source));
  if (ourSources.size === 0 || !alike) {
    differences.push({
      aspect: 'sources',
      ours: named(ours.resolution.sources),
      theirs: named(theirs.resolution.sources),
      material: true,
    });
  }
  const add = (aspect: CriteriaDifference['aspect'], one: string, other: string, material: boolean): void => {
    if (one !== other) differences.push({ aspect, ours: one, theirs: other, material });
  };
  add('instant', timed(ours.asks?.resolvesAt ?? null), timed(theirs.asks?.resolvesAt ?? null), true);
  add('fallback', fallbacks(ours), fallbacks(theirs), true);
  add('procedure', ours.resolution.procedure, theirs.resolution.procedure, true);
  add('early_close', told(ours.resolution.mayCloseEarly), told(theirs.resolution.mayCloseEarly), false);
  add('latest_resolution', timed(ours.latestResolutionAt), timed(theirs.latestResolutionAt), false);
  return differences;
}
