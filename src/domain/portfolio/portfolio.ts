/** A portfolio: holdings over books and wallets of one mode, their weights, their exit costs, and the five scenarios. */
import type { PoolLiquidity } from '../risk/order-context.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { type DecimalString, plainDecimal } from '../values/decimal.ts';
import type { FreeDollars, OutsideCoin } from '../books/free-dollars.ts';
import type { ExecutionMode } from '../orders/order.ts';
import type { Quote } from '../market/quote.ts';
import type { RiskPreferences } from '../risk/preferences.ts';
import { nextRegularOpen } from '../market/session.ts';
import type { EpochMs } from '../values/time.ts';
import { midPrice } from '../market/valuation.ts';
import type { InstrumentKey } from '../market/venue.ts';
import { type Account, accountOfBook, accountOfFree, type PortfolioBook, type ReadAccount } from './account.ts';
import {
  type DuplicateExposure,
  duplicateExposures,
  type InstrumentWeight,
  instrumentWeights,
  type SectorWeight,
  sectorWeights,
} from './exposure.ts';
import type { OutcomeFact } from './outcome.ts';
import { isPooled, type PoolExit, estimatePoolExits } from './pool-exit.ts';
import { valueHoldings, type PortfolioPosition, type PortfolioTotals, sumTotals } from './positions.ts';
import { evaluateScenarios, type ScenarioResult, STANDARD_SCENARIOS, scenarioRule } from './standard-scenarios.ts';
import {
  calendarInput,
  catalogInput,
  MANDATE_INPUT,
  type PortfolioInput,
  plainInput,
  poolInputId,
  quoteInput,
  quoteInputId,
  scenarioInputId,
} from './input-trace.ts';

/** A wallet, or part of one, that did not answer. Its holdings are in no sum. */
export interface UnreadWallet {
  readonly address: string;
  /** Source that was queried. */
  readonly asked: string;
  readonly why: string;
}

/** Wallets that were read, and those that did not answer. */
export interface PortfolioWallets {
  readonly read: readonly ReadAccount[];
  readonly unread: readonly UnreadWallet[];
}

/** Inputs of a portfolio, read at one instant. */
export interface PortfolioMaterial {
  readonly at: EpochMs;
  readonly mode: ExecutionMode;
  readonly books: readonly PortfolioBook[];
  readonly wallets: readonly ReadAccount[];
  readonly unread: readonly UnreadWallet[];
  /** Amounts between the chains, for portfolios of real money. */
  readonly transit?: readonly ReadAccount[];
  /** Dollars that accounts hold besides the cash of live books and the wallets that were read. Absent for paper. */
  readonly free?: FreeDollars;
  /** Coins at the exchange that no live book holds. */
  readonly outside?: readonly OutsideCoin[];
  /** Newest quote of each held instrument, aged to this instant. */
  readonly quotes: ReadonlyMap<InstrumentKey, Quote>;
  /** Facts of held prediction outcomes. */
  readonly outcomes: ReadonlyMap<InstrumentKey, OutcomeFact>;
  /** Known liquidity at this instant. */
  readonly pools: ReadonlyMap<InstrumentKey, PoolLiquidity>;
  readonly mandate: { readonly version: number; readonly preferences: RiskPreferences };
}

export interface Portfolio {
  readonly at: EpochMs;
  readonly mode: ExecutionMode;
  readonly places: readonly Account[];
  readonly unread: readonly UnreadWallet[];
  readonly totals: PortfolioTotals;
  readonly holdings: readonly PortfolioPosition[];
  readonly instruments: readonly InstrumentWeight[];
  readonly sectors: readonly SectorWeight[];
  readonly duplicates: readonly DuplicateExposure[];
  readonly exits: readonly PoolExit[];
  readonly scenarios: readonly ScenarioResult[];
  /** Meaning of every id that a figure refers to. */
  readonly inputs: readonly PortfolioInput[];
}

/** Formulas of the numbers, one sentence per field of the answer. */
export const PORTFOLIO_FORMULAS: Readonly<Record<string, string>> = {
  mark: "(bid + ask) / 2 of the quote of the holding's own venue",
  valueUsd: 'quantity x mark; without a quote, the value that the venue reports',
  'totals.valueUsd': 'cash + holdings at live quotes + holdings at qualified prices',
  'totals.leverage': 'sum of the absolute values of priced holdings / value of the portfolio',
  'sectors.weightPct': 'net value of the sector / value of the portfolio x 100',
  'instruments.weightPct': 'absolute value in all accounts / value of the portfolio x 100',
  'duplicates.weightPct': 'absolute value of all instruments with this underlying / value of the portfolio x 100',
  'exits.sharePct': 'position / liquidity of its pools (both sides) x 100',
  'exits.exitSlippageBps': 'position / (half of the liquidity + position) x 10000, for a constant-product pool',
  'exits.exitableUsd': 'half of the liquidity x budget / (1 - budget), limited to the position',
  'effects.lossUsd': '-(value before x (shock + haircut) / 100); a negative loss is a gain',
  'scenarios.lossPct': 'sum of the losses / value before x 100',
};

/** Computes the portfolio of the material. */
export function computePortfolio(material: PortfolioMaterial, catalog: Catalog): Portfolio {
  const { at, mode, quotes, outcomes, mandate } = material;
  const free = material.free === undefined ? [] : accountOfFree(material.free, material.outside ?? [], at);
  const read = [...material.books.map(accountOfBook), ...free, ...material.wallets, ...(material.transit ?? [])];
  const places = read.map(({ place }) => place);
  const holdings = places.flatMap((place) => valueHoldings(place, { at, quotes, outcomes, catalog }));
  const totals = sumTotals(places, holdings, material.unread.length);
  const exits = estimatePoolExits(holdings, material.pools, mandate.preferences);
  const opensAt = nextRegularOpen(at);
  return {
    at,
    mode,
    places,
    unread: material.unread,
    totals,
    holdings,
    instruments: instrumentWeights(holdings, totals, mandate.preferences.maxPositionWeightPct),
    sectors: sectorWeights(
      holdings,
      totals,
      places.map(({ id }) => id),
    ),
    duplicates: duplicateExposures(holdings, totals, mandate.preferences.maxUnderlyingWeightPct, catalog),
    exits,
    scenarios: evaluateScenarios(holdings, { totals, exits, nextRegularOpen: opensAt }),
    inputs: [
      ...read.flatMap(({ inputs }) => inputs),
      ...instrumentInputs(material, heldInstruments(holdings), catalog),
      ...ruleInputs(mandate.version, opensAt),
    ],
  };
}

function heldInstruments(holdings: readonly PortfolioPosition[]): InstrumentKey[] {
  return holdings.flatMap(({ instrument }) => (instrument === null ? [] : [instrument]));
}

/** Lists quote, catalog entry and pool of each instrument, and what is missing. */
export function instrumentInputs(
  { quotes, pools, at }: PortfolioMaterial,
  instruments: readonly InstrumentKey[],
  catalog: Catalog,
): PortfolioInput[] {
  return [...new Set(instruments)].flatMap((instrument) => {
    const quote = quotes.get(instrument);
    const noQuote = plainInput({ id: quoteInputId(instrument), kind: 'quote', what: 'no quote received', source: 'the feeds' });
    return [
      quote === undefined ? noQuote : quoteInput(quote, midPrice(quote.bid, quote.ask), at),
      catalogInput(instrument, catalog),
      ...(isPooled(instrument) ? [poolInput(instrument, pools.get(instrument) ?? null, at)] : []),
    ];
  });
}

function poolInput(instrument: InstrumentKey, pool: PoolLiquidity | null, at: EpochMs): PortfolioInput {
  const parts = { id: poolInputId(instrument), kind: 'pool', source: 'observations' } as const;
  if (pool === null) return plainInput({ ...parts, what: 'no recent observation of its pool liquidity' });
  const { liquidityUsd, observedAt } = pool;
  const value: DecimalString = plainDecimal(liquidityUsd);
  return plainInput({ ...parts, what: 'pool liquidity, both sides', value, observedAt, ageMs: Math.max(0, at - observedAt) });
}

function ruleInputs(version: number, opensAt: EpochMs | null): PortfolioInput[] {
  const source = version === 0 ? 'the defaults of the service' : '/v1/risk/preferences';
  return [
    plainInput({ id: MANDATE_INPUT, kind: 'mandate', what: `the organization's risk preferences, version ${version}`, source }),
    calendarInput(opensAt),
    ...STANDARD_SCENARIOS.map((scenario) =>
      plainInput({ id: scenarioInputId(scenario.id), kind: 'scenario', what: scenarioRule(scenario), source: 'the standard scenarios' }),
    ),
  ];
}
