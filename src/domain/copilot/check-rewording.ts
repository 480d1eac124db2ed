/** Checks a language model's rewording of a message: a closed object, the same numbers, and one line. */
import { isObject } from '../values/field.ts';
import type { Classified } from './classify.ts';

const MAX_REWORDING = 300;
const NUMBER = /\d+(?:[.,]\d+)*/g;
const FOREIGN = /https?:|www\.|[<>{}[\]]|\p{Cc}/iu;

type Rewording = { readonly ok: true; readonly message: string } | { readonly ok: false; readonly why: string };

const listNumbers = (text: string): string => JSON.stringify((text.match(NUMBER) ?? []).sort());

/** Replaces the message by the answer's question, or returns why it is refused. */
export function checkRewording(message: string, answer: unknown): Rewording {
  if (!isObject(answer)) return { ok: false, why: 'the answer is not an object' };
  const stranger = Object.keys(answer).find((key) => key !== 'message');
  if (stranger !== undefined) return { ok: false, why: `the answer holds ${JSON.stringify(stranger.slice(0, 40))}` };
  const { message: text } = answer as { message?: unknown };
  if (typeof text !== 'string' || text.trim() === '' || text.length > MAX_REWORDING) return { ok: false, why: 'it is no short text' };
  if (FOREIGN.test(text)) return { ok: false, why: 'it holds an address or markup' };
  if (listNumbers(message) !== listNumbers(text)) return { ok: false, why: 'it has other numbers' };
  return { ok: true, message: text.trim() };
}

/** True if the intent only reads. A reworded message must not lead to anything else, because a draft must be in its author's words. */
export function isReading({ intent }: Classified): boolean {
  return intent === 'look_up' || intent === 'rank' || intent === 'assess' || intent === 'portfolio' || intent === 'help';
}
