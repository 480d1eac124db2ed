/** What a message to the copilot asks for, by fixed patterns. Words of a message choose what is read and shown; they never do anything. */
import type { Catalog, CatalogEntry } from '../catalog.ts';
import { FAIR_VALUE_MODES, type FairValueMode } from '../ranking/fair-value.ts';
import type { PrivateMode } from '../ranking/private-markets.ts';
import { assetNames } from '../take/thesis-assets.ts';

export const INTENTS = [
  'look_up',
  'rank',
  'explain',
  'assess',
  'portfolio',
  'impact',
  'compile_take',
  'compile_policy',
  'help',
  'out_of_scope',
] as const;
export type Intent = (typeof INTENTS)[number];

export type Classified =
  | { readonly intent: 'look_up' | 'assess'; readonly entry: CatalogEntry }
  | { readonly intent: 'rank'; readonly mode: FairValueMode; readonly liquidOnly: boolean }
  | { readonly intent: 'rank'; readonly privateMode: PrivateMode }
  | { readonly intent: 'explain'; readonly ids: readonly string[] }
  | { readonly intent: 'portfolio' | 'help' | 'out_of_scope' }
  | { readonly intent: 'impact'; readonly entry: CatalogEntry; readonly notionalUsd: string }
  | { readonly intent: 'compile_take'; readonly thesis: string }
  | {
      readonly intent: 'compile_policy';
      readonly entry: CatalogEntry;
      readonly enterDiscountPct: number;
      readonly exitDiscountPct: number;
      readonly notionalUsd: string;
    };

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const AMOUNT = /(?:\$|usd ?)(\d{1,8}(?:\.\d{1,2})?)|(\d{1,8}(?:\.\d{1,2})?) ?(?:usd|usdc|dollars?)\b/i;
const WORD = /[$#]?[A-Za-z][A-Za-z0-9&:/_-]*/g;
/** What a thesis begins with, after words of courtesy. */
const THESIS =
  /^(?:please |can you |could you |i want to |i would like to |i'd like to |let's |compile(?: a take)?:? |take: ?|thesis: ?|when |if |once )*(?:buy|accumulate|purchase|go long|long|get long|pick up)\b/i;

/** The assets that a message names, each once; `BTC` and its like are the spot instrument where a single one is needed. */
function assetsOf(message: string, catalog: Catalog): CatalogEntry[] {
  const named = assetNames(catalog);
  const found = new Map<string, CatalogEntry>();
  for (const [word] of message.matchAll(WORD)) {
    const entries = named(word.replace(/[:/_-]+$/, ''))?.entries ?? [];
    const entry = entries.find(({ kind }) => kind !== 'perp') ?? entries[0];
    if (entry !== undefined) found.set(entry.key, entry);
  }
  return [...found.values()];
}

function amountOf(message: string): string | null {
  const match = AMOUNT.exec(message);
  return match === null ? null : (match[1] ?? match[2] ?? null);
}

const MODES: readonly (readonly [RegExp, FairValueMode])[] = [
  [/\b(?:cheap(?:est)?|discounts?|undervalued|below (?:their|its|the) reference)\b/i, 'deepest_discount'],
  [/\b(?:expensive|dear(?:est)?|premiums?|overvalued)\b/i, 'highest_premium'],
  [/\b(?:events?|news|headlines)\b/i, 'event_intensity'],
  [/\b(?:liquid(?:ity)?|deep(?:est)?)\b/i, 'liquidity'],
];

const PRIVATE = /\b(?:private|pre-?ipo|prestocks?|unlisted)\b/i;
const PRIVATE_WORDS: readonly (readonly [RegExp, PrivateMode])[] = [
  [/\bmomentum\b/i, 'momentum'],
  [/\bfits?\b/i, 'portfolio_fit'],
  [/\b(?:events?|news|headlines)\b/i, 'news_intensity'],
  [/\b(?:cheap(?:est)?|discounts?|undervalued|below (?:their|its|the) marks?)\b/i, 'deepest_discount'],
  [/\b(?:expensive|dear(?:est)?|premiums?|overvalued)\b/i, 'highest_premium'],
  [/\b(?:liquid(?:ity)?|deep(?:est)?)\b/i, 'liquidity'],
  [/\bgaps?\b/i, 'gap_to_mark'],
];

/** A ranking is asked for by a superlative or by name, never by a single asset. */
function rankingOf(message: string): Classified | null {
  if (!/\b(?:rank|ranking|rankings|which|what|cheapest|deepest|highest|most|top|best|list|show)\b/i.test(message)) return null;
  if (PRIVATE.test(message)) {
    const privateMode = PRIVATE_WORDS.find(([pattern]) => pattern.test(message))?.[1];
    return privateMode === undefined ? null : { intent: 'rank', privateMode };
  }
  const mode = MODES.find(([pattern]) => pattern.test(message))?.[1];
  if (mode === undefined || !FAIR_VALUE_MODES.includes(mode)) return null;
  return { intent: 'rank', mode, liquidOnly: mode !== 'liquidity' && /\bliquid\b/i.test(message) };
}

/** "basis policy for AAPLx: enter at 2% discount, exit at 0.5%, with $500" */
function policyOf(message: string, entry: CatalogEntry | undefined): Classified | null {
  if (entry === undefined || !/\b(?:basis|arbitrage|trading) policy\b/i.test(message)) return null;
  const enter = /\benters? (?:at|when the discount is (?:over|above)|above|below) ?(?:a )?(\d{1,2}(?:\.\d{1,4})?) ?%/i.exec(message)?.[1];
  const exit = /\bexits? (?:at|when the discount is (?:under|below)|below|above) ?(?:a )?(-?\d{1,2}(?:\.\d{1,4})?) ?%/i.exec(message)?.[1];
  const notionalUsd = amountOf(message);
  if (enter === undefined || exit === undefined || notionalUsd === null) return null;
  return { intent: 'compile_policy', entry, enterDiscountPct: Number(enter), exitDiscountPct: Number(exit), notionalUsd };
}

/** A message about one asset, where none is named, is about the one that the conversation was about. */
function aboutOne(text: string, entry: CatalogEntry | undefined): Classified | null {
  if (entry === undefined) return null;
  const notionalUsd = amountOf(text);
  if (/\b(?:what if|impact|what would happen|effect)\b/i.test(text) && notionalUsd !== null)
    return { intent: 'impact', entry, notionalUsd };
  if (/\b(?:assess(?:ment)?|bull case|bear case|case for|case against|catalysts?|analy[sz]e|analysis)\b/i.test(text))
    return { intent: 'assess', entry };
  if (/\b(?:price|quote|quoted|trade[sd]? at|look ?up|how much|premium|discount|gap|session|liquidity|what is|show)\b/i.test(text))
    return { intent: 'look_up', entry };
  return null;
}

/**
 * Classifies a message. Of two or more assets none is guessed.
 * @param before the asset that the conversation was about last; null at its beginning.
 */
export function classify(message: string, catalog: Catalog, before: CatalogEntry | null): Classified {
  const text = message.normalize('NFKC').replace(/\s+/g, ' ').trim();
  const assets = assetsOf(text, catalog);
  const entry = assets.length > 1 ? undefined : (assets[0] ?? (/\b(?:it|its|this|that)\b/i.test(text) ? (before ?? undefined) : undefined));
  if (/^(?:help|what can you do|how does this work|\?)[?!. ]*$/i.test(text)) return { intent: 'help' };
  const policy = policyOf(text, entry);
  if (policy !== null) return policy;
  if (THESIS.test(text))
    return {
      intent: 'compile_take',
      thesis: text.replace(/^(?:please |can you |could you |compile(?: a take)?:? |take: ?|thesis: ?)+/i, ''),
    };
  if (/\b(?:explain|why)\b.*\bdecision\b|\bdecision\b.*\b(?:explain|why)\b/i.test(text))
    return { intent: 'explain', ids: [...text.matchAll(UUID)].map(([id]) => id.toLowerCase()) };
  const one = aboutOne(text, entry);
  if (one !== null) return one;
  const ranking = assets.length === 0 ? rankingOf(text) : null;
  if (ranking !== null) return ranking;
  if (/\b(?:my|our) (?:portfolio|positions?|holdings?|exposure|books?|sectors?)\b|^portfolio\b/i.test(text)) return { intent: 'portfolio' };
  return { intent: 'out_of_scope' };
}
