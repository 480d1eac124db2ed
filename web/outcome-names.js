/** Names of instruments: the symbol, and for a prediction market its question and answer instead of an id. */
import { h, say } from './dom.js';
import { pagesOf, read } from './http.js';
import { may } from './permissions.js';
import { instrumentAddress, symbolOf } from './words.js';

/** @typedef {import('./api.ts').PredictionMarket} PredictionMarket */

const PER_PAGE = 200;
/** Maximum pages of markets to read. A market on none of them is read by itself. */
const MOST_PAGES = 5;
/** A market that is not on the list may be new: the list is read again, at most so often. Milliseconds. */
const REREAD_MS = 60_000;
/** Names by instrument (`pm-04e175bc….no`), for as long as the page is open. @type {Map<string, string>} */
const names = new Map();
/** The list of markets as it was read last, and when. */
let reading = Promise.resolve();
let readAt = Number.NEGATIVE_INFINITY;
/** True if every market was on the list, so that no other exists. */
let isWhole = false;
/** Markets that are asked for one by one, as they are on no list. @type {Map<string, Promise<void>>} */
const single = new Map();

/**
 * An instrument by its name, which leads to its page where it has one.
 * @param {string} key `spotexchange:BTCUSDT`
 */
export function instrumentName(key) {
  const symbol = symbolOf(key);
  if (!key.startsWith('prediction:')) return h('a', { href: instrumentAddress(key), title: key }, symbol);
  const element = h('span', { title: key }, names.get(symbol) ?? 'an outcome…');
  void instrumentWords(key).then((words) => say(element, words));
  return element;
}

/**
 * The name alone. The id stands for an outcome whose market cannot be read.
 * @param {string} key
 * @returns {Promise<string>}
 */
export async function instrumentWords(key) {
  const symbol = symbolOf(key);
  if (!key.startsWith('prediction:') || names.has(symbol)) return names.get(symbol) ?? symbol;
  if (!may('market:read')) return 'an outcome of a prediction market';
  if (performance.now() - readAt > REREAD_MS) {
    readAt = performance.now();
    reading = readList().catch(() => {
      isWhole = false;
    });
  }
  await reading;
  if (!names.has(symbol) && !isWhole) await readOne(symbol.replace(/\.\w+$/, ''));
  return names.get(symbol) ?? symbol;
}

async function readList() {
  /** @type {AsyncGenerator<import('./wire.ts').Page<PredictionMarket>>} */
  const pages = pagesOf(`/v1/prediction-markets?limit=${PER_PAGE}`);
  let seen = 0;
  for await (const { items, nextCursor } of pages) {
    for (const market of items) keep(market);
    isWhole = nextCursor === null;
    if (++seen === MOST_PAGES) return;
  }
}

/** @param {string} market */
function readOne(market) {
  const known = single.get(market) ?? read(`/v1/prediction-markets/${encodeURIComponent(market)}`).then(keep, () => {});
  single.set(market, known);
  return known;
}

/** @param {PredictionMarket} market */
function keep({ question, subtitle, outcomes }) {
  for (const { instrument, label, side } of outcomes)
    names.set(symbolOf(instrument), `${question}${subtitle === '' ? '' : ` ${subtitle}`}: ${label === '' ? side : label}`);
}
