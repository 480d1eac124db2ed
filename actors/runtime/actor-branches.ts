/** Questions to an actor's past: what other events would have led to, and a stretch of it as a test. Nothing is written. */
import type { ActorEvent } from '../../src/domain/actor-step.ts';
import { type Outcome, refuse } from '../../src/domain/refusal.ts';
import type { Clock } from '../../streams/clock.ts';
import { foldSteps, type HistoryStore, type HistorySubject, type PastState } from './actor-history.ts';
import type { Directory } from './directory.ts';
import { historyTest, MOST_EXPORTED_STEPS } from './history-test.ts';
import { type Branch, branchFrom } from './what-if.ts';

const NO_ACTOR = 'there is no actor with this id';

export interface ActorBranches {
  /**
   * The branch that events lead to from the state after a version, at the time of now unless told. Refused as `not_found`
   * for a foreign actor and for a version that it has not reached.
   */
  whatIf(
    orgId: string,
    actorId: string,
    wish: { readonly version: number; readonly events: readonly ActorEvent[]; readonly at: number | null },
  ): Promise<Outcome<Branch & { readonly kind: string; readonly machine: string }>>;
  /** The steps after `from` up to `to` as the source of a test; `from` 0 begins with the start. */
  exportTest(orgId: string, actorId: string, from: number, to: number): Promise<Outcome<string>>;
}

export function createActorBranches(deps: {
  readonly store: HistoryStore;
  readonly directory: Directory;
  readonly clock: Pick<Clock, 'now'>;
}): ActorBranches {
  const { store, directory, clock } = deps;

  async function stateAfter(subject: HistorySubject, version: number): Promise<PastState | null> {
    const checkpoint = await store.checkpoint(subject.id, version);
    const steps = await store.steps(subject.id, checkpoint?.version ?? 0, version);
    return foldSteps(directory, subject, checkpoint, steps);
  }

  return {
    async whatIf(orgId, actorId, { version, events, at }) {
      const subject = await store.subject(orgId, actorId);
      if (subject === null) return refuse('not_found', NO_ACTOR);
      const past = await stateAfter(subject, version);
      if (past === null || past.version < version)
        return refuse(
          'not_found',
          `the actor has no step of version ${version}${past === null ? '' : `: its last one is ${past.version}`}`,
        );
      const branch = branchFrom(directory, subject, past, events, at ?? clock.now());
      return { ok: true, value: { ...branch, kind: subject.kind, machine: directory.kind(subject.kind).machine.id } };
    },

    async exportTest(orgId, actorId, from, to) {
      if (to <= from) return refuse('malformed', `$.to: a stretch ends behind its beginning, ${from}`);
      if (to - from > MOST_EXPORTED_STEPS)
        return refuse('malformed', `$.to: a test holds at most ${MOST_EXPORTED_STEPS} steps, and these are ${to - from}`);
      const subject = await store.subject(orgId, actorId);
      if (subject === null) return refuse('not_found', NO_ACTOR);
      const before = from === 0 ? null : await stateAfter(subject, from);
      const steps = await store.steps(actorId, from, to);
      if (steps.length === 0) return refuse('not_found', `the actor has no step after version ${from} up to ${to}`);
      return { ok: true, value: historyTest(directory, subject, before, steps) };
    },
  };
}
