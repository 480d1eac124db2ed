/** Path of a replay session. It shows one disguised slot after another and decides each by outside code's answer. */
import { type AnsweredPath, type AnsweredTrade, OPENING_STEPS } from '../../domain/backtest/agreement.ts';
import type { Assumptions } from '../../domain/backtest/assumptions.ts';
import type { PathResult } from '../../domain/backtest/foreknowledge.ts';
import type { Cut } from '../../domain/market/cut.ts';
import type { CompiledManifest, RiskAssessor } from '../../domain/agents/decide.ts';
import type { AgentBook, Verdict } from '../../domain/agents/decision.ts';
import { type OutsideProposal, withHash } from '../../domain/outside/outside-proposal.ts';
import type { BlindTrade } from '../../domain/outside/replay-step.ts';
import type { InstrumentKey } from '../../domain/market/venue.ts';
import { createAsOfView } from '../backtest/as-of.ts';
import type { History } from '../backtest/history.ts';
import { returnsAlong, sharpeRatio } from '../backtest/ratios.ts';
import { evaluateRules, type RuleBook } from '../backtest/rule-columns.ts';
import { type BarByBar, type Simulation, simulateBarByBar } from '../backtest/simulate.ts';
import type { ShownPath } from './blind-steps.ts';
import { type Disguise, isAlias, shownSlot, undisguised } from './disguise.ts';

interface PathWork {
  readonly agentId: string;
  readonly compiled: CompiledManifest;
  readonly history: History;
  readonly assumptions: Assumptions;
  readonly disguise: Disguise;
}

export class ReplayPath implements ShownPath {
  readonly history: History;
  readonly rules: RuleBook;
  readonly #work: PathWork;
  readonly #view: ReturnType<typeof createAsOfView>;
  readonly #run: BarByBar;
  /** Answers to the first slots. */
  readonly #answers: (readonly [number, AnsweredTrade])[] = [];
  #cut: Cut | null = null;
  #last: Pick<Verdict, 'disposition' | 'reason'> | null = null;

  constructor(work: PathWork) {
    const { compiled, history, assumptions } = work;
    this.#work = work;
    this.history = history;
    this.rules = evaluateRules(compiled.manifest, history, assumptions);
    this.#run = simulateBarByBar(compiled.manifest, history, this.rules, assumptions);
    this.#view = createAsOfView(history, compiled.needs, this.#run.halfSpreadsBps);
  }

  get isDone(): boolean {
    return this.#run.bar >= this.history.length;
  }

  get slots(): number {
    return this.history.length;
  }

  /** Returns the next slot as outside code sees it, in the form of the live context. `last` is the previous slot's decision. */
  shown() {
    const { disguise } = this.#work;
    this.#cut ??= this.#view.cutAt(this.#run.bar);
    const { slot, observations } = this.#cut;
    const { book, cashUsd, equityUsd } = this.#run.book();
    return shownSlot({ slot, observations, book, cashUsd, equityUsd, last: this.#last }, disguise);
  }

  /** True if a trade's alias belongs to the session. */
  knows({ instrument }: BlindTrade): boolean {
    return isAlias(this.#work.disguise, instrument);
  }

  /** Answers to the first slots, in true names and units. */
  get answers(): AnsweredPath {
    return this.#answers;
  }

  /** Decides the shown slot by outside code's proposal; null proposes nothing. */
  decide(trade: BlindTrade | null): void {
    this.decideAs(this.wished(trade));
  }

  /** Converts a trade to true names and units; null proposes nothing. */
  wished(trade: BlindTrade | null): AnsweredTrade | null {
    return trade === null ? null : undisguised(trade, this.#work.disguise, this.#run.book().book);
  }

  decideAs(trade: AnsweredTrade | null): void {
    if (trade !== null && this.#run.bar < OPENING_STEPS) this.#answers.push([this.#run.bar, trade]);
    const cut = this.#cut ?? this.#view.cutAt(this.#run.bar);
    this.#cut = null;
    const { disposition, reason } = this.#run.step((book, assess) => {
      const verdict = this.#verdict(cut, book, assess, trade === null ? null : this.#proposalOf(trade));
      this.#sellOthers(cut, book, assess, verdict);
      return verdict;
    });
    this.#last = { disposition, reason };
  }

  #verdict(cut: Cut, book: AgentBook, assess: RiskAssessor, outside: OutsideProposal | null): Verdict {
    return this.#work.compiled.decide(cut, book, 'autonomous', assess, undefined, outside);
  }

  /** Sells the other positions if the mandate sells one. A bar represents all its minutes, and live the following ticks would sell them. */
  #sellOthers(cut: Cut, book: AgentBook, assess: RiskAssessor, first: Verdict): void {
    const selling = new Map<InstrumentKey, 'sell'>();
    for (let verdict = first; verdict.disposition === 'propose_exit' && verdict.instrument !== null; ) {
      selling.set(verdict.instrument as InstrumentKey, 'sell');
      verdict = this.#work.compiled.decide(cut, book, 'autonomous', assess, selling, null);
    }
  }

  #proposalOf(trade: AnsweredTrade): OutsideProposal {
    const { agentId, compiled } = this.#work;
    const clientId = `slot-${this.#run.bar}`;
    return withHash({ ...trade, agentId, clientId, reason: '', inputsHash: null, manifestHash: compiled.hash });
  }

  /** Finishes the simulation. Returns it with the Sharpe ratio of its bar returns. */
  finish(capitalUsd: number, barsPerYear: number): { readonly simulation: Simulation; readonly result: PathResult } {
    const simulation = this.#run.finish();
    const sharpe = sharpeRatio(returnsAlong(simulation.equityUsd, capitalUsd), barsPerYear) ?? 0;
    return { simulation, result: { sharpe, bars: this.history.length } };
  }
}
