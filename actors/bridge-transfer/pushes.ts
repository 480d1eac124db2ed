/** Reads transfers as soon as their provider pushes a change, instead of at their next timer. */
import type { Runtime } from '../runtime/runtime.ts';
import type { BridgePushes } from './ports.ts';

interface PushDeps {
  readonly runtime: Pick<Runtime, 'deliver'>;
  readonly pushes: BridgePushes;
  /** Submitted transfers that have not ended, newest first, with the provider's id of each. */
  readonly followed: () => Promise<readonly { readonly id: string; readonly reference: string }[]>;
  readonly onError: (error: unknown) => void;
}

/** Returns one round: subscribes to pushes of exactly the transfers followed now. Idempotent. */
export function followPushes({ runtime, pushes, followed, onError }: PushDeps): () => Promise<void> {
  return async () => {
    const transfers = new Map((await followed()).map(({ id, reference }) => [reference, id]));
    pushes.follow([...transfers.keys()], (reference) => {
      const id = transfers.get(reference);
      // A transfer that ended meanwhile refuses the event, which changes nothing.
      if (id !== undefined) void runtime.deliver(id, { type: 'provider.moved' }, { cause: 'provider push' }).catch(onError);
    });
  };
}
