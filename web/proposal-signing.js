/** Signing of a prepared transaction by the agent's owner, beside its proposal. */
import { fill, h, mark } from './dom.js';
import { change, read } from './http.js';
import { signingPlace } from './signing-place.js';

/** @typedef {import('./wire.ts').Proposal['transaction']} Transaction */

/** @param {(error: unknown) => void} fail */
export function proposalSigning(fail) {
  const element = h('div', { class: 'proposal-signing' });
  const abort = new AbortController();
  return {
    element,
    /** Offers the wallets for as long as it waits for one. @param {Transaction} transaction */
    show(transaction) {
      const waits = transaction?.state === 'prepared' && transaction.signedBy === 'owner' ? transaction : null;
      if (element.getAttribute('data-transaction') === (waits?.id ?? null)) return;
      mark(element, 'data-transaction', waits?.id ?? null);
      if (waits === null) return fill(element);
      const prepare = () => preparedSwap(waits.id);
      fill(
        element,
        h('p', {}, `Needs a signature from wallet ${waits.wallet}.`),
        signingPlace(({ transactionSigning }) => transactionSigning({ prepare, fail, signal: abort.signal }), fail),
      );
    },
    end: () => abort.abort(),
  };
}

/** @param {string} id */
async function preparedSwap(id) {
  const address = `/v1/spotchain/orders/${id}`;
  const { transaction, wallet } = /** @type {import('./api.ts').SwapOrder} */ (await read(address));
  const handIn = (/** @type {readonly string[]} */ [signedTransaction]) => change('POST', `${address}/execute`, { signedTransaction });
  return { unsigned: [transaction], signer: wallet, handIn };
}
