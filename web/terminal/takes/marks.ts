/** Places of a reading in its text: phrases understood, assumed, set aside, or asked about. */

export type MarkKind = 'understood' | 'assumed' | 'aside' | 'unknown';

export interface Part {
  readonly text: string;
  readonly kind: MarkKind | null;
  /** Meaning of the phrase, or the question about it. */
  readonly means: string;
}

export interface Reading {
  readonly understood: readonly { readonly phrase: string; readonly as: string }[];
  readonly assumed: readonly string[];
  readonly notUnderstood: readonly string[];
  readonly questions: readonly string[];
}

interface Mark {
  readonly start: number;
  readonly end: number;
  readonly kind: MarkKind;
  readonly means: string;
}

/** Splits a text into parts with their readings. Joined, the parts are the text. */
export function splitParts(text: string, { understood, assumed, notUnderstood, questions }: Reading): readonly Part[] {
  const marks: Mark[] = [];
  const put = (phrase: string, kind: MarkKind, means: string): void => {
    const place = findPlace(text, phrase, marks);
    if (place !== null) marks.push({ ...place, kind, means });
  };
  for (const question of questions) for (const phrase of quotedIn(question)) put(phrase, 'unknown', question);
  for (const phrase of notUnderstood) put(phrase, 'aside', 'Set aside as a reason: no part of the policy.');
  for (const sentence of assumed) {
    const [phrase] = quotedIn(sentence);
    if (phrase !== undefined) put(phrase, 'assumed', sentence);
  }
  const meanings = new Map<string, string[]>();
  for (const { phrase, as } of understood) meanings.set(phrase, [...(meanings.get(phrase) ?? []), as]);
  for (const [phrase, as] of meanings) put(phrase, 'understood', as.join('; '));
  return cutAt(text, marks);
}

const quotedIn = (sentence: string): readonly string[] =>
  [...sentence.matchAll(/"([^"]+)"|“([^”]+)”/g)].map(([, straight, curly]) => straight ?? curly ?? '');

/** Returns the first free place of a phrase. Spaces and case do not count. */
function findPlace(text: string, phrase: string, taken: readonly Mark[]): { readonly start: number; readonly end: number } | null {
  const words = phrase
    .trim()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return null;
  const pattern = new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('\\s+'), 'gi');
  for (const { index, 0: found } of text.matchAll(pattern)) {
    const [start, end] = [index, index + found.length];
    if (!splitsWord(text, start, end) && taken.every((mark) => end <= mark.start || start >= mark.end)) return { start, end };
  }
  return null;
}

/** True if a letter or digit continues beyond an edge: `in` does not match within `into`. */
const splitsWord = (text: string, start: number, end: number): boolean => {
  const joins = (at: number): boolean => /[\p{L}\p{N}]{2}/u.test(text.slice(at - 1, at + 1));
  return joins(start) || joins(end);
};

function cutAt(text: string, marks: readonly Mark[]): readonly Part[] {
  const parts: Part[] = [];
  let at = 0;
  const rest = (end: number): void => {
    if (end > at) parts.push({ text: text.slice(at, end), kind: null, means: '' });
  };
  for (const { start, end, kind, means } of [...marks].sort((a, b) => a.start - b.start)) {
    rest(start);
    parts.push({ text: text.slice(start, end), kind, means });
    at = end;
  }
  rest(text.length);
  return parts;
}
