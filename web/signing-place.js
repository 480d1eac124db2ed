/** Wallets of this browser. The code that uses them is loaded only for signing. */
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
