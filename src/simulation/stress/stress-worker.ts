/** Worker thread of a stress test: runs everything and posts the result. It reads only its input. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Json } from '../../domain/values/canonical-json.ts';
import { type ToldCatalog, takeCatalog } from '../../domain/catalog/catalog.ts';
import { assessEvidence, type EvidenceMetrics, evidenceMetrics, type StressSeries } from '../../domain/agents/evidence.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import { answered } from '../blind/replay-thread.ts';
import { StressSession } from '../blind/stress-session.ts';
import type { ThreadPost } from '../evaluation-thread.ts';
import { stressReportPage } from './stress-report.ts';
import { runStressTest, type StressTestOptions, type StressTestResult, stressResultText, stressSeries } from './stress-run.ts';

export type StressThread = Omit<StressTestOptions, 'onProgress' | 'isCancelled'>;

/** Outcome as plain JSON, which crosses from the thread. */
export interface StressOutcome {
  readonly resultHash: string;
  readonly summary: { readonly [name: string]: Json };
  readonly result: string;
  readonly report: string;
  readonly series: StressSeries;
  readonly metrics: EvidenceMetrics;
}

/** Computes one stress test, both in the thread and in tests. */
export function workStressTest(thread: StressThread, onProgress: (done: number, total: number) => void): StressOutcome {
  const result = runStressTest({ ...thread, onProgress });
  if (result === null) throw new Error('the stress test was not cancelled and returned no result');
  return stressOutcome(thread.manifest, result);
}

/** Runs a stress session with the answers that arrive at `port`. */
async function workStressSession(thread: StressThread, seed: string, port: MessagePort, onProgress: Progress): Promise<StressOutcome> {
  const session = new StressSession(thread, seed);
  await answered(session.steps, port, onProgress);
  return stressOutcome(thread.manifest, session.result());
}

type Progress = (done: number, total: number) => void;

function stressOutcome(manifest: Manifest, result: StressTestResult): StressOutcome {
  const series = stressSeries(manifest, result);
  const metrics = evidenceMetrics('stress_test', series);
  const worst = result.runs.reduce((most, run) => Math.max(most, run.severity === 'standard' ? run.lossPct : 0), 0);
  const severe = result.runs.filter(({ severity }) => severity === 'severe');
  return {
    resultHash: result.resultHash,
    summary: {
      passed: assessEvidence('stress_test', metrics).passed,
      runs: result.runs.length,
      survivedRuns: result.runs.filter(({ survived }) => survived).length,
      severeRuns: severe.length,
      survivedSevereRuns: severe.filter(({ survived }) => survived).length,
      deepestLossPct: worst,
      given: result.runs.filter(({ forcedPositions }) => forcedPositions.length > 0).length,
    },
    result: stressResultText(result),
    report: stressReportPage(result, manifest),
    series,
    metrics,
  };
}

/** Data of the thread. `seed` is a session's; a stress test of the agent's own rules has none. */
export interface StressThreadData {
  readonly stress: true;
  readonly thread: StressThread;
  readonly seed?: string;
}

if (parentPort !== null && (workerData as { readonly stress?: true } | null)?.stress === true) {
  const port = parentPort;
  const post = (message: ThreadPost<StressOutcome>): void => port.postMessage(message);
  const { thread, seed, catalog } = workerData as StressThreadData & { readonly catalog?: ToldCatalog };
  takeCatalog(catalog);
  const told =
    (what: string): Progress =>
    (done, total) =>
      post({ kind: 'progress', done, total, what });
  const outcome =
    seed === undefined
      ? workStressTest(thread, told('playing scenarios'))
      : await workStressSession(thread, seed, port, told('answering slots'));
  post({ kind: 'outcome', outcome });
}
