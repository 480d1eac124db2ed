/**
 * Compiles a thesis in words into a Take by a fixed grammar, without guessing: every word is part of a phrase, of a reason that is set
 * aside, or of a question. docs/guides/takes.md describes the grammar.
 */
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { Problem } from '../values/field.ts';
import type { EpochMs } from '../values/time.ts';
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
import { assetNames } from './thesis-assets.ts';
import { readSides } from './thesis-conditions.ts';
import { type Meaning, PHRASES, shownMeaning } from './thesis-phrases.ts';
import { assignSides, type Item, type SidedCondition } from './thesis-sides.ts';
import { normalised, strangeDigits, type Token, splitTokens } from './thesis-tokens.ts';

/** Maximum characters of a thesis. */
export const MAX_THESIS_LENGTH = 2_000;

/** A phrase of the thesis and its reading. */
export interface Understood {
  readonly phrase: string;
  readonly as: string;
}

type CompiledThesis =
  | {
      readonly ok: true;
      readonly take: Take;
      readonly understood: readonly Understood[];
      readonly assumed: readonly string[];
      /** Reasons that the author gives. Not part of the policy. */
      readonly notUnderstood: readonly string[];
      /**
       * Points that the author must confirm before the Take is armed: every reason, and every assumption about what is bought, sold or
       * paid.
       */
      readonly open: readonly string[];
    }
  | { readonly ok: false; readonly why: 'ambiguous'; readonly questions: readonly string[]; readonly understood: readonly Understood[] }
  | { readonly ok: false; readonly why: 'invalid'; readonly problems: readonly Problem[] };

export interface Reading {
  readonly understood: Understood[];
  readonly assumed: string[];
  readonly questions: string[];
}

interface Scanned {
  readonly items: readonly Item[];
  /** Tokens of assets outside reasons. `inReasons` are those within. */
  readonly assets: readonly Token[];
  readonly inReasons: readonly Token[];
}

/** Removes double negations: "don't buy unless …" buys when, "don't sell until …" sells when. */
function withoutDoubleNegation(tokens: readonly Token[]): Token[] {
  const changed = [...tokens];
  for (const [i, { kind }] of tokens.entries()) {
    if (kind !== 'NOT' || !['BUY', 'SELL'].includes(tokens[i + 1]?.kind ?? '')) continue;
    const place = tokens.findIndex((token, j) => j > i + 1 && token.kind !== 'ASSET');
    const bound = tokens[place];
    if (bound?.kind !== 'UNLESS' && bound?.kind !== 'UNTIL') continue;
    changed[place] = { ...bound, kind: 'WHEN' };
    changed[i] = { ...(tokens[i] as Token), kind: 'DROPPED' };
  }
  return changed.filter(({ kind }) => kind !== 'DROPPED');
}

interface Found {
  readonly count: number;
  readonly meanings: readonly Meaning[];
}

/** Returns a reader of the longest phrase at each token. */
function phraseReader(tokens: readonly Token[], now: EpochMs): (at: number) => Found | null {
  const kinds = tokens.map(({ kind }) => `${kind}~`).join('');
  const places: number[] = [];
  for (let i = 0, place = 0; i < tokens.length; i++) {
    places.push(place);
    place += (tokens[i] as Token).kind.length + 1;
  }
  return (at) => {
    let best: { length: number; read: (typeof PHRASES)[number]['read'] } | null = null;
    for (const { pattern, read } of PHRASES) {
      pattern.lastIndex = places[at] as number;
      const length = pattern.exec(kinds)?.[0].length ?? 0;
      if (length > (best?.length ?? 0)) best = { length, read };
    }
    if (best === null) return null;
    const { length, read } = best;
    const end = places.indexOf((places[at] as number) + length);
    const count = (end < 0 ? tokens.length : end) - at;
    const meaning = read(tokens.slice(at, at + count), now);
    return { count, meanings: Array.isArray(meaning) ? meaning : [meaning as Meaning] };
  };
}

/** True for a phrase that can begin a condition. Links, reasons and questions cannot, "when" can. */
function beginsAnew({ meanings }: Found): boolean {
  return meanings.some((meaning) =>
    meaning.kind === 'link' ? meaning.word === 'when' : !['asset', 'rationale', 'question'].includes(meaning.kind),
  );
}

/** Returns the number of tokens of a reason: to the end of its sentence, or to a comma, colon or "and" before a phrase of the policy. */
function reasonLength(tokens: readonly Token[], at: number, readAt: (at: number) => Found | null): number {
  let end = at + 1;
  for (; end < tokens.length; end++) {
    const { kind, afterColon } = tokens[end] as Token;
    if (kind === 'END') break;
    const joins = ['COMMA', 'AND', 'THEN'].includes(kind);
    if (!joins && !afterColon) continue;
    let next = end;
    while (['COMMA', 'AND', 'THEN', 'NOT'].includes(tokens[next]?.kind ?? '')) next += 1;
    const found = next < tokens.length ? readAt(next) : null;
    if (found !== null && beginsAnew(found)) break;
  }
  return end - at;
}

/** Returns the length of a title before a colon. A title of only unknown words and the asset is set aside like a reason. */
function labelLength(tokens: readonly Token[]): number {
  const end = tokens.findIndex(({ afterColon }) => afterColon);
  const label = tokens.slice(0, Math.max(0, end));
  const isLabel = label.some(({ kind }) => kind !== 'ASSET') && label.every(({ kind }) => ['UNKNOWN', 'ASSET', 'ORDER'].includes(kind));
  return label.length <= 3 && isLabel ? end : 0;
}

/** Splits the text into phrases, assets and unknown words, from left to right. */
function scan(text: string, tokens: readonly Token[], now: EpochMs): Scanned {
  const readAt = phraseReader(tokens, now);
  const items: Item[] = [];
  const assets: Token[] = [];
  const inReasons: Token[] = [];
  const joinTokens = (at: number, count: number): string =>
    text
      .slice((tokens[at] as Token).start, (tokens[at + count - 1] as Token).end)
      .replaceAll('\n', ' ')
      .trim();
  const label = labelLength(tokens);
  assets.push(...tokens.slice(0, label).filter(({ kind }) => kind === 'ASSET'));
  if (label > 0)
    items.push({ text: joinTokens(0, label), meaning: { kind: 'rationale' } }, { text: ':', meaning: { kind: 'link', word: 'sentence' } });
  for (let at = label; at < tokens.length; ) {
    const token = tokens[at] as Token;
    const found = token.kind === 'UNCLEAR' ? null : readAt(at);
    if (found === null) {
      items.push({
        text: token.text,
        meaning: token.question === undefined ? { kind: 'unknown' } : { kind: 'question', question: token.question },
      });
      at += 1;
      continue;
    }
    const isReason = found.meanings[0]?.kind === 'rationale';
    const count = isReason ? reasonLength(tokens, at, readAt) : found.count;
    const own = tokens.slice(at, at + count);
    (isReason ? inReasons : assets).push(...own.filter(({ kind }) => kind === 'ASSET'));
    const phrase = joinTokens(at, count);
    if (isReason && own.some(({ kind }) => WEIGHTY.includes(kind)))
      items.push({ text: phrase, meaning: { kind: 'question', question: isItAReason(phrase) } });
    else for (const meaning of found.meanings) items.push({ text: phrase, meaning });
    at += count;
  }
  return { items, assets, inReasons };
}

/** Tokens that a reason must not contain, because they could be meant as a condition. */
const WEIGHTY: readonly string[] = [
  'BUY',
  'SELL',
  'STOP',
  'UNLESS',
  'UNTIL',
  'WHEN',
  'USD',
  'KNUM',
  'NUM',
  'PCT',
  'NPCT',
  'PPCT',
  'DUR',
  'DATE',
  'UNCLEAR',
  'SHORT',
];

const isItAReason = (text: string): string =>
  `Is "${text.slice(0, 120)}" only a reason, or a condition? Conditions are written with "when …"; leave numbers out of reasons.`;

/** Returns one question per run of unknown words. */
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

interface SettledAsset {
  readonly entry: CatalogEntry;
  readonly phrase: string;
  readonly assumed: string | null;
}

/**
 * Returns the only instrument that a thesis names. If an asset has a spot and a perpetual market, the spot market is meant unless the
 * thesis says otherwise.
 */
function settledAsset({ assets, inReasons }: Scanned, tokens: readonly Token[]): SettledAsset | { readonly question: string } {
  const named = assets.length > 0 ? assets : inReasons;
  const [first] = named;
  if (first === undefined) return { question: 'Which asset is it about? Name its symbol, for example AAPLx.' };
  const sets = named.map(({ asset }) => asset?.entries ?? []);
  const common = (sets[0] ?? []).filter((entry) => sets.every((set) => set.includes(entry)));
  if (common.length === 0)
    return {
      question: `A Take is about one asset, and this one names ${[...new Set(named.map(({ text }) => text))].join(', ')}. Which one is it?`,
    };
  const wantsPerp = tokens.some(({ kind }) => kind === 'PERP');
  const fitting = common.filter(({ kind }) => (kind === 'perp') === wantsPerp);
  const [entry] = fitting.length === 1 || common.length > 1 ? fitting : wantsPerp ? [] : common;
  if (entry === undefined || fitting.length > 1) {
    const choices = common.map((one) => `${one.instrument} (${one.kind} on ${one.venue})`).join(' or ');
    return {
      question: wantsPerp
        ? `Which perpetual does "${first.text}" mean? Write <venue>:<pair>:<instrument kind>.`
        : `Which instrument does "${first.text}" mean: ${choices}? Write <venue>:<pair>:<instrument kind>.`,
    };
  }
  const exact = named.some(({ asset }) => asset?.inferred === false);
  return { entry, phrase: first.text, assumed: exact ? null : `"${first.text}" means ${entry.instrument} on ${entry.venue}` };
}

type Limit = 'allocation' | 'slippage' | 'expiry';

/** Returns the value of a limit, given once or corrected by "actually make it …". A second value is a question. */
function single<K extends Limit>(items: readonly Item[], kind: K, reading: Reading): Extract<Meaning, { kind: K }> | null {
  const found = items.filter((item): item is Item & { meaning: Extract<Meaning, { kind: K }> } => item.meaning.kind === kind);
  const last = found.at(-1);
  const corrected = last !== undefined && 'final' in last.meaning && last.meaning.final === true;
  const first = corrected ? last : found[0];
  if (first === undefined) return null;
  const { meaning } = first;
  reading.understood.push({ phrase: first.text, as: shownMeaning(meaning as Meaning, null) });
  const readValue = (one: Extract<Meaning, { kind: K }>): unknown =>
    'usd' in one ? one.usd : 'bps' in one ? one.bps : 'at' in one ? one.at : null;
  const other = corrected ? undefined : found.find((one) => readValue(one.meaning) !== readValue(meaning));
  if (other !== undefined) reading.questions.push(`Which ${kind} holds: "${first.text}" or "${other.text}"?`);
  const assumed = 'assumed' in meaning ? meaning.assumed : undefined;
  if (assumed !== undefined) reading.assumed.push(assumed);
  return meaning;
}

function textProblem(thesis: string): string | null {
  if (thesis.trim() === '') return 'is empty';
  if (thesis.length > MAX_THESIS_LENGTH) return `has ${thesis.length} characters`;
  return thesis.isWellFormed() ? null : 'holds half of a surrogate pair';
}

/** Reads a thesis into a Take, or returns questions. Pure: `world.now` is the only clock. */
export function compileThesis(thesis: string, world: TakeWorld): CompiledThesis {
  const problem = textProblem(thesis);
  if (problem !== null)
    return {
      ok: false,
      why: 'invalid',
      problems: [{ path: '$.thesis', problem, allowed: `a text of 1 to ${MAX_THESIS_LENGTH} characters` }],
    };
  const text = normalised(thesis);
  const tokens = withoutDoubleNegation(splitTokens(text, assetNames(world.catalog), world.now));
  const scanned = scan(text, tokens, world.now);
  const { items } = scanned;
  const asset = settledAsset(scanned, tokens);
  const { sided, questions } = assignSides(items);
  const strange = strangeDigits(thesis);
  const reading: Reading = {
    understood: [],
    assumed: tokens.flatMap(({ text: word, repaired }) => (repaired === undefined ? [] : [`"${word}" is read as "${repaired}"`])),
    questions: [
      ...('question' in asset ? [asset.question] : []),
      ...(strange === null ? [] : [`Write numbers with the digits 0 to 9: what does "${strange}" mean?`]),
      ...unknownQuestions(items),
      ...questions,
    ],
  };
  for (const { meaning } of items) if (meaning.kind === 'question') reading.questions.push(meaning.question);
  if ('question' in asset) return ambiguous(reading);
  reading.understood.push({ phrase: asset.phrase, as: `asset ${asset.entry.key}` });
  if (asset.assumed !== null) reading.assumed.push(asset.assumed);
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
  if (exit.length === 0) reading.assumed.push(ASSUMED.noExit);
  const notUnderstood = items.filter(({ meaning }) => meaning.kind === 'rationale').map(({ text }) => text);
  const open = [...notUnderstood, ...reading.assumed];
  // Defaults that limit the Take are shown without confirmation, because they do not make it do more than was asked.
  if (slippage === null) reading.assumed.push(ASSUMED.slippage);
  if (expiry === null) reading.assumed.push(ASSUMED.expiry(expiresAt));
  return { ok: true, take: built.take, understood: reading.understood, assumed: reading.assumed, notUnderstood, open };
}
