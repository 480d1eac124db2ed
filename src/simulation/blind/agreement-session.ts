/** Session that repeats the beginning of a passed one in another disguise and compares the answers. */
import { type Agreement, type AnsweredTrade, assessAgreement, isSameAnswer, type Opening } from '../../domain/backtest/agreement.ts';
import type { BlindTrade } from '../../domain/outside/replay-step.ts';
import type { ReplayPath } from './replay-path.ts';
import { drawPaths, type ReplayWork } from './replay-session.ts';
import { BlindSteps, type ShownPath } from './blind-steps.ts';

/** Passed session, from its result. */
export interface PassedSession {
  readonly seed: string;
  readonly opening: Opening;
  /** Hash of each path's history. */
  readonly histories: readonly string[];
}

/** Path that is shown again. The earlier answers decide it, so that every slot shows what it showed then. */
class AskedPath implements ShownPath {
  readonly slots: number;
  readonly #path: ReplayPath;
  readonly #then: ReadonlyMap<number, AnsweredTrade>;
  #slot = 0;
  trades = 0;
  agreed = 0;

  constructor(path: ReplayPath, { steps, paths }: Opening, place: number) {
    this.#path = path;
    this.#then = new Map(paths[place]);
    this.slots = Math.min(steps, path.slots);
  }

  get isDone(): boolean {
    return this.#slot >= this.slots;
  }

  shown(): object {
    return this.#path.shown();
  }

  knows(trade: BlindTrade): boolean {
    return this.#path.knows(trade);
  }

  decide(trade: BlindTrade | null): void {
    const then = this.#then.get(this.#slot) ?? null;
    const now = this.#path.wished(trade);
    if (then !== null || now !== null) this.trades++;
    if ((then !== null || now !== null) && isSameAnswer(then, now)) this.agreed++;
    this.#path.decideAs(then);
    this.#slot++;
  }
}

export class AgreementSession {
  readonly steps: BlindSteps;
  /** False if the history differs from the earlier one, so that a comparison is meaningless. */
  readonly isSameHistory: boolean;
  readonly #paths: readonly AskedPath[];

  /** @param disguise seed of the shown names, dates and levels */
  constructor(work: ReplayWork, passed: PassedSession, disguise: string, onPath: (done: number, total: number) => void) {
    const paths = drawPaths(work, disguise, onPath);
    this.isSameHistory = paths.every(({ history }, place) => history.hash === passed.histories[place]);
    this.#paths = paths.map((path, place) => new AskedPath(path, passed.opening, place));
    this.steps = new BlindSteps(this.#paths);
  }

  result(): Agreement {
    const sum = (of: (path: AskedPath) => number): number => this.#paths.reduce((total, path) => total + of(path), 0);
    return assessAgreement({ slots: this.steps.answered.slots, trades: sum(({ trades }) => trades), agreed: sum(({ agreed }) => agreed) });
  }
}
