/** Where the wallets of this browser are offered; what talks to them is loaded only where something is to be signed. */
import { fill, h } from './dom.js';

/** @typedef {typeof import('./wallet-signing.js')} Signing */

/**
 * @param {(signing: Signing) => HTMLElement} make
 * @param {(error: unknown) => void} fail
 */
export function signingPlace(make, fail) {
  const element = h('div', { class: 'signing-place' });
  import('./wallet-signing.js').then((signing) => fill(element, make(signing)), fail);
  return element;
}
