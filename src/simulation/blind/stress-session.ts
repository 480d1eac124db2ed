/** Blind stress session: all runs of the stress test at once, disguised and answered step by step. */
import { compileManifest } from '../../domain/agents/decide.ts';
import { plannedRuns, resultOfRuns, type StressTestOptions, type StressTestResult } from '../stress/stress-run.ts';
import { drawDisguise } from './disguise.ts';
import { drawsOf, shuffled } from './draws.ts';
import { BlindSteps } from './steps.ts';
import { StressPath } from './stress-path.ts';

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
    this.steps = new BlindSteps(shuffled(this.#paths, drawsOf(seed, 'order of the runs')));
  }

  /** Returns the result of a finished session. */
  result(): StressTestResult {
    const runs = this.#paths.map((path) => path.report());
    return resultOfRuns(this.#manifestHash, this.#options.markets, runs);
  }
}
