/** Templates of signals, which turn a chart's alert into the fields of an outside proposal. */
import type { Json } from '../values/canonical-json.ts';
import { plainDecimal } from '../values/decimal.ts';
import { type Outcome, refuse } from '../values/refusal.ts';

/** Texts with placeholders such as `{{action}}`. One of `notionalUsd` and `quantity` is given. */
export interface SignalTemplate {
  readonly side: string;
  readonly instrument: string;
  readonly notionalUsd?: string;
  readonly quantity?: string;
  readonly limitPrice?: string;
  readonly reason?: string;
  /** Id of the alert. The same id is the same proposal. */
  readonly id?: string;
}

/** An instrument, by the sender's name for it. */
interface SignalTicker {
  readonly ticker: string;
  readonly instrument: string;
}

/** A template with its tickers. */
export interface SignalMapping {
  readonly template: SignalTemplate;
  readonly tickers: readonly SignalTicker[];
}

/** An alert: a JSON document, or plain text whose words are `{{1}}`, `{{2}}` and so on. */
export type Alert = { readonly json: Json } | { readonly text: string };

type Filled = { readonly [Field in keyof SignalTemplate]: string };

const PLACEHOLDER = /\{\{\s*([A-Za-z0-9_.]{1,100})\s*\}\}/g;
/** Maximum length of a field's value. */
const VALUE_LENGTH = 500;

/** Returns the fields of a proposal, or names the placeholder without a value in the alert. */
export function fillTemplate({ template, tickers }: SignalMapping, alert: Alert): Outcome<Filled> {
  const filled: Record<string, string> = {};
  for (const [field, text] of Object.entries(template) as [string, string][]) {
    const missing = [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name).find((name) => findValue(alert, name) === null);
    if (missing !== undefined) return refuse('malformed', `the alert has no ${missing}, which ${field} of the template names`);
    const value = text.replace(PLACEHOLDER, (_, name: string) => findValue(alert, name) ?? '');
    if (value.length > VALUE_LENGTH) return refuse('malformed', `${field} would have ${value.length} characters; at most ${VALUE_LENGTH}`);
    filled[field] = value.trim();
  }
  const instrument = tickers.find(({ ticker }) => ticker === filled['instrument'])?.instrument ?? filled['instrument'];
  return { ok: true, value: { ...filled, instrument, side: filled['side']?.toLowerCase() } as Filled };
}

/** Returns a text, number or boolean of the alert by its name, or null. */
function findValue(alert: Alert, name: string): string | null {
  if ('text' in alert) {
    const words = alert.text.trim().split(/\s+/);
    return (/^[1-9]\d{0,2}$/.test(name) ? words[Number(name) - 1] : undefined) ?? null;
  }
  let found: Json | undefined = alert.json;
  for (const part of name.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return null;
    found = (found as { readonly [key: string]: Json })[part];
  }
  // JavaScript writes small numbers with an exponent, which no field of a proposal takes.
  if (typeof found === 'number') return plainDecimal(found);
  return typeof found === 'string' || typeof found === 'boolean' ? String(found) : null;
}
