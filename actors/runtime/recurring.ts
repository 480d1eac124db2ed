/**
 * Recurring work, done by any worker. The queue plans it. PostgreSQL records the slots that are done, so that two workers do a slot once,
 * and a check for overdue work finds what the queue lost.
 */
import { type EpochMs, MINUTE_MS, startOfSlot } from '../../src/domain/values/time.ts';
import { errorText } from '../../src/domain/values/value-text.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import type { WorkName } from './loops.ts';
import { runEvery } from './run-every.ts';

/** One kind of recurring work. Must be idempotent. */
export interface RecurringWork {
  /** Name of the work in the queue, in the store and in failure reports. */
  readonly what: WorkName;
  readonly everyMs: number;
  readonly run: () => Promise<unknown>;
}

export interface RecurringStore {
  /** Returns the time of record. */
  now(): Promise<EpochMs>;
  /** Returns the names of the works whose slot is neither done nor claimed. */
  waiting(slots: readonly { readonly what: string; readonly slot: EpochMs }[]): Promise<ReadonlySet<string>>;
  /** Claims the slot for `forMs`. Returns false if it is done or claimed by another worker. */
  claim(name: string, slot: EpochMs, holder: string, forMs: number): Promise<boolean>;
  /** Extends this holder's claim by `forMs`. */
  renew(name: string, holder: string, forMs: number): Promise<void>;
  /** Records the end of the slot. `failure` is null if it is done. Otherwise it may be claimed again at once. */
  ended(name: string, slot: EpochMs, holder: string, failure: string | null): Promise<void>;
}

/** Planner of recurring work. */
export interface WorkPlan {
  /** Replaces the plan, for every process. */
  plan(works: readonly Pick<RecurringWork, 'what' | 'everyMs'>[]): Promise<void>;
  /** Calls `work` whenever planned work is due. */
  workPlanned(work: (what: string) => Promise<void>): void;
}

/** Time in milliseconds after which the claim of a silent worker ends. */
const CLAIM_MS = MINUTE_MS;
/** Interval in milliseconds at which a working process renews its claim. */
const RENEW_MS = 20_000;
/** Interval in milliseconds of the check for overdue work. */
const LOOK_MS = 5_000;
const OVERDUE_MS = 10_000;

export function startRecurring(deps: {
  readonly works: readonly RecurringWork[];
  readonly plan: WorkPlan;
  readonly store: RecurringStore;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly holder: string;
  /** Time in milliseconds that the queue may be late before its work counts as lost. Default 10 s. */
  readonly overdueMs?: number;
  readonly onError: (what: string) => (error: unknown) => void;
}): { look(): Promise<void>; stop(): Promise<void> } {
  const { store, holder, works, overdueMs = OVERDUE_MS } = deps;
  let planning: Promise<void> | null = null;
  let stopped = false;

  async function carry(work: RecurringWork, patienceMs: number): Promise<void> {
    const slot = startOfSlot((await store.now()) - patienceMs, work.everyMs);
    if (!(await store.claim(work.what, slot, holder, CLAIM_MS))) return;
    const renew = () => store.renew(work.what, holder, CLAIM_MS);
    const renewing = runEvery(deps.clock, 'renewing work', RENEW_MS, renew, deps.onError(work.what));
    try {
      await work.run();
      await store.ended(work.what, slot, holder, null);
    } catch (error) {
      deps.onError(work.what)(error);
      await store.ended(work.what, slot, holder, errorText(error));
    } finally {
      await renewing.stop();
    }
  }

  /** Sends the plan to the queue in the background. A queue that is down gets it later, and delays no work. */
  function tellPlan(): void {
    planning ??= deps.plan.plan(works).catch((error: unknown) => {
      planning = null;
      if (!stopped) deps.onError('planning recurring work')(error);
    });
  }

  async function look(): Promise<void> {
    tellPlan();
    const at = (await store.now()) - overdueMs;
    const waiting = await store.waiting(works.map(({ what, everyMs }) => ({ what, slot: startOfSlot(at, everyMs) })));
    for (const work of works) if (waiting.has(work.what)) await carry(work, overdueMs).catch(deps.onError(work.what));
  }

  deps.plan.workPlanned(async (what) => {
    const work = works.find((one) => one.what === what);
    if (work !== undefined) await carry(work, 0);
  });
  const what = 'looking for overdue work';
  const looking = runEvery(deps.clock, what, Math.min(LOOK_MS, overdueMs), look, deps.onError(what));
  return {
    look,
    stop() {
      stopped = true;
      return looking.stop();
    },
  };
}
