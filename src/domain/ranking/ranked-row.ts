/** Rows of a ranking, each with its score and terms, or with the reasons why it is unranked. */

import type { CatalogEntry } from '../catalog/catalog.ts';
import { isTradableAt } from '../catalog/catalog.ts';
import { isCarriedReference } from '../conditions/carried-reference.ts';
import { isQuoteLive, isReferenceLive } from '../conditions/condition.ts';
import { type UnknownInput, unknownInputs } from '../conditions/unknown-input.ts';
import type { Observation } from '../market/cut.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import type { Quality, QualityFlag, Session } from '../market/quote.ts';

/** Reasons why something is unranked. Never rename a published one. */
export const UNRANKED_REASONS = [
  'not_traded',
  'not_observed',
  'no_quote',
  'quote_not_live',
  'no_reference',
  'stale_reference',
  'no_pool',
  'no_depth',
  'events_unheard',
  'no_bars',
  'no_portfolio',
] as const;
type UnrankedReason = (typeof UNRANKED_REASONS)[number];

/** Reservations about a rank. Never rename a published one. */
export const ROW_FLAGS = ['carried_reference'] as const;
type RowFlag = (typeof ROW_FLAGS)[number];

/** A term of a score, which is the sum of its terms' `points`. Numbers are decimal strings. */
export interface ScoreTerm {
  readonly name: string;
  /** Value of the term in its own unit. */
  readonly value: DecimalString;
  readonly points: DecimalString;
}

/** A price, its source, its age at the cut and its quality. */
export interface PriceFact {
  readonly price: DecimalString;
  readonly source: string;
  readonly observedAt: number;
  readonly ageMs: number;
  readonly quality: Quality;
  readonly flags: readonly QualityFlag[];
}

/** Facts about the instrument of a row, ranked or not. */
interface RowFacts {
  readonly symbol: string;
  readonly instrument: string;
  readonly name: string;
  readonly sector: string;
  readonly session: Session | null;
  /** Midpoint of the token's quote, or null unless it has two sides. */
  readonly tokenPrice: PriceFact | null;
  /** Reference price, or the issuer's mark of a pre-IPO token. */
  readonly reference: PriceFact | null;
  /** Percent, positive for a premium. Null if one of the two prices is missing. */
  readonly gapPct: number | null;
  /** Both sides of the pools, in US dollars. */
  readonly liquidityUsd: DecimalString | null;
}

/** Result of a mode for one instrument. */
export type Scored =
  | {
      readonly ranked: true;
      readonly terms: readonly ScoreTerm[];
      readonly flags?: readonly RowFlag[];
      readonly shown?: Readonly<Record<string, unknown>>;
    }
  | { readonly ranked: false; readonly reasons: readonly UnrankedReason[]; readonly shown?: Readonly<Record<string, unknown>> };

export interface RankedRow extends RowFacts {
  readonly rank: number | null;
  readonly score: DecimalString | null;
  readonly reasons: readonly UnrankedReason[];
  /** Causes of unknown inputs, such as a closed market, a feed that is down, or a missing pool. */
  readonly causes: readonly UnknownInput[];
  /** Empty for an unranked row. */
  readonly flags: readonly RowFlag[];
  readonly terms: readonly ScoreTerm[];
  /** Further inputs of the mode, by name: events, bars, depths. */
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** Returns the prices of an observation, as shown in a row. */
function toFacts(entry: CatalogEntry, seen: Observation | undefined): RowFacts {
  const quote = seen?.quote ?? null;
  const reference = seen?.reference ?? null;
  return {
    symbol: entry.instrument,
    instrument: entry.key,
    name: entry.name,
    sector: entry.sector,
    session: seen?.session ?? null,
    tokenPrice:
      quote === null || quote.mid === null
        ? null
        : {
            price: quote.mid,
            source: quote.source,
            observedAt: quote.observedAt,
            ageMs: quote.ageMs,
            quality: quote.quality,
            flags: quote.flags,
          },
    reference:
      reference === null
        ? null
        : {
            price: reference.referencePrice,
            source: reference.source ?? entry.benchmark ?? 'reference',
            observedAt: reference.feedUpdatedAt,
            ageMs: reference.ageMs,
            quality: reference.quality,
            flags: reference.flags,
          },
    gapPct: (entry.benchmarkKind === 'issuer_mark' ? seen?.gapToMarkPct : seen?.premiumPct) ?? null,
    liquidityUsd: seen?.liquidityUsd ?? null,
  };
}

/**
 * Returns why a gap cannot be ranked. Empty if the quote is live and the reference is live or carried from the last session (`gapFlags`).
 */
export function gapReasons(entry: CatalogEntry, seen: Observation | undefined): UnrankedReason[] {
  const reasons: UnrankedReason[] = [...exclusionReasons(entry, seen)];
  if (seen === undefined) return reasons;
  if (seen.quote === null || seen.quote.mid === null) reasons.push('no_quote');
  else if (!isQuoteLive(seen)) reasons.push('quote_not_live');
  if (seen.reference === null) reasons.push('no_reference');
  else if (!isReferenceLive(seen) && !isCarriedReference(seen.reference, seen.slot)) reasons.push('stale_reference');
  return reasons;
}

/** Returns `carried_reference` if a gap that passes `gapReasons` is measured against the price of the last session. */
export function gapFlags(seen: Observation | undefined): readonly RowFlag[] {
  return seen !== undefined && !isReferenceLive(seen) ? ['carried_reference'] : [];
}

/** Input that a reason refers to. Reasons without one are complete. */
const INPUT_OF = {
  no_quote: 'quote',
  quote_not_live: 'quote',
  no_reference: 'reference',
  stale_reference: 'reference',
  no_pool: 'pool',
  events_unheard: 'events',
} as const satisfies Partial<Record<UnrankedReason, unknown>>;

function findCauses(reasons: readonly UnrankedReason[], seen: Observation | undefined): readonly UnknownInput[] {
  const inputs = reasons.flatMap((reason) => (reason in INPUT_OF ? [INPUT_OF[reason as keyof typeof INPUT_OF]] : []));
  return seen === undefined ? [] : unknownInputs(inputs, seen);
}

/** Returns why an instrument is excluded from every mode. */
export function exclusionReasons(entry: CatalogEntry, seen: Observation | undefined): UnrankedReason[] {
  if (seen === undefined) return ['not_observed'];
  return entry.token !== null && !isTradableAt(entry.token, seen.slot) ? ['not_traded'] : [];
}

/** Returns a ratio as a decimal string to eight decimals. */
export function toRatioText(value: number): DecimalString {
  return plainDecimal(new Decimal(value).toDecimalPlaces(8));
}

/** Returns a term whose points are its value times a weight. */
export function term(name: string, value: Decimal | DecimalString | number, weight = 1): ScoreTerm {
  const decimal = new Decimal(value).toDecimalPlaces(8);
  return { name, value: plainDecimal(decimal), points: plainDecimal(decimal.times(weight).toDecimalPlaces(8)) };
}

/** Returns the sum of the points of all terms. */
export function sumScore(terms: readonly ScoreTerm[]): DecimalString {
  return plainDecimal(terms.reduce((sum, { points }) => sum.plus(points), new Decimal(0)));
}

/** An instrument, its observation and its scored result. */
interface ScoredEntry {
  readonly entry: CatalogEntry;
  readonly seen: Observation | undefined;
  readonly scored: Scored;
}

/** Ranks rows by score, highest first and equal ones by symbol, followed by unranked ones by symbol. Ranks count from 1. */
export function rankRows(rows: readonly ScoredEntry[]): RankedRow[] {
  const made = rows.map(({ entry, seen, scored }) => {
    const reasons = scored.ranked ? [] : scored.reasons;
    return {
      ...toFacts(entry, seen),
      rank: null,
      score: scored.ranked ? sumScore(scored.terms) : null,
      reasons,
      causes: findCauses(reasons, seen),
      flags: scored.ranked ? (scored.flags ?? []) : [],
      terms: scored.ranked ? scored.terms : [],
      inputs: scored.shown ?? {},
    };
  });
  const bySymbol = (a: RowFacts, b: RowFacts): number => (a.symbol < b.symbol ? -1 : 1);
  const ranked = made
    .filter(({ score }) => score !== null)
    .map((row) => ({ row, score: new Decimal(row.score as string) }))
    .sort((a, b) => b.score.comparedTo(a.score) || bySymbol(a.row, b.row))
    .map(({ row }) => row);
  const rest = made.filter(({ score }) => score === null).sort(bySymbol);
  return [...ranked.map((row, index) => ({ ...row, rank: index + 1 })), ...rest];
}
