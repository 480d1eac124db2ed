/** Formats words, times and numbers for people. */
import { preferences } from './preferences.js';

/** The seven gates in their order. */
export const STAGES = ['draft', 'backtest', 'stress_test', 'paper', 'shadow', 'limited_live', 'live'];

/** Flags of a quote with their meanings, and their kind of silence or doubt, which sets the colour. */
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

/**
 * Replaces underscores: `limited_live` becomes `limited live`.
 * @param {string} word
 */
export function plain(word) {
  return word.replaceAll('_', ' ');
}

/**
 * Capitalizes the first letter.
 * @param {string} text
 */
export function capitalized(text) {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/**
 * Keeps the direction in which a name is written to itself: one that turns the line around would reverse the price beside it.
 * @param {string} name
 */
export function isolated(name) {
  return `\u2068${name.replace(/[\u202a-\u202e\u2066-\u2069]/g, '')}\u2069`;
}

/** Returns the name of the time zone, as appended to a time. */
export function zoneWord() {
  return preferences().zone === 'local' ? 'local time' : 'UTC';
}

/**
 * Converts a time to ISO text in the chosen zone.
 * @param {string | number} time
 */
function shownText(time) {
  const instant = new Date(time);
  const behindMs = preferences().zone === 'local' ? instant.getTimezoneOffset() * 60_000 : 0;
  return new Date(instant.getTime() - behindMs).toISOString();
}

/**
 * Formats the time of day in the chosen zone: `05:14:00`.
 * @param {string | number} time
 */
export function clockTime(time) {
  return shownText(time).slice(11, 19);
}

/**
 * Formats the time of day with its zone: `05:14:00 UTC`.
 * @param {string | number} time
 */
export function clockAndZone(time) {
  return `${clockTime(time)} ${zoneWord()}`;
}

/**
 * Formats day and time in the chosen zone: `2026-11-21 05:14:00`.
 * @param {string | number} time
 */
export function dayAndTime(time) {
  return shownText(time).slice(0, 19).replace('T', ' ');
}

/**
 * Formats the day in the chosen zone: `2026-11-21`.
 * @param {string | number} time
 */
export function formatDay(time) {
  return shownText(time).slice(0, 10);
}

/** Units of an age, in milliseconds. Hours are used up to two days. */
const AGE_UNITS = /** @type {const} */ ([
  { unit: 's', ms: 1_000, below: 60_000 },
  { unit: 'min', ms: 60_000, below: 3_600_000 },
  { unit: 'h', ms: 3_600_000, below: 48 * 3_600_000 },
  { unit: 'd', ms: 86_400_000, below: Number.POSITIVE_INFINITY },
]);

/**
 * Formats an age or duration as the service does: `850 ms`, `1.2 s`, `12 s`, `5 min`, `28 h`, `3.2 d`. Truncates,
 * never rounds up, and has one decimal below ten. A negative value is `0 s`.
 * @param {number} ms
 */
export function age(ms) {
  if (ms < 1_000) return ms < 1 ? '0 s' : `${Math.floor(ms)} ms`;
  const { unit, ms: one } = AGE_UNITS.find(({ below }) => ms < below) ?? AGE_UNITS[3];
  return `${ms < 10 * one ? Math.floor(ms / (one / 10)) / 10 : Math.floor(ms / one)} ${unit}`;
}

const DECIMALS_SHOWN = 6;
/** Number of digits shown of a number that would otherwise be all zeros. */
const DIGITS_OF_SMALL = 4;

/** Groups the thousands of a decimal text. @param {string} text */
export function grouped(text) {
  const [whole = '', ...decimals] = text.split('.');
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...decimals].join('.');
}

/**
 * Returns `a` minus `b`, digit by digit.
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

/** Formats a count with grouped thousands. @param {number} count */
export function countText(count) {
  return grouped(String(count));
}

/**
 * Formats a price or quantity: grouped thousands, no trailing zeros after the second decimal, and a mark if more than
 * six decimals are cut. Works on the decimal text.
 * @param {string} price
 */
export function priceText(price) {
  const [digits = '', decimals = ''] = price.split('.');
  const whole = grouped(digits);
  const significant = decimals.replace(/0+$/, '').padEnd(Math.min(2, decimals.length), '0');
  if (significant === '') return whole;
  // Of a number smaller than that, such as a new token's price, the first digits are shown.
  const zeros = /^-?0$/.test(digits) ? (/^0*/.exec(significant)?.[0].length ?? 0) : 0;
  const shown = zeros + DIGITS_OF_SMALL > DECIMALS_SHOWN ? zeros + DIGITS_OF_SMALL : DECIMALS_SHOWN;
  return significant.length > shown ? `${whole}.${significant.slice(0, shown)}…` : `${whole}.${significant}`;
}

/** Number of decimals of a quote, and of significant digits below 1. */
const QUOTE_DECIMALS = 4;
const QUOTE_DIGITS = 5;

/**
 * Rounds a quoted price for display: four decimals, or five digits below 1. Works on the decimal text.
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

/** Formats a percentage with two decimals: `1.48 %`. @param {string | number} percent */
export function percentText(percent) {
  return `${Number(percent).toFixed(2)} %`;
}

/**
 * Rewrites a sentence of the API for people: times in the chosen zone, instruments by symbol, conditions in words.
 * @param {string} sentence
 */
export function forPeople(sentence) {
  return sentence
    .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => `${dayAndTime(time)} ${zoneWord()}`)
    .replace(/: (?:GET|POST|PUT) \/v1\/[\w/:-]*(?=\.(?:\s|$)|$)/g, '')
    .replace(/\b(?:spotchain|spotexchange|evmvenue|reference):(?=\w)/g, '')
    .replace(/\b[a-z]+(?:_[a-z]+)+\b/g, plain)
    .replace(/(\w)=(?=\w)/g, '$1 ');
}

/**
 * Formats an observed value or threshold: statistics have five digits, words are unchanged, null is unknown.
 * @param {string | number | null} value
 */
export function valueText(value) {
  if (value === null) return 'unknown';
  return typeof value === 'number' ? numberText(value) : plain(value);
}

/**
 * Formats a statistic with five digits, never fewer than before the point. Values below a millionth are zero.
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

/** Effects of timers, by their names in the state charts. */
const TIMERS = /** @type {{ readonly [name: string]: string }} */ ({
  approvalWindow: 'approval expires',
  askAfter: 'ask the launcher again',
  atOnce: 'continue at once',
  carryAfter: 'follow the transaction',
  degradedFor: 'degraded for too long',
  delayAfter: 'mark as delayed',
  expireAfter: 'quote expires',
  expiryLookAfter: 'check for expiry',
  followAfter: 'follow the transaction',
  lateLookAfter: 'check the late payment',
  lifeLeft: 'Take expires',
  lookAfter: 'read the curve',
  lookAgain: 'check again',
  reconcileAfter: 'reconcile with the venue',
  refusedLookAfter: 'check after a refusal',
  restWindow: 'end of resting',
  unpaidUntil: 'offer expires',
  unsignedLookAfter: 'check for expiry',
  untilNext: 'next slice',
});

/**
 * Names an event type for people: `xstate.after.degradedFor.agent@1.feed.degraded` becomes `degraded for too long`.
 * @param {string} type
 */
export function eventWord(type) {
  const [, timer] = /^xstate\.after\.([^.]+)\./.exec(type) ?? [];
  return timer === undefined ? type : (TIMERS[timer] ?? `after ${timer}`);
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
 * Formats a pre-trade rejection: `max trade notional: limit 1000, before 0, after 1200; buy at most 3`.
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

/** Formats the ages in a text, which are in milliseconds. @param {string} text */
export function withAges(text) {
  return text.replace(/\b(\d+) ms old\b/g, (_, ms) => `${age(Number(ms))} old`);
}

/** Symbols of a gate condition's rules. */
export const GATE_RULES = /** @type {{ readonly [rule: string]: string }} */ ({ above: '>', below: '<', at_least: '≥', at_most: '≤' });

/**
 * Formats a condition of a gate: observed value, rule and limit.
 * @param {import('./wire.ts').GateCheck} check
 */
export function gateCheckWords({ name, observed, rule, limit }) {
  return `${plain(name)}: ${valueText(observed)}, required ${GATE_RULES[rule] ?? rule} ${valueText(limit)}`;
}

/**
 * Returns the symbol of `spotexchange:BTCUSDT`.
 * @param {string} instrument
 */
export function readSymbol(instrument) {
  return instrument.slice(instrument.indexOf(':') + 1);
}
