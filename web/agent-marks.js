/**
 * Activity of one agent on an instrument's bars: entries, exits, blocked decisions, stop, target, indicators, and times without a live
 * quote.
 */
import { plain, priceText } from './words.js';

/** @typedef {import('./wire.ts').Decision} Decision */
/** @typedef {import('./wire.ts').Book} Book */
/** @typedef {import('./wire.ts').Fill} Fill */
/** @typedef {import('./wire.ts').Observation} Observation */
/** @typedef {{ readonly at: number, readonly kind: 'entry' | 'exit' | 'proposed' | 'blocked', readonly text: string }} Mark */
/** @typedef {{ readonly price: string, readonly title: string, readonly colour: 'accent' | 'good' | 'bad' }} PriceLine */
/** @typedef {{ readonly from: number, readonly to: number, readonly colour: 'carried' }} Stretch Period that is shaded. */
/** @typedef {{ readonly name: string, readonly points: readonly { readonly at: number, readonly value: number }[] }} Curve */
/**
 * @typedef {object} Overlay
 * @property {readonly Mark[]} marks
 * @property {readonly PriceLine[]} lines
 * @property {readonly Stretch[]} stretches
 * @property {readonly Curve[]} curves Indicators on the price scale.
 * @property {readonly Curve[]} gauges Indicators on their own scale.
 */
/** @typedef {{ readonly type: string, readonly timeframe?: string, readonly [field: string]: unknown }} Condition */
/** @typedef {{ readonly stopLossPct: number, readonly takeProfitPct: number, readonly entry: readonly Condition[], readonly exit: readonly Condition[] }} Rules */

const MINUTE = 60_000;

/**
 * @param {{
 *   readonly key: string,
 *   readonly manifest: Rules,
 *   readonly books: readonly Book[],
 *   readonly fills: readonly Fill[],
 *   readonly decisions: readonly Decision[],
 * }} did Decisions ascending.
 * @returns {Overlay}
 */
export function buildOverlay({ key, manifest, books, fills, decisions }) {
  const conditions = [...manifest.entry, ...manifest.exit];
  const ofKey = decisions.flatMap((decision) => {
    const seen = decision.observed[key];
    return seen === undefined ? [] : [{ decision, seen: /** @type {Observation} */ (seen) }];
  });
  return {
    marks: [...fills.filter(({ instrument }) => instrument === key).map(fillMark), ...decisions.flatMap((one) => decisionMark(one, key))],
    lines: books.flatMap((book) => positionLines(book, key, manifest)),
    stretches: ofKey.filter(({ seen }) => seen.quote?.quality !== 'live').map(({ decision }) => toMinute(decision)),
    curves: listIndicators(ofKey, (name) => name.startsWith('ema:') && isRead(name, conditions)),
    gauges: listIndicators(ofKey, (name) => !name.startsWith('ema:') && isRead(name, conditions)),
  };
}

/** @param {Fill} fill @returns {Mark} */
function fillMark({ at, side, quantity, fillPrice }) {
  return { at: Date.parse(at), kind: side === 'buy' ? 'entry' : 'exit', text: `${side} ${priceText(quantity)} at ${priceText(fillPrice)}` };
}

/** @param {Decision} decision @param {string} key @returns {Mark[]} */
function decisionMark({ slot, disposition, instrument, risk }, key) {
  if (instrument !== key || disposition === 'hold') return [];
  const at = Date.parse(slot);
  if (disposition !== 'blocked_by_risk')
    return [{ at, kind: 'proposed', text: disposition === 'propose_entry' ? 'entry proposed' : 'exit proposed' }];
  const rejections = /** @type {readonly { readonly code: string }[]} */ (risk?.['rejections'] ?? []);
  return [{ at, kind: 'blocked', text: plain(rejections[0]?.code ?? 'blocked') }];
}

/**
 * @param {Book} book
 * @param {string} key
 * @param {{ readonly stopLossPct: number, readonly takeProfitPct: number }} manifest
 * @returns {PriceLine[]}
 */
function positionLines({ positions, mode }, key, { stopLossPct, takeProfitPct }) {
  return positions
    .filter(({ instrument }) => instrument === key)
    .flatMap(({ averageEntryPrice }) => [
      { price: averageEntryPrice, title: `${mode} entry`, colour: /** @type {const} */ ('accent') },
      { price: String(Number(averageEntryPrice) * (1 - stopLossPct / 100)), title: 'stop', colour: /** @type {const} */ ('bad') },
      { price: String(Number(averageEntryPrice) * (1 + takeProfitPct / 100)), title: 'target', colour: /** @type {const} */ ('good') },
    ]);
}

/** @param {Decision} decision @returns {Stretch} */
function toMinute({ slot }) {
  const from = Date.parse(slot);
  return { from, to: from + MINUTE, colour: 'carried' };
}

/**
 * True if a condition of the manifest reads an indicator. Agents share an observation, which holds the indicators of all of them.
 * @param {string} indicator `rsi:14@1h`
 * @param {readonly Condition[]} conditions
 */
function isRead(indicator, conditions) {
  const [, name = '', period = '', timeframe = ''] = /^(\w+):(\d+)@(\w+)$/.exec(indicator) ?? [];
  return conditions.some(
    (condition) =>
      condition.type.startsWith(`${name}_`) &&
      (condition.timeframe ?? timeframe) === timeframe &&
      Object.values(condition).includes(Number(period)),
  );
}

/**
 * Returns the indicators that each decision recorded.
 * @param {readonly { readonly seen: Observation }[]} seen
 * @param {(name: string) => boolean} isWanted
 * @returns {readonly Curve[]}
 */
function listIndicators(seen, isWanted) {
  /** @type {Map<string, Map<number, number>>} */
  const curves = new Map();
  for (const { seen: one } of seen) {
    for (const [name, noted] of Object.entries(one.indicators)) {
      if (!isWanted(name)) continue;
      const { value, barOpenTime } = noted;
      if (value === null || barOpenTime === null) continue;
      const points = curves.get(name) ?? new Map();
      points.set(barOpenTime, value);
      curves.set(name, points);
    }
  }
  return [...curves].map(([name, points]) => ({
    name: plain(name).replace(':', ' '),
    points: [...points].sort(([a], [b]) => a - b).map(([at, value]) => ({ at, value })),
  }));
}
