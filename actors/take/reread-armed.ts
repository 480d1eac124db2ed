/** Asks the authors of Takes that were armed under an older reading what their words mean, and stops those Takes from buying until then. */
import type { ContainedLoop } from '../runtime/containment.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { TakeEvent } from './machine.ts';

/** A running Take whose author was never asked to confirm anything. */
export interface UnaskedTake {
  readonly id: string;
  readonly orgId: string;
  /** Reads its words again. Returns the questions to confirm. */
  readonly questions: () => readonly string[];
}

export async function rereadArmed(deps: {
  readonly unasked: () => Promise<readonly UnaskedTake[]>;
  readonly runtime: Pick<Runtime, 'deliver'>;
  /** Contains failures: a Take that cannot be read does not stop the others. */
  readonly contained: ContainedLoop;
}): Promise<void> {
  await deps.contained.each(
    await deps.unasked(),
    ({ id, orgId }) => ({ id, orgId }),
    async ({ id, questions }) => {
      const asked = questions();
      if (asked.length === 0) return;
      const event = { type: 'reading.open', questions: asked } satisfies TakeEvent;
      // The event is refused if the Take was paused meanwhile. Its arming then asks.
      await deps.runtime.deliver(id, event, { cause: 'system' });
    },
  );
}
