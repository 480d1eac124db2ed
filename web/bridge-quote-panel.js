/** A quote for a transfer between the chains: the form that asks, what it costs and brings, and where the signed transaction is handed in. */
import { fill, h, say } from './dom.js';
import { change } from './http.js';
import { CHAIN_WORDS, walletName } from './linked-wallets.js';
import { may } from './permissions.js';
import { createProblemNote } from './problem-note.js';
import { signingPlace } from './signing-place.js';
import { dataTable, factList, number } from './tables.js';
import { clockAndZone, plain } from './words.js';

/** @typedef {import('./wire.ts').BridgeTransfer} BridgeTransfer */
/** @typedef {import('./wire.ts').LinkedWallet} LinkedWallet */

const CHAINS = /** @type {const} */ (['spotchain', 'evmvenue']);

/**
 * @param {object} options
 * @param {import('./shell.js').Context} options.context
 * @param {AbortSignal} options.signal
 * @param {(transfer: BridgeTransfer) => void} options.onSubmitted
 */
export function bridgeQuotePanel({ context: { me, fail }, signal, onSubmitted }) {
  const maySubmit = me.permissions.includes('trade:execute');
  const problem = createProblemNote(fail);
  const note = h('p', { class: 'faint', role: 'status' });
  const place = h('div', { class: 'bridge-quote' });
  const wish = wishFields();
  const ask = h('button', { type: 'submit', class: 'primary', disabled: !may('market:read') }, 'Quote');
  if (ask.disabled) ask.title = 'Requires market:read';
  /** @param {Event} event */
  async function quote(event) {
    event.preventDefault();
    problem.clear();
    fill(place);
    ask.disabled = true;
    say(note, 'Requesting quotes from all providers…');
    try {
      /** @type {BridgeTransfer} */
      const made = await change('POST', '/v1/bridge/quote', wish.asked());
      say(note, `Valid until ${clockAndZone(made.expiresAt)}. Nothing is sent before you sign.`);
      fill(
        place,
        quoted(made),
        maySubmit ? inWallet({ made, onSubmitted, fail, signal }) : null,
        submission({ made, maySubmit, fail, onSubmitted, submitted }),
      );
    } catch (error) {
      say(note, '');
      problem.show(error);
    } finally {
      ask.disabled = false;
    }
  }

  function submitted() {
    fill(place);
    say(note, 'Submitted.');
  }

  return {
    element: h(
      'div',
      { class: 'panel bridge-quote-panel' },
      h('div', { class: 'panel-head' }, h('h2', {}, 'New transfer'), note),
      h('form', { class: 'wallet-form', onsubmit: (/** @type {Event} */ event) => void quote(event) }, wish.labels, ask),
      problem.element,
      place,
    ),
    /** Offers them where a sender or a recipient is named. @param {readonly LinkedWallet[]} wallets */
    offer: wish.offer,
  };
}

/** Creates the fields of a transfer: the inputs, their values, and the linked wallets offered in them. */
function wishFields() {
  const from = h(
    'select',
    { onchange: () => offerWallets() },
    CHAINS.map((chain) => h('option', { value: chain }, CHAIN_WORDS[chain])),
  );
  const amount = h('input', { type: 'text', inputmode: 'decimal', autocomplete: 'off', size: 10, placeholder: '250.00', required: true });
  const senders = h('datalist', { id: 'bridge-senders' });
  const recipients = h('datalist', { id: 'bridge-recipients' });
  const sender = h('input', { type: 'text', list: 'bridge-senders', autocomplete: 'off', spellcheck: 'false', size: 46, required: true });
  const recipient = h('input', {
    type: 'text',
    list: 'bridge-recipients',
    autocomplete: 'off',
    spellcheck: 'false',
    size: 46,
    required: true,
  });
  const preference = h('select', {}, h('option', { value: 'received' }, 'amount received'), h('option', { value: 'speed' }, 'speed'));
  /** @type {readonly LinkedWallet[]} */
  let linked = [];

  const to = () => (from.value === 'spotchain' ? 'evmvenue' : 'spotchain');

  function offerWallets() {
    const optionsOf = (/** @type {string} */ chain) =>
      linked.filter((wallet) => wallet.chain === chain).map((wallet) => h('option', { value: wallet.address }, walletName(wallet)));
    fill(senders, optionsOf(from.value));
    fill(recipients, optionsOf(to()));
  }

  return {
    labels: [
      h('label', {}, 'From the ', from),
      h('label', {}, 'Amount in USDC ', amount),
      h('label', {}, 'Sender ', sender),
      h('label', {}, 'Recipient ', recipient),
      h('label', {}, 'Choose by ', preference),
      senders,
      recipients,
    ],
    asked: () => ({
      from: from.value,
      to: to(),
      token: 'USDC',
      amount: amount.value.trim(),
      sender: sender.value.trim(),
      recipient: recipient.value.trim(),
      preference: preference.value,
    }),
    /** @param {readonly LinkedWallet[]} wallets */
    offer(wallets) {
      linked = wallets;
      offerWallets();
    },
  };
}

/**
 * Creates the form for a transaction that was signed elsewhere.
 * @param {{ made: BridgeTransfer, maySubmit: boolean, fail: (error: unknown) => void, onSubmitted: (transfer: BridgeTransfer) => void, submitted: () => void }} options
 */
function submission({ made: { id }, maySubmit, fail, onSubmitted, submitted }) {
  const refusal = createProblemNote(fail);
  const title = maySubmit ? null : 'Requires trade:execute';
  const signed = h('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', size: 60, required: true, disabled: !maySubmit });
  const hand = h('button', { type: 'submit', class: 'primary', disabled: !maySubmit, title }, 'Submit');
  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    refusal.clear();
    hand.disabled = true;
    try {
      const given = signed.value.trim();
      const body = { quoteId: id, ...(isHash(given) ? { hash: given } : { signedTransaction: given }) };
      onSubmitted(await change('POST', '/v1/bridge/submission', body));
      submitted();
    } catch (error) {
      refusal.show(error);
    } finally {
      hand.disabled = !maySubmit;
    }
  }
  return h(
    'form',
    { class: 'wallet-form', onsubmit: (/** @type {Event} */ event) => void submit(event) },
    h('label', {}, 'Signed transaction, or its hash if the wallet sent it ', signed),
    hand,
    refusal.element,
  );
}

/**
 * A hash of either chain is told from signed bytes by its length.
 * @param {string} given
 */
function isHash(given) {
  return /^0x[0-9a-f]{64}$/.test(given) || /^[1-9A-HJ-NP-Za-km-z]{64,90}$/.test(given);
}

/** @param {BridgeTransfer} quote */
function quoted({ provider, providerKind, minimumReceived, expectedReceived, estimatedSeconds, fees, route, explanation, transaction }) {
  return h(
    'div',
    {},
    factList([
      ['Provider', `${provider}, ${plain(providerKind)}`],
      ['Minimum received', number(minimumReceived)],
      ['Expected amount', number(expectedReceived)],
      ['Estimated time', `${estimatedSeconds} s`],
    ]),
    h('p', { class: 'bridge-words' }, explanation),
    dataTable({
      caption: 'Fees',
      head: ['fee', 'USD', ''],
      rows: fees.map(({ name, amountUsd, included }) => [
        name,
        number(amountUsd),
        included ? 'deducted from the amount' : 'added to the amount',
      ]),
    }),
    h(
      'ol',
      { class: 'bridge-route' },
      route.map((step) => h('li', {}, step)),
    ),
    h(
      'details',
      { class: 'options' },
      h('summary', {}, 'Transaction to sign'),
      h(
        'pre',
        { class: 'wallet-text', tabindex: '0', role: 'region', 'aria-label': 'Unsigned transaction' },
        transaction.kind === 'evm' ? JSON.stringify(transaction, null, 2) : transaction.unsigned,
      ),
    ),
  );
}

/**
 * Signed by a wallet of this browser, and handed in at once.
 * @param {{ made: BridgeTransfer, onSubmitted: (transfer: BridgeTransfer) => void, fail: (error: unknown) => void, signal: AbortSignal }} options
 */
function inWallet({ made: { id, transaction }, onSubmitted, fail, signal }) {
  const handIn = async (/** @type {{ readonly hash: string } | { readonly signedTransaction: string }} */ signed) => {
    onSubmitted(await change('POST', '/v1/bridge/submission', { quoteId: id, ...signed }));
  };
  return signingPlace(({ transactionSigning, callSending }) => {
    if (transaction.kind === 'evm') return callSending({ transaction, handIn: (hash) => handIn({ hash }), fail, signal });
    const { unsigned, wallet: signer } = transaction;
    const take = (/** @type {readonly string[]} */ [signedTransaction = '']) => handIn({ signedTransaction });
    return transactionSigning({ prepare: async () => ({ unsigned: [unsigned], signer, handIn: take }), fail, signal });
  }, fail);
}
