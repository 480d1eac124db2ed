/** Splits a thesis into quantities, dates, assets and words of the grammar. */
import { dateAt, type Quantity, quantityAt, type UnclearNumber } from '../values/quantity.ts';
import type { EpochMs } from '../values/time.ts';
import type { NamedAsset, NamesOfAssets } from './thesis-assets.ts';
import { wordAt } from './thesis-words.ts';

/** A piece of the text. Its kind is a concept of the grammar, the kind of a quantity, `ASSET`, `DATE`, `UNCLEAR` or `UNKNOWN`. */
export interface Token {
  readonly kind: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** True if a colon separates it from the previous token. */
  readonly afterColon: boolean;
  /** Value of a quantity, as a plain decimal. */
  readonly value?: string;
  readonly asset?: NamedAsset;
  readonly at?: EpochMs;
  readonly question?: string;
  /** Word that a misspelled one was read as. */
  readonly repaired?: string;
}

/** Returns the text with canonical signs and spaces. */
export function normalised(thesis: string): string {
  return thesis
    .normalize('NFKC')
    .replace(/[\u2010-\u2013\u2212]/g, '-')
    .replace(/ ?\u2014 ?/g, ' - ')
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/\u2265/g, '>=')
    .replace(/\u2264/g, '<=')
    .replace(/([<>]=?) ?([-+]?[$\d])/g, '$1 $2')
    .replace(/(\d) %/g, '$1%')
    .replace(/\b(rsi|ema) ?\((\d{1,3}), ?(\d{1,3} ?[mhd])\)/gi, '$1 $2 $3')
    .replace(/(\d)(?:st|nd|rd|th) (?=percentile|pctile)/gi, '$1 ')
    .replace(/[ \t\r]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .trim();
}

/** Returns the first character that only looks like a digit, or null. A superscript 0 would turn 2 into 20 %. */
export function strangeDigits(thesis: string): string | null {
  for (const char of thesis) if (!/[\x00-\x7f]/.test(char) && /[0-9]/.test(char.normalize('NFKC'))) return char;
  return /\p{Nd}/u.exec(thesis.replace(/[0-9]/g, ''))?.[0] ?? null;
}

function kindOfQuantity({ unit, value, signed }: Quantity): string {
  const negative = value.startsWith('-');
  if (unit === 'percent') return negative ? 'NPCT' : signed ? 'PPCT' : 'PCT';
  if (unit === 'number' && Number(value) === 0) return 'ZERO';
  if (negative) return unit === 'number' ? 'NNUM' : 'UNKNOWN';
  return unit === 'usd' ? 'USD' : unit === 'thousands' ? 'KNUM' : unit === 'hours' ? 'DUR' : 'NUM';
}

type Piece = Omit<Token, 'start' | 'end' | 'text' | 'afterColon'> & { readonly length: number };

function quantityPiece(found: Quantity | UnclearNumber | null): Piece | null {
  if (found === null) return null;
  if ('question' in found) return { kind: 'UNCLEAR', length: found.length, question: found.question };
  return { kind: kindOfQuantity(found), length: found.length, value: found.value };
}

function datePiece(text: string, at: number, now: EpochMs): Piece | null {
  const found = dateAt(text, at, now);
  if (found === null) return null;
  return 'question' in found ? { kind: 'UNCLEAR', ...found } : { kind: 'DATE', ...found };
}

const WORD = /\d+(?:[.,]\d+)*%?\w*|[^\s,;!?()"/]+?(?=[.:]*(?:[\s,;!?()"/]|$))/y;
const TIMEFRAMES: readonly (readonly [RegExp, string])[] = [
  [/hourly(?![a-z])/iy, '1'],
  [/daily(?![a-z])/iy, '24'],
];

function timeframePiece(text: string, at: number): Piece | null {
  for (const [pattern, value] of TIMEFRAMES) {
    pattern.lastIndex = at;
    const length = pattern.exec(text)?.[0].length;
    if (length !== undefined) return { kind: 'DUR', length, value };
  }
  return null;
}

/** Returns the piece at a place: the longest match, and the earlier one of the list if two are equally long. */
function pieceAt(text: string, at: number, assets: NamesOfAssets, now: EpochMs): Piece {
  if (at >= text.length) return { kind: 'END', length: 0 };
  const asset = assets(text, at);
  const word = wordAt(text, at);
  const pieces: (Piece | null)[] = [
    asset === null ? null : { kind: 'ASSET', length: asset.length, asset: asset.asset },
    datePiece(text, at, now),
    // "15-20%" is a range and not a loss of 20 %.
    text[at] === '-' && /[\d%]/.test(text[at - 1] ?? '') ? null : quantityPiece(quantityAt(text, at)),
    timeframePiece(text, at),
    word === null ? null : { kind: word.concept, length: word.length },
  ];
  let best: Piece | null = null;
  for (const piece of pieces) if (piece !== null && piece.length > (best?.length ?? 0)) best = piece;
  if (best !== null) return best;
  WORD.lastIndex = at;
  return { kind: 'UNKNOWN', length: WORD.exec(text)?.[0].length ?? ((text.codePointAt(at) as number) > 0xffff ? 2 : 1) };
}

/** Words that are recognized despite one wrong, missing or swapped letter. The reading is shown, and its author confirms it. */
const REPAIRABLE = [
  'discount',
  'premium',
  'parity',
  'reference',
  'slippage',
  'liquidity',
  'negative',
  'profit',
  'regular',
  'session',
  'dollars',
  'cheaper',
  'below',
  'under',
  'above',
  'token',
  'share',
  'price',
  'percent',
  'worth',
  'stock',
  'closed',
  'funding',
  'average',
];

/** True if one inserted, missing, wrong or swapped letter turns one word into the other. */
function isNear(word: string, right: string): boolean {
  if (Math.abs(word.length - right.length) > 1) return false;
  let from = 0;
  while (from < word.length && word[from] === right[from]) from += 1;
  const [a, b] = [word.slice(from), right.slice(from)];
  return a.slice(1) === b || a === b.slice(1) || a.slice(1) === b.slice(1) || (a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2));
}

function repaired(piece: Piece, text: string, at: number): Piece {
  const word = text.slice(at, at + piece.length).toLowerCase();
  if (piece.kind !== 'UNKNOWN' || !/^[a-z]{4,}$/.test(word)) return piece;
  const right = REPAIRABLE.filter((one) => isNear(word, one));
  const [only] = right;
  return only === undefined || right.length > 1
    ? piece
    : { ...piece, kind: only === 'dollars' ? 'UNKNOWN' : (wordAt(only, 0)?.concept ?? 'UNKNOWN'), repaired: only };
}

const AMOUNTS: readonly string[] = ['USD', 'KNUM', 'NUM'];
const QUANTITIES: readonly string[] = [...AMOUNTS, 'PCT', 'NPCT', 'PPCT', 'NNUM'];

function nextPlace(text: string, at: number): number {
  let place = at;
  while (text[place] === ' ') place += 1;
  return place;
}

/** Returns the tokens of a normalized text from left to right, without filler words. */
export function splitTokens(text: string, assets: NamesOfAssets, now: EpochMs): Token[] {
  const tokens: Token[] = [];
  let afterColon = false;
  for (let at = 0; at < text.length; ) {
    if (text[at] === ' ') {
      at += 1;
      continue;
    }
    const { length, ...piece } = repaired(pieceAt(text, at, assets, now), text, at);
    const end = at + length;
    const shown = text.slice(at, end);
    // "to" between two quantities is a range. Before a single amount it is a level, like "at".
    const kind = piece.kind === 'TO' && !QUANTITIES.includes(tokens.at(-1)?.kind ?? '') ? 'MOTION' : piece.kind;
    const loose = kind === 'SPACE' || (kind === 'MOTION' && !AMOUNTS.includes(pieceAt(text, nextPlace(text, end), assets, now).kind));
    if (loose) afterColon ||= shown.includes(':');
    else {
      tokens.push({ ...piece, kind, text: shown, start: at, end, afterColon });
      afterColon = false;
    }
    at = end;
  }
  return tokens;
}
