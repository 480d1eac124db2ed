/**
 * A blind replay session as a pure object: all its paths at once, one slot of each per step. What a path shows next depends on
 * nothing that is answered later, so that no answer can look ahead, and a step of many paths needs one round trip.
 */
import { createHash } from 'node:crypto';
import type { BacktestRequest } from '../../domain/backtest/request.ts';
import { foreknowledge, type PathResult, RESAMPLED_PATHS } from '../../domain/backtest/foreknowledge.ts';
import { compileManifest } from '../../domain/decide.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import { type Outcome, refuse } from '../../domain/refusal.ts';
import type { BlindTrade, StepAnswers } from '../../domain/replay-step.ts';
import { timeframeMs } from '../../domain/time.ts';
import { figureInWords } from '../../domain/words.ts';
import { type BacktestOutcome, outcomeOf } from '../backtest/backtest-work.ts';
import { buildHistory, type History, type InstrumentInput } from '../backtest/history.ts';
import { type BlindReplay, NO_OTHERS, outsideRun, type TrialsAsked } from '../backtest/run.ts';
import { drawDisguise } from './disguise.ts';
import { drawsOf, drawWhole } from './draws.ts';
import { ReplayPath } from './replay-path.ts';
import { drawBlocks, resampler } from './resample.ts';

interface ReplayWork {
  readonly agentId: string;
  readonly manifest: Manifest;
  readonly request: BacktestRequest;
  readonly inputs: readonly InstrumentInput[];
  /** 64 hexadecimal digits, unknown to the outside until the session has ended. */
  readonly seed: string;
}

const YEAR_MS = 365 * 86_400_000;
/** Bars of a resampled path at most, and instruments times bars: what twenty of them take stays within 150 MB. */
const PATH_BARS = 20_000;
const PATH_CELLS = 100_000;

/** Bars of each resampled path. */
function resampledBars(history: History): number {
  return Math.min(history.length, PATH_BARS, Math.floor(PATH_CELLS / history.instruments.length));
}

export class ReplaySession {
  readonly #work: ReplayWork;
  readonly #paths: readonly ReplayPath[];
  readonly #truth: number;
  readonly #answers = createHash('sha256');
  #slots = 0;
  /** The step that waits for its answers, from 1. */
  #step = 1;
  /** Text of the last answered step, with its answers. A client that lost the connection sends them again. */
  #before: string | null = null;
  #text: string;

  /** @param onPath is told how many paths are made. */
  constructor(work: ReplayWork, onPath: (done: number, total: number) => void) {
    const { manifest, inputs, request, seed, agentId } = work;
    const { timeframe } = manifest;
    const barMs = timeframeMs(timeframe) as number;
    const truth = buildHistory(timeframe, inputs);
    const compiled = compileManifest(manifest);
    const resample = resampler(inputs, timeframe);
    this.#work = work;
    this.#truth = drawWhole(drawsOf(seed, 'place of the true history'), 0, RESAMPLED_PATHS);
    this.#paths = Array.from({ length: RESAMPLED_PATHS + 1 }, (_, path) => {
      const blocks = (): ReturnType<typeof drawBlocks> =>
        drawBlocks(drawsOf(seed, `blocks ${path}`), barMs, truth.length, resampledBars(truth));
      const history = path === this.#truth ? truth : buildHistory(timeframe, resample(blocks()));
      onPath(path + 1, RESAMPLED_PATHS + 1);
      return new ReplayPath({ agentId, compiled, history, assumptions: request.assumptions, disguise: drawDisguise(seed, path, manifest) });
    });
    this.#text = this.#show();
  }

  get isDone(): boolean {
    return this.#open().length === 0;
  }

  /** Slots that were answered, of how many. */
  progress(): readonly [done: number, total: number] {
    return [this.#slots, this.#paths.reduce((sum, { history }) => sum + history.length, 0)];
  }

  /** The step that waits for its answers, as JSON. */
  current(): string {
    return this.#text;
  }

  /**
   * Decides the slots of a step and shows the next one. The answers of the step before, sent again, are answered as they were.
   * Refuses answers to any other step, of another number, or with an alias that is none of the session's; then the step still waits.
   */
  answer(step: number, answers: StepAnswers): Outcome<string> {
    const given = `${step} ${JSON.stringify(answers)}`;
    if (step === this.#step - 1 && given === this.#before) return { ok: true, value: this.#text };
    if (step !== this.#step || this.isDone)
      return refuse(
        'state_conflict',
        `the session waits for the answers to step ${this.#step} (got answers to step ${step}): ask for it without answers`,
      );
    const open = this.#open();
    if (answers.length !== open.length)
      return refuse(
        'malformed',
        `step ${step} shows ${open.length} slots and has ${answers.length} answers: give one for each, in their order`,
      );
    const wrong = answers.findIndex((trade, place) => trade !== null && !(open[place] as readonly [number, ReplayPath])[1].knows(trade));
    if (wrong >= 0) return refuse('malformed', `answers[${wrong}].instrument: ${answers[wrong]?.instrument} is no instrument of the slot`);
    open.forEach(([, shownPath], place) => shownPath.decide(answers[place] as BlindTrade | null));
    this.#answers.update(`${given}\n`);
    this.#before = given;
    this.#slots += open.length;
    this.#step++;
    this.#text = this.#show();
    return { ok: true, value: this.#text };
  }

  #open(): readonly (readonly [path: number, shownPath: ReplayPath])[] {
    return [...this.#paths.entries()].filter(([, shownPath]) => !shownPath.isDone);
  }

  #show(): string {
    const slots = this.#open().map(([path, shownPath]) => ({ path, ...shownPath.shown() }));
    return JSON.stringify({ step: this.#step, done: slots.length === 0, slots });
  }

  /** Outcome of a session that is done: refused for foreknowledge, else a backtest of the true history. */
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
      slots: this.#slots,
      answersHash: this.#answers.copy().digest('hex'),
    };
    const known = typeof trials === 'function' ? NO_OTHERS : trials;
    const { history, rules } = truth.shownPath;
    const run = outsideRun({ manifest, history, assumptions: request.assumptions, trials: known }, rules, truth.simulation, blind);
    return outcomeOf({ manifest, request, timeframe: manifest.timeframe, trials }, run);
  }
}

function inWords({ trueSharpe, resampledSharpe, statistic, limit }: ReturnType<typeof foreknowledge>, seed: string): string {
  return `the strategy reaches a Sharpe ratio of ${figureInWords(trueSharpe)} by bars on the true history and of ${figureInWords(resampledSharpe)} on average on ${RESAMPLED_PATHS} paths drawn from the same returns: a difference of ${figureInWords(statistic)} standard errors, and at most ${limit} are allowed, because only code that knows the history gains more (seed ${seed})`;
}
