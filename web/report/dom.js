/** Builds elements without markup: a text is never parsed as HTML. */

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {{ readonly [name: string]: unknown }} Properties `on…` is a listener, `class` the class; a boolean sets an attribute or not. */

const SVG = 'http://www.w3.org/2000/svg';

/**
 * Creates an HTML element.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Properties} [properties]
 * @param {...(Child | readonly Child[])} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  dress(element, properties);
  append(element, children);
  return element;
}

/**
 * Creates an SVG element.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Properties} [properties]
 * @param {...(Child | readonly Child[])} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function s(tag, properties, ...children) {
  const element = /** @type {SVGElementTagNameMap[Tag]} */ (document.createElementNS(SVG, tag));
  dress(element, properties);
  append(element, children);
  return element;
}

/**
 * @param {Element} element
 * @param {Properties} [properties]
 */
function dress(element, properties = {}) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else element.setAttribute(name, value === true ? '' : String(value));
  }
}

/**
 * @param {Element} element
 * @param {readonly (Child | readonly Child[])[]} children
 */
function append(element, children) {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/**
 * Replaces the children of an element.
 * @param {Element} element
 * @param {...(Child | readonly Child[])} children
 */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

/**
 * Sets the text of an element if it differs.
 * @param {Element} element
 * @param {string} text
 */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Sets an attribute if it differs, or removes it if the value is null.
 * @param {Element} element
 * @param {string} name
 * @param {string | null} value
 */
export function mark(element, name, value) {
  if (element.getAttribute(name) === value) return;
  if (value === null) element.removeAttribute(name);
  else element.setAttribute(name, value);
}
