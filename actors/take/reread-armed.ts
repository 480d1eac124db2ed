/** Asks the authors of Takes that were armed under an older reading what their words mean, and keeps those Takes from buying until then. */
import type { ContainedLoop } from '../runtime/containment.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { TakeEvent } from './protocol.ts';

/** A Take on duty whose author was never asked to confirm anything. */
export interface UnaskedTake {
  readonly id: string;
  readonly orgId: string;
  /** Reads its words anew: what must be confirmed. */
  readonly questions: () => readonly string[];
}

export async function rereadArmed(deps: {
  readonly unasked: () => Promise<readonly UnaskedTake[]>;
  readonly runtime: Pick<Runtime, 'deliver'>;
  /** A Take that cannot be read keeps no other one unread. */
  readonly contained: ContainedLoop;
}): Promise<void> {
  await deps.contained.each(
    await deps.unasked(),
    ({ id, orgId }) => ({ id, orgId }),
    async ({ id, questions }) => {
      const asked = questions();
      if (asked.length === 0) return;
      const event = { type: 'reading.open', questions: asked } satisfies TakeEvent;
      // Refused if it has left its duty in between: then arming asks.
      await deps.runtime.deliver(id, event, { cause: 'system' });
    },
  );
}
