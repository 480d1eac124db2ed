/** Has transfers looked at as soon as their provider pushes that something has changed, instead of at their next timer. */
import type { Runtime } from '../runtime/runtime.ts';
import type { BridgePushes } from './ports.ts';

export interface PushDeps {
  readonly runtime: Pick<Runtime, 'deliver'>;
  readonly pushes: BridgePushes;
  /** Submitted transfers that have not ended, newest first, with the provider's name of each. */
  readonly followed: () => Promise<readonly { readonly id: string; readonly reference: string }[]>;
  readonly onError: (error: unknown) => void;
}

/** One round: asks the provider for pushes of what is followed now, and of nothing else. Doing it twice changes nothing. */
export function followPushes({ runtime, pushes, followed, onError }: PushDeps): () => Promise<void> {
  return async () => {
    const transfers = new Map((await followed()).map(({ id, reference }) => [reference, id]));
    pushes.follow([...transfers.keys()], (reference) => {
      const id = transfers.get(reference);
      // A transfer that has ended meanwhile refuses it, which changes nothing.
      if (id !== undefined) void runtime.deliver(id, { type: 'provider.moved' }, { cause: 'provider push' }).catch(onError);
    });
  };
}
