/** Stress tests for the evaluation actors: reads the markets, then computes in a thread of its own. */
import type { EvaluationJob, EvaluationOutcome, EvaluationRunner } from '../../../actors/evaluation/run-worker.ts';
import type { Candle } from '../../domain/candles/candle.ts';
import { compileManifest } from '../../domain/agents/decide.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import { DAY_MS, type EpochMs, timeframeMs } from '../../domain/values/time.ts';
import { type InstrumentKey, splitInstrumentKey } from '../../domain/market/venue.ts';
import { inSession, type Sessions } from '../blind/in-session.ts';
import { inThread } from '../evaluation-thread.ts';
import type { StressReads } from '../../adapters/store/evaluations/stress-reads.ts';
import { type KnownMarket, stressMarkets } from './stress-market.ts';
import type { StressOutcome, StressThread, StressThreadData } from './stress-worker.ts';

interface StressRequest {
  /** Number of seeds per scenario and severity, from 1 on. Fixed, so that nobody can try seeds until one passes. */
  readonly seeds: number;
}

/** Recent bars that determine level and volatility and warm the indicators. */
const RECENT_BARS = 500;
/** Warm-up of an indicator as a multiple of its period. */
const WARM_TIMES = 3;
/** Maximum age of the last observation, in milliseconds. */
const OBSERVED_WITHIN_MS = DAY_MS;

/** Creates the runner of kind `stress_test`. */
export function createStressRunner(reads: StressReads): EvaluationRunner {
  return async (job): Promise<EvaluationOutcome> => {
    const thread = await stressThread(reads, job);
    if (thread === null) return NOTHING_TO_STRESS;
    return toOutcome(job, await inThread<StressOutcome>(ENTRY, { stress: true, thread } satisfies StressThreadData, job, 'a stress test'));
  };
}

/** Creates the runner of stress sessions, whose slots outside code answers. */
export function createStressSessionRunner(reads: StressReads, sessions: Sessions): EvaluationRunner {
  return (job) =>
    inSession(sessions, job, async ({ seed, signal, attach }) => {
      const thread = await stressThread(reads, job);
      if (thread === null) return NOTHING_TO_STRESS;
      const data = { stress: true, thread, seed } satisfies StressThreadData;
      const { progress } = job;
      return toOutcome(job, await inThread<StressOutcome>(ENTRY, data, { signal, progress }, 'a stress session', attach));
    });
}

const ENTRY = new URL('./stress-thread.mjs', import.meta.url);
const NOTHING_TO_STRESS = { ok: false, code: 'manifest_invalid', detail: 'the universe is empty: there is nothing to stress' } as const;

/** Returns the input of a stress test's thread, or null for an empty universe. */
async function stressThread(reads: StressReads, job: EvaluationJob): Promise<StressThread | null> {
  const { agentId, manifest, manifestVersion } = job;
  if (manifest.universe.length === 0) return null;
  const { seeds } = job.request as unknown as StressRequest;
  job.progress(0, 1, 'reading recent history');
  const [markets, preferences] = await Promise.all([knownMarkets(reads, manifest, job.createdAt), reads.preferences(job.orgId)]);
  return {
    agentId,
    manifest,
    manifestVersion,
    preferences,
    markets: stressMarkets(manifest, markets),
    seeds: Array.from({ length: seeds }, (_, index) => index + 1),
  };
}

function toOutcome({ agentId, manifestVersion, manifestHash, runId }: EvaluationJob, outcome: StressOutcome): EvaluationOutcome {
  const { resultHash, summary, result, report, series, metrics } = outcome;
  return {
    ok: true,
    resultHash,
    summary,
    result,
    report,
    trials: [],
    evidence: { agentId, kind: 'stress_test', manifestVersion, manifestHash, series, metrics, runId, resultHash },
  };
}

/** Reads the known markets of a universe up to an instant. Unknown values are assumed by kind, and the result states that. */
export async function knownMarkets(
  reads: Pick<StressReads, 'bars' | 'lastObservation'>,
  manifest: Manifest,
  at: EpochMs,
): Promise<ReadonlyMap<InstrumentKey, KnownMarket>> {
  const { needs } = compileManifest(manifest);
  const found = new Map<InstrumentKey, KnownMarket>();
  for (const { key } of manifest.universe) {
    const { venue, instrument } = splitInstrumentKey(key);
    const counts = new Map([[manifest.timeframe, RECENT_BARS]]);
    for (const need of needs) {
      if (need.instrument !== key || need.name === 'funding_percentile') continue;
      counts.set(need.timeframe, Math.max(counts.get(need.timeframe) ?? 0, need.period * WARM_TIMES + RECENT_BARS / 10));
    }
    const bars: Record<string, readonly Candle[]> = {};
    for (const [timeframe, count] of counts) {
      const barMs = timeframeMs(timeframe);
      if (barMs === null) continue;
      bars[timeframe] = await reads.bars({ venue, instrument, timeframe, from: at - (count + 1) * barMs, to: at - barMs + 1 });
    }
    const seen = await reads.lastObservation(key, at - OBSERVED_WITHIN_MS, at);
    found.set(key, {
      bars,
      level: parseNumber(seen?.quote?.mid),
      liquidityUsd: parseNumber(seen?.liquidityUsd),
      benchmarkLevel: parseNumber(seen?.reference?.referencePrice),
      hourlyFunding: parseNumber(seen?.hourlyFunding),
    });
  }
  return found;
}

function parseNumber(text: string | null | undefined): number | null {
  const value = Number(text ?? Number.NaN);
  return Number.isFinite(value) && value !== 0 ? value : null;
}
