/** Backtests over a seed's sandbox past, as the gate requests them, without a database. */
import { isConfig, readConfig } from '../../src/boot/config.ts';
import { sandboxPast } from '../../src/boot/sandbox/sandbox-past.ts';
import { type BacktestRequest, readBacktestRequest } from '../../src/domain/backtest/request.ts';
import type { Candle } from '../../src/domain/candles/candle.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import type { BacktestOutcome } from '../../src/simulation/backtest/backtest-work.ts';
import { type BacktestJob, workFromHistory } from '../../src/simulation/backtest/from-history.ts';
import { backtestNeeds } from '../../src/simulation/backtest/needs.ts';
import type { BacktestReads } from '../../src/adapters/store/candles/backtest-reads.ts';

export const SANDBOX_NOW = Date.UTC(2026, 10, 23, 9);

type Ended = Extract<BacktestOutcome, { ok: true }>;

interface SandboxBacktests {
  requestOf(asked: object): BacktestRequest;
  /** Returns the reads of the sandbox's past. */
  readsOf(request: BacktestRequest): BacktestReads;
  backtest(manifest: Manifest, asked?: object): Promise<Ended>;
}

/** Reads and backtests of one seed's past. Bars that several manifests read are computed once. */
export function sandboxBacktests(seed: number): SandboxBacktests {
  const config = readConfig({ SANDBOX_SEED: String(seed) });
  if (!isConfig(config)) throw new Error(JSON.stringify(config));
  const past = sandboxPast({ config, runs: () => true, clock: { now: () => SANDBOX_NOW } });
  if (past === null) throw new Error('no sandbox stands in');
  const histories = past.histories({});
  const made = new Map<string, Promise<readonly Candle[]>>();

  function requestOf(asked: object): BacktestRequest {
    const request = readBacktestRequest(asked, SANDBOX_NOW);
    if (!('assumptions' in request)) throw new Error('no request');
    return request;
  }

  function readsOf(request: BacktestRequest): BacktestReads {
    const stretch = { from: Date.parse(request.from), to: SANDBOX_NOW };
    const known = { ...stretch, from: stretch.from - 30 * 86_400_000 };
    return {
      bars: ({ venue, instrument, timeframe, from, to }) => {
        const name = [venue, instrument, timeframe, from, to].join(' ');
        const bars = made.get(name) ?? histories[venue]?.fetchCandles(instrument, timeframe, from, to) ?? Promise.resolve([]);
        made.set(name, bars);
        return bars;
      },
      storedSpans: async () => [],
      multiplierChanges: async () => [],
      reports: async () => [],
      received: async () => [],
      archives: async (underlying) =>
        ['news:wire', 'news:filings'].map((source) => ({
          source,
          ...known,
          reports: past?.archives.reports(source, underlying, known) ?? [],
        })),
      marks: async () => [],
      liquidity: async (key) => past?.archives.liquidity(key, stretch) ?? [],
      halfSpreads: async (key) => past?.archives.halfSpreads(key, stretch) ?? [],
    };
  }

  /** Returns hourly rates of the perpetuals that a manifest reads or trades, from a year before its first bar. */
  async function fundingOf(manifest: Manifest, { from, to }: BacktestRequest): Promise<BacktestJob['funding']> {
    const perpetuals = backtestNeeds(manifest, manifest.timeframe).flatMap(({ funding }) => (funding === null ? [] : [funding]));
    return Promise.all(
      [...new Set(perpetuals)].map(async (coin) => {
        const told = (await histories.evmvenue?.fetchFunding?.(coin, Date.parse(from) - 365 * 86_400_000, Date.parse(to))) ?? [];
        return [coin, told.map(({ at, hourlyFunding }) => ({ receivedAt: at, value: hourlyFunding }))] as const;
      }),
    );
  }

  return {
    requestOf,
    readsOf,
    async backtest(manifest, asked = {}) {
      const request = requestOf(asked);
      const funding = await fundingOf(manifest, request);
      const job = { manifest, request, trials: { versions: 1, otherSharpes: [] }, funding, createdAt: SANDBOX_NOW };
      const outcome = await workFromHistory(readsOf(request), job, () => {});
      if (!outcome.ok) throw new Error(outcome.detail);
      return outcome;
    },
  };
}
