/**
 * Looks at people's orders that rest: what their venue has filled of them, or on paper what the market traded through them.
 * What is found goes to the order as an event; an order of which nothing is new gets none. It looks at how things stand, so
 * that a crash loses nothing.
 */
import type { EpochMs } from '../../src/domain/time.ts';
import type { LookDeps } from '../proposal/execution.ts';
import { createOrderLook } from '../proposal/execution.ts';
import type { CarriedAnswer } from '../proposal/protocol.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** So many orders are looked at in one go, those first that were not looked at for longest: each is a request to the venue. */
const LOOKS = 5;
/** What the market did longer ago, while nobody looked, fills nothing on paper. */
const LONGEST_LOOK_MS = 3_600_000;

export interface RestingWatchDeps extends LookDeps {
  readonly runtime: Pick<Runtime, 'deliver'>;
  /** Ids of people's orders that rest or are being taken back, of every organization. */
  readonly resting: () => Promise<readonly string[]>;
  readonly onError: (error: unknown) => void;
}

/** True of an answer that an order has to know: it was filled further, or has ended. */
function isNews(answer: CarriedAnswer): boolean {
  if (answer.outcome === 'resting') return (answer.fills ?? []).length > 0;
  return answer.outcome === 'filled' || answer.outcome === 'partially_filled' || answer.outcome === 'rejected';
}

export function createRestingWatch(deps: RestingWatchDeps): { look(): Promise<number> } {
  const look = createOrderLook(deps);
  /** Up to when each order has been looked at by this process. */
  const seenUntil = new Map<string, EpochMs>();

  async function lookAt(id: string): Promise<boolean> {
    const now = deps.clock.now();
    const from = seenUntil.get(id) ?? now - LONGEST_LOOK_MS;
    const answer = await look(id, from);
    seenUntil.set(id, now);
    if (answer === null || !isNews(answer)) return false;
    const outcome = await deps.runtime.deliver(
      id,
      { type: 'order.observed', answer: answer as never },
      { cause: 'resting order looked at' },
    );
    return outcome.ok;
  }

  return {
    async look() {
      const ids = await deps.resting();
      const open = new Set(ids);
      for (const id of seenUntil.keys()) if (!open.has(id)) seenUntil.delete(id);
      const waiting = ids.toSorted((a, b) => (seenUntil.get(a) ?? 0) - (seenUntil.get(b) ?? 0)).slice(0, LOOKS);
      let told = 0;
      for (const id of waiting) {
        try {
          if (await lookAt(id)) told++;
        } catch (error) {
          // One order that its venue tells nothing of keeps none of the others waiting.
          seenUntil.set(id, seenUntil.get(id) ?? 0);
          deps.onError(error);
        }
      }
      return told;
    },
  };
}
