/** The way in: a token is pasted once and becomes a cookie that no script can read. */
import { fill, h } from './dom.js';
import { change } from './http.js';
import { sentenceOf } from './problem-note.js';

/**
 * @param {object} options
 * @param {string | null} options.reason Why one has to sign in (again).
 * @param {(until: string) => void} options.onSignedIn
 * @returns {HTMLElement}
 */
export function signInView({ reason, onSignedIn }) {
  const problem = h('p', { class: 'problem', role: 'alert' });
  const field = h('textarea', {
    id: 'token',
    name: 'token',
    rows: '4',
    required: true,
    spellcheck: 'false',
    autocomplete: 'off',
    autocapitalize: 'off',
    'aria-describedby': 'token-hint',
  });
  const button = h('button', { class: 'primary' }, 'Sign in');
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Sign in') return;
    event.preventDefault();
    form.requestSubmit();
  });
  const form = h(
    'form',
    { class: 'sign-in', onsubmit: submit },
    h('img', { src: '/console/icon.svg', alt: '', width: 44, height: 44 }),
    h('h1', {}, 'Sevengate'),
    reason === null ? null : h('p', { class: 'faint' }, reason),
    h('label', { for: 'token' }, 'Access token'),
    field,
    h(
      'p',
      { class: 'faint', id: 'token-hint' },
      'Issued by your identity provider. For local tokens, see the path that the service prints at startup.',
    ),
    problem,
    button,
  );

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    button.disabled = true;
    fill(problem);
    try {
      /** @type {{ readonly expiresAt: string }} */
      const { expiresAt } = await change('POST', '/v1/session', { token: field.value });
      field.value = '';
      onSignedIn(expiresAt);
    } catch (error) {
      fill(problem, sentenceOf(error));
      button.disabled = false;
      field.select();
    }
  }

  requestAnimationFrame(() => field.focus());
  return h('main', { class: 'sign-in-page' }, form);
}
