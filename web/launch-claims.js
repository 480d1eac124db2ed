/** Claims of a launch's creator and partner: one kind at a time, signed by the payee. */
import { fill, h, say } from './dom.js';
import { change, read } from './http.js';
import { signingPlace } from './signing-place.js';
import { factList, number } from './tables.js';
import { plain } from './words.js';

/** @typedef {import('./api.ts').LaunchClaim} Claim */

const LOOK_MS = 1_000;
const KINDS = /** @type {const} */ ([
  ['fees', 'trading fees'],
  ['surplus', 'surplus above the threshold'],
  ['migration_fee', 'migration fee'],
  ['unlocked', 'unlocked tokens'],
]);
const CLAIMERS = /** @type {const} */ (['creator', 'partner']);
/** Before it trades nothing can wait. */
const CLAIMED_IN = ['trading', 'graduating', 'graduated'];
const ENDED = ['finalized', 'expired', 'refused', 'failed'];

/**
 * @param {import('./shell.js').Context} context
 * @param {string} launchId
 * @param {AbortSignal} signal
 */
export function launchClaims({ me, fail }, launchId, signal) {
  const mayClaim = me.permissions.includes('trade:execute');
  const title = mayClaim ? null : 'Requires trade:execute';
  const kind = h(
    'select',
    { disabled: !mayClaim, title },
    KINDS.map(([value, word]) => h('option', { value }, word)),
  );
  const as = h(
    'select',
    { disabled: !mayClaim, title },
    CLAIMERS.map((value) => h('option', { value }, value)),
  );
  const facts = h('div', {});
  const note = h('p', { class: 'faint', role: 'status' });
  const element = h(
    'div',
    { class: 'panel launch-claims', hidden: true },
    h('div', { class: 'panel-head' }, h('h2', {}, 'Claims'), note),
    h('div', { class: 'wallet-form' }, h('label', {}, 'Claim ', kind), h('label', {}, 'paid to the ', as)),
    mayClaim
      ? signingPlace(({ transactionSigning }) => transactionSigning({ prepare, fail, signal }), fail)
      : h('p', { class: 'faint' }, 'Claiming requires trade:execute.'),
    facts,
  );

  /** @returns {Promise<import('./wallet-signing.js').Prepared>} */
  async function prepare() {
    say(note, '');
    /** @type {Claim} */
    const claim = await change('POST', `/v1/launches/${launchId}/claims`, { kind: kind.value, as: as.value });
    fill(facts, claimFacts(claim));
    const address = `/v1/launches/${launchId}/claims/${claim.id}`;
    return {
      unsigned: [claim.transaction],
      signer: claim.wallet,
      async handIn([signedTransaction]) {
        await change('POST', `${address}/submit`, { signedTransaction });
        followed(address, (words) => say(note, words), signal).catch((error) => {
          if (!signal.aborted) fail(error);
        });
      },
    };
  }

  return {
    element,
    /** @param {import('./wire.ts').Launch} launch */
    show({ kind: launched, state }) {
      element.hidden = launched !== 'curve' || !CLAIMED_IN.includes(state);
    },
  };
}

/**
 * Says where a claim stands until it has ended.
 * @param {string} address
 * @param {(words: string) => void} tell
 * @param {AbortSignal} signal
 */
async function followed(address, tell, signal) {
  for (;;) {
    // Each look follows the one before it.
    // oxlint-disable-next-line no-await-in-loop
    const { state, reason, detail } = /** @type {Claim} */ (await read(address, { signal }));
    tell(reason === null ? `The claim is ${plain(state)}.` : `The claim is ${plain(state)}: ${detail ?? plain(reason)}`);
    if (ENDED.includes(state)) return;
    // oxlint-disable-next-line no-await-in-loop
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    signal.throwIfAborted();
  }
}

/** @param {Claim} claim */
function claimFacts({ wallet, mint, quoteMint, quoteAmount, baseAmount }) {
  return factList([
    ['Signs and receives', h('code', {}, wallet)],
    ['Quote amount (raw units)', h('span', { title: quoteMint }, number(quoteAmount))],
    ['Token amount (raw units)', h('span', { title: mint }, number(baseAmount))],
  ]);
}
