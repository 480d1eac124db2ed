/**
 * Commits concurrent steps in one transaction, so that executions share the cost of statements, signature and disk write. Each step keeps
 * its own version, permit and checks.
 */
import type { ActorRow, StepCommit } from '../../../domain/agents/actor-step.ts';
import { askedTogether } from '../asked-together.ts';
import { isRetryable } from '../database.ts';
import type { createActorStore } from './actor-store.ts';

type Store = ReturnType<typeof createActorStore>;

/** Maximum steps per transaction. A halt waits for transactions that lock its row. */
const MOST = 64;
/** Maximum concurrent shared transactions. */
const AT_ONCE = 2;

/**
 * Record types that a shared transaction may contain. Each is checked row by row against locked rows. A step with any other record (a limit
 * over several rows, a command's answer) gets its own transaction.
 */
const SHARED: ReadonlySet<string> = new Set([
  'execution_permit',
  'mandate_check',
  'execution_lease',
  'execution_lease_ended',
  'proposal',
  'fill',
]);

function isShared(commits: readonly StepCommit[]): boolean {
  return commits.every(({ also, plan }) =>
    [...also, ...plan.records].every((row) => SHARED.has(row.type) && row['expectedVersion'] === undefined),
  );
}

interface Waiting {
  readonly commits: readonly StepCommit[];
  readonly ended: (stale: ReadonlySet<string>) => void;
  readonly failed: (error: unknown) => void;
}

/** Returns the longest-waiting commits that fit into one transaction, each actor once. The others keep waiting. */
function nextGroup(queue: readonly Waiting[]): { readonly group: readonly Waiting[]; readonly left: readonly Waiting[] } {
  const group: Waiting[] = [];
  const left: Waiting[] = [];
  const actors = new Set<string>();
  let steps = 0;
  for (const waiting of queue) {
    const ids = waiting.commits.map(({ row }) => row.id);
    const fits = group.length === 0 || steps + ids.length <= MOST;
    if (!fits || ids.some((id) => actors.has(id))) {
      left.push(waiting);
      continue;
    }
    group.push(waiting);
    steps += ids.length;
    for (const id of ids) actors.add(id);
  }
  return { group, left };
}

async function commitGroup(store: Store, group: readonly Waiting[]): Promise<void> {
  try {
    const stale = await store.commit(group.flatMap(({ commits }) => commits));
    for (const { commits, ended } of group) ended(new Set(commits.flatMap(({ row }) => (stale.has(row.id) ? [row.id] : []))));
  } catch (error) {
    if (group.length === 1 || isRetryable(error)) {
      for (const { failed } of group) failed(error);
      return;
    }
    // One refused step fails the whole transaction, so each step gets its own.
    for (const { commits, ended, failed } of group) await store.commit(commits).then(ended, failed);
  }
}

/** Wraps a store so that concurrent loads and commits are combined. */
export function shareCommits(store: Store): Store {
  let queue: readonly Waiting[] = [];
  let underWay = 0;

  function pump(): void {
    while (underWay < AT_ONCE && queue.length > 0) {
      const { group, left } = nextGroup(queue);
      queue = left;
      underWay++;
      void commitGroup(store, group).finally(() => {
        underWay--;
        pump();
      });
    }
  }

  const loadOne = askedTogether<string, ActorRow | undefined>(async (ids) => {
    const rows = await store.load([...new Set(ids)]);
    return (id) => rows.get(id);
  });

  return {
    ...store,
    async load(ids) {
      if (ids.length !== 1) return store.load(ids);
      const id = ids[0] as string;
      const row = await loadOne(id);
      return row === undefined ? new Map() : new Map([[id, row]]);
    },
    async commit(commits) {
      if (commits.length === 0 || !isShared(commits)) return store.commit(commits);
      return new Promise((ended, failed) => {
        if (queue.length === 0) setImmediate(pump);
        queue = [...queue, { commits, ended, failed }];
      });
    },
  };
}
