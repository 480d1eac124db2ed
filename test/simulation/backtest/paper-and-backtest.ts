/** Fills of a backtest compared with paper fills of the same orders at the same times in the same seeded market. */
import { CATALOG, type CatalogEntry } from '../../../src/domain/catalog/catalog.ts';
import { findCostModel } from '../../../src/domain/orders/costs.ts';
import { Decimal, plainDecimal } from '../../../src/domain/values/decimal.ts';
import type { Manifest } from '../../../src/domain/manifest/manifest.ts';
import { readManifest } from '../../../src/domain/manifest/reader.ts';
import { type Order, completeOrder } from '../../../src/domain/orders/order.ts';
import { paperFill } from '../../../src/domain/orders/paper-fill.ts';
import type { RiskApproved } from '../../../src/domain/risk/assess.ts';
import { type ExecutableVenue, type InstrumentKey, splitInstrumentKey } from '../../../src/domain/market/venue.ts';
import { DEFAULT_ASSUMPTIONS } from '../../../src/domain/backtest/assumptions.ts';
import { computeBars, computeDepths, computeHalfSpreads } from '../../../src/sandbox/market/market-history.ts';
import { createMarketWords } from '../../../src/sandbox/market/market-words.ts';
import { createSeededMarket } from '../../../src/sandbox/market/seeded-market.ts';
import { buildHistory, type InstrumentInput } from '../../../src/simulation/backtest/history.ts';
import { type CostInputs, runBacktest } from '../../../src/simulation/backtest/run.ts';
import type { InstrumentUnits } from '../../../src/simulation/backtest/trade-ledger.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const FACES = { spotexchange: 'spot', evmvenue: 'perp', spotchain: 'token' } as const;

export interface SidePair {
  readonly key: InstrumentKey;
  readonly side: 'buy' | 'sell';
  readonly at: number;
  readonly notionalUsd: number;
  /** Cost against the market's own price, fee included, in basis points. */
  readonly backtestBps: number;
  readonly paperBps: number;
  readonly inputs: CostInputs;
}

function manifestOf(universe: readonly string[], notional: number, exitHours: number): Manifest {
  const read = readManifest({
    name: 'n',
    description: '',
    universe,
    timeframe: '1h',
    entryConditions: [{ type: 'rsi_below', period: 14, value: 60 }],
    exitConditions: [{ type: 'held_longer_than', hours: exitHours }],
    maxCapitalUsd: 50_000,
    maxTradeNotionalUsd: notional,
    stopLossPct: 20,
    takeProfitPct: 30,
    maxDailyDrawdownPct: 20,
    maxOpenPositions: 5,
    maxSlippageBps: 150,
  });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.manifest;
}

/** Manifests over every venue and several sizes. */
export const MANIFESTS: readonly Manifest[] = [
  ['AAPLx'],
  ['TSLAx', 'NVDAx'],
  ['SPYx', 'QQQx'],
  ['GOOGLx', 'METAx'],
  ['COINx', 'MSTRx'],
  ['SPACEX'],
  ['OPENAI', 'ANTHROPIC'],
  ['BTCUSDT', 'ETHUSDT'],
  ['BTC', 'SOL'],
  ['AAPLx', 'BTCUSDT', 'ETH'],
].flatMap((universe, n) => [manifestOf(universe, 400 + 100 * (n % 3), 3), manifestOf(universe, 1_500 + 500 * (n % 3), 7)]);

interface SeededRun {
  readonly seed: number;
  readonly from: number;
  readonly days: number;
  /** True if the history has spreads and depths, like a sandbox's. */
  readonly recorded: boolean;
}

export function seededPairs({ seed, from, days, recorded }: SeededRun): readonly SidePair[] {
  const market = createSeededMarket({ seed });
  const to = from + days * DAY;
  const sources = { spotexchange: 's', evmvenue: 'e', perpContext: 'p', spotchain: 'c', liquidity: 'l', reference: 'r', mark: 'm' };
  const words = createMarketWords({ market, seed, sources, catalog: CATALOG, now: () => from });
  const pairs: SidePair[] = [];
  for (const manifest of MANIFESTS) {
    const inputs = manifest.universe.map(({ key }): InstrumentInput => {
      const entry = CATALOG.byKey(key) as CatalogEntry;
      const { venue } = entry;
      return {
        entry,
        candles: computeBars(market, FACES[venue as keyof typeof FACES], entry.underlying, '1h', from, to),
        ...(recorded ? { halfSpread: computeHalfSpreads(words, key, from - DAY, to) } : {}),
        ...(recorded && venue === 'spotchain' ? { liquidity: computeDepths(market, entry.underlying, from - DAY, to) } : {}),
      };
    });
    const history = buildHistory('1h', inputs);
    const { simulation, result } = runBacktest({
      manifest,
      history,
      assumptions: DEFAULT_ASSUMPTIONS,
      trials: { versions: 1, otherSharpes: [] },
    });
    for (const [n, trade] of simulation.trades.entries()) {
      const units = simulation.instruments[trade.instrument] as InstrumentUnits;
      const key = history.instruments[trade.instrument]?.key as InstrumentKey;
      const fills = [{ side: 'buy' as const, bar: trade.entryBar, price: trade.entryPrice }];
      const both =
        trade.exitPrice === null ? fills : [...fills, { side: 'sell' as const, bar: trade.exitBar as number, price: trade.exitPrice }];
      for (const { side, bar, price } of both) {
        const at = history.firstSlot + bar * HOUR;
        const middle = history.instruments[trade.instrument]?.open[bar + 1] as number;
        const quantity = trade.quantity / units.quantityUnit;
        const costOf = (fillPrice: number, feeBps: number): number =>
          (side === 'buy' ? 1 : -1) * (fillPrice / middle - 1) * 1e4 + (feeBps * fillPrice) / middle;
        const venue = splitInstrumentKey(key).venue as ExecutableVenue;
        const quote = words.quote(key, at);
        const book = venue === 'spotchain' ? null : words.book(key, at, 20);
        const order = completeOrder({
          id: 'o',
          origin: 'proposal',
          mode: 'paper',
          bookId: 'b',
          instrument: key,
          side,
          quantity: plainDecimal(new Decimal(quantity).toFixed(8)),
          limitPrice: plainDecimal(new Decimal(middle * (side === 'buy' ? 2 : 0.5)).toFixed(4)),
          maxSlippageBps: 500,
        }) as RiskApproved<Order>;
        const filled = paperFill(
          order,
          { quote, depth: book === null ? null : { ...book, venue }, liquidityUsd: words.liquidity(key, at)?.liquidityUsd ?? null },
          findCostModel(key),
          { id: 'f', at, decisionPrice: '1' },
        );
        if (filled.outcome !== 'filled') throw new Error(`${key} ${JSON.stringify(filled)}`);
        const { fillPrice, feeUsd, notionalUsd } = filled.fill;
        pairs.push({
          key,
          side,
          at,
          notionalUsd: quantity * middle,
          backtestBps: costOf(price / units.priceUnit, units.costs.feeBps),
          inputs: result.trades.list[n]?.costInputs[side === 'buy' ? 'entry' : 'exit'] as CostInputs,
          paperBps: costOf(Number(fillPrice), (Number(feeUsd) / Number(notionalUsd)) * 1e4),
        });
      }
    }
  }
  return pairs;
}
