/** Blind stress session: all runs of the stress test at once, disguised and answered step by step. */
import { compileManifest } from '../../domain/agents/decide.ts';
import {
  plannedRuns,
  resultOfRuns,
  type StressTestOptions,
  type StressTestResult,
  type ScenarioRun,
  type StressRunReport,
  type StressSlot,
} from '../stress/stress-run.ts';
import { drawDisguise, type Disguise, isAlias, shownSlot, undisguised } from './disguise.ts';
import { openDraws, shuffled } from './draws.ts';
import { BlindSteps, type ShownPath } from './blind-steps.ts';
import { type OutsideProposal, withHash } from '../../domain/outside/outside-proposal.ts';
import type { BlindTrade } from '../../domain/outside/replay-step.ts';

export class StressSession {
  readonly steps: BlindSteps;
  readonly #options: StressTestOptions;
  readonly #manifestHash: string;
  readonly #paths: readonly StressPath[];

  /** @param seed 64 hexadecimal digits, secret until the session has ended */
  constructor(options: StressTestOptions, seed: string) {
    const { manifest, agentId } = options;
    this.#options = options;
    this.#manifestHash = compileManifest(manifest).hash;
    const of = { agentId, manifestHash: this.#manifestHash };
    this.#paths = plannedRuns(options).map((run, path) => new StressPath(run, { ...of, disguise: drawDisguise(seed, path, manifest) }));
    // A path's position must not reveal its scenario.
    this.steps = new BlindSteps(shuffled(this.#paths, openDraws(seed, 'order of the runs')));
  }

  /** Returns the result of a finished session. */
  result(): StressTestResult {
    const runs = this.#paths.map((path) => path.report());
    return resultOfRuns(this.#manifestHash, this.#options.markets, runs);
  }
}

/** Run of a blind stress session. It shows one disguised slot of a scenario after another and decides each by outside code's answer. */
class StressPath implements ShownPath {
  readonly slots: number;
  readonly #of: { readonly agentId: string; readonly manifestHash: string; readonly disguise: Disguise };
  readonly #course: ReturnType<ScenarioRun['course']>;
  #step: IteratorResult<StressSlot, StressRunReport>;
  #decided = 0;

  constructor(run: ScenarioRun, of: { readonly agentId: string; readonly manifestHash: string; readonly disguise: Disguise }) {
    this.#of = of;
    this.slots = run.slots;
    this.#course = run.course();
    this.#step = this.#course.next(null);
  }

  get isDone(): boolean {
    return this.#step.done === true;
  }

  shown() {
    const { cut, book, cashUsd, equityUsd, last } = this.#slot();
    const shown = { slot: cut.slot, observations: cut.observations, book, cashUsd: Number(cashUsd), last };
    return shownSlot({ ...shown, equityUsd: equityUsd === null ? null : Number(equityUsd) }, this.#of.disguise);
  }

  knows({ instrument }: BlindTrade): boolean {
    return isAlias(this.#of.disguise, instrument);
  }

  decide(trade: BlindTrade | null): void {
    const proposal = trade === null ? null : this.#proposalOf(trade);
    this.#decided++;
    this.#step = this.#course.next(proposal);
  }

  /** Returns the report of a finished run. */
  report(): StressRunReport {
    if (this.#step.done !== true) throw new Error('the run is not done and has no report');
    return this.#step.value;
  }

  #slot(): StressSlot {
    if (this.#step.done === true) throw new Error('the run is done and has no next slot');
    return this.#step.value;
  }

  #proposalOf(trade: BlindTrade): OutsideProposal | null {
    const { agentId, manifestHash, disguise } = this.#of;
    const wished = undisguised(trade, disguise, this.#slot().book);
    if (wished === null) return null;
    return withHash({ ...wished, agentId, clientId: `slot-${this.#decided}`, reason: '', inputsHash: null, manifestHash });
  }
}
