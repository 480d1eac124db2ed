/** Parses an order as a trader types it: `buy 500 AAPLx`, `sell 0.5 BTC at 97000`, `buy $1k btc`. */
import type { CatalogEntry } from './api.ts';

export interface OrderInWords {
  readonly side: 'buy' | 'sell';
  readonly size: string;
  readonly unit: 'usd' | 'units';
  readonly key: string;
  readonly symbol: string;
  readonly price: string | null;
}

const ORDER = /^(buy|sell|b|s)\s+(\$?)([\d.,]+)(k|m)?\s*(usd|usdt|usdc|dollars)?\s+(?:of\s+)?([a-z0-9:]+)(?:\s+(?:at|@)\s*\$?([\d.,]+))?$/i;
/** Number of decimal places that a suffix moves the point. */
const SUFFIXES: { readonly [suffix: string]: number } = { k: 3, m: 6 };

type Entry = Pick<CatalogEntry, 'key' | 'instrument' | 'underlying' | 'venue'>;

/** Returns the possible orders, likeliest first. Empty if the words name no manually tradable instrument. */
export function ordersIn(words: string, entries: readonly Entry[]): readonly OrderInWords[] {
  const [, verb, dollar, digits, suffix, currency, name, at] = ORDER.exec(words.trim()) ?? [];
  if (verb === undefined || digits === undefined || name === undefined) return [];
  const entry = entryNamed(name, entries);
  const size = shifted(plainNumber(digits), SUFFIXES[suffix?.toLowerCase() ?? ''] ?? 0);
  const price = at === undefined ? null : plainNumber(at);
  if (entry === null || size === null || (at !== undefined && price === null)) return [];
  const side = verb.toLowerCase().startsWith('b') ? 'buy' : 'sell';
  const order = (unit: OrderInWords['unit']): OrderInWords => ({ side, size, unit, key: entry.key, symbol: entry.instrument, price });
  const isInDollars = dollar === '$' || currency !== undefined;
  // A swap pays dollars or gives tokens, at the market.
  if (entry.venue === 'spotchain')
    return price !== null || (isInDollars && side === 'sell') ? [] : [order(side === 'buy' ? 'usd' : 'units')];
  if (isInDollars) return [order('usd')];
  return side === 'buy' ? [order('usd'), order('units')] : [order('units'), order('usd')];
}

function entryNamed(name: string, entries: readonly Entry[]): Entry | null {
  const wanted = name.toLowerCase();
  const byHand = entries.filter(({ venue }) => venue === 'spotexchange' || venue === 'spotchain');
  return (
    byHand.find(({ instrument }) => instrument.toLowerCase() === wanted) ??
    byHand.find(({ underlying }) => underlying.toLowerCase() === wanted) ??
    null
  );
}

/** Returns the digits without thousands separators, or null if the text is not one positive number. */
function plainNumber(text: string): string | null {
  const digits = /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(text) ? text.replaceAll(',', '') : text;
  if (!/^\d+(\.\d+)?$/.test(digits) || !/[1-9]/.test(digits)) return null;
  return digits.replace(/^0+(?=\d)/, '');
}

function shifted(digits: string | null, places: number): string | null {
  if (digits === null || places === 0) return digits;
  const [whole = '', decimals = ''] = digits.split('.');
  const moved = `${whole}${decimals.slice(0, places).padEnd(places, '0')}`.replace(/^0+(?=\d)/, '');
  const rest = decimals.slice(places);
  return rest === '' ? moved : `${moved}.${rest}`;
}
