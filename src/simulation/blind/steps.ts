/**
 * The steps of a blind session: all its paths at once, one slot of each per step. What a path shows next depends on nothing that is
 * answered later, so that no answer can look ahead, and a step of many paths needs one round trip.
 */
import { createHash } from 'node:crypto';
import { type Outcome, refuse } from '../../domain/values/refusal.ts';
import type { BlindTrade, StepAnswers } from '../../domain/outside/replay-step.ts';

/** A path that shows slot after slot. */
export interface ShownPath {
  readonly isDone: boolean;
  /** Slots from the first to the last one. */
  readonly slots: number;
  /** The slot that waits, as outside code sees it. */
  shown(): object;
  /** True if the alias of a trade is one of the session's. */
  knows(trade: BlindTrade): boolean;
  /** Decides the slot that was shown with what outside code proposes for it; null proposes nothing. */
  decide(trade: BlindTrade | null): void;
}

export class BlindSteps {
  readonly #paths: readonly ShownPath[];
  readonly #answers = createHash('sha256');
  #slots = 0;
  /** The step that waits for its answers, from 1. */
  #step = 1;
  /** The text of the last step that was answered, with its answers: whoever lost the connection sends them again. */
  #before: string | null = null;
  #text: string;

  constructor(paths: readonly ShownPath[]) {
    this.#paths = paths;
    this.#text = this.#show();
  }

  get answered(): { readonly slots: number; readonly answersHash: string } {
    return { slots: this.#slots, answersHash: this.#answers.copy().digest('hex') };
  }

  get isDone(): boolean {
    return this.#open().length === 0;
  }

  /** Slots that were answered, of how many. */
  progress(): readonly [done: number, total: number] {
    return [this.#slots, this.#paths.reduce((sum, { slots }) => sum + slots, 0)];
  }

  /** The step that waits for its answers, as JSON. */
  current(): string {
    return this.#text;
  }

  /**
   * Decides the slots of a step and shows the next one. The answers of the step before, sent again, are answered as they were.
   * Refuses answers to any other step, of another number, or with an alias that is not one of the session's; then the step still waits.
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
    const wrong = answers.findIndex((trade, place) => trade !== null && !(open[place] as readonly [number, ShownPath])[1].knows(trade));
    if (wrong >= 0) return refuse('malformed', `answers[${wrong}].instrument: ${answers[wrong]?.instrument} is no instrument of the slot`);
    open.forEach(([, shownPath], place) => shownPath.decide(answers[place] as BlindTrade | null));
    this.#answers.update(`${given}\n`);
    this.#before = given;
    this.#slots += open.length;
    this.#step++;
    this.#text = this.#show();
    return { ok: true, value: this.#text };
  }

  #open(): readonly (readonly [path: number, shownPath: ShownPath])[] {
    return [...this.#paths.entries()].filter(([, shownPath]) => !shownPath.isDone);
  }

  #show(): string {
    const slots = this.#open().map(([path, shownPath]) => ({ path, ...shownPath.shown() }));
    return JSON.stringify({ step: this.#step, done: slots.length === 0, slots });
  }
}
