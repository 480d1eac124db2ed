/** Rows of a form: a label, its field, and beneath it what the API says is wrong with what stands there. */
import { fill, h, mark } from './dom.js';
import { Refused } from './http.js';

/** @typedef {{ readonly input: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement, readonly problem: HTMLElement, readonly element: HTMLElement }} Row */
/** @typedef {{ readonly name: string, readonly label: string, readonly kind: string, readonly form?: string, readonly hint?: string, readonly options?: readonly (readonly [value: string, word: string])[] }} RowField */

/** The field of a body or of an address, and where within it. */
const FIELD_OF = /^(?:\$|path)\.(\w+)(.*)$/;

/** @param {RowField} field `form` tells it from fields of the same name in other forms of the page; `json` and `lines` are long, `choice` has options, and every other kind but `text` is a number. @returns {Row} */
export function fieldRow({ name, label, kind, form = '', hint = '', options = [] }) {
  const isLong = kind === 'json' || kind === 'lines';
  const id = form === '' ? name : `${form}-${name}`;
  const common = { id: `field-${id}`, name, 'aria-describedby': `problem-${id}` };
  const written = { ...common, spellcheck: 'false', autocomplete: 'off', placeholder: hint };
  const input =
    kind === 'choice'
      ? h(
          'select',
          common,
          options.map(([value, word]) => h('option', { value }, word)),
        )
      : isLong
        ? h('textarea', { ...written, rows: 4 })
        : h('input', { ...written, type: 'text', inputmode: kind === 'text' ? 'text' : 'decimal' });
  const problem = h('p', { class: 'problem', id: `problem-${id}` });
  const element = h(
    'div',
    { class: `manifest-field${isLong ? ' is-long' : ''}` },
    h('label', { for: `field-${id}` }, label),
    input,
    problem,
  );
  return { input, problem, element };
}

/**
 * The rows of a form's fields in their order, by the names of the fields.
 * @param {readonly (readonly [name: string, label: string, kind: string, hint: string])[]} fields
 * @param {Readonly<Record<string, RowField['options']>>} options What may be chosen in a field.
 * @returns {ReadonlyMap<string, Row>}
 */
export function fieldRows(fields, options) {
  return new Map(fields.map(([name, label, kind, hint]) => [name, fieldRow({ name, label, kind, hint, options: options[name] ?? [] })]));
}

/** @param {Row} row */
export function clearProblem({ input, problem }) {
  fill(problem);
  mark(input, 'aria-invalid', null);
}

/**
 * Returns the problems of fields in a refusal: its list, or the one that its sentence begins with (`$.symbol: …`).
 * @param {unknown} error
 */
function problemsOf(error) {
  if (!(error instanceof Refused)) return [];
  const { problems = [] } = error.problem;
  if (problems.length > 0) return problems;
  const [, path, problem] = /^(\$\.\w+): (.*)$/s.exec(error.message) ?? [];
  return path === undefined || problem === undefined ? [] : [{ path, problem, allowed: null }];
}

/**
 * Each problem beside the field that its path names; what names none stands at the button.
 * @param {unknown} error
 * @param {ReadonlyMap<string, Row>} rows
 * @param {ReturnType<typeof import('./problem-note.js').createProblemNote>} note
 * @returns {boolean} True if every problem found its field.
 */
export function showProblems(error, rows, note) {
  const problems = problemsOf(error);
  /** @type {Row | null} */
  let first = null;
  let homeless = problems.length === 0;
  for (const { path, problem, allowed } of problems) {
    const [, name = '', inner = ''] = FIELD_OF.exec(path) ?? [];
    const row = rows.get(name);
    if (row === undefined) {
      homeless = true;
      continue;
    }
    first ??= row;
    mark(row.input, 'aria-invalid', 'true');
    const instead = allowed === null ? '' : `. Allowed: ${allowed}`;
    row.problem.append(h('span', {}, `${name}${inner}: ${problem}${instead}. `));
  }
  if (homeless) note.show(error);
  first?.input.focus();
  return !homeless;
}
