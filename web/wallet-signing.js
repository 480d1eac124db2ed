/** A button for each wallet of this browser beside what is to be signed: what it signed is held against what it was given before it is handed in. */
import { fill, h, say } from './dom.js';
import { createProblemNote } from './problem-note.js';
import { contentOf, objectionTo } from './signed-elsewhere.js';
import { factList } from './tables.js';
import {
  addressesOf,
  base64Of,
  differencesSent,
  followWallets,
  fromBase64,
  mined,
  sendCall,
  signText,
  signTransactions,
  signTypedData,
} from './wallets.js';
import { plain } from './words.js';

/** @typedef {import('./wallets.js').Wallet} Wallet */
/** @typedef {Wallet['chain']} Chain */
/**
 * Transactions to sign, in order, and their submission; transactions are base64.
 * @typedef {{ readonly unsigned: readonly string[], readonly signer: string, readonly handIn: (signed: readonly string[]) => Promise<unknown> }} Prepared
 */

/**
 * @param {object} options
 * @param {Chain} options.chain
 * @param {string} options.verb What stands on the buttons before the wallet's name: `Sign with`.
 * @param {(wallet: any, tell: (words: string) => void, show: (node: Node) => void) => Promise<void>} options.act
 * @param {(error: unknown) => void} options.fail
 * @param {AbortSignal} options.signal
 */
function walletActions({ chain, verb, act, fail, signal }) {
  const note = h('p', { class: 'faint', role: 'status' });
  const problem = createProblemNote(fail);
  const shown = h('div', {});
  const buttons = h('span', { class: 'wallet-buttons', role: 'group', 'aria-label': 'Browser wallets' });
  let isBusy = false;

  /** @param {Wallet} wallet */
  async function press(wallet) {
    if (isBusy) return;
    isBusy = true;
    for (const button of buttons.querySelectorAll('button')) button.disabled = true;
    problem.clear();
    fill(shown);
    say(note, `Waiting for ${wallet.name}…`);
    try {
      await act(
        wallet,
        (words) => say(note, words),
        (node) => fill(shown, node),
      );
    } catch (error) {
      say(note, '');
      problem.show(errorOf(error));
    } finally {
      isBusy = false;
      for (const button of buttons.querySelectorAll('button')) button.disabled = false;
    }
  }
  const stop = followWallets(chain, (wallets) => {
    fill(
      buttons,
      wallets.map((wallet) =>
        h('button', { type: 'button', disabled: isBusy, onclick: () => void press(wallet) }, `${verb} ${wallet.name}`),
      ),
    );
    if (!isBusy) say(note, wallets.length === 0 ? 'No wallet for this chain found. Install or unlock one, then reload.' : '');
  });
  signal.addEventListener('abort', stop);
  return h('div', { class: 'wallet-signing-here' }, buttons, shown, note, problem.element);
}

/** Turns what a wallet throws into an Error. @param {unknown} error */
function errorOf(error) {
  if (error instanceof Error || typeof error !== 'object' || error === null || !('message' in error)) return error;
  return new Error(`The wallet rejected the request: ${String(error.message)}`);
}

/**
 * Signs prepared transactions of the primary chain: one, or several that belong together.
 * @param {object} options
 * @param {(addresses: readonly string[]) => Promise<Prepared>} options.prepare Given the addresses of the chosen wallet.
 * @param {(error: unknown) => void} options.fail
 * @param {AbortSignal} options.signal
 */
export function transactionSigning({ prepare, fail, signal }) {
  return walletActions({
    chain: 'spotchain',
    verb: 'Sign with',
    fail,
    signal,
    act: async (/** @type {import('./wallets.js').SolanaWallet} */ wallet, tell, show) => {
      const { unsigned, signer, handIn } = await prepare(await addressesOf(wallet));
      const prepared = unsigned.map(fromBase64);
      show(contentOfAll(prepared));
      tell(`Check the details in ${wallet.name} and confirm there.`);
      const signed = await signTransactions(wallet, signer, prepared);
      for (const [index, bytes] of prepared.entries()) {
        const objection = objectionTo(bytes, /** @type {Uint8Array} */ (signed[index]), signer);
        if (objection !== null) throw new Error(`Not submitted: ${wallet.name} signed a different transaction: ${objection}.`);
      }
      tell('Submitting…');
      await handIn(signed.map(base64Of));
      tell('Submitted unchanged.');
    },
  });
}

/**
 * Describes in sentences what the wallet is given.
 * @param {readonly Uint8Array[]} prepared
 */
function contentOfAll(prepared) {
  return h(
    'div',
    { class: 'transaction-words' },
    prepared
      .map((bytes, index) => {
        const { feePayer, sentences } = contentOf(bytes);
        const which = prepared.length === 1 ? 'The transaction' : `Transaction ${index + 1} of ${prepared.length}`;
        return [
          h('p', {}, `${which} is paid for by `, h('code', {}, feePayer), ' and does this:'),
          h(
            'ol',
            { 'aria-label': which },
            sentences.map((sentence) => h('li', {}, sentence)),
          ),
        ];
      })
      .flat(),
  );
}

/**
 * Has a wallet of the primary chain sign a text, such as a proof of ownership.
 * @param {object} options
 * @param {string} options.address
 * @param {string} options.text
 * @param {(signature: string) => Promise<unknown>} options.handIn
 * @param {(error: unknown) => void} options.fail
 * @param {AbortSignal} options.signal
 */
export function textSigning({ address, text, handIn, fail, signal }) {
  return walletActions({
    chain: 'spotchain',
    verb: 'Sign with',
    fail,
    signal,
    act: async (/** @type {import('./wallets.js').SolanaWallet} */ wallet, tell) => {
      await handIn(await signText(wallet, address, text));
      tell('');
    },
  });
}

/**
 * Signs typed data of the EVM chain, whose fields are shown first.
 * @param {object} options
 * @param {string} options.address
 * @param {import('./api.ts').WalletChallenge['typedData'] & {}} options.typedData
 * @param {(signature: string) => Promise<unknown>} options.handIn
 * @param {(error: unknown) => void} options.fail
 * @param {AbortSignal} options.signal
 */
export function typedDataSigning({ address, typedData, handIn, fail, signal }) {
  return h(
    'div',
    { class: 'typed-data' },
    factList([
      ['Domain', `${typedData.domain.name} ${typedData.domain.version} on the chain ${typedData.domain.chainId}`],
      ...Object.entries(typedData.message).map(([name, value]) => /** @type {const} */ ([plain(name), value])),
    ]),
    walletActions({
      chain: 'evmvenue',
      verb: 'Sign with',
      fail,
      signal,
      act: async (/** @type {import('./wallets.js').EvmWallet} */ wallet, tell) => {
        await handIn(await signTypedData(wallet, address, typedData));
        tell('');
      },
    }),
  );
}

/**
 * Sends calls of the EVM chain one after the other: an approval first, where one is needed, and then the transfer.
 * @param {object} options
 * @param {Extract<import('./wire.ts').BridgeTransaction, { kind: 'evm' }>} options.transaction
 * @param {(hash: string) => Promise<unknown>} options.handIn
 * @param {(error: unknown) => void} options.fail
 * @param {AbortSignal} options.signal
 */
export function callSending({ transaction, handIn, fail, signal }) {
  return walletActions({
    chain: 'evmvenue',
    verb: 'Sign and send with',
    fail,
    signal,
    act: async (/** @type {import('./wallets.js').EvmWallet} */ wallet, tell) => {
      const { approval } = transaction;
      if (approval !== null) {
        tell(`First approve the token allowance for ${approval.spender} in ${wallet.name}.`);
        await mined(wallet, await sent(wallet, approval, signal), signal);
      }
      tell(`Check the details in ${wallet.name} and confirm there.`);
      const hash = await sent(wallet, transaction, signal);
      tell('Submitting the transaction hash…');
      await handIn(hash);
      tell('Submitted.');
    },
  });
}

/**
 * Sends a call and reads back what was sent.
 * @param {import('./wallets.js').EvmWallet} wallet
 * @param {Parameters<typeof sendCall>[1]} call
 * @param {AbortSignal} signal
 * @returns {Promise<string>} Its hash.
 * @throws Error if the wallet sent another call.
 */
async function sent(wallet, call, signal) {
  const hash = await sendCall(wallet, call);
  const differences = await differencesSent(wallet, hash, call, signal);
  if (differences !== null && differences.length > 0)
    throw new Error(
      `${wallet.name} sent a different transaction (${hash}): ${differences.join('; ')}. It was not recorded for this transfer.`,
    );
  return hash;
}
