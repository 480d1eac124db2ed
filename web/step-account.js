/** All that one step did, as a page of sections: its event, the guards with what they read, what changed, and what it asked for. */
import { h } from './dom.js';
import { dayAndTime, eventWord, plain, zoneWord } from './words.js';

/** @typedef {import('./api.ts').StepAccount} StepAccount */
/** @typedef {{ readonly path: string, readonly before: unknown, readonly after: unknown }} Change */

/** @param {StepAccount} account */
export function stepAccount(account) {
  const { event, guards, changes, timers, activities, records, announcements, context } = account;
  const { type, ...fields } = event;
  return h(
    'div',
    { class: 'account', 'data-account': account.version },
    section('Event', [h('p', {}, h('strong', {}, eventWord(String(type)))), fieldTable(fields)]),
    section('Guards', guards.map(guardLine), 'No guards.'),
    section('Changed', changes.length === 0 ? [] : [changeTable(changes)], 'No changes.'),
    section('Timers', timers.map(timerLine), 'No timers set or cleared.'),
    section('Activities', activities.map(activityLine), 'No activities.'),
    section('Records', records.map(dataLine), 'No records.'),
    section(
      'Events published',
      announcements.map(({ channel, body }) => unfolding(plain(String(channel)), body)),
      'No events.',
    ),
    h('section', {}, unfolding('Full context after this step', context)),
  );
}

/**
 * Creates the result of an event in a branch: shorter than the account of a step, in the same words.
 * @param {import('./api.ts').ActorBranch['steps'][number]} step
 */
export function branchAccount({ taken, refusal, changes, timers, activities, records }) {
  const count = (/** @type {readonly unknown[]} */ all, /** @type {string} */ one) =>
    all.length === 0 ? '' : `${all.length} ${one}${all.length === 1 ? '' : 's'}`;
  const words = [count(timers, 'timer change'), count(activities, 'activity request'), count(records, 'record')].filter(
    (word) => word !== '',
  );
  if (refusal !== null) return h('p', { class: 'problem' }, `refused, ${plain(refusal.code ?? '')}: ${refusal.detail ?? ''}`);
  if (!taken) return h('p', { class: 'faint' }, 'No transition: the state does not accept this event, or a guard blocked it.');
  return h(
    'div',
    {},
    changes.length === 0 ? null : changeTable(changes),
    h('p', { class: 'faint' }, words.length === 0 ? 'It would have no side effects.' : `It would request ${words.join(', ')}.`),
  );
}

/**
 * @param {string} title
 * @param {readonly HTMLElement[]} content
 * @param {string} [none] Said where there is no content.
 */
function section(title, content, none = '') {
  return h('section', {}, h('h2', {}, title), content.length === 0 ? h('p', { class: 'faint' }, none) : content);
}

/** @param {StepAccount['guards'][number]} guard */
function guardLine({ guard, params, passed, inputs }) {
  const given = params === null ? '' : ` (${shortJson(params)})`;
  return h(
    'div',
    { class: 'guard', 'data-passed': String(passed) },
    h('p', {}, h('span', { class: `badge ${passed ? 'good' : 'bad'}` }, passed ? 'yes' : 'no'), ` ${guard}${given}`),
    inputs.length === 0
      ? null
      : h(
          'dl',
          { class: 'fields' },
          inputs.flatMap(({ path, value }) => [h('dt', {}, path), h('dd', {}, h('code', {}, shortJson(value)))]),
        ),
  );
}

/** @param {readonly Change[]} changes */
function changeTable(changes) {
  return h(
    'dl',
    { class: 'fields changes' },
    changes.flatMap(({ path, before, after }) => [
      h('dt', {}, path),
      h(
        'dd',
        {},
        h('code', {}, h('del', {}, shortJson(before)), h('span', { class: 'unseen' }, ' became '), ' ', h('ins', {}, shortJson(after))),
      ),
    ]),
  );
}

/** @param {{ readonly [name: string]: unknown }} timer */
function timerLine({ op, timerId, dueAt, event }) {
  if (op === 'cancel') return h('p', {}, `cleared ${eventWord(String(timerId))}`);
  const type = /** @type {{ readonly type?: string }} */ (event ?? {}).type ?? timerId;
  return h('p', {}, `set ${eventWord(String(type))} for ${dayAndTime(Number(dueAt))}`);
}

/** @param {StepAccount['activities'][number]} activity */
function activityLine({ kind, payload, fate }) {
  const known =
    /** @type {{ readonly state: string, readonly attempts: number, readonly answer: unknown, readonly endedAt: string | null } | null} */ (
      fate
    );
  const ended = known === null || known.endedAt === null ? '' : ` at ${dayAndTime(known.endedAt)}`;
  const state =
    known === null
      ? 'no longer stored'
      : `${plain(known.state)}${ended}, ${known.attempts} ${known.attempts === 1 ? 'attempt' : 'attempts'}`;
  return h(
    'div',
    { class: 'activity' },
    h('p', {}, h('strong', {}, plain(kind)), `, ${state}`),
    unfolding('asked', payload),
    known === null || known.answer === null ? null : unfolding('answered', known.answer),
  );
}

/** @param {{ readonly [name: string]: unknown }} record */
function dataLine({ type, ...fields }) {
  return unfolding(plain(String(type)), fields);
}

/** @param {{ readonly [name: string]: unknown }} fields */
function fieldTable(fields) {
  return h(
    'dl',
    { class: 'fields' },
    Object.entries(fields).flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, h('code', {}, shortJson(value)))]),
  );
}

/** @param {string} title @param {unknown} value */
function unfolding(title, value) {
  const details = h('details', { class: 'json' }, h('summary', {}, title));
  // Most are never opened.
  details.addEventListener('toggle', () => {
    if (details.open && details.childElementCount === 1)
      details.append(h('pre', { tabindex: '0', role: 'region', 'aria-label': title }, JSON.stringify(value, null, 2)));
  });
  return details;
}

/** Between these a number is an instant in milliseconds. */
const FIRST_INSTANT = Date.UTC(2015);
const LAST_INSTANT = Date.UTC(2100);
const SHORT = 160;

/** @param {unknown} value */
function shortJson(value) {
  // An instant among the fields of a step is a number of milliseconds; as JSON below it stands as it is.
  if (typeof value === 'number' && value > FIRST_INSTANT && value < LAST_INSTANT) return `${dayAndTime(value)} ${zoneWord()}`;
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > SHORT ? `${text.slice(0, SHORT)}…` : text;
}
