/** Actions for one agent: pause, resume, close positions, set autonomy, sign off, release, edit, duplicate. */
import { askDialog } from './ask-dialog.js';
import { h, mark } from './dom.js';
import { change, read } from './http.js';
import { plain, symbolOf } from './words.js';

/** @typedef {import('./wire.ts').Agent} Agent */

const AUTONOMY = ['research', 'suggest', 'confirm', 'risk_only', 'policy_auto', 'autonomous'];

/**
 * @param {object} options
 * @param {import('./shell.js').Context} options.context
 * @param {string} options.id
 * @param {AbortSignal} options.signal
 * @param {(agent: Partial<Agent>) => void} options.onChanged Told what the agent is now.
 */
export function agentActions({ context, id, signal, onChanged }) {
  const { me, fail, notify } = context;
  const may = allows(me);
  const button = buttons(may);
  const tools = { id, fail, notify, onChanged, signal };
  const pause = button(
    'Pause',
    'Stops deciding and cancels pending proposals',
    ['trade:execute', 'risk:manage'],
    () => void command(tools, 'pause', 'Paused.'),
  );
  const resume = button(
    'Resume',
    'Continues at the stage where it was paused',
    ['risk:manage'],
    () => void command(tools, 'resume', 'Resumed.'),
  );
  const release = button(
    'Release',
    'Ends the quarantine. The agent stays paused',
    ['risk:manage'],
    () => void command(tools, 'release', 'Released. It stays paused until you resume it.'),
  );
  const close = button(
    'Close positions',
    'Pauses the agent and sells its positions',
    ['trade:execute', 'risk:manage'],
    () => void askClosing(tools),
  );
  const autonomy = button('Autonomy', 'Sets what it may do without approval', ['trade:execute'], () =>
    askAutonomy(tools, agent?.autonomy ?? ''),
  );
  const signOff = button('Sign off', 'A risk manager who did not create the agent approves or refuses live capital', ['risk:manage'], () =>
    askSignOff(tools),
  );
  const edit = h('a', { href: `#/agents/${id}/edit`, hidden: !may(['trade:execute']) }, 'Edit');
  const clone = h('a', { href: `#/agents/${id}/clone`, hidden: !may(['trade:execute']) }, 'Clone');
  /** @type {Agent | null} */
  let agent = null;

  return {
    elements: [edit, clone, autonomy, signOff, close, pause, resume, release],
    /** @param {Agent} found */
    describe(found) {
      agent = found;
      pause.hidden = found.paused;
      resume.hidden = !found.paused;
      signOff.hidden = found.stage !== 'limited_live';
      mark(close, 'data-closing', found.closing.length === 0 ? null : String(found.closing.length));
    },
    /** @param {boolean} is */
    quarantine: (is) => (release.hidden = !is),
  };
}

/** @param {(any: readonly string[]) => boolean} may Makes a button that whoever may not press it sees disabled, with what it needs. */
function buttons(may) {
  /** @param {string} text @param {string} meaning @param {readonly string[]} needs @param {() => void} onclick */
  return (text, meaning, needs, onclick) => {
    const isAllowed = may(needs);
    return h(
      'button',
      { type: 'button', disabled: !isAllowed, title: isAllowed ? meaning : `Requires ${needs.join(' or ')}`, onclick },
      text,
    );
  };
}

/** @param {import('./wire.ts').Me} me @returns {(any: readonly string[]) => boolean} Whether one of these permissions is held. */
function allows({ permissions }) {
  return (any) => permissions.some((permission) => any.includes(permission));
}

/** @typedef {{ readonly id: string, readonly fail: (error: unknown) => void, readonly notify: (text: string) => void, readonly onChanged: (agent: Partial<Agent>) => void, readonly signal: AbortSignal }} Tools */

/** @param {Tools} tools @param {'pause' | 'resume' | 'release'} what @param {string} done */
async function command({ id, fail, notify, onChanged }, what, done) {
  try {
    onChanged(await change('POST', `/v1/agents/${id}/${what}`));
    notify(done);
  } catch (error) {
    fail(error);
    onChanged({});
  }
}

/** @param {Tools} tools */
async function askClosing({ id, fail, notify, onChanged, signal }) {
  try {
    /** @type {import('./wire.ts').Page<import('./wire.ts').Book>} */
    const { items } = await read(`/v1/books?agentId=${id}`, { signal });
    const held = [...new Set(items.flatMap(({ positions }) => positions.map(({ instrument }) => instrument)))];
    const which = h(
      'select',
      {},
      h('option', { value: '' }, 'all positions'),
      held.map((key) => h('option', { value: key }, symbolOf(key))),
    );
    const limit = h('input', { type: 'text', inputmode: 'decimal', autocomplete: 'off', size: 14, placeholder: 'at market' });
    askDialog({
      title: 'Close positions',
      text:
        held.length === 0
          ? 'No open positions. The agent is paused, and anything that still fills is sold.'
          : 'The agent is paused and its positions are sold, with a retry every minute until all are closed. Resuming the agent cancels this.',
      fields: [h('label', {}, 'Sell ', which), h('label', {}, 'Min price ', limit)],
      confirm: 'Close positions',
      isDangerous: true,
      fail,
      async carryOut() {
        const wish = {
          ...(which.value === '' ? {} : { instrument: which.value }),
          ...(limit.value.trim() === '' ? {} : { limitPrice: limit.value.trim() }),
        };
        onChanged(await change('POST', `/v1/agents/${id}/close`, wish));
        notify('Paused. Its positions are being sold.');
      },
    });
  } catch (error) {
    fail(error);
  }
}

/** @param {Tools} tools @param {string} now */
function askAutonomy({ id, fail, notify, onChanged }, now) {
  const level = h(
    'select',
    {},
    AUTONOMY.map((name) => h('option', { value: name, selected: name === now }, plain(name))),
  );
  askDialog({
    title: 'Autonomy',
    text: 'What the agent may do without approval: research places no orders, confirm asks before each one, autonomous never asks.',
    fields: [h('label', {}, 'Level ', level)],
    confirm: 'Set',
    fail,
    async carryOut() {
      onChanged(await change('POST', `/v1/agents/${id}/autonomy`, { autonomy: level.value }));
      notify(`Autonomy set to ${plain(level.value)}.`);
    },
  });
}

/** @param {Tools} tools */
function askSignOff({ id, fail, notify, onChanged }) {
  const word = h(
    'select',
    {},
    h('option', { value: 'true' }, 'approve live capital'),
    h('option', { value: 'false' }, 'refuse live capital'),
  );
  const comment = h('textarea', { rows: 3, maxlength: 2000 });
  askDialog({
    title: 'Sign off',
    text: 'The newest decision counts. It applies to this manifest and this stay at limited live only.',
    fields: [h('label', {}, 'Decision ', word), h('label', {}, 'Reason ', comment)],
    confirm: 'Sign off',
    fail,
    async carryOut() {
      const approved = word.value === 'true';
      await change('POST', `/v1/agents/${id}/sign-off`, { approved, comment: comment.value.trim() });
      notify(approved ? 'Signed off.' : 'Refused.');
      onChanged({});
    },
  });
}
