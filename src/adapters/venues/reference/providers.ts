/** Providers of reference prices and marks, by their names in the settings. */

export const MARK_PROVIDERS = ['prestocks', 'tessera'] as const;
export type MarkProvider = (typeof MARK_PROVIDERS)[number];

/** Providers of stock prices for the fallback. */
export const SHARE_QUOTES_PROVIDERS = ['finnhub', 'alpaca'] as const;
export type ShareQuotesProvider = (typeof SHARE_QUOTES_PROVIDERS)[number];
