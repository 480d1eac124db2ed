/** Blind replay session as a pure object: the true history and resampled paths, answered step by step. */
import { findOpening } from '../../domain/backtest/agreement.ts';
import type { BacktestRequest } from '../../domain/backtest/request.ts';
import { foreknowledge, type PathResult, RESAMPLED_PATHS } from '../../domain/backtest/foreknowledge.ts';
import { compileManifest } from '../../domain/agents/decide.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import { DAY_MS, timeframeMs } from '../../domain/values/time.ts';
import { figureInWords } from '../../domain/values/words.ts';
import { type BacktestOutcome, assessOutcome } from '../backtest/backtest-work.ts';
import { buildHistory, type History, type InstrumentInput } from '../backtest/history.ts';
import { type BlindReplay, NO_OTHERS, outsideRun, type TrialsAsked } from '../backtest/run.ts';
import { drawDisguise } from './disguise.ts';
import { openDraws, drawWhole } from './draws.ts';
import { ReplayPath } from './replay-path.ts';
import { drawBlocks, resampler } from './resample.ts';
import { BlindSteps } from './blind-steps.ts';

export interface ReplayWork {
  readonly agentId: string;
  readonly manifest: Manifest;
  readonly request: BacktestRequest;
  readonly inputs: readonly InstrumentInput[];
  /** Seed: 64 hexadecimal digits, secret until the session has ended. */
  readonly seed: string;
}

const YEAR_MS = 365 * DAY_MS;
/** Maximum bars of a resampled path, and maximum instruments times bars, so that twenty paths fit in 150 MB. */
const PATH_BARS = 20_000;
const PATH_CELLS = 100_000;

/** Returns the number of bars of each resampled path. */
function resampledBars(history: History): number {
  return Math.min(history.length, PATH_BARS, Math.floor(PATH_CELLS / history.instruments.length));
}

const placeOfTruth = (seed: string): number => drawWhole(openDraws(seed, 'place of the true history'), 0, RESAMPLED_PATHS);

/** Draws the paths of a session, including the true history. @param disguise seed of the shown names, dates and levels */
export function drawPaths(work: ReplayWork, disguise: string, onPath: (done: number, total: number) => void): readonly ReplayPath[] {
  const { manifest, inputs, request, seed, agentId } = work;
  const { timeframe } = manifest;
  const barMs = timeframeMs(timeframe) as number;
  const truth = buildHistory(timeframe, inputs);
  const place = placeOfTruth(seed);
  const compiled = compileManifest(manifest);
  const resample = resampler(inputs, timeframe);
  return Array.from({ length: RESAMPLED_PATHS + 1 }, (_, path) => {
    const blocks = (): ReturnType<typeof drawBlocks> =>
      drawBlocks(openDraws(seed, `blocks ${path}`), barMs, truth.length, resampledBars(truth));
    const history = path === place ? truth : buildHistory(timeframe, resample(blocks()));
    onPath(path + 1, RESAMPLED_PATHS + 1);
    return new ReplayPath({
      agentId,
      compiled,
      history,
      assumptions: request.assumptions,
      disguise: drawDisguise(disguise, path, manifest),
    });
  });
}

export class ReplaySession {
  readonly #work: ReplayWork;
  readonly #paths: readonly ReplayPath[];
  readonly #truth: number;
  readonly steps: BlindSteps;

  /** @param onPath receives the number of completed paths and the total */
  constructor(work: ReplayWork, onPath: (done: number, total: number) => void) {
    this.#work = work;
    this.#truth = placeOfTruth(work.seed);
    this.#paths = drawPaths(work, work.seed, onPath);
    this.steps = new BlindSteps(this.#paths);
  }

  /** Returns the outcome of a finished session: a refusal for foreknowledge, or a backtest of the true history. */
  async outcome(trials: TrialsAsked): Promise<BacktestOutcome> {
    const { manifest, request, seed } = this.#work;
    const barsPerYear = YEAR_MS / (timeframeMs(manifest.timeframe) as number);
    const finished = this.#paths.map((shownPath) => ({ shownPath, ...shownPath.finish(Number(manifest.maxCapitalUsd), barsPerYear) }));
    const truth = finished[this.#truth] as (typeof finished)[number];
    const others = finished.filter((one) => one !== truth).map(({ result }): PathResult => result);
    const verdict = foreknowledge(truth.result, others, barsPerYear);
    if (verdict.isForeknowledge) return { ok: false, code: 'foreknowledge', detail: inWords(verdict, seed) };
    const blind: BlindReplay = {
      seed,
      truth: this.#truth,
      paths: finished.map(({ shownPath, result }) => ({ ...result, historyHash: shownPath.history.hash })),
      foreknowledge: verdict,
      ...this.steps.answered,
      opening: findOpening(this.#paths.map(({ answers }) => answers)),
    };
    const known = typeof trials === 'function' ? NO_OTHERS : trials;
    const { history, rules } = truth.shownPath;
    const run = outsideRun({ manifest, history, assumptions: request.assumptions, trials: known }, rules, truth.simulation, blind);
    return assessOutcome({ manifest, request, timeframe: manifest.timeframe, trials }, run);
  }
}

function inWords({ trueSharpe, resampledSharpe, statistic, limit }: ReturnType<typeof foreknowledge>, seed: string): string {
  return `the strategy reaches a Sharpe ratio of ${figureInWords(trueSharpe)} by bars on the true history and of ${figureInWords(resampledSharpe)} on average on ${RESAMPLED_PATHS} paths drawn from the same returns: a difference of ${figureInWords(statistic)} standard errors, and at most ${limit} are allowed, because only code that knows the history gains more (seed ${seed})`;
}
