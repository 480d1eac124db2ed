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
  signTransaction,
} from './wallets.js';

/** @typedef {import('./wallets.js').Wallet} Wallet */
/** @typedef {Wallet['chain']} Chain */
/** @typedef {{ readonly unsigned: string, readonly signer: string, readonly handIn: (signed: string) => Promise<unknown> }} Prepared `unsigned` and `signed` are base64. */

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
  const buttons = h('span', { class: 'wallet-buttons', role: 'group', 'aria-label': 'Wallets of this browser' });
  let isBusy = false;

  /** @param {Wallet} wallet */
  async function press(wallet) {
    if (isBusy) return;
    isBusy = true;
    for (const button of buttons.querySelectorAll('button')) button.disabled = true;
    problem.clear();
    fill(shown);
    say(note, `${wallet.name} is asked…`);
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
    if (!isBusy) say(note, wallets.length === 0 ? 'No wallet of this chain has announced itself to this page.' : '');
  });
  signal.addEventListener('abort', stop);
  return h('div', { class: 'wallet-signing-here' }, buttons, shown, note, problem.element);
}

/** What wallets throw is often no Error. @param {unknown} error */
function errorOf(error) {
  if (error instanceof Error || typeof error !== 'object' || error === null || !('message' in error)) return error;
  return new Error(`The wallet refused: ${String(error.message)}`);
}

/**
 * Signs a prepared transaction of the primary chain.
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
      const prepared = fromBase64(unsigned);
      const { feePayer, programs } = contentOf(prepared);
      show(
        factList([
          ['Pays the fee', h('code', {}, feePayer)],
          ['Instructions', programs.join(', ')],
        ]),
      );
      tell(`Look at what ${wallet.name} shows and confirm it there.`);
      const signed = await signTransaction(wallet, signer, prepared);
      const objection = objectionTo(prepared, signed, signer);
      if (objection !== null)
        throw new Error(`Refused: ${wallet.name} signed something else than was prepared: ${objection}. Nothing was handed in.`);
      tell('Handing it in…');
      await handIn(base64Of(signed));
      tell('Handed in, exactly as it was prepared.');
    },
  });
}

/**
 * Signs a text, such as a proof of ownership.
 * @param {object} options
 * @param {Chain} options.chain
 * @param {string} options.address
 * @param {string} options.text
 * @param {(signature: string) => Promise<unknown>} options.handIn
 * @param {(error: unknown) => void} options.fail
 * @param {AbortSignal} options.signal
 */
export function textSigning({ chain, address, text, handIn, fail, signal }) {
  return walletActions({
    chain,
    verb: 'Sign with',
    fail,
    signal,
    act: async (wallet, tell) => {
      await handIn(await signText(wallet, address, text));
      tell('');
    },
  });
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
        tell(`First, ${wallet.name} asks for the allowance of ${approval.spender}.`);
        await mined(wallet, await sent(wallet, approval, signal), signal);
      }
      tell(`Look at what ${wallet.name} shows and confirm it there.`);
      const hash = await sent(wallet, transaction, signal);
      tell('Handing in its hash…');
      await handIn(hash);
      tell('Handed in.');
    },
  });
}

/**
 * Sends a call and reads back what was sent.
 * @param {import('./wallets.js').EvmWallet} wallet
 * @param {Parameters<typeof sendCall>[1]} call
 * @param {AbortSignal} signal
 * @returns {Promise<string>} Its hash.
 * @throws Error where the wallet sent another call.
 */
async function sent(wallet, call, signal) {
  const hash = await sendCall(wallet, call);
  const differences = await differencesSent(wallet, hash, call, signal);
  if (differences !== null && differences.length > 0)
    throw new Error(
      `${wallet.name} has sent something else than was prepared, as ${hash}: ${differences.join('; ')}. It was not handed in as this transfer.`,
    );
  return hash;
}
