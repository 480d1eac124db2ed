/** Words, times and numbers as people read them. */
import { preferences } from './preferences.js';

/** The seven gates in their order. */
export const STAGES = ['draft', 'backtest', 'stress_test', 'paper', 'shadow', 'limited_live', 'live'];

/** Meaning of a quote's flags, and the kind of silence or doubt, which decides the colour. */
const FLAGS = /** @type {{ readonly [flag: string]: readonly [word: string, kind: string, meaning: string] }} */ ({
  session_closed: ['market closed', 'closed', 'The market is closed. This is normal; no trade is possible.'],
  feed_down: ['feed down', 'down', 'The connection to the venue is lost.'],
  over_age: ['stale', 'old', 'The feed is up, but this instrument has been silent for too long.'],
  carried_forward: ['carried forward', 'carried', 'An earlier value, repeated because there is no newer one.'],
  resyncing: ['resyncing', 'carried', 'The order book is being rebuilt after a gap.'],
  gap: ['gap', 'doubt', 'Venue messages before this one are missing.'],
  out_of_order: ['out of order', 'doubt', 'It arrived after a newer one.'],
  crossed: ['crossed', 'doubt', 'The bid is not below the ask.'],
  clock_skew: ['clock skew', 'doubt', "The venue's clock and ours disagree."],
  one_sided: ['one-sided', 'doubt', 'Only one side of the book is quoted.'],
  wide_confidence: ['wide confidence', 'doubt', 'Price publishers disagree too much.'],
  price_jump: ['price jump', 'doubt', 'The price moved further than is plausible in one step and is not yet confirmed.'],
});

/**
 * @param {string} flag
 * @returns {{ readonly word: string, readonly kind: string, readonly meaning: string }}
 */
export function flagWords(flag) {
  const [word, kind, meaning] = FLAGS[flag] ?? [plain(flag), 'doubt', ''];
  return { word, kind, meaning };
}

/** The kinds of silence with one word each, for the legend. */
export const SILENCES = /** @type {const} */ ([
  ['closed', 'market closed'],
  ['old', 'stale'],
  ['carried', 'carried forward'],
  ['down', 'feed down'],
  ['doubt', 'doubtful'],
]);

/**
 * `limited_live` is `limited live`.
 * @param {string} word
 */
export function plain(word) {
  return word.replaceAll('_', ' ');
}

/**
 * Writes the first letter large.
 * @param {string} text
 */
export function capitalized(text) {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** Returns the name of the times' zone, as written after a time. */
export function zoneWord() {
  return preferences().zone === 'local' ? 'local time' : 'UTC';
}

/**
 * The ISO text of an instant as clocks of the chosen zone show it.
 * @param {string | number} time
 */
function shownText(time) {
  const instant = new Date(time);
  const behindMs = preferences().zone === 'local' ? instant.getTimezoneOffset() * 60_000 : 0;
  return new Date(instant.getTime() - behindMs).toISOString();
}

/**
 * The time of day in the chosen zone: `05:14:00`.
 * @param {string | number} time
 */
export function clockTime(time) {
  return shownText(time).slice(11, 19);
}

/**
 * The same with its zone, where it stands in a sentence: `05:14:00 UTC`.
 * @param {string | number} time
 */
export function clockAndZone(time) {
  return `${clockTime(time)} ${zoneWord()}`;
}

/**
 * Day and time in the chosen zone: `2026-11-21 05:14:00`.
 * @param {string | number} time
 */
export function dayAndTime(time) {
  return shownText(time).slice(0, 19).replace('T', ' ');
}

/**
 * The day in the chosen zone: `2026-11-21`.
 * @param {string | number} time
 */
export function dayOf(time) {
  return shownText(time).slice(0, 10);
}

/** The units of an age from a second on: each begins where the one before it ends. Hours go to two days. Milliseconds. */
const AGE_UNITS = /** @type {const} */ ([
  { unit: 's', ms: 1_000, below: 60_000 },
  { unit: 'min', ms: 60_000, below: 3_600_000 },
  { unit: 'h', ms: 3_600_000, below: 48 * 3_600_000 },
  { unit: 'd', ms: 86_400_000, below: Number.POSITIVE_INFINITY },
]);

/**
 * An age or a span in words, as the service writes it: `850 ms`, `1.2 s`, `12 s`, `5 min`, `28 h`, `3.2 d`. It is cut,
 * never rounded up, and has one decimal below ten of its unit. What is below zero counts as zero, `0 s`.
 * @param {number} ms
 */
export function age(ms) {
  if (ms < 1_000) return ms < 1 ? '0 s' : `${Math.floor(ms)} ms`;
  const { unit, ms: one } = AGE_UNITS.find(({ below }) => ms < below) ?? AGE_UNITS[3];
  return `${ms < 10 * one ? Math.floor(ms / (one / 10)) / 10 : Math.floor(ms / one)} ${unit}`;
}

const DECIMALS_SHOWN = 6;
/** Digits that are shown of what would be nothing but zeros. */
const DIGITS_OF_SMALL = 4;

/** A decimal text with its thousands grouped. @param {string} text */
export function grouped(text) {
  const [whole = '', ...decimals] = text.split('.');
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...decimals].join('.');
}

/**
 * `a` less `b`, digit by digit.
 * @param {string} a A decimal text without an exponent.
 * @param {string} b
 */
export function decimalDifference(a, b) {
  const places = Math.max(...[a, b].map((text) => text.split('.')[1]?.length ?? 0));
  const scaled = (/** @type {string} */ text) => {
    const [whole = '', decimals = ''] = text.split('.');
    return BigInt(`${whole}${decimals.padEnd(places, '0')}`);
  };
  const units = scaled(a) - scaled(b);
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0');
  const text = places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, '');
  return units < 0n ? `-${text}` : text;
}

/** A count for the eye, such as that of the steps of an actor. @param {number} count */
export function countText(count) {
  return grouped(String(count));
}

/**
 * A price or a quantity for the eye: thousands are grouped, zeros at its end beyond the second decimal are left out, and
 * what is longer than six decimals is cut and marked so. Worked on as the text that it is.
 * @param {string} price
 */
export function priceText(price) {
  const [digits = '', decimals = ''] = price.split('.');
  const whole = grouped(digits);
  const significant = decimals.replace(/0+$/, '').padEnd(Math.min(2, decimals.length), '0');
  if (significant === '') return whole;
  // Of what is smaller than all of them, such as the price of a new token, the first digits are shown.
  const zeros = /^-?0$/.test(digits) ? (/^0*/.exec(significant)?.[0].length ?? 0) : 0;
  const shown = zeros + DIGITS_OF_SMALL > DECIMALS_SHOWN ? zeros + DIGITS_OF_SMALL : DECIMALS_SHOWN;
  return significant.length > shown ? `${whole}.${significant.slice(0, shown)}…` : `${whole}.${significant}`;
}

/** Digits that a quote shows behind its point: of a price of one and more, and of a smaller one. */
const QUOTE_DECIMALS = 4;
const QUOTE_DIGITS = 5;

/**
 * A price as it is quoted, rounded for the eye: four decimals, or five digits of what is less than one. Worked on as the text that it is.
 * @param {string} price
 */
export function quoteText(price) {
  const isSmall = /^-?0?(\.|$)/.test(price);
  const decimals = price.split('.')[1] ?? '';
  const given = Math.max(decimals.replace(/0+$/, '').length, Math.min(2, decimals.length));
  const digits = isSmall
    ? { maximumSignificantDigits: QUOTE_DIGITS }
    : { minimumFractionDigits: Math.min(QUOTE_DECIMALS, given), maximumFractionDigits: Math.min(QUOTE_DECIMALS, given) };
  return new Intl.NumberFormat('en-US', digits).format(/** @type {Intl.StringNumericLiteral} */ (price));
}

/** A part of a hundred with two decimals: `1.48 %`. @param {string | number} percent */
export function percentText(percent) {
  return `${Number(percent).toFixed(2)} %`;
}

/**
 * A sentence of the API for people: its instants as clocks of the chosen zone show them, its instruments by their symbols, its conditions in words.
 * @param {string} sentence
 */
export function forPeople(sentence) {
  return sentence
    .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => `${dayAndTime(time)} ${zoneWord()}`)
    .replace(/\b(?:spotchain|spotexchange|evmvenue|reference):(?=\w)/g, '')
    .replace(/\b[a-z]+(?:_[a-z]+)+\b/g, plain)
    .replace(/(\w)=(?=\w)/g, '$1 ');
}

/**
 * An observed value or a threshold: statistics are cut to five digits, words are left alone, null is unknown.
 * @param {string | number | null} value
 */
export function valueText(value) {
  if (value === null) return 'unknown';
  return typeof value === 'number' ? numberText(value) : plain(value);
}

/**
 * A statistic: five digits, and never fewer than stand before the point; what is less than a millionth is as good as nothing.
 * @param {number} value
 */
export function numberText(value) {
  if (Math.abs(value) < 1e-6) return '0';
  return String(Math.abs(value) >= 10_000 ? Math.round(value) : Number(value.toPrecision(5)));
}

/**
 * Describes a state value, region by region: `stage draft, duty active`.
 * @param {import('./wire.ts').StateValue} value
 * @returns {string}
 */
export function stateText(value) {
  if (typeof value === 'string') return plain(value);
  return Object.entries(value)
    .map(([region, inside]) => `${plain(region)} ${stateText(inside)}`)
    .join(', ');
}

/**
 * An event's type as people read it: `xstate.after.degradedFor.agent@1.feed.degraded` is `after degradedFor`.
 * @param {string} type
 */
export function eventWord(type) {
  const after = /^xstate\.after\.([^.]+)\./.exec(type);
  return after ? `after ${after[1]}` : type;
}

/**
 * Returns the time left until an instant: `9:05`, or `0:00` if it has passed.
 * @param {number} ms
 */
export function remaining(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  const rest = String(seconds % 60).padStart(2, '0');
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${rest}`;
}

/**
 * A refusal of the pre-trade risk function: `max trade notional: limit 1000, before 0, after 1200; buy at most 3`.
 * @param {import('./wire.ts').Rejection} rejection
 */
export function rejectionWords({ code, limit, before, after, suggestion }) {
  const numbers = [
    limit === null ? '' : `limit ${limit}`,
    before === null ? '' : `before ${withAges(before)}`,
    after === null ? '' : `after ${withAges(after)}`,
  ].filter((part) => part !== '');
  return `${plain(code)}${numbers.length === 0 ? '' : `: ${numbers.join(', ')}`}${suggestion === null ? '' : `; ${suggestion}`}`;
}

/** A text of the record, whose ages are in milliseconds, with ages as people read them. @param {string} text */
export function withAges(text) {
  return text.replace(/\b(\d+) ms old\b/g, (_, ms) => `${age(Number(ms))} old`);
}

/** Signs of a gate condition's rules. */
export const GATE_RULES = /** @type {{ readonly [rule: string]: string }} */ ({ above: '>', below: '<', at_least: '≥', at_most: '≤' });

/**
 * One condition of a gate: what was observed and what is asked.
 * @param {import('./wire.ts').GateCheck} check
 */
export function gateCheckWords({ name, observed, rule, limit }) {
  return `${plain(name)}: ${valueText(observed)}, required ${GATE_RULES[rule] ?? rule} ${valueText(limit)}`;
}

/**
 * The address of an instrument's page.
 * @param {string} key `spotexchange:BTCUSDT`
 */
export function instrumentAddress(key) {
  return `#/instruments/${encodeURIComponent(key)}`;
}

/**
 * The symbol of `spotexchange:BTCUSDT`.
 * @param {string} instrument
 */
export function symbolOf(instrument) {
  return instrument.slice(instrument.indexOf(':') + 1);
}
