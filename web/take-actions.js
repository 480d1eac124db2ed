/** Actions for a Take: arm, disarm, close, fork, publish, turn into an agent. */
import { askDialog } from './ask-dialog.js';
import { h } from './dom.js';
import { change } from './http.js';
import { createProblemNote } from './problem-note.js';

/** @typedef {import('./wire.ts').Take} Take */

/**
 * @param {object} options
 * @param {import('./shell.js').Context} options.context
 * @param {string} options.id
 * @param {string} options.address Of the Take in the API.
 * @param {(take: Take) => void} options.onChanged Receives the Take as a command left it.
 */
export function takeActions({ context: { me, fail, notify }, id, address, onChanged }) {
  const note = createProblemNote(fail);
  const live = h('input', { type: 'checkbox' });
  let isAsking = false;
  /** @type {Take | null} */
  let take = null;
  const buttons = {
    arm: button('Arm', () => confirmOpen(take, 'arm', fail, (body) => act('/v1/takes/arm', { ...body, mode: modeOf(live) }))),
    disarm: button('Disarm', () => act(`${address}/disarm`)),
    close: button('Close position', () => act(`${address}/close`)),
    fork: button('Fork', () => make(notify, '/v1/takes/fork', { takeId: id })),
    publish: button('Publish', () => act(`${address}/publish`)),
    tokenize: button('Convert to agent', () => confirmOpen(take, 'convert to agent', fail, (body) => makeAgent(notify, body))),
  };

  /** @param {string} text @param {() => Promise<void>} call */
  function button(text, call) {
    return h('button', { type: 'button', disabled: true, onclick: () => void ask(call) }, text);
  }

  /** @param {() => Promise<void>} call */
  async function ask(call) {
    isAsking = true;
    note.clear();
    draw();
    try {
      await call();
    } catch (error) {
      note.show(error);
    } finally {
      isAsking = false;
      draw();
    }
  }

  /** @param {string} path @param {unknown} [body] */
  async function act(path, body) {
    onChanged(/** @type {Take} */ (await change('POST', path, body)));
  }

  function draw() {
    if (take === null) return;
    const allowed = allowedOf(take, me.permissions);
    for (const [name, one] of Object.entries(buttons)) one.disabled = isAsking || allowed[name] !== true;
  }

  const { arm: first, ...others } = buttons;
  return {
    element: h('div', { class: 'actions' }, first, h('label', {}, live, ' with real money'), Object.values(others)),
    /** Place of a refusal. */
    problem: note.element,
    /** @param {Take} shown */
    show(shown) {
      take = shown;
      draw();
    },
  };
}

/**
 * Asks for the readings that a Take leaves open before something is done with it.
 * @param {Take | null} take
 * @param {'arm' | 'convert to agent'} deed
 * @param {(error: unknown) => void} fail
 * @param {(body: { readonly takeId: string, readonly confirm?: readonly string[] }) => Promise<void>} carryOut
 */
async function confirmOpen(take, deed, fail, carryOut) {
  if (take === null) return;
  const { id: takeId, open: confirm } = take;
  if (confirm.length === 0) return carryOut({ takeId });
  askDialog({
    title: 'Confirm open questions',
    text: 'Your thesis was read as:',
    fields: [h('ul', { class: 'understood' }, ...confirm.map((one) => h('li', {}, one)))],
    confirm: `Confirm and ${deed}`,
    carryOut: () => carryOut({ takeId, confirm }),
    fail,
  });
}

/** @param {HTMLInputElement} live */
const modeOf = (live) => (live.checked ? 'live' : 'paper');

/** @param {(text: string) => void} notify @param {{ readonly takeId: string, readonly confirm?: readonly string[] }} body */
const makeAgent = (notify, body) => make(notify, '/v1/takes/tokenize', { ...body, as: 'agent' });

/** Leads to what was made of a Take. @param {(text: string) => void} notify @param {string} path @param {unknown} body */
async function make(notify, path, body) {
  /** @type {{ readonly id?: string, readonly agent?: { readonly id: string } | null }} */
  const { id, agent } = await change('POST', path, body);
  notify(agent ? 'Draft agent created.' : 'Forked into a new draft.');
  location.hash = agent ? `#/agents/${agent.id}` : `#/takes/${id}`;
}

/**
 * Returns the buttons that its state and the role allow.
 * @param {Take} take
 * @param {readonly string[]} permissions
 * @returns {{ readonly [button: string]: boolean }}
 */
function allowedOf({ state, reason, onDuty, published }, permissions) {
  const mayTrade = permissions.includes('trade:execute');
  const mayStop = mayTrade || permissions.includes('risk:manage');
  const isHolding = state === 'filled' || (state === 'disarmed' && reason !== 'closing');
  return {
    arm: mayTrade && (state === 'draft' || state === 'disarmed'),
    disarm: mayStop && onDuty,
    close: mayStop && isHolding,
    fork: mayTrade,
    publish: mayTrade && !published,
    tokenize: mayTrade,
  };
}
