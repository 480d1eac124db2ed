/** What an outcome of a prediction market is called: its question and its answer, in the place of an id. */
import { read } from './http.js';

const PER_PAGE = 200;
/** @type {Promise<ReadonlyMap<string, string>> | null} */
let reading = null;

/**
 * Names by instrument (`pm-04e175bc….no`), read once for as long as the page is open.
 * @returns {Promise<ReadonlyMap<string, string>>} Empty where they cannot be read: the id stays then.
 */
export function outcomeNames() {
  reading ??= readNames().catch(() => {
    reading = null;
    return new Map();
  });
  return reading;
}

async function readNames() {
  /** @type {import('./wire.ts').Page<import('./api.ts').PredictionMarket>} */
  const { items } = await read(`/v1/prediction-markets?limit=${PER_PAGE}`);
  return new Map(
    items.flatMap(({ question, subtitle, outcomes }) =>
      outcomes.map(({ instrument, label, side }) => [
        instrument.replace(/^prediction:/, ''),
        `${question}${subtitle === '' ? '' : ` ${subtitle}`}: ${label === '' ? side : label}`,
      ]),
    ),
  );
}
