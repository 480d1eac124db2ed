/** Classifies a message to the copilot by fixed patterns. The words choose what is read and shown. They never cause an action. */
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import { FAIR_VALUE_MODES, type FairValueMode } from '../ranking/fair-value.ts';
import type { PrivateMode } from '../ranking/private-markets.ts';
import { amountIn, quantityAt } from '../values/quantity.ts';
import type { Understood } from '../take/compile-thesis.ts';
import { assetNames } from '../take/thesis-assets.ts';
import { normalised, strangeDigits } from '../take/thesis-tokens.ts';

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

/** Data that can be looked up, by the words that ask for it. The first that matches counts. */
const TOPICS = [
  ['chains', /\b(?:tvl|(?:total )?value locked)\b/i],
  ['funding', /\bfunding\b(?! round)/i],
  ['basis', /\b(?:basis|arbitrage)\b/i],
  ['macro', /\b(?:macro|regime|risk[- ]o(?:n|ff))\b/i],
  ['agents', /\b(?:my|our|which|list|show|why)\b.*\bagents?\b/i],
  [
    'session',
    /\b(?:market|exchange|nyse|nasdaq|wall street)s?\b.*\b(?:open|opens|closed?|closes|hours)\b|\b(?:open|closed)\b.*\b(?:market|exchange)\b|\btrading hours\b/i,
  ],
  ['events', /\b(?:news|headlines?|events?|happen(?:s|ed|ing)?)\b/i],
  ['price', /\b(?:price|quote|quoted|trad(?:es?|ed|ing) at|look ?up|how much|premium|discount|gap|session|liquidity|what is|show)\b/i],
] as const;
type Topic = (typeof TOPICS)[number][0];

/** Changes that a message may ask for, none of which the copilot makes. */
const ACTS = /\b(?:pause|halt|resume|stop|close|sell|cancel|promote|approve|decline|send|transfer|withdraw|deposit|delete|revoke)\b/i;

export type Classified =
  | { readonly intent: 'look_up'; readonly topic: 'price'; readonly entry: CatalogEntry }
  | { readonly intent: 'look_up'; readonly topic: Exclude<Topic, 'price'>; readonly entry: CatalogEntry | null }
  | { readonly intent: 'assess'; readonly entry: CatalogEntry }
  | { readonly intent: 'rank'; readonly mode: FairValueMode; readonly liquidOnly: boolean }
  | { readonly intent: 'rank'; readonly privateMode: PrivateMode }
  | { readonly intent: 'explain'; readonly ids: readonly string[] }
  | { readonly intent: 'portfolio' | 'help' }
  /** `act`: the message asks for a change. */
  | { readonly intent: 'out_of_scope'; readonly act: boolean }
  | { readonly intent: 'impact'; readonly entry: CatalogEntry; readonly notionalUsd: string }
  | { readonly intent: 'compile_take'; readonly thesis: string }
  | {
      readonly intent: 'compile_policy';
      readonly entry: CatalogEntry;
      readonly enterDiscountPct: number;
      readonly exitDiscountPct: number;
      readonly notionalUsd: string;
      readonly understood: readonly Understood[];
    };

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
/** Courtesy words before a thesis, which are no part of it. */
const COURTESY = /^(?:please |can you |could you |(?:compile|draft|write|make)(?: me)?(?: a)?(?: take)?(?: to)?:? |take: ?|thesis: ?)+/i;
/** Beginning of a thesis, after courtesy words. */
const THESIS =
  /^(?:i want to |i would like to |i'd like to |let's |when |if |once )*(?:buy|accumulate|purchase|go long|long|get long|pick up)\b/i;

/** Returns the assets that a message names, each once. A coin such as `BTC` means its spot instrument if a single one is needed. */
function findAssets(message: string, catalog: Catalog): CatalogEntry[] {
  const assetAt = assetNames(catalog);
  const found = new Map<string, CatalogEntry>();
  for (let at = 0; at < message.length; at++) {
    if (/[\w$#]/.test(message[at - 1] ?? '')) continue;
    const named = assetAt(message, at);
    if (named === null) continue;
    const { entries } = named.asset;
    const entry = entries.find(({ kind }) => kind !== 'perp') ?? entries[0];
    if (entry !== undefined) found.set(entry.key, entry);
    at += named.length - 1;
  }
  return [...found.values()];
}

/** Returns the amount of money in a message, or null if it has none or an ambiguous one. */
function findAmount(message: string): string | null {
  const found = strangeDigits(message) === null ? amountIn(message) : null;
  return typeof found === 'string' ? found : null;
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

/** Recognizes a request for a ranking by a superlative or by name. A single asset is never a ranking. */
function findRanking(message: string): Classified | null {
  if (!/\b(?:rank|ranking|rankings|which|what|cheapest|deepest|highest|most|top|best|list|show)\b/i.test(message)) return null;
  if (PRIVATE.test(message)) {
    const privateMode = PRIVATE_WORDS.find(([pattern]) => pattern.test(message))?.[1];
    return privateMode === undefined ? null : { intent: 'rank', privateMode };
  }
  const mode = MODES.find(([pattern]) => pattern.test(message))?.[1];
  if (mode === undefined || !FAIR_VALUE_MODES.includes(mode)) return null;
  return { intent: 'rank', mode, liquidOnly: mode !== 'liquidity' && /\bliquid\b/i.test(message) };
}

/** Words before a threshold of a policy: "enter at", "exit when the discount is under". A discount is entered above it and exited below. */
const BAND =
  /\b(?:(enters?)(?: at| above| when the discount is (?:at|over|above))|(exits?)(?: at| below| when the discount is (?:at|under|below))) ?(?:a )?/gi;
/** Words that a policy on discounts must not contain. */
const BESIDE_DISCOUNTS = /\bpremiums?\b/i;

/**
 * Reads a basis policy such as "basis policy for AAPLx: enter at 2% discount, exit at 0.5%, with $500". A negated or uncertain number makes
 * no draft.
 */
function findPolicy(message: string, entry: CatalogEntry | undefined): Classified | null {
  if (entry === undefined || !/\b(?:basis|arbitrage|trading) policy\b/i.test(message)) return null;
  if (BESIDE_DISCOUNTS.test(message) || /\b(?:not|never|no|unless|don'?t|isn'?t|avoid|except)\b/i.test(message)) return null;
  const bands: Record<string, number> = {};
  const understood: Understood[] = [];
  for (const match of message.matchAll(BAND)) {
    const side = match[1] === undefined ? 'exit' : 'entry';
    const at = match.index + match[0].length;
    const found = quantityAt(message, at);
    if (found === null || 'question' in found || found.unit !== 'percent' || bands[side] !== undefined) return null;
    bands[side] = Number(found.value);
    understood.push({ phrase: message.slice(match.index, at + found.length), as: `${side} at a discount of ${found.value}%` });
  }
  const { entry: enterDiscountPct, exit: exitDiscountPct } = bands;
  const notionalUsd = findAmount(message);
  if (enterDiscountPct === undefined || exitDiscountPct === undefined || notionalUsd === null) return null;
  const named = [
    { phrase: entry.instrument, as: `asset ${entry.key}` },
    ...understood,
    { phrase: 'amount', as: `allocation of ${notionalUsd} USD` },
  ];
  return { intent: 'compile_policy', entry, enterDiscountPct, exitDiscountPct, notionalUsd, understood: named };
}

const findTopic = (text: string): Topic | null => TOPICS.find(([, pattern]) => pattern.test(text))?.[0] ?? null;

/** Classifies a message about one asset. If it names none, the asset of the conversation applies. */
function aboutOne(text: string, entry: CatalogEntry | undefined): Classified | null {
  if (entry === undefined) return null;
  const notionalUsd = findAmount(text);
  if (/\b(?:what if|impact|what would happen|effect)\b/i.test(text) && notionalUsd !== null)
    return { intent: 'impact', entry, notionalUsd };
  if (/\b(?:assess(?:ment)?|bull case|bear case|case for|case against|catalysts?|analy[sz]e|analysis)\b/i.test(text))
    return { intent: 'assess', entry };
  const topic = findTopic(text);
  return topic === null ? null : { intent: 'look_up', topic, entry };
}

/**
 * Classifies a message. With two or more assets it does not guess one. @param before Last asset of the conversation, or null at its
 * beginning.
 */
export function classify(message: string, catalog: Catalog, before: CatalogEntry | null): Classified {
  const text = (strangeDigits(message) === null ? normalised(message) : message).replace(/\s+/g, ' ').trim();
  const assets = findAssets(text, catalog);
  const entry = assets.length > 1 ? undefined : (assets[0] ?? (/\b(?:it|its|this|that)\b/i.test(text) ? (before ?? undefined) : undefined));
  if (/^(?:help|what can you do|how does this work|\?)[?!. ]*$/i.test(text)) return { intent: 'help' };
  const policy = findPolicy(text, entry);
  if (policy !== null) return policy;
  const thesis = text.replace(COURTESY, '');
  if (THESIS.test(thesis)) return { intent: 'compile_take', thesis };
  if (/\b(?:explain|why)\b.*\bdecision\b|\bdecision\b.*\b(?:explain|why)\b/i.test(text))
    return { intent: 'explain', ids: [...text.matchAll(UUID)].map(([id]) => id.toLowerCase()) };
  const one = aboutOne(text, entry);
  if (one !== null) return one;
  const ranking = assets.length === 0 ? findRanking(text) : null;
  if (ranking !== null) return ranking;
  if (/\b(?:my|our) (?:portfolio|positions?|holdings?|exposure|books?|sectors?)\b|^portfolio\b/i.test(text)) return { intent: 'portfolio' };
  const topic = assets.length === 0 ? findTopic(text) : null;
  if (topic !== null && topic !== 'price') return { intent: 'look_up', topic, entry: null };
  return { intent: 'out_of_scope', act: ACTS.test(text) };
}
