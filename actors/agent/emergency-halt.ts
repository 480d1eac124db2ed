/**
 * The emergency halt. It takes effect once its epoch is durable: every earlier permit to execute is void, and no agent gets a new one until
 * all running agents are paused. The answer comes then. If pausing takes longer, it goes on in the background, and a worker continues it if
 * this process dies.
 */
import type { ActorRecord } from '../../src/domain/agents/actor-step.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { cancelOpen } from '../proposal/cancel-open.ts';
import type { ContainedLoop } from '../runtime/containment.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** Number of agents paused per transaction. */
const BATCH = 500;
/** Maximum time in milliseconds that the answer waits for the pauses. Small organizations are paused by then. */
const ANSWER_MS = 120;

/** Member or program that asks for a halt, and the reason it gives. */
export interface HaltAuthor {
  readonly subject: string;
  readonly requestId: string;
  readonly reason?: string | null;
}

export interface HaltView {
  /** Ids of the agents paused and Takes disarmed by this halt so far. */
  readonly paused: readonly string[];
  /** Number of agents still being paused in the background. None of them can begin anything meanwhile. */
  readonly pausing: number;
  /** Pending proposals cancelled so far. */
  readonly cancelledProposals: number;
  /** The organization's control epoch after the halt. */
  readonly epoch: number;
}

export interface HaltStore {
  /** Raises the control epoch, and writes its author and the rows in the same transaction. Returns the number of running agents. */
  beginHalt(
    orgId: string,
    author: HaltAuthor,
    records: readonly ActorRecord[],
  ): Promise<{ readonly epoch: number; readonly onDuty: number }>;
  /** Ids of the organization's running agents. */
  onDuty(orgId: string): Promise<readonly string[]>;
  /** Open trade proposals whose execution has not begun. */
  cancellable(orgId: string, agentId: null): Promise<readonly { readonly id: string }[]>;
  /** Manual orders that rest at their venue or are being sent to it. */
  openOrders(orgId: string): Promise<readonly { readonly id: string }[]>;
  /** Resolves once every order that was under way at the call has ended. */
  leasesEnded(orgId: string, agentId: null): Promise<void>;
  /** Records how many agents are paused so far while pausing goes on. */
  haltProgress(orgId: string, progress: { readonly epoch: number; readonly paused: number; readonly of: number }): Promise<void>;
  /** Ends a halt's sweep. From then on agents may get permits again. */
  endHalt(orgId: string, epoch: number): Promise<void>;
  /** Takes over halts whose sweep has no live process, and returns them. */
  takeOverHalts(): Promise<readonly { readonly orgId: string; readonly epoch: number }[]>;
}

interface Swept {
  readonly paused: string[];
  cancelled: number;
}

/** Sweep of one organization, shared by all halts requested during it. */
interface Sweeping {
  /** Newest halt it has to sweep for. */
  newest: { readonly epoch: number; readonly cause: string };
  readonly swept: Swept;
  done: Promise<void>;
}

export function createEmergencyHalt(deps: {
  readonly runtime: Pick<Runtime, 'deliverMany'>;
  readonly store: HaltStore;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
}) {
  const { runtime, store, clock } = deps;

  /**
   * Cancels proposals, pauses agents and waits for orders under way. @throws the first failure after trying everything else. A worker then
   * repeats the sweep.
   */
  async function sweep(orgId: string, epoch: number, cause: string, swept: Swept): Promise<void> {
    const failures: unknown[] = [];
    const tried = (work: () => Promise<void>): Promise<void> =>
      work().catch((error: unknown) => {
        failures.push(error);
      });
    const end = (open: readonly { readonly id: string }[]) => cancelOpen(runtime, orgId, open, { reason: 'halted', cause });
    const cancel = async (): Promise<void> => {
      swept.cancelled += await end(await store.cancellable(orgId, null));
    };
    await tried(cancel);
    await tried(async () => void (await end(await store.openOrders(orgId))));
    const ids = await store.onDuty(orgId);
    for (let from = 0; from < ids.length; from += BATCH) {
      await tried(async () => {
        const batch = ids.slice(from, from + BATCH);
        const outcomes = await runtime.deliverMany(batch, { type: 'pause', cause: 'emergency_halt' }, { cause, orgId, quarantines: true });
        for (const [id, outcome] of outcomes) if (outcome.ok) swept.paused.push(id);
        if (ids.length > BATCH) await store.haltProgress(orgId, { epoch, paused: swept.paused.length, of: ids.length });
      });
    }
    // Cancels proposals of ticks since the new epoch. No later tick makes any.
    await tried(cancel);
    if (failures.length > 0) throw failures[0];
    await store.endHalt(orgId, epoch);
  }

  const sweeps = createSweeps(sweep);

  return {
    /**
     * Halts the organization. Answers within `ANSWER_MS`, or with `done` once everything was tried. `pausing` counts the agents
     * not yet paused.
     */
    async halt(orgId: string, author: HaltAuthor, records: readonly ActorRecord[], answers: 'soon' | 'done' = 'soon'): Promise<HaltView> {
      const { epoch, onDuty } = await store.beginHalt(orgId, author, records);
      // Orders with a permit from before the new epoch may still be on their way to a venue. None begins after the answer.
      const underWay = store.leasesEnded(orgId, null);
      const { swept: shared, done } = sweeps(orgId, epoch, `${author.subject} ${author.requestId}`);
      const [pausedBefore, cancelledBefore] = [shared.paused.length, shared.cancelled];
      let forget = (): void => {};
      const late = new Promise<void>((resolve) => (forget = clock.deadline(clock.now() + ANSWER_MS, resolve)));
      const over = (answers === 'done' ? done : Promise.race([done, late])).finally(() => forget());
      await Promise.all([over, underWay]);
      const paused = shared.paused.slice(pausedBefore);
      return { paused, pausing: Math.max(0, onDuty - paused.length), cancelledProposals: shared.cancelled - cancelledBefore, epoch };
    },

    /** Continues halts of processes that died, each on its own. Returns how many have ended. */
    async sweepAbandoned(contained: ContainedLoop): Promise<number> {
      const toActorName = ({ orgId }: { readonly orgId: string }) => ({ id: orgId, orgId });
      return contained.each(await store.takeOverHalts(), toActorName, ({ orgId, epoch }) =>
        sweep(orgId, epoch, 'halt taken over', { paused: [], cancelled: 0 }),
      );
    },
  };
}

export type EmergencyHalt = ReturnType<typeof createEmergencyHalt>;

/** Runs one sweep of an organization at a time. A halt requested meanwhile joins it, and the sweep reads the running agents again. */
function createSweeps(sweep: (orgId: string, epoch: number, cause: string, swept: Swept) => Promise<void>) {
  const sweeping = new Map<string, Sweeping>();
  return (orgId: string, epoch: number, cause: string): Sweeping => {
    const running = sweeping.get(orgId);
    if (running !== undefined) {
      if (epoch > running.newest.epoch) running.newest = { epoch, cause };
      return running;
    }
    const begun: Sweeping = { newest: { epoch, cause }, swept: { paused: [], cancelled: 0 }, done: Promise.resolve() };
    sweeping.set(orgId, begun);
    const untilNewest = async (): Promise<void> => {
      try {
        for (let done = 0; done < begun.newest.epoch; ) {
          const next = begun.newest;
          await sweep(orgId, next.epoch, next.cause, begun.swept);
          done = next.epoch;
        }
      } finally {
        // Deleted in the same turn as the last read, so that a later halt starts its own sweep.
        sweeping.delete(orgId);
      }
    };
    // A failure here is not lost: agents get no permit until a worker has repeated the sweep.
    begun.done = untilNewest().catch(() => {});
    return begun;
  };
}
