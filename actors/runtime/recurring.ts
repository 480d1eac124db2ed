/**
 * Recurring work, done by any worker. The queue plans it. PostgreSQL records which slot of it is done, so that two workers do it once, and
 * a check for overdue work finds what the queue lost.
 */
import { type EpochMs, slotOf } from '../../src/domain/values/time.ts';
import { errorText } from '../../src/domain/values/value-text.ts';
import type { Clock } from '../../streams/clock.ts';
import type { WorkName } from './loops.ts';
import { runEvery } from './run-every.ts';

/** One kind of recurring work. Doing it twice changes nothing. */
export interface RecurringWork {
  /** Name of the work in the queue, in the store and in reports of its failures. */
  readonly what: WorkName;
  readonly everyMs: number;
  readonly run: () => Promise<unknown>;
}

export interface RecurringStore {
  /** The time of record. */
  now(): Promise<EpochMs>;
  /** Names those of the works whose slot is neither done nor taken. */
  waiting(slots: readonly { readonly what: string; readonly slot: EpochMs }[]): Promise<ReadonlySet<string>>;
  /** Takes the slot for so long; false if it is done, or another worker is at it. */
  claim(name: string, slot: EpochMs, holder: string, forMs: number): Promise<boolean>;
  /** Keeps what this holder has taken for another so long. */
  renew(name: string, holder: string, forMs: number): Promise<void>;
  /** Records the end of the slot. `failure` is null if it is done; otherwise it may be claimed again at once. */
  ended(name: string, slot: EpochMs, holder: string, failure: string | null): Promise<void>;
}

/** Planner of recurring work. */
export interface WorkPlan {
  /** Makes the plan what is listed here, for every process. */
  plan(works: readonly Pick<RecurringWork, 'what' | 'everyMs'>[]): Promise<void>;
  /** Calls `work` whenever something of the plan is due. */
  workPlanned(work: (what: string) => Promise<void>): void;
}

/** Work whose worker has given no sign of life for so long may be begun by another one. */
const CLAIM_MS = 60_000;
/** Interval at which a working process renews its claim. */
const RENEW_MS = 20_000;
/** Interval of the check for overdue work. */
const LOOK_MS = 5_000;
const OVERDUE_MS = 10_000;

export function startRecurring(deps: {
  readonly works: readonly RecurringWork[];
  readonly plan: WorkPlan;
  readonly store: RecurringStore;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly holder: string;
  /** Grace period of the queue before its work counts as lost, in milliseconds; default ten seconds. */
  readonly overdueMs?: number;
  readonly onError: (what: string) => (error: unknown) => void;
}): { look(): Promise<void>; stop(): Promise<void> } {
  const { store, holder, works, overdueMs = OVERDUE_MS } = deps;
  let planning: Promise<void> | null = null;
  let stopped = false;

  async function carry(work: RecurringWork, patienceMs: number): Promise<void> {
    const slot = slotOf((await store.now()) - patienceMs, work.everyMs);
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

  /** Tells the queue the plan, beside everything else: a queue that is away now is told later, and delays no work. */
  function tellPlan(): void {
    planning ??= deps.plan.plan(works).catch((error: unknown) => {
      planning = null;
      if (!stopped) deps.onError('planning recurring work')(error);
    });
  }

  async function look(): Promise<void> {
    tellPlan();
    const at = (await store.now()) - overdueMs;
    const waiting = await store.waiting(works.map(({ what, everyMs }) => ({ what, slot: slotOf(at, everyMs) })));
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
