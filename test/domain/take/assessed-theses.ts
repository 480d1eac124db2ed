/** Compares the compilation of a corpus of theses with their authors' meaning (test/fixtures/theses/README.md). */
import { readFileSync } from 'node:fs';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import type { ManifestCondition } from '../../../src/domain/manifest/manifest.ts';
import { compileThesis } from '../../../src/domain/take/compile-thesis.ts';
import { ASSUMED } from '../../../src/domain/take/read-take.ts';
import { splitInstrumentKey } from '../../../src/domain/market/venue.ts';

export const CORPUS_NOW = Date.parse('2026-07-15T15:00:00Z');
const WORLD = { catalog: CATALOG, now: CORPUS_NOW };

type Assessed = Readonly<Record<string, unknown>>;
export interface AssessedThesis {
  readonly id: string;
  readonly text: string;
  readonly verdict: 'compile' | 'ask' | 'refuse';
  /** Reason why no Take can express it, though a broker needs no question. */
  readonly beyond?: string;
  readonly meaning: {
    readonly symbol: string;
    readonly entry: readonly Assessed[];
    readonly exit: readonly Assessed[];
    readonly allocationUsd: string;
    readonly maxSlippageBps: number | null;
    readonly expires: { readonly kind: 'duration' | 'date'; readonly days?: number; readonly text?: string } | null;
  } | null;
}

export function assessedTheses(name: 'dev' | 'held-out' | 'third' | 'blind' | 'fifth'): readonly AssessedThesis[] {
  return JSON.parse(readFileSync(new URL(`../../fixtures/theses/${name}.json`, import.meta.url), 'utf8')) as AssessedThesis[];
}

const hours = (timeframe: unknown): number | null => {
  const [, count, unit] = /^(\d+)(m|h|d)$/.exec(String(timeframe)) ?? [];
  return count === undefined ? null : Number(count) * (unit === 'm' ? 1 / 60 : unit === 'd' ? 24 : 1);
};

/** Normalizes numbers, sorted lists and bars in hours; the corpus calls a price `usd`. */
function plain(field: string, value: unknown): string {
  if (Array.isArray(value)) return [...value].sort().join(',');
  if (field === 'timeframe') return String(hours(value));
  return Number.isNaN(Number(value)) ? String(value) : String(Number(value));
}

/** True if equal in each field that the author specified. */
function sameCondition(assessed: Assessed, read: ManifestCondition): boolean {
  if (assessed['type'] !== read.type) return false;
  return Object.entries(assessed).every(([field, value]) => {
    if (field === 'type' || value === null) return true;
    const own =
      field === 'usd' && read['usd'] === undefined ? 'price' : field === 'pct' && read['pct'] === undefined ? 'percentile' : field;
    return plain(field, value) === plain(field, read[own]);
  });
}

function sameSide(assessed: readonly Assessed[], read: readonly ManifestCondition[]): boolean {
  return assessed.length === read.length && assessed.every((one) => read.some((other) => sameCondition(one, other)));
}

export type Outcome = 'right' | 'wrong' | 'asked';

/** Returns the outcome. `asked`: it does not compile, or amount or exit need the author's confirmation. */
export function outcomeOf({ text, meaning }: AssessedThesis): Outcome {
  const compiled = compileThesis(text, WORLD);
  if (!compiled.ok || compiled.open.some((one) => one === ASSUMED.allocation || one === ASSUMED.noExit)) return 'asked';
  if (meaning === null) return 'wrong';
  const { take } = compiled;
  const isDefaultLife = compiled.assumed.some((one) => one.startsWith('the Take expires'));
  const days = (take.expiresAt - CORPUS_NOW) / 86_400_000;
  const isRight =
    splitInstrumentKey(take.asset.key).instrument === meaning.symbol &&
    sameSide(meaning.entry, take.entry) &&
    sameSide(meaning.exit, take.exit) &&
    Number(take.allocationUsd) === Number(meaning.allocationUsd) &&
    (meaning.maxSlippageBps === null || take.maxSlippageBps === meaning.maxSlippageBps) &&
    (meaning.expires === null ? isDefaultLife : !isDefaultLife && (meaning.expires.kind === 'date' || days === meaning.expires.days));
  return isRight ? 'right' : 'wrong';
}
