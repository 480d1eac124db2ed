/** Run of a blind stress session. It shows one disguised slot of a scenario after another and decides each by outside code's answer. */
import { type OutsideProposal, withHash } from '../../domain/outside/outside-proposal.ts';
import type { BlindTrade } from '../../domain/outside/replay-step.ts';
import type { ScenarioRun, StressRunReport, StressSlot } from '../stress/stress-run.ts';
import { type Disguise, isAlias, shownSlot, undisguised } from './disguise.ts';
import type { ShownPath } from './steps.ts';

export class StressPath implements ShownPath {
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
