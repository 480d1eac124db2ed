/** Replays an actor's committed steps, each with the complete state it led to. */
import type { ActorEvent } from '../../src/domain/agents/actor-step.ts';
import { foldSteps, type HistoryStore, type HistorySubject, type PastState, presentEvent } from './actor-history.ts';
import type { Directory } from './directory.ts';

/** Number of steps read at a time. */
const STRETCH = 200;

/** A committed step and the state after it. */
export interface LivedStep {
  readonly past: PastState;
  readonly event: ActorEvent;
}

export type ActorLives = ReturnType<typeof createActorLives>;

export function createActorLives(deps: { readonly store: HistoryStore; readonly directory: Directory }) {
  const { store, directory } = deps;

  /** Yields the steps after a known state up to `to`, without reading a checkpoint. */
  async function* after(subject: HistorySubject, past: PastState | null, to: number): AsyncGenerator<LivedStep> {
    let before = past;
    for (let from = past?.version ?? 0; from < to; from += STRETCH) {
      // One after the other, because each step follows from the state before it.
      for (const step of await store.steps(subject.id, from, Math.min(from + STRETCH, to))) {
        before = foldSteps(directory, subject, before, [step]) as PastState;
        yield { past: before, event: presentEvent(step.event) };
      }
    }
  }

  return {
    after,
    /** Yields the steps after `from` up to `to`, oldest first, in the memory of one read. @throws Error if the history does not fold. */
    async *between(subject: HistorySubject, from: number, to: number): AsyncGenerator<LivedStep> {
      const checkpoint = from === 0 ? null : await store.checkpoint(subject.id, from);
      const steps = from === 0 ? [] : await store.steps(subject.id, checkpoint?.version ?? 0, from);
      const before = foldSteps(directory, subject, checkpoint, steps);
      // A quarantine raises the version without a step.
      yield* after(subject, before === null ? null : { ...before, version: from }, to);
    },
  };
}
