/** Colours of the page for canvases, which no style sheet reaches. */

const NAMES = /** @type {const} */ (['panel', 'line', 'text', 'faint', 'accent', 'good', 'bad', 'closed', 'carried', 'warn']);

/** @typedef {{ readonly [Name in (typeof NAMES)[number]]: string }} Palette */

/** @returns {Palette} The colours as they are now. */
export function chartPalette() {
  const style = getComputedStyle(document.documentElement);
  return /** @type {Palette} */ (Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])));
}

/**
 * Returns a colour with an alpha channel.
 * @param {string} colour `#rrggbb`
 * @param {number} part
 */
export function translucent(colour, part) {
  return `${colour}${Math.round(part * 255)
    .toString(16)
    .padStart(2, '0')}`;
}

/**
 * Calls back whenever the page's colour scheme changes.
 * @param {(palette: Palette) => void} repaint
 * @returns {() => void} Stops it.
 */
export function onSchemeChange(repaint) {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const receive = () => repaint(chartPalette());
  dark.addEventListener('change', receive);
  return () => dark.removeEventListener('change', receive);
}
