/**
 * Checks a language model's phrasing of deterministic claims. The model may reword and reorder them. Every id, source, number, quotation
 * and direction must stay. Otherwise the whole answer is refused.
 */
import { isObject } from '../values/field.ts';
import type { Assessment, Catalyst, Claim } from './assess-stock.ts';

/** Lists that may be rephrased. */
const PHRASED_LISTS = ['bull', 'bear', 'valuation', 'catalysts'] as const;
type PhrasedList = (typeof PHRASED_LISTS)[number];

type Phrasing = { readonly ok: true; readonly assessment: Assessment } | { readonly ok: false; readonly why: string };

const MAX_TEXT = 400;
const NUMBER = /\d+(?:[.,:\-/]\d+)*/g;
/** Words that state a direction. Their set must not change. */
const DIRECTION =
  /\b(?:not|no|never|none|without|below|under|above|over|discount|premium|cheaper|dearer|positive|negative|live|stale|carried|confirmed|unconfirmed|scheduled|observed|hard|buy|sell|hold|strong|guaranteed|should|must|will)\b/gi;
/** Addresses and markup, which do not belong in a sentence about a stock. */
const FOREIGN = /https?:|www\.|<[a-z/]|[[\]{}]|javascript:|\p{Cc}/iu;

function listNumbers(text: string): string[] {
  return (text.match(NUMBER) ?? []).sort();
}

function listDirections(text: string): string[] {
  return [...new Set((text.match(DIRECTION) ?? []).map((word) => word.toLowerCase()))].sort();
}

function listQuotations(text: string): string[] {
  return text.match(/"[^"]*"/g) ?? [];
}

/** Returns the claim's sentence without quoted data, whose words state no direction. */
function plain(text: string): string {
  return text.replace(/"[^"]*"/g, '""');
}

const same = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((one, index) => one === b[index]);

/** Returns why a sentence differs in meaning from its claim, or null if it does not. */
function differs(claim: Claim, text: string, sources: unknown): string | null {
  if (text.trim() === '' || text.length > MAX_TEXT) return `${claim.id} has ${text.length} characters`;
  if (!Array.isArray(sources) || !same([...claim.sources].sort(), [...(sources as string[])].map(String).sort()))
    return `${claim.id} names other sources`;
  if (FOREIGN.test(text.replace(/"[^"]*"/g, ''))) return `${claim.id} holds an address or markup`;
  if (!same(listQuotations(claim.text), listQuotations(text))) return `${claim.id} quotes something else`;
  if (!same(listNumbers(plain(claim.text)), listNumbers(plain(text)))) return `${claim.id} has other numbers`;
  if (!same(listDirections(plain(claim.text)), listDirections(plain(text)))) return `${claim.id} points another way`;
  return null;
}

/** Returns the claims of a list in the order and words of the answer. */
function phrased<C extends Claim>(given: readonly C[], answer: unknown, name: string): readonly C[] | string {
  if (!Array.isArray(answer)) return `${name} is no list`;
  if (answer.length !== given.length) return `${name} has ${answer.length} claims, not ${given.length}`;
  const made: C[] = [];
  for (const item of answer) {
    if (!isObject(item) || Object.keys(item).some((key) => !['id', 'text', 'sources'].includes(key)))
      return `${name} holds something that is no claim`;
    const claim = given.find(({ id }) => id === item['id']);
    if (claim === undefined || made.some(({ id }) => id === claim.id)) return `${name} names no claim of its own, or one twice`;
    if (typeof item['text'] !== 'string') return `${claim.id} has no text`;
    const problem = differs(claim, item['text'], item['sources']);
    if (problem !== null) return problem;
    made.push({ ...claim, text: item['text'].trim() });
  }
  return made;
}

/** Applies the answer's words to the assessment, or returns why it is refused. The answer is a closed object of the four lists. */
export function checkPhrasing(given: Assessment, answer: unknown): Phrasing {
  if (!isObject(answer)) return { ok: false, why: 'the answer is not an object' };
  const stranger = Object.keys(answer).find((key) => !(PHRASED_LISTS as readonly string[]).includes(key));
  if (stranger !== undefined) return { ok: false, why: `the answer holds ${stranger.slice(0, 40)}` };
  const made: Partial<Record<PhrasedList, readonly Claim[]>> = {};
  for (const name of PHRASED_LISTS) {
    const list = phrased(name === 'valuation' ? given.valuation.claims : given[name], answer[name], name);
    if (typeof list === 'string') return { ok: false, why: list };
    made[name] = list;
  }
  return {
    ok: true,
    assessment: {
      ...given,
      bull: made.bull ?? [],
      bear: made.bear ?? [],
      valuation: { ...given.valuation, claims: made.valuation ?? [] },
      catalysts: (made.catalysts ?? []) as readonly Catalyst[],
    },
  };
}
