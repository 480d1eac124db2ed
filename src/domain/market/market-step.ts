/** The steps of quantity and price that orders are made in: a quantity is a whole number of lots, a price of steps (`priceStepOf`). */
import { CATALOG, type InstrumentKind } from '../catalog/catalog.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import type { InstrumentKey } from './venue.ts';
import { SHARE_DEX } from '../venues/evmvenue.ts';

/** The smallest steps of one instrument as decimal text. */
export interface MarketStep {
  readonly lot: DecimalString;
  readonly tick: DecimalString;
}

/**
 * The published steps of the spot exchange (LOT_SIZE and PRICE_FILTER) and of the perpetual venue (`szDecimals`; its
 * price has at most 6 - szDecimals decimals and five significant figures). A venue's execution client checks the venue's own present filters once more.
 */
const LISTED: Readonly<Record<InstrumentKey, MarketStep>> = {
  'spotexchange:BTCUSDT': { lot: '0.00001', tick: '0.01' },
  'spotexchange:ETHUSDT': { lot: '0.0001', tick: '0.01' },
  'spotexchange:SOLUSDT': { lot: '0.001', tick: '0.01' },
  'evmvenue:BTC': { lot: '0.00001', tick: '0.1' },
  'evmvenue:ETH': { lot: '0.0001', tick: '0.01' },
  'evmvenue:SOL': { lot: '0.01', tick: '0.0001' },
};

/** Perpetuals on shares are sized in thousandths (`szDecimals` 3) and priced to as many decimals. */
const SHARE_PERP: MarketStep = { lot: '0.001', tick: '0.001' };

/** Default steps of a venue that publishes none. Swaps are priced and sized in millionths, as the stablecoin is. */
const BY_KIND: Readonly<Record<InstrumentKind, MarketStep>> = {
  spot: { lot: '0.000001', tick: '0.000001' },
  perp: { lot: '0.0001', tick: '0.0001' },
  tokenized_equity: { lot: '0.000001', tick: '0.000001' },
  pre_ipo: { lot: '0.000001', tick: '0.000001' },
  agent_token: { lot: '0.000001', tick: '0.000000001' },
};

/** Both providers count contracts in hundredths; no grid of prices is finer, and a market's own may be coarser. */
const OUTCOMES: MarketStep = { lot: '0.01', tick: '0.0001' };

/** The steps of an instrument; what the catalog does not list is stepped like an agent token, the finest. */
export function marketStepOf(instrument: InstrumentKey): MarketStep {
  if (Object.hasOwn(LISTED, instrument)) return LISTED[instrument] as MarketStep;
  if (instrument.startsWith('prediction:')) return OUTCOMES;
  if (instrument.startsWith(`evmvenue:${SHARE_DEX}:`)) return SHARE_PERP;
  return BY_KIND[CATALOG.byKey(instrument)?.kind ?? 'agent_token'];
}

/** Significant figures that a perpetual's price may have. Whole numbers may have more. */
const PERP_FIGURES = 5;

/**
 * The exponent of the price step in ticks of an instrument: a price of `ticks` ticks lies on whole multiples of 10^exponent
 * ticks. The perpetuals venue takes at most five significant figures beside its decimals, so its step grows with the price.
 */
export function priceStepExponent(instrument: InstrumentKey, ticks: bigint | number, tickScale: number): number {
  if (!instrument.startsWith('evmvenue:')) return 0;
  return Math.min(tickScale, Math.max(0, String(ticks).length - PERP_FIGURES));
}

/** The step that prices of an instrument have near `price`, as decimal text: its tick, or coarser for a perpetual. */
export function priceStepOf(instrument: InstrumentKey, price: DecimalString): DecimalString {
  const { tick } = marketStepOf(instrument);
  const ticks = new Decimal(price).div(tick).floor().toFixed();
  const exponent = priceStepExponent(instrument, BigInt(ticks), new Decimal(tick).decimalPlaces());
  return plainDecimal(new Decimal(tick).times(new Decimal(10).pow(exponent)));
}

/** The largest whole number of steps that is not above `value`, as decimal text. */
export function floorToStep(value: Decimal | DecimalString, step: DecimalString): DecimalString {
  return plainDecimal(new Decimal(value).div(step).floor().times(step));
}
