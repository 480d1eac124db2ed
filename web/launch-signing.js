/** Signing of a prepared launch: its transactions, by the wallet of its creator. */
import { fill, h, mark } from './dom.js';
import { change, read } from './http.js';
import { signingPlace } from './signing-place.js';

/** @typedef {import('./wire.ts').Launch} Launch */
/** @typedef {import('./wire.ts').LaunchTransaction} LaunchTransaction */

/** Remaining life below which it is prepared anew. */
const SPARE_MS = 10_000;
/** Ed25519 gives one message one signature, so that the payment which was made is the only one that can come of it. */
const SIGNS_AGAIN = ' signs the same payment transaction again. It cannot be charged twice.';

/**
 * Asks the service to prepare a launch, once for the same wish while what it made can still be signed.
 * @template {{ readonly expiresAt: string }} Made
 * @param {string} address
 * @returns {(wish: object, now: number) => Promise<Made>}
 */
export function madeOnce(address) {
  /** @type {{ readonly wish: string, readonly made: Made } | null} */
  let before = null;
  return async (wish, now) => {
    const written = JSON.stringify(wish);
    if (before?.wish === written && Date.parse(before.made.expiresAt) - now > SPARE_MS) return before.made;
    const made = /** @type {Made} */ (await change('POST', address, wish));
    before = { wish: written, made };
    return made;
  };
}

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
      const isDeclined = state === 'failed_paid';
      const isWaiting = state === 'prepared' || isDeclined;
      element.hidden = !isWaiting;
      if (element.getAttribute('data-waits') === (isWaiting ? state : null)) return;
      mark(element, 'data-waits', isWaiting ? state : null);
      if (!isWaiting) return fill(element);
      fill(
        element,
        h('h2', {}, isDeclined ? 'Retry with the launcher' : 'Signature required'),
        h('p', {}, 'The wallet ', h('code', {}, creator), isDeclined ? SIGNS_AGAIN : ' must sign within about a minute.'),
        maySign
          ? signingPlace(
              ({ transactionSigning }) =>
                transactionSigning({ prepare: () => (isDeclined ? paidOf(id) : preparedOf(id, kind)), fail, signal }),
              fail,
            )
          : h('p', { class: 'faint' }, 'Submitting requires trade:execute.'),
      );
    },
  };
}

/**
 * @param {string} id
 * @param {Launch['kind']} kind
 * @returns {Promise<import('./wallet-signing.js').Prepared>}
 * @throws Error if nothing waits to be signed any more.
 */
async function preparedOf(id, kind) {
  /** @type {{ readonly items: readonly LaunchTransaction[] }} */
  const { items } = await read(`/v1/launches/${id}/transactions`);
  const waiting = items.filter(({ state }) => state === 'prepared');
  const [first] = waiting;
  if (first === undefined || waiting.length < items.length) throw new Error('These transactions have expired. Prepare the launch again.');
  return {
    unsigned: waiting.map(({ transaction }) => transaction),
    signer: first.wallet,
    handIn: (signed) => submitLaunch(id, kind, signed),
  };
}

/**
 * The payment of a launch that the launcher declined, to be handed in again.
 * @param {string} id
 * @returns {Promise<import('./wallet-signing.js').Prepared>}
 */
async function paidOf(id) {
  /** @type {{ readonly items: readonly LaunchTransaction[] }} */
  const { items } = await read(`/v1/launches/${id}/transactions`);
  const [paid] = items;
  if (paid === undefined) throw new Error('The payment of this launch was not found.');
  return { unsigned: [paid.transaction], signer: paid.wallet, handIn: (signed) => submitLaunch(id, 'launcher', signed) };
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
