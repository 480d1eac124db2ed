/**
 * The emergency halt. It holds as soon as its epoch is durable: every permit to execute of before is lost, and no agent gets
 * another one until all that were on duty are paused. So it answers then, and pauses in the background if that takes
 * longer; a worker goes on if the process that halted dies.
 */
import type { ActorRecord } from '../../src/domain/agents/actor-step.ts';
import type { Clock } from '../../streams/clock.ts';
import { cancelOpen } from '../proposal/cancel-open.ts';
import type { ContainedLoop } from '../runtime/containment.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { HaltView } from './commands.ts';

/** Agents paused in one transaction. */
const BATCH = 500;
/** Maximum wait of the answer for the pauses, in milliseconds. Small organizations are done by then. */
const ANSWER_MS = 120;

/** The member or program that asks for a halt, with the reason that it gives. */
export interface HaltAuthor {
  readonly subject: string;
  readonly requestId: string;
  readonly reason?: string | null;
}

export interface HaltStore {
  /** Bumps the control epoch, and writes its author and the rows in the same transaction; answers how many agents are on duty. */
  beginHalt(
    orgId: string,
    author: HaltAuthor,
    records: readonly ActorRecord[],
  ): Promise<{ readonly epoch: number; readonly onDuty: number }>;
  /** Ids of the organization's agents that are not paused. */
  onDuty(orgId: string): Promise<readonly string[]>;
  /** Trade proposals that are open and have not begun. */
  cancellable(orgId: string, agentId: null): Promise<readonly { readonly id: string }[]>;
  /** Orders of people that rest at their venue, or are on their way to. */
  openOrders(orgId: string): Promise<readonly { readonly id: string }[]>;
  /** Resolves once no order is under way any more that was when it was asked. */
  leasesEnded(orgId: string, agentId: null): Promise<void>;
  /** Says how far the pausing is, and that it is still being done. */
  haltProgress(orgId: string, progress: { readonly epoch: number; readonly paused: number; readonly of: number }): Promise<void>;
  /** Notes that everything of the halt is done: agents may get permits again. */
  endHalt(orgId: string, epoch: number): Promise<void>;
  /** Takes over halts whose pausing nobody is at any more. */
  takeOverHalts(): Promise<readonly { readonly orgId: string; readonly epoch: number }[]>;
}

interface Swept {
  readonly paused: string[];
  cancelled: number;
}

/** One sweep of an organization, shared by all halts requested meanwhile. */
interface Sweeping {
  /** The newest halt that it has to sweep. */
  newest: { readonly epoch: number; readonly cause: string };
  readonly swept: Swept;
  done: Promise<void>;
}

export interface EmergencyHalt {
  /** Answers at the latest after `ANSWER_MS`, or with `done` once everything was tried. `pausing` says how many are not paused by then. */
  halt(orgId: string, author: HaltAuthor, records: readonly ActorRecord[], answers?: 'soon' | 'done'): Promise<HaltView>;
  /** Goes on with halts of processes that died, each by itself; answers how many are over. */
  sweepAbandoned(contained: ContainedLoop): Promise<number>;
}

export function createEmergencyHalt(deps: {
  readonly runtime: Pick<Runtime, 'deliverMany'>;
  readonly store: HaltStore;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
}): EmergencyHalt {
  const { runtime, store, clock } = deps;

  /** Cancels, pauses and waits for what is under way. @throws the first failure, after everything else was tried; then a worker does it again. */
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
    // Cancels proposals of ticks since the new epoch. From here on no tick makes any.
    await tried(cancel);
    if (failures.length > 0) throw failures[0];
    await store.endHalt(orgId, epoch);
  }

  const sweeps = createSweeps(sweep);

  return {
    async halt(orgId, author, records, answers = 'soon') {
      const { epoch, onDuty } = await store.beginHalt(orgId, author, records);
      // Orders with a permit from before the new epoch are still on their way to a venue. Nothing begins after the answer.
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

    async sweepAbandoned(contained) {
      const nameOf = ({ orgId }: { readonly orgId: string }) => ({ id: orgId, orgId });
      return contained.each(await store.takeOverHalts(), nameOf, ({ orgId, epoch }) =>
        sweep(orgId, epoch, 'halt taken over', { paused: [], cancelled: 0 }),
      );
    },
  };
}

/** One sweep of an organization at a time: a halt that comes meanwhile is done by the same one, which looks again at who is on duty. */
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
        // In the turn of the last look: a halt that comes later begins a sweep of its own.
        sweeping.delete(orgId);
      }
    };
    // A failure here is not lost: nobody gets a permit until a worker has done it again.
    begun.done = untilNewest().catch(() => {});
    return begun;
  };
}
