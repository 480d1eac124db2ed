/** Stored results of simulations, for the API's answers about them. */
import { DEFAULT_ASSUMPTIONS } from '../../src/domain/backtest/assumptions.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import { readManifest } from '../../src/domain/manifest/reader.ts';
import { buildHistory, type History } from '../../src/simulation/backtest/history.ts';
import { runBacktest } from '../../src/simulation/backtest/run.ts';
import { payload } from '../domain/authored.ts';
import { draws, entryOf, START, walk } from '../simulation/backtest/random-histories.ts';

const DAY = 86_400_000;

/** Returns a manifest that trades two instruments often, on daily bars. */
export function churner(change: object = {}): Manifest {
  const read = readManifest(
    payload({
      universe: ['BTCUSDT', 'ETHUSDT'],
      timeframe: '24h',
      entryConditions: [{ type: 'rsi_below', period: 3, value: 55 }],
      exitConditions: [{ type: 'rsi_above', period: 3, value: 60 }],
      maxSlippageBps: 500,
      ...change,
    }),
  );
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.manifest;
}

export function historyOf(days: number): History {
  return buildHistory('24h', [
    { entry: entryOf('BTCUSDT'), candles: walk(draws(11), START - days * DAY, DAY, days, 30_000) },
    { entry: entryOf('ETHUSDT'), candles: walk(draws(12), START - days * DAY, DAY, days, 2_000) },
  ]);
}

export function resultOf(manifest: Manifest, history: History) {
  return runBacktest({ manifest, history, assumptions: DEFAULT_ASSUMPTIONS, trials: { versions: 2, otherSharpes: [0.4] } }).result;
}
