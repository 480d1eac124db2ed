/** Widens the answers that a page reads: large losses, long names and symbols, old times, and an example of each empty list. */
import type { Page } from 'playwright-core';
import { readExamples } from '../../api/document/examples.ts';
import { DAY_MS } from '../../src/domain/values/time.ts';

/** Answers that name what the page joins with the feed, or who is signed in. */
const AS_THEY_ARE = /^\/v1\/(session|me|settings|capabilities|quotes|tickers|candles|order-book|feeds|performance)\b/;
const LOSS = '-98765.43';
const COST = '123456.78';
const PRICE = '123456.78';
const QUANTITY = '1234567.12345678';
const OLD = new Date(Date.now() - 300 * DAY_MS).toISOString();
const NAME_LENGTH = 60;
const SYMBOL_LENGTH = 20;

const WIDTHS: readonly (readonly [field: RegExp, type: string, widen: (value: string) => unknown])[] = [
  // Unlike the value, so that a loss is left.
  [/^costUsd$/, 'decimal', () => COST],
  [/(price|Price|mark|restingAt)$/, 'decimal', () => PRICE],
  [/(quantity|Quantity|received|Received)$/, 'decimal', () => QUANTITY],
  [/(Usd|Pnl|Value|realized)$/, 'decimal', () => LOSS],
  [/^(pnl|today|equity)Usd$/, 'null', () => LOSS],
  [/Pct$/, 'decimal', () => LOSS],
  [/Pct$/, 'number', () => -98.765],
  [/^(name|label|thesis|question|actorName|placedBy)$/, 'string', (name) => `${name} of many words `.repeat(9).slice(0, NAME_LENGTH)],
  [/^(symbol|instrument|coin|token)$/, 'string', (symbol) => symbol.padEnd(symbol.indexOf(':') + 1 + SYMBOL_LENGTH, 'WIDE')],
  [/^(created|changed|published|observed|received|read|marked|listed|opened|begun)At$/, 'string', () => OLD],
];

const typeOf = (value: unknown): string =>
  typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? 'decimal' : value === null ? 'null' : typeof value;

function widen(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => widen(one, name));
  if (typeof value === 'object' && value !== null) {
    const state = 'pauseCause' in value ? { paused: true, pauseCause: 'emergency_halt' } : {};
    return { ...Object.fromEntries(Object.entries(value).map(([field, one]) => [field, widen(one, field)])), ...state };
  }
  const type = typeOf(value);
  const found = WIDTHS.find(([field, of]) => of === type && field.test(name));
  return found === undefined ? value : found[2](String(value));
}

const pathOf = (url: string): string => url.split('?')[0] as string;

/** Returns the recorded answer of the operation at this path, if it is a list with rows. */
function exampleOf(path: string): unknown {
  const examples = Object.values(readExamples().operations).flatMap((one) => (one === undefined || one.body !== undefined ? [] : [one]));
  return examples.find(({ url, answers }) => pathOf(url) === path && !isEmpty(answers['200']))?.answers['200'];
}

const isEmpty = (answer: unknown): boolean => (answer as { readonly items?: readonly unknown[] } | undefined)?.items?.length === 0;

/** From now on, every list that the page reads has rows as wide as they may be. */
export async function widenAnswers(page: Page): Promise<void> {
  await page.route(
    ({ pathname }) => pathname.startsWith('/v1/') && !AS_THEY_ARE.test(pathname),
    async (route, request) => {
      if (request.method() !== 'GET') return route.continue();
      const path = new URL(request.url()).pathname;
      const response = await route.fetch();
      const example = exampleOf(path);
      const isJson = /json/.test(response.headers()['content-type'] ?? '');
      if (!isJson) return route.fulfill({ response });
      const answer: unknown = response.ok() ? await response.json() : undefined;
      const full = example !== undefined && (answer === undefined || isEmpty(answer)) ? example : answer;
      if (full === undefined) return route.fulfill({ response });
      return route.fulfill({ status: 200, contentType: 'application/json', json: widen({ ...(full as object), nextCursor: null }) });
    },
  );
}
