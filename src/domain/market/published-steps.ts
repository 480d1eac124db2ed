/** Published steps of the venues, and the default steps of the others. Needs neither the catalog nor arithmetic, so that pages use it too. */
import type { InstrumentKind } from '../catalog/catalog.ts';
import type { DecimalString } from '../values/decimal.ts';
import type { InstrumentKey } from './venue.ts';

/** Smallest steps of an instrument as decimal text. */
export interface MarketStep {
  readonly lot: DecimalString;
  readonly tick: DecimalString;
}

/**
 * Published steps of the spot exchange (LOT_SIZE and PRICE_FILTER) and of the perpetuals venue (`szDecimals`; its price has at most 6 -
 * szDecimals decimals and five significant figures). A venue's execution client also checks the venue's present filters.
 */
const LISTED: Readonly<Record<InstrumentKey, MarketStep>> = {
  'spotexchange:BTCUSDT': { lot: '0.00001', tick: '0.01' },
  'spotexchange:ETHUSDT': { lot: '0.0001', tick: '0.01' },
  'spotexchange:SOLUSDT': { lot: '0.001', tick: '0.01' },
  'evmvenue:BTC': { lot: '0.00001', tick: '0.1' },
  'evmvenue:ETH': { lot: '0.0001', tick: '0.01' },
  'evmvenue:SOL': { lot: '0.01', tick: '0.0001' },
};

/** Keys of perpetuals on shares. Written out, because pages would load all facts of the venue for the name of its dex. */
const SHARE_PERPS = 'evmvenue:xyz:';
/** Steps of perpetuals on shares: `szDecimals` 3, with as many price decimals. */
const SHARE_PERP: MarketStep = { lot: '0.001', tick: '0.001' };

/** Default steps of a venue that publishes none. Swaps are priced and sized in millionths, like the stablecoin. */
const BY_KIND: Readonly<Record<InstrumentKind, MarketStep>> = {
  spot: { lot: '0.000001', tick: '0.000001' },
  perp: { lot: '0.0001', tick: '0.0001' },
  tokenized_equity: { lot: '0.000001', tick: '0.000001' },
  pre_ipo: { lot: '0.000001', tick: '0.000001' },
  agent_token: { lot: '0.000001', tick: '0.000000001' },
};

/** Steps of outcomes. Both providers count contracts in hundredths. No price grid is finer, and a market's own may be coarser. */
const OUTCOMES: MarketStep = { lot: '0.01', tick: '0.0001' };

/** Returns the steps of an instrument of a kind. One without a kind is outside the catalog and gets the finest, those of agent tokens. */
export function findPublishedStep(instrument: InstrumentKey, kind: InstrumentKind | undefined): MarketStep {
  if (Object.hasOwn(LISTED, instrument)) return LISTED[instrument] as MarketStep;
  if (instrument.startsWith('prediction:')) return OUTCOMES;
  if (instrument.startsWith(SHARE_PERPS)) return SHARE_PERP;
  return BY_KIND[kind ?? 'agent_token'];
}

/** Maximum significant figures of a perpetual's price. Whole numbers may have more. */
const PERP_FIGURES = 5;

/**
 * Returns the exponent of an instrument's price step in ticks: a price of `ticks` ticks is on whole multiples of 10^exponent ticks. The
 * perpetuals venue accepts at most five significant figures, so its step grows with the price.
 */
export function priceStepExponent(instrument: InstrumentKey, ticks: bigint | number, tickScale: number): number {
  if (!instrument.startsWith('evmvenue:')) return 0;
  return Math.min(tickScale, Math.max(0, String(ticks).length - PERP_FIGURES));
}
