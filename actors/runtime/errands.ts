/** Carries out the errands of committed steps: at least once, with a key that makes them idempotent, answered by an event. */
import type { DueErrand } from '../../src/domain/actor-step.ts';
import type { Json } from '../../src/domain/canonical-json.ts';
import type { Clock } from '../../streams/clock.ts';
import type { ActorStore } from './actor-store.ts';
import { lookEvery } from './look.ts';
import type { Runtime } from './runtime.ts';

const LOOK_MS = 250;
const BATCH = 100;
/** A carrier that died in the middle is followed by another after so long, doubled with every attempt. */
const RETRY_MS = 5_000;
const ATTEMPT_LIMIT = 10;

/** Carries out one errand. `key` is the same at every attempt. @throws to be tried again later. */
export type ErrandCarrier = (payload: { readonly [key: string]: Json }, key: string) => Promise<Json>;

/**
 * Starts carrying. The answer goes to the actor as `errand.done { key, kind, answer }`, and the errand is closed by that
 * step's commit; after the last attempt the actor hears `errand.given_up { key, kind, detail }`.
 */
export function startErrands(deps: {
  readonly store: Pick<ActorStore, 'takeErrands' | 'giveUpErrand'>;
  readonly runtime: Pick<Runtime, 'deliver'>;
  readonly carriers: { readonly [kind: string]: ErrandCarrier };
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly onError: (error: unknown) => void;
}): { carryDue(): Promise<number>; stop(): Promise<void> } {
  const { store, runtime, clock } = deps;
  // The others wait for a process that carries them: an attempt here would be one lost.
  const kinds = Object.keys(deps.carriers);

  async function carry(errand: DueErrand): Promise<void> {
    const carrier = deps.carriers[errand.kind];
    try {
      if (!carrier) throw new Error(`nobody carries errands of kind ${errand.kind}`);
      const answer = await carrier(errand.payload, errand.key);
      const outcome = await runtime.deliver(
        errand.actorId,
        { type: 'errand.done', key: errand.key, kind: errand.kind, answer },
        { cause: 'errand', answeredErrand: { key: errand.key, answer } },
      );
      if (!outcome.ok && outcome.refusal.code !== 'unavailable')
        await store.giveUpErrand(errand.key, { refused: outcome.refusal.code, answer });
    } catch (error) {
      deps.onError(error);
      if (errand.attempts < ATTEMPT_LIMIT) return;
      const detail = error instanceof Error ? error.message : String(error);
      await runtime.deliver(errand.actorId, { type: 'errand.given_up', key: errand.key, kind: errand.kind, detail }, { cause: 'errand' });
      await store.giveUpErrand(errand.key, { detail });
    }
  }

  async function carryDue(): Promise<number> {
    const due = await store.takeErrands(clock.now(), RETRY_MS, BATCH, kinds);
    await Promise.all(due.map(carry));
    return due.length;
  }

  const looking = lookEvery(clock, LOOK_MS, carryDue, deps.onError);
  return {
    carryDue,
    stop: looking.stop,
  };
}
