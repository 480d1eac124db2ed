/** The names of those whom reference prices and marks may come from, as settings name them. */

/** Whose marks may be read. */
export const MARK_PROVIDERS = ['prestocks', 'tessera'] as const;
export type MarkProvider = (typeof MARK_PROVIDERS)[number];

/** Whom share prices may come from behind the first source. */
export const SHARE_QUOTES_PROVIDERS = ['finnhub', 'alpaca'] as const;
export type ShareQuotesProvider = (typeof SHARE_QUOTES_PROVIDERS)[number];
