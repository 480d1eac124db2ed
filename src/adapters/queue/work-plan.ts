/** Schedules recurring work with BullMQ's job schedulers: one per work, at multiples of its period. */
import type { WorkPlan } from '../../../actors/runtime/recurring.ts';
import { ANSWER_LIMIT_MS, openQueue, type QueueAddress, within } from './bullmq.ts';

interface PlannedJob {
  readonly what: string;
}

/** Maximum concurrent works of this process. */
const AT_ONCE = 2;
/** Timeout of opening in milliseconds. The first process creates the queue's tables. */
const OPENING_LIMIT_MS = 30_000;

export function openWorkPlan(place: QueueAddress, onError: (error: Error) => void): WorkPlan & { close(): Promise<void> } {
  const { queue, work, close } = openQueue<PlannedJob>('sevengate-recurring', place, {
    error: onError,
    failed: (_, error) => onError(error),
  });
  return {
    async plan(works) {
      const answered = <Value>(work: Promise<Value>): Promise<Value> => within(ANSWER_LIMIT_MS, work);
      await within(OPENING_LIMIT_MS, queue.waitUntilReady());
      const wanted = new Set(works.map(({ what }) => toSchedulerId(what)));
      for (const { what, everyMs } of works)
        await answered(queue.upsertJobScheduler(toSchedulerId(what), { every: everyMs }, { name: 'recurring', data: { what } }));
      for (const { key } of await answered(queue.getJobSchedulers())) if (!wanted.has(key)) await answered(queue.removeJobScheduler(key));
    },
    workPlanned(carry) {
      work(({ what }) => carry(what), AT_ONCE);
    },
    close,
  };
}

/** Returns a scheduler's id, which must contain no colon. */
function toSchedulerId(what: string): string {
  return what.replaceAll(' ', '-').replaceAll(':', '-');
}
