/** Wallets that their owners have proved: how pages name them and offer them, and the forms that prove another one. */
import { fill, h, say } from './dom.js';
import { change, read } from './http.js';
import { createProblemNote } from './problem-note.js';
import { signingPlace } from './signing-place.js';
import { dataTable } from './tables.js';
import { clockAndZone, dayAndTime } from './words.js';

/** @typedef {import('./wire.ts').LinkedWallet} LinkedWallet */

const READ_AT_ONCE = 200;
/** Names of the chains on pages. */
export const CHAIN_WORDS = /** @type {{ readonly [chain: string]: string }} */ ({ spotchain: 'primary chain', evmvenue: 'EVM chain' });

/**
 * The newest linked wallets of the organization.
 * @param {AbortSignal} signal
 * @returns {Promise<readonly LinkedWallet[]>}
 */
export async function readLinkedWallets(signal) {
  /** @type {import('./wire.ts').Page<LinkedWallet>} */
  const { items } = await read(`/v1/wallets?limit=${READ_AT_ONCE}`, { signal });
  return items;
}

/**
 * `0x1234…abcd` of an address.
 * @param {string} address
 */
export function shortAddress(address) {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}

/**
 * `cold 0x1234…abcd`, or the address alone where the wallet has no label.
 * @param {LinkedWallet} wallet
 */
export function walletName({ label, address }) {
  return label === null ? shortAddress(address) : `${label} ${shortAddress(address)}`;
}

/**
 * Buttons that put linked wallets where one would write their addresses; none where none is linked.
 * @param {object} options
 * @param {(wallet: LinkedWallet) => void} options.onPick
 * @param {(error: unknown) => void} options.fail
 * @param {AbortSignal} options.signal
 */
export function walletButtons({ onPick, fail, signal }) {
  const element = h('span', { class: 'wallet-buttons', role: 'group', 'aria-label': 'Linked wallets', hidden: true });
  const draw = (/** @type {readonly LinkedWallet[]} */ wallets) => {
    element.hidden = wallets.length === 0;
    fill(
      element,
      wallets.map((wallet) => h('button', { type: 'button', title: wallet.address, onclick: () => onPick(wallet) }, walletName(wallet))),
    );
  };
  readLinkedWallets(signal).then(draw, (error) => {
    if (!signal.aborted) fail(error);
  });
  return element;
}

/**
 * The linked wallets, and the two steps that link another one: a text is asked for, and its signature is handed in.
 * @param {object} options
 * @param {import('./shell.js').Context} options.context
 * @param {AbortSignal} options.signal
 * @param {(wallets: readonly LinkedWallet[]) => void} options.onChange Told whenever they were read.
 */
export function linkedWalletsPanel({ context: { fail, notify }, signal, onChange }) {
  const note = h('p', { class: 'faint', role: 'status' }, 'Loading…');
  const list = h('div', {});
  const problem = createProblemNote(fail);
  const address = h('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', size: 46, required: true });
  const label = h('input', { type: 'text', autocomplete: 'off', maxlength: 60, size: 14 });
  const signature = h('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', size: 46 });
  const text = h('pre', { class: 'wallet-text', tabindex: '0', role: 'region', 'aria-label': 'Text to sign' });
  const prove = h('button', { type: 'button', class: 'primary', onclick: () => void link() }, 'Link');
  const here = h('div', {});
  const signing = h(
    'div',
    { class: 'wallet-signing', hidden: true },
    text,
    here,
    h('div', { class: 'wallet-form' }, h('label', {}, 'Signature ', signature), h('label', {}, 'Label ', label), prove),
  );
  const asking = h(
    'form',
    { class: 'wallet-form', onsubmit: (/** @type {Event} */ event) => void challenge(event) },
    h('label', {}, 'Address (primary or EVM chain) ', address),
    h('button', { type: 'submit' }, 'Create text to sign'),
  );

  async function refresh() {
    try {
      const wallets = await readLinkedWallets(signal);
      say(note, wallets.length === 0 ? 'No linked wallets yet.' : 'Linking proves ownership. It grants no permission.');
      fill(list, wallets.length === 0 ? null : walletTable(wallets));
      onChange(wallets);
    } catch (error) {
      if (signal.aborted) return;
      say(note, 'The linked wallets could not be loaded.');
      fail(error);
    }
  }

  /** @param {Event} event */
  async function challenge(event) {
    event.preventDefault();
    problem.clear();
    signing.hidden = true;
    try {
      /** @type {import('./api.ts').WalletChallenge} */
      const made = await change('POST', '/v1/wallets/challenge', { address: address.value.trim() });
      address.value = made.address;
      say(text, made.text);
      signature.value = '';
      signing.hidden = false;
      fill(here, proofInWallet({ made, handIn, fail, signal }));
      say(note, `Sign this text with the wallet before ${clockAndZone(made.expiresAt)}.`);
    } catch (error) {
      problem.show(error);
    }
  }

  const handIn = (/** @type {string} */ signed) => {
    signature.value = signed;
    return link();
  };

  async function link() {
    problem.clear();
    prove.disabled = true;
    try {
      const named = label.value.trim();
      const body = { address: address.value.trim(), signature: signature.value.trim(), ...(named === '' ? {} : { label: named }) };
      /** @type {LinkedWallet} */
      const linked = await change('POST', '/v1/wallets', body);
      notify(`Linked: ${walletName(linked)}.`);
      signing.hidden = true;
      address.value = label.value = '';
      void refresh();
    } catch (error) {
      problem.show(error);
    } finally {
      prove.disabled = false;
    }
  }

  void refresh();
  return h(
    'div',
    { class: 'panel linked-wallets' },
    h('div', { class: 'panel-head' }, h('h2', {}, 'Linked wallets'), note),
    list,
    asking,
    signing,
    problem.element,
  );
}

/** @param {readonly LinkedWallet[]} wallets */
function walletTable(wallets) {
  return dataTable({
    caption: 'Linked wallets',
    head: ['wallet', 'chain', 'address', 'linked by', 'at'],
    rows: wallets.map(({ label, address, chain, provedBy, provedAt }) => [
      label ?? shortAddress(address),
      CHAIN_WORDS[chain] ?? chain,
      h('code', {}, address),
      provedBy,
      dayAndTime(provedAt),
    ]),
  });
}

/**
 * The wallets of this browser, for what proves an address: typed data on the EVM chain, a text on the primary chain.
 * @param {{ made: import('./api.ts').WalletChallenge, handIn: (signed: string) => Promise<void>, fail: (error: unknown) => void, signal: AbortSignal }} options
 */
function proofInWallet({ made, handIn, fail, signal }) {
  const { address, text, typedData } = made;
  if (typedData === null) return signingPlace(({ textSigning }) => textSigning({ address, text, handIn, fail, signal }), fail);
  if (!isProofOf(typedData, text, address))
    return h('p', { class: 'problem', role: 'alert' }, 'Not signed: the typed data differs from the text.');
  return signingPlace(({ typedDataSigning }) => typedDataSigning({ address, typedData, handIn, fail, signal }), fail);
}

/**
 * True if typed data is the same proof as the text and nothing else: a wallet that signs a permit of a token gives it away.
 * @param {NonNullable<import('./api.ts').WalletChallenge['typedData']>} typedData
 * @param {string} text
 * @param {string} address
 */
function isProofOf({ domain, types, primaryType, message }, text, address) {
  const lines = text.split('\n');
  const { wallet, statement, ...fields } = message;
  const names = (/** @type {{ readonly [name: string]: unknown }} */ object) => Object.keys(object).sort().join();
  const typed = /** @type {{ readonly [type: string]: readonly { readonly name: string }[] }} */ (types)[primaryType] ?? [];
  return (
    primaryType === 'WalletProof' &&
    domain.name === 'Sevengate' &&
    names(domain) === 'chainId,name,version' &&
    names(types) === 'EIP712Domain,WalletProof' &&
    typed
      .map(({ name }) => name)
      .sort()
      .join() === names(message) &&
    wallet === address &&
    lines.includes(String(statement)) &&
    Object.values(fields).every((value) => lines.some((line) => line.endsWith(`: ${value}`)))
  );
}
