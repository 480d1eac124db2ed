/**
 * Steps of a blind session: one slot of every path per step. A path's next slot does not depend on later answers, so no answer can look
 * ahead, and a step of many paths needs one round trip.
 */
import { createHash } from 'node:crypto';
import { type Outcome, refuse } from '../../domain/values/refusal.ts';
import type { BlindTrade, StepAnswers } from '../../domain/outside/replay-step.ts';

/** Path that shows one slot after another. */
export interface ShownPath {
  readonly isDone: boolean;
  /** Number of slots. */
  readonly slots: number;
  /** Returns the waiting slot as outside code sees it. */
  shown(): object;
  /** True if a trade's alias belongs to the session. */
  knows(trade: BlindTrade): boolean;
  /** Decides the shown slot by outside code's proposal; null proposes nothing. */
  decide(trade: BlindTrade | null): void;
}

export class BlindSteps {
  readonly #paths: readonly ShownPath[];
  readonly #answers = createHash('sha256');
  #slots = 0;
  /** Number of the step that waits for answers, from 1. */
  #step = 1;
  /** Text of the last answered step with its answers, for clients that lost the connection and send them again. */
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

  /** Returns the number of answered slots and the total. */
  progress(): readonly [done: number, total: number] {
    return [this.#slots, this.#paths.reduce((sum, { slots }) => sum + slots, 0)];
  }

  /** Returns the waiting step as JSON. */
  current(): string {
    return this.#text;
  }

  /**
   * Decides the slots of a step and returns the next one. Repeated answers to the previous step get the same response. Refuses answers to
   * another step, with a wrong count or with an unknown alias; the step then still waits.
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
