/** Finds the assets that a thesis names, by symbol, by the underlying's symbol, or by name. */
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import { GRAMMAR_WORDS } from './thesis-words.ts';

/** Instruments that a word of a thesis may name. Several if the word is ambiguous. */
export interface NamedAsset {
  readonly entries: readonly CatalogEntry[];
  /** True if the word is not the catalog's own symbol, so that the reading is shown. */
  readonly inferred: boolean;
}

export type NamesOfAssets = (text: string, at: number) => { readonly length: number; readonly asset: NamedAsset } | null;

/** Names that are also ordinary words. */
const ORDINARY: ReadonlySet<string> = new Set(['strategy', 'nasdaq', 'figure']);

/** Common names besides the catalog's own, by underlying. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  GOOGL: ['google', 'goog'],
  META: ['facebook'],
  MSTR: ['microstrategy'],
  SPY: ['s&p', 's&p500', 's&p-500'],
  ETH: ['ethereum'],
  SPACEX: ['spcx'],
};

const KIND_OF_NAME = / (?:xStock|PreStock|spot|perpetual)$/;

/** Returns the names of an entry: `Apple xStock` gives `apple` and its aliases. */
function listNames(entry: CatalogEntry): string[] {
  return [entry.name.replace(KIND_OF_NAME, '').toLowerCase(), ...(ALIASES[entry.underlying] ?? [])];
}

/**
 * True for a market of a builder's dex, which only its own full name identifies: several dexes list the same share, and the share's name
 * means the share.
 */
const isBuilderMarket = ({ venue, instrument }: CatalogEntry): boolean => venue === 'evmvenue' && instrument.includes(':');

const NAME = /[1-9A-HJ-NP-Za-km-z]{32,44}(?![\w])|[$#]?[A-Za-z][A-Za-z0-9&:/_-]*(?:'s)?/y;

/**
 * Creates an index over the catalog for the words of a text. A launched token is named only by `$SYMBOL`, its mint or its full key, so that
 * a launch does not change the meaning of a word.
 */
export function assetNames(catalog: Catalog): NamesOfAssets {
  const exact = new Map<string, CatalogEntry[]>();
  const launched = new Map<string, CatalogEntry[]>();
  const inferred = new Map<string, CatalogEntry[]>();
  const put = (map: Map<string, CatalogEntry[]>, key: string, entry: CatalogEntry): void => {
    const known = map.get(key) ?? [];
    if (!known.includes(entry)) map.set(key, [...known, entry]);
  };
  for (const entry of catalog.entries) {
    const isLaunched = entry.kind === 'agent_token';
    for (const pair of [entry.instrument, ...entry.pairs]) put(exact, `${entry.venue}:${pair}:${entry.kind}`.toLowerCase(), entry);
    if (entry.token !== null) put(exact, entry.token.mint, entry);
    if (isLaunched) put(launched, entry.instrument.toLowerCase(), entry);
    else for (const pair of [entry.instrument, ...entry.pairs]) put(exact, pair.toLowerCase(), entry);
    if (isLaunched || isBuilderMarket(entry)) continue;
    put(inferred, entry.underlying.toLowerCase(), entry);
    for (const name of listNames(entry)) if (!ORDINARY.has(name)) put(inferred, name, entry);
  }
  const phrases = [...inferred.keys()].filter((name) => name.includes(' ')).sort((a, b) => b.length - a.length);
  return (text, at) => {
    const lower = text.slice(at, at + 40).toLowerCase();
    const phrase = phrases.find((name) => lower.startsWith(name) && !/[a-z0-9]/.test(lower[name.length] ?? ''));
    if (phrase !== undefined) return { length: phrase.length, asset: { entries: inferred.get(phrase) ?? [], inferred: true } };
    NAME.lastIndex = at;
    const word = NAME.exec(text)?.[0].replace(/[:/_-]+$/, '');
    if (word === undefined) return null;
    const clean = word.replace(/^[$#]/, '').replace(/'s$/i, '');
    const asset = findAsset(clean, word.startsWith('$'));
    return asset === null ? null : { length: word.length, asset };
  };

  function findAsset(word: string, marked: boolean): NamedAsset | null {
    const own = exact.get(word) ?? exact.get(word.toLowerCase());
    const meant = inferred.get(word.toLowerCase());
    // The symbol of an underlying may mean any of its instruments, even if one of them has the same symbol.
    if (own !== undefined && (meant === undefined || meant.length <= 1)) return { entries: own, inferred: false };
    if (meant !== undefined) return { entries: meant, inferred: true };
    const token = marked ? launched.get(word.toLowerCase()) : undefined;
    return token === undefined ? null : { entries: token, inferred: false };
  }
}

/** Letters and digits that look like a Latin letter, mapped to that letter. */
const LOOKALIKES = new Map(
  Object.entries({
    a: 'аα',
    b: 'вβ',
    c: 'сϲ',
    d: 'ԁ',
    e: 'еε',
    h: 'һн',
    j: 'јϳ',
    k: 'кκ',
    l: '1i|ıіιӏ',
    m: 'м',
    n: 'ηп',
    o: '0оοσ',
    p: 'рρ',
    q: 'ԛ',
    s: '5ѕ',
    t: 'тτ',
    u: 'υ',
    v: 'ν',
    w: 'ԝω',
    x: 'хχ',
    y: 'уγү',
  }).flatMap(([letter, alike]) => Array.from(alike, (one) => [one, letter] as const)),
);

/** Reduces a name to its appearance: without case, marks, spaces and signs, and with lookalikes as the Latin letter. */
function toLook(name: string): string {
  const plain = name.normalize('NFKD').toLowerCase();
  return plain.replace(/./gu, (char) => LOOKALIKES.get(char) ?? char).replace(/[^\p{L}\p{N}]/gu, '');
}

/** Invisible characters, and those that change the direction of text. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\u{115F}\u{1160}\u{3164}\u{FFA0}]/u;

/**
 * Returns why a token cannot be launched under this symbol and name, or null if it can. Both would become words of all theses, or could be
 * mistaken for the name of an instrument.
 */
export function nameProblem(symbol: string, name: string, catalog: Catalog): string | null {
  const fixed = new Set(
    catalog.entries
      .filter(({ kind }) => kind !== 'agent_token')
      .flatMap((entry) => [entry.instrument, entry.underlying, ...entry.pairs, entry.name, ...listNames(entry)])
      .map(toLook),
  );
  for (const [field, text] of [
    ['symbol', symbol],
    ['name', name],
  ] as const) {
    const shown = JSON.stringify(text.slice(0, 40)).replace(/[^\x20-\x7e]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
    const word = text.normalize('NFKC').trim().toLowerCase();
    const look = toLook(text);
    if (UNSEEN.test(text)) return `the ${field} ${shown} holds characters that nobody sees: choose another`;
    if (fixed.has(look) || fixed.has(look.replace(/(?:token|inc|corp|stock|x)$/, '')))
      return `the ${field} ${shown} is the name of an instrument or a company of the catalog, or looks like it: choose another`;
    if (GRAMMAR_WORDS.has(word)) return `the ${field} ${shown} is a word of the thesis language: choose another`;
  }
  return null;
}
