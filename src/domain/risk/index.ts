/** The pre-trade risk engine: start at `assessOrder`. */
export { assessOrder, prepareRisk, type RiskApproved, type RiskVerdict } from './assess.ts';
export { RunningSums } from './book-sums.ts';
export { RISK_BITS, RISK_CODES, type RiskCode } from './codes.ts';
export {
  type BookSums,
  type ExactSums,
  computeExposure,
  exposureOfSums,
  plusCash,
  NO_OTHER_BOOKS,
  type OtherBooks,
  observedOrderQuote,
  type ReferenceUse,
  type RiskCatalog,
  type RiskContext,
} from './context.ts';
export { type ExposureTotals, exposureTotals } from './exposure-totals.ts';
export { findBreaches, readOrderFigures, type OrderFigures, type RiskFrame } from './kernel.ts';
export { limitedLiveCapital, type Mandate, combineMandate } from './mandate.ts';
export {
  ADD_EXCHANGE_KEY,
  ALL_ENABLED,
  type DisabledVenues,
  type PoolLiquidity,
  EXCHANGE_KEY,
  decideHalt,
  knownLiquidity,
  lackInWords,
  missingSetting,
  observedMarket,
  orderContext,
  POOL_LIQUIDITY_MAX_AGE_MS,
  presentMarket,
  type RiskMarket,
  type TradingControl,
  UNCONTROLLED,
} from './order-context.ts';
export { DEFAULT_PREFERENCES, type RiskPreferences } from './preferences.ts';
