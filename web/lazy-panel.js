/** A part of a page whose module is loaded when the page is shown. */
import { fill, h } from './dom.js';

/**
 * @param {() => Promise<Node>} load
 * @param {(error: unknown) => void} fail
 */
export function lazyPanel(load, fail) {
  const element = h('div', {});
  load().then((panel) => fill(element, panel), fail);
  return element;
}
