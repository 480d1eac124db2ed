/** Parses a prediction market's question into comparable conditions, and tests if two markets ask the same. */
import { CATALOG, type Catalog } from '../catalog/catalog.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import { type EpochMs, MINUTE_MS, isoTime } from '../values/time.ts';

export const COMPARATORS = ['above', 'at_or_above', 'below', 'at_or_below', 'between'] as const;
export type Comparator = (typeof COMPARATORS)[number];

/** A question about the price of one underlying. */
export interface PredictionQuestion {
  /** Catalog symbol, such as `BTC` or `AAPL`. */
  readonly underlying: string;
  readonly comparator: Comparator;
  /** US dollars. The lower threshold of `between`. */
  readonly threshold: DecimalString;
  /** The upper threshold of `between`, else null. */
  readonly upperThreshold: DecimalString | null;
  /** `at_time`: the price at one instant decides. `any_time`: touching the threshold by then is enough. */
  readonly measure: 'at_time' | 'any_time';
  /** Instant that decides, or by which it must happen. */
  readonly resolvesAt: EpochMs;
}

/** Maximum difference in milliseconds at which instants count as one (docs/decisions/0044). */
const SAME_INSTANT_MS = 5 * MINUTE_MS;

/** Names that identify nothing: ordinary words, or an index rather than the fund that the catalog lists. */
const NO_NAMES: ReadonlySet<string> = new Set(['Strategy', 'Meta', 'S&P 500', 'Nasdaq 100']);
const MORE_NAMES: readonly (readonly [name: string, underlying: string])[] = [['Ethereum', 'ETH']];

/** Returns the spellings that name an underlying. Case matters: `SOL` is a coin, `sol` is not. */
function listSpellings({ entries }: Pick<Catalog, 'entries'>): readonly (readonly [pattern: RegExp, underlying: string])[] {
  const named = new Map(
    [
      ...entries.flatMap(({ underlying, name }): [string, string][] => [
        [underlying, underlying],
        [name.replace(/ (xStock|PreStock|spot|perpetual)$/, ''), underlying],
      ]),
      ...MORE_NAMES,
    ].filter(([name]) => !NO_NAMES.has(name)),
  );
  const whole = (name: string) => new RegExp(`(?<![A-Za-z0-9])${name.replace(/[.*+?^${}()|[\]\\&]/g, '\\$&')}(?![A-Za-z0-9])`);
  return [...named].map(([name, underlying]) => [whole(name), underlying] as const);
}

let spellings: { readonly of: Catalog; readonly known: ReturnType<typeof listSpellings> } | null = null;

function spellingsNow(): ReturnType<typeof listSpellings> {
  if (spellings?.of !== CATALOG.fixed) spellings = { of: CATALOG.fixed, known: listSpellings(CATALOG.fixed) };
  return spellings.known;
}

/** Returns the underlying that a text names, or null if it names none or several. */
export function underlyingIn(text: string): string | null {
  const found = new Set(
    spellingsNow()
      .filter(([pattern]) => pattern.test(text))
      .map(([, underlying]) => underlying),
  );
  return found.size === 1 ? ([...found][0] as string) : null;
}

const DOLLARS = /\$\s?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)\s?([kKmM](?![A-Za-z])|)/g;
const FACTORS: Readonly<Record<string, number>> = { '': 1, k: 1_000, m: 1_000_000 };

/** Returns the amounts of US dollars in a text, without duplicates. */
function dollarsIn(text: string): DecimalString[] {
  const amounts = [...text.matchAll(DOLLARS)].map(([, digits = '', unit = '']) =>
    plainDecimal(new Decimal(digits.replaceAll(',', '')).times(FACTORS[unit.toLowerCase()] ?? 1)),
  );
  return [...new Set(amounts)];
}

/** Wordings of a title and their meaning. The first match counts. */
const WORDINGS: readonly (readonly [pattern: RegExp, comparator: Comparator, measure: PredictionQuestion['measure']])[] = [
  [/\bbetween\b/i, 'between', 'at_time'],
  [/\b(reach|hit|touch)(es)?\b/i, 'at_or_above', 'any_time'],
  [/\b(dip|fall|drop)s?\b.*\bto\b/i, 'at_or_below', 'any_time'],
  [/\b(at or above|at least|or (above|higher|more))\b/i, 'at_or_above', 'at_time'],
  [/\b(at or below|at most|or (below|lower|less))\b/i, 'at_or_below', 'at_time'],
  [/\b(above|higher than|greater than|over)\b/i, 'above', 'at_time'],
  [/\b(below|lower than|less than|under)\b/i, 'below', 'at_time'],
];
const OR_EQUAL =
  /\b(greater|higher|less|lower|equal) than or equal to\b|\bat or (above|below)\b|\bequal to or (greater|higher|less|lower|above|below)\b/i;

/**
 * Parses a question given as text only. The title states the comparison. "or equal to" in the rules overrides it. Null if anything is
 * missing or ambiguous.
 */
export function readQuestion(title: string, rules: string, resolvesAt: EpochMs | null): PredictionQuestion | null {
  const underlying = underlyingIn(title);
  const wording = WORDINGS.find(([pattern]) => pattern.test(title));
  const amounts = dollarsIn(title);
  if (underlying === null || wording === undefined || resolvesAt === null) return null;
  const [, said, measure] = wording;
  if (said === 'between') {
    const [lower, upper] = [...amounts].sort((a, b) => new Decimal(a).comparedTo(b));
    if (amounts.length !== 2 || lower === undefined || upper === undefined) return null;
    return { underlying, comparator: 'between', threshold: lower, upperThreshold: upper, measure, resolvesAt };
  }
  const [threshold] = amounts;
  if (amounts.length !== 1 || threshold === undefined) return null;
  const orEqual = OR_EQUAL.test(rules);
  const comparator = said === 'above' && orEqual ? 'at_or_above' : said === 'below' && orEqual ? 'at_or_below' : said;
  return { underlying, comparator, threshold, upperThreshold: null, measure, resolvesAt };
}

/** Relation between two markets, and its reasons. Only `same` may ever be merged. */
export interface QuestionMatch {
  readonly verdict: 'same' | 'related' | 'unrelated';
  /** One sentence per compared condition. */
  readonly reasons: readonly string[];
}

const OPPOSITES: Readonly<Partial<Record<Comparator, Comparator>>> = {
  above: 'at_or_below',
  at_or_below: 'above',
  below: 'at_or_above',
  at_or_above: 'below',
};

/**
 * Compares two questions. They are the same if underlying, measure, comparator and thresholds are equal and the instants are within
 * `SAME_INSTANT_MS`, and related if only the underlying is certain. An unparsed question is never the same.
 */
export function matchQuestions(
  a: { readonly underlying: string | null; readonly asks: PredictionQuestion | null },
  b: { readonly underlying: string | null; readonly asks: PredictionQuestion | null },
): QuestionMatch {
  if (a.underlying === null || a.underlying !== b.underlying) {
    return { verdict: 'unrelated', reasons: ['the underlying is not the same, or not named beyond doubt'] };
  }
  const reasons = [`both are about ${a.underlying}`];
  const [one, other] = [a.asks, b.asks];
  if (one === null || other === null) {
    return { verdict: 'related', reasons: [...reasons, 'one of the questions could not be read as a comparison with a threshold'] };
  }
  let same = true;
  const compare = (equal: boolean, agreed: string, differs: string): void => {
    reasons.push(equal ? agreed : differs);
    same &&= equal;
  };
  compare(one.measure === other.measure, `both measure ${one.measure}`, `one measures ${one.measure}, the other ${other.measure}`);
  const complements = OPPOSITES[one.comparator] === other.comparator && one.threshold === other.threshold;
  compare(
    one.comparator === other.comparator,
    `both ask for ${one.comparator}`,
    complements
      ? `one asks for ${one.comparator}, the other for its opposite ${other.comparator}`
      : `one asks for ${one.comparator}, the other for ${other.comparator}`,
  );
  const level = (question: PredictionQuestion): string =>
    question.upperThreshold === null ? `$${question.threshold}` : `$${question.threshold} to $${question.upperThreshold}`;
  compare(level(one) === level(other), `both at ${level(one)}`, `one at ${level(one)}, the other at ${level(other)}`);
  const apartMs = Math.abs(one.resolvesAt - other.resolvesAt);
  compare(
    apartMs <= SAME_INSTANT_MS,
    `both at ${isoTime(one.resolvesAt)}, ${apartMs / 1_000} s apart at most`,
    `one at ${isoTime(one.resolvesAt)}, the other at ${isoTime(other.resolvesAt)}`,
  );
  return { verdict: same ? 'same' : 'related', reasons };
}
