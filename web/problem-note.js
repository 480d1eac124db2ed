/** A refusal beside the button that it answers: its sentence, and one line for everything that it names. */
import { fill, h } from './dom.js';
import { Refused } from './http.js';
import { gateCheckWords, plain, rejectionWords } from './words.js';

/**
 * A place for refusals, empty at first and announced to who cannot see it.
 * @param {(error: unknown) => void} fail Told where nobody is signed in any more.
 */
export function createProblemNote(fail) {
  const element = h('div', { class: 'problem', role: 'alert' });
  return {
    element,
    /** @param {unknown} error */
    show(error) {
      if (error instanceof Refused && error.signedOut) return fail(error);
      fill(element, h('p', {}, sentenceOf(error)), linesOf(error));
    },
    clear() {
      if (element.childElementCount > 0) fill(element);
    },
  };
}

/**
 * A refusal in one sentence.
 * @param {unknown} error
 */
export function sentenceOf(error) {
  if (error instanceof Refused) return `${plain(error.code)}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}

/** @param {unknown} error */
function linesOf(error) {
  if (!(error instanceof Refused)) return null;
  const { rejections = [], checks = [], problems = [] } = error.problem;
  const lines = [
    ...rejections.map(rejectionWords),
    ...checks.filter(({ passed }) => !passed).map(gateCheckWords),
    ...problems.map(({ path, problem, allowed }) => `${path}: ${problem}. Allowed: ${allowed}`),
  ];
  if (lines.length === 0) return null;
  return h(
    'ul',
    {},
    lines.map((line) => h('li', {}, line)),
  );
}
