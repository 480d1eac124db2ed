/** Form of a sweep: thresholds with their values, and the windows of its walk-forward. */
import { h } from './dom.js';

/**
 * @param {object} options
 * @param {boolean} options.mayRun
 * @param {(request: { readonly parameters: readonly object[], readonly walkForward: object }) => void} options.onBegin
 */
export function sweepForm({ mayRun, onBegin }) {
  const lines = h('textarea', { rows: 3, required: true, placeholder: 'stopLossPct = 2, 4, 6\nentryConditions[0].value = 25, 30, 35' });
  const train = h('input', { type: 'number', min: 1, step: 1, value: 365, required: true });
  const test = h('input', { type: 'number', min: 1, step: 1, value: 91, required: true });
  const button = h('button', { type: 'submit', disabled: !mayRun, title: mayRun ? null : 'Requires trade:execute' }, 'Sweep');

  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    onBegin({
      parameters: parametersOf(lines.value),
      walkForward: { trainDays: Number(train.value), testDays: Number(test.value) },
    });
  }

  const element = h(
    'details',
    { class: 'options' },
    h('summary', {}, 'Parameter sweep with walk-forward'),
    h(
      'form',
      { class: 'sweep-form', onsubmit: submit },
      h('label', {}, 'Parameters, one per line, each with its values ', lines),
      h('label', {}, 'Training days ', train),
      h('label', {}, 'Test days ', test),
      button,
    ),
  );
  return { element, button };
}

/**
 * `stopLossPct = 2, 4` is a threshold with two values. A number stays the text that it is, so that no digit is lost where
 * the manifest wants a decimal text; the service says what fits.
 * @param {string} text
 */
export function parametersOf(text) {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [path = '', values = ''] = line.split('=');
      return { path: path.trim(), values: values.split(',').flatMap((value) => (value.trim() === '' ? [] : [numberOrText(value.trim())])) };
    });
}

/** @param {string} value */
function numberOrText(value) {
  const number = Number(value);
  return String(number) === value ? number : value;
}
