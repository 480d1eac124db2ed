/** What a prepared launch waits for: its transactions, signed by the wallet of its creator. */
import { fill, h, mark } from './dom.js';
import { change, read } from './http.js';
import { signingPlace } from './signing-place.js';

/** @typedef {import('./wire.ts').Launch} Launch */
/** @typedef {import('./wire.ts').LaunchTransaction} LaunchTransaction */

/**
 * Offers the wallets of this browser for as long as the launch waits for one.
 * @param {import('./shell.js').Context} context
 * @param {string} id
 * @param {AbortSignal} signal
 */
export function launchSigning({ me, fail }, id, signal) {
  const element = h('div', { class: 'panel launch-signing', hidden: true });
  const maySign = me.permissions.includes('trade:execute');
  return {
    element,
    /** @param {Launch} launch */
    show({ state, kind, creator }) {
      const isWaiting = state === 'prepared';
      element.hidden = !isWaiting;
      if (element.getAttribute('data-waits') === (isWaiting ? creator : null)) return;
      mark(element, 'data-waits', isWaiting ? creator : null);
      if (!isWaiting) return fill(element);
      fill(
        element,
        h('h2', {}, 'Waits for a signature'),
        h('p', {}, 'The wallet ', h('code', {}, creator), ' signs what was prepared, within about a minute.'),
        maySign
          ? signingPlace(({ transactionSigning }) => transactionSigning({ prepare: () => preparedOf(id, kind), fail, signal }), fail)
          : h('p', { class: 'faint' }, 'Handing it in needs trade:execute.'),
      );
    },
  };
}

/**
 * @param {string} id
 * @param {Launch['kind']} kind
 * @returns {Promise<import('./wallet-signing.js').Prepared>}
 * @throws Error where nothing waits to be signed any more.
 */
async function preparedOf(id, kind) {
  /** @type {{ readonly items: readonly LaunchTransaction[] }} */
  const { items } = await read(`/v1/launches/${id}/transactions`);
  const waiting = items.filter(({ state }) => state === 'prepared');
  const [first] = waiting;
  if (first === undefined || waiting.length < items.length)
    throw new Error('Its transactions cannot be signed any more: prepare the launch anew.');
  return {
    unsigned: waiting.map(({ transaction }) => transaction),
    signer: first.wallet,
    handIn: (signed) => submitLaunch(id, kind, signed),
  };
}

/**
 * Hands the signed transactions of a launch in, or its payment.
 * @param {string} id
 * @param {Launch['kind']} kind
 * @param {readonly string[]} signed
 * @returns {Promise<Launch>}
 */
export function submitLaunch(id, kind, signed) {
  return change('POST', `/v1/launches/${id}/submit`, kind === 'curve' ? { transactions: signed } : { payment: signed[0] });
}
