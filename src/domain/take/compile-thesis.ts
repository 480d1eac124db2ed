/**
 * Compiles a thesis in words into a Take by a fixed grammar. What it does not know it never guesses: every word is part of a
 * phrase, of a reason that is set aside, or of a question. The grammar is written down in docs/guides/takes.md.
 */
import type { Catalog, CatalogEntry } from '../catalog.ts';
import { readCondition } from '../conditions/index.ts';
import type { Problem } from '../field.ts';
import type { ManifestCondition } from '../manifest/manifest.ts';
import type { EpochMs } from '../time.ts';
import {
  ASSUMED,
  buildTake,
  DEFAULT_ALLOCATION_USD,
  DEFAULT_LIFE_MS,
  DEFAULT_SLIPPAGE_BPS,
  DEFAULT_TIMEFRAME,
  type TakeWorld,
} from './read-take.ts';
import type { Take } from './take.ts';
import { assetNames, type NamedAsset } from './thesis-assets.ts';
import { type Meaning, PHRASES, shownCondition, shownMeaning, WORD } from './thesis-phrases.ts';
import { assignSides, type SidedCondition } from './thesis-sides.ts';

/** The longest thesis, in characters. */
export const MAX_THESIS_LENGTH = 2_000;

/** One phrase of the thesis and what it was read as. */
export interface Understood {
  readonly phrase: string;
  readonly as: string;
}

export type CompiledThesis =
  | {
      readonly ok: true;
      readonly take: Take;
      readonly understood: readonly Understood[];
      readonly assumed: readonly string[];
      /** Reasons that the author gives: no part of the policy. */
      readonly notUnderstood: readonly string[];
    }
  | { readonly ok: false; readonly why: 'ambiguous'; readonly questions: readonly string[]; readonly understood: readonly Understood[] }
  | { readonly ok: false; readonly why: 'invalid'; readonly problems: readonly Problem[] };

/** A phrase at its place. */
export interface Item {
  readonly text: string;
  readonly sentence: number;
  readonly meaning: Meaning | { readonly kind: 'asset'; readonly asset: NamedAsset } | { readonly kind: 'unknown' };
}

/** The same text in its canonical form of signs and spaces. */
function normalised(thesis: string): string {
  return thesis
    .normalize('NFKC')
    .replace(/[\u2212\u2013\u2014]/g, '-')
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/\u2265/g, '>=')
    .replace(/\u2264/g, '<=')
    .replace(/[ \t\r]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .trim();
}

const ASSET_WORD = /[$#]?[A-Za-z][A-Za-z0-9&:/_-]*(?:'s)?/y;

/** The longest phrase at a place. */
function phraseAt(text: string, at: number, now: EpochMs): { readonly length: number; readonly meaning: Meaning } | null {
  let best: { length: number; meaning: Meaning } | null = null;
  for (const { pattern, read } of PHRASES) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null || match[0].length <= (best?.length ?? 0)) continue;
    best = { length: match[0].length, meaning: read(match, now) };
  }
  return best;
}

function assetAt(text: string, at: number, named: (word: string) => NamedAsset | null): { length: number; asset: NamedAsset } | null {
  ASSET_WORD.lastIndex = at;
  const word = ASSET_WORD.exec(text)?.[0];
  if (word === undefined) return null;
  const asset = named(word);
  return asset === null ? null : { length: word.length, asset };
}

/** The text as phrases, assets and unknown words, from left to right. */
function scan(text: string, catalog: Catalog, now: EpochMs): Item[] {
  const named = assetNames(catalog);
  const items: Item[] = [];
  let sentence = 0;
  let at = 0;
  while (at < text.length) {
    if (text[at] === ' ') {
      at += 1;
      continue;
    }
    const asset = assetAt(text, at, named);
    const found = phraseAt(text, at, now);
    if (asset !== null && asset.length >= (found?.length ?? 0)) {
      items.push({ text: text.slice(at, at + asset.length), sentence, meaning: { kind: 'asset', asset: asset.asset } });
      at += asset.length;
    } else if (found !== null) {
      const length = found.meaning.kind === 'rationale' ? reasonLength(text, at) : found.length;
      items.push({ text: text.slice(at, at + length).trim(), sentence, meaning: found.meaning });
      at += length;
      if (found.meaning.kind === 'link' && found.meaning.word === 'sentence') sentence += 1;
    } else {
      WORD.lastIndex = at;
      const word = WORD.exec(text)?.[0] ?? (text[at] as string);
      items.push({ text: word, sentence, meaning: { kind: 'unknown' } });
      at += word.length;
    }
  }
  return items;
}

/** A reason lasts to the end of its sentence; a point within a number does not end it. */
function reasonLength(text: string, at: number): number {
  const end = text.slice(at).search(/[;!\n]|\.(?!\d)/);
  return end < 0 ? text.length - at : end;
}

/** A reason that could be meant as a condition is asked about. */
const WEIGHTY = /\d|\b(?:buy|sell|exit|stop|unless|except|only if)\b/i;

function reasonQuestions(items: readonly Item[]): string[] {
  return items.flatMap(({ meaning, text }) =>
    meaning.kind === 'rationale' && WEIGHTY.test(text)
      ? [`Is "${text.slice(0, 120)}" only a reason, or a condition? Conditions are written with "when …"; leave numbers out of reasons.`]
      : [],
  );
}

/** Neighbouring unknown words are one question. */
function unknownQuestions(items: readonly Item[]): string[] {
  const runs: string[] = [];
  let open = false;
  for (const { meaning, text } of items) {
    if (meaning.kind === 'unknown') {
      if (open) runs[runs.length - 1] += ` ${text}`;
      else runs.push(text);
      open = true;
    } else if (!(meaning.kind === 'link' && meaning.word === 'filler')) open = false;
  }
  const shown = runs
    .slice(0, 5)
    .map((run) => `What does "${run.slice(0, 120)}" mean? Say it as a condition, a limit or a reason ("because …"), in English.`);
  return runs.length > 5 ? [...shown, `${runs.length - 5} more parts were not understood.`] : shown;
}

function settledAsset(
  items: readonly Item[],
): { readonly entry: CatalogEntry; readonly inferred: string | null } | { readonly question: string } {
  const named = items.flatMap(({ meaning, text }) => (meaning.kind === 'asset' ? [{ asset: meaning.asset, text }] : []));
  const [first] = named;
  if (first === undefined) return { question: 'Which asset is it about? Name its symbol, for example AAPLx.' };
  const sets = named.map(({ asset }) => asset.entries);
  const common = (sets[0] as readonly CatalogEntry[]).filter((entry) => sets.every((set) => set.includes(entry)));
  if (common.length === 1) {
    const entry = common[0] as CatalogEntry;
    const exact = named.some(({ asset }) => !asset.inferred);
    return { entry, inferred: exact ? null : `"${first.text}" means ${entry.instrument} on ${entry.venue}` };
  }
  if (common.length > 1) {
    const choices = common.map((entry) => `${entry.instrument} (${entry.kind} on ${entry.venue})`).join(' or ');
    return { question: `Which instrument does "${first.text}" mean: ${choices}? Write <venue>:<pair>:<instrument kind>.` };
  }
  return {
    question: `A Take is about one asset, and this one names ${[...new Set(named.map(({ text }) => text))].join(', ')}. Which one is it?`,
  };
}

/** A gap as the condition of the asset's kind, or the question why there is none. */
function gapCondition(meaning: Extract<Meaning, { kind: 'gap' }>, entry: CatalogEntry, text: string): Record<string, unknown> | string {
  if (entry.kind === 'tokenized_equity' && meaning.against !== 'mark') return { type: `premium_${meaning.direction}`, pct: meaning.pct };
  if (entry.kind === 'pre_ipo' && meaning.against !== 'reference') return { type: `gap_to_mark_${meaning.direction}`, pct: meaning.pct };
  const benchmark =
    entry.kind === 'tokenized_equity'
      ? 'a reference price and no issuer mark'
      : entry.kind === 'pre_ipo'
        ? 'an issuer mark and no reference price'
        : 'neither a reference price nor an issuer mark';
  return `${entry.instrument} has ${benchmark}: what does "${text}" mean?`;
}

interface Reading {
  readonly understood: Understood[];
  readonly assumed: string[];
  readonly questions: string[];
}

/** The conditions of both sides, each read by the registry. */
function readSides(
  sided: readonly SidedCondition[],
  entry: CatalogEntry,
  reading: Reading,
): { entry: ManifestCondition[]; exit: ManifestCondition[]; problems: Problem[] } {
  const sides: { entry: ManifestCondition[]; exit: ManifestCondition[]; problems: Problem[] } = { entry: [], exit: [], problems: [] };
  for (const { item, side } of sided) {
    const { meaning } = item;
    const authored = meaning.kind === 'gap' ? gapCondition(meaning, entry, item.text) : meaning.condition;
    if (typeof authored === 'string') {
      reading.questions.push(authored);
      continue;
    }
    const condition = readCondition(authored, side, DEFAULT_TIMEFRAME, `$.${side}`, sides.problems);
    if (condition === null) continue;
    const other = sides[side].find(({ type }) => type === condition.type);
    if (other !== undefined && JSON.stringify(other) !== JSON.stringify(condition)) {
      reading.questions.push(`Which one holds for the ${side}: ${shownCondition(other)} or ${shownCondition(condition)}?`);
    }
    sides[side].push(condition);
    reading.understood.push({ phrase: item.text, as: `${side}: ${shownCondition(condition)}` });
    if (meaning.note !== undefined) reading.assumed.push(`"${item.text}": ${meaning.note}`);
    if ('timeframe' in condition && !('timeframe' in authored)) reading.assumed.push(`"${item.text}": on bars of ${DEFAULT_TIMEFRAME}`);
  }
  return sides;
}

/** The one value of a limit that may be said once; a second, different one is a question. */
function single<K extends 'allocation' | 'slippage' | 'expiry'>(
  items: readonly Item[],
  kind: K,
  reading: Reading,
): Extract<Meaning, { kind: K }> | null {
  const found = items.filter((item): item is Item & { meaning: Extract<Meaning, { kind: K }> } => item.meaning.kind === kind);
  const [first] = found;
  if (first === undefined) return null;
  reading.understood.push({ phrase: first.text, as: shownMeaning(first.meaning as Meaning, null) });
  const other = found.find(({ meaning }) => JSON.stringify(meaning) !== JSON.stringify(first.meaning));
  if (other !== undefined) reading.questions.push(`Which ${kind} holds: "${first.text}" or "${other.text}"?`);
  return first.meaning;
}

/** Reads a thesis into a Take, or asks what would settle it. Pure: `world.now` is the only clock. */
export function compileThesis(thesis: string, world: TakeWorld): CompiledThesis {
  if (thesis.trim() === '' || thesis.length > MAX_THESIS_LENGTH || !thesis.isWellFormed()) {
    const problem =
      thesis.trim() === ''
        ? 'is empty'
        : thesis.length > MAX_THESIS_LENGTH
          ? `has ${thesis.length} characters`
          : 'holds half of a surrogate pair';
    return {
      ok: false,
      why: 'invalid',
      problems: [{ path: '$.thesis', problem, allowed: `a text of 1 to ${MAX_THESIS_LENGTH} characters` }],
    };
  }
  const items = scan(normalised(thesis), world.catalog, world.now);
  const reading: Reading = { understood: [], assumed: [], questions: [] };
  const asset = settledAsset(items);
  const { sided, questions } = assignSides(items);
  reading.questions.push(
    ...('question' in asset ? [asset.question] : []),
    ...unknownQuestions(items),
    ...reasonQuestions(items),
    ...questions,
  );
  for (const { meaning } of items) if (meaning.kind === 'question') reading.questions.push(meaning.question);
  if ('question' in asset) return ambiguous(reading);
  reading.understood.push({ phrase: (items.find(({ meaning }) => meaning.kind === 'asset') as Item).text, as: `asset ${asset.entry.key}` });
  if (asset.inferred !== null) reading.assumed.push(asset.inferred);
  return finished(items, sided, asset.entry, reading, world);
}

function ambiguous(reading: Reading): CompiledThesis {
  return { ok: false, why: 'ambiguous', questions: [...new Set(reading.questions)], understood: reading.understood };
}

function finished(
  items: readonly Item[],
  sided: readonly SidedCondition[],
  entry: CatalogEntry,
  reading: Reading,
  world: TakeWorld,
): CompiledThesis {
  for (const { meaning, text } of items)
    if (meaning.kind === 'action') reading.understood.push({ phrase: text, as: shownMeaning(meaning, null) });
  const { entry: enter, exit, problems } = readSides(sided, entry, reading);
  const allocation = single(items, 'allocation', reading);
  const slippage = single(items, 'slippage', reading);
  const expiry = single(items, 'expiry', reading);
  if (reading.questions.length > 0) return ambiguous(reading);
  if (problems.length > 0) return { ok: false, why: 'invalid', problems };
  const expiresAt = expiry?.at ?? world.now + DEFAULT_LIFE_MS;
  const built = buildTake(
    {
      symbol: `${entry.key}:${entry.kind}`,
      entry: enter,
      exit,
      allocationUsd: allocation?.usd ?? DEFAULT_ALLOCATION_USD,
      maxSlippageBps: slippage?.bps ?? DEFAULT_SLIPPAGE_BPS,
      timeframe: DEFAULT_TIMEFRAME,
      expiresAt,
    },
    world,
  );
  if (!built.ok) return { ok: false, why: 'invalid', problems: built.problems };
  if (allocation === null) reading.assumed.push(ASSUMED.allocation);
  if (slippage === null) reading.assumed.push(ASSUMED.slippage);
  if (expiry === null) reading.assumed.push(ASSUMED.expiry(expiresAt));
  if (exit.length === 0) reading.assumed.push(ASSUMED.noExit);
  const notUnderstood = items.filter(({ meaning }) => meaning.kind === 'rationale').map(({ text }) => text);
  return { ok: true, take: built.take, understood: reading.understood, assumed: reading.assumed, notUnderstood };
}
