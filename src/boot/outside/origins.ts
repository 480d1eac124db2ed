/** Origin of each source of market data, from the settings: real or simulated. */
import type { DataSource, StatedOrigin } from '../../domain/market/data-source.ts';
import type { Config } from '../config.ts';

/** Returns the origins. A source without a URL is the sandbox's. */
export function readOrigins(config: Config): Readonly<Record<DataSource, StatedOrigin>> {
  return {
    // Real pool bars are no evidence next to the sandbox's quotes.
    spotchain: config.SPOTCHAIN_URL === null ? 'sandbox' : origin(config.SPOTCHAIN_URL, config.SPOTCHAIN_CANDLES_URL),
    spotexchange: origin(config.SPOTEXCHANGE_URL),
    evmvenue: origin(config.EVMVENUE_URL),
    reference: origin(config.REFERENCE_URL),
    prediction: origin(config.POLYMARKET_GAMMA_URL, config.KALSHI_URL),
    issuer: origin(config.ISSUER_URL),
    wire: origin(config.NEWS_URL),
    filings: origin(config.FILINGS_URL),
  };
}

function origin(...urls: readonly (string | null)[]): StatedOrigin {
  const named = urls.filter((url) => url !== null).length;
  return named === 0 ? 'sandbox' : named === urls.length ? 'real' : 'mixed';
}
