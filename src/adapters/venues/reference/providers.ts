/** The names of those whom reference prices and marks may come from, as settings name them. */

export const MARK_PROVIDERS = ['prestocks', 'tessera'] as const;
export type MarkProvider = (typeof MARK_PROVIDERS)[number];

/** Providers of stock prices behind the first source. */
export const SHARE_QUOTES_PROVIDERS = ['finnhub', 'alpaca'] as const;
export type ShareQuotesProvider = (typeof SHARE_QUOTES_PROVIDERS)[number];
