/** Shard of a seeded run in memory: reads and commits of the ticks, and deaths of their worker. */
import type { ActorState } from '../../domain/agents/actor-step.ts';
import { agentContext } from '../../../actors/agent/effects.ts';
import type { MemoryStore } from '../../../actors/runtime/memory-store.ts';
import { movedWindow, type ShardActor, type TickWindow } from '../../../actors/ticking/tick-window.ts';
import type { TradingTickStore } from '../../../actors/ticking/trading-decisions.ts';
import type { Cut } from '../../domain/market/cut.ts';
import type { DecisionRow } from '../../domain/agents/decision.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import { AGENT_TICK_MS, type EpochMs, startOfSlot } from '../../domain/values/time.ts';
import { START } from './fault-plan.ts';
import type { TradingFloor } from './trading-floor.ts';

/** Decision with its commit time. */
export type CommittedRow = DecisionRow & { readonly committedAt: EpochMs };

/** Period in which an agent is ticked, as a step recorded it. */
interface WindowRecord {
  readonly actorId: string;
  readonly from: EpochMs | null;
  readonly until: EpochMs | null;
}

export function windowRecords({ records }: MemoryStore): readonly WindowRecord[] {
  return records.filter(({ type }) => type === 'tick_window') as unknown as readonly WindowRecord[];
}

export type ShardInMemory = ReturnType<typeof createShardInMemory>;

export function createShardInMemory(deps: {
  readonly orgId: string;
  readonly ids: readonly string[];
  readonly manifests: ReadonlyMap<string, Manifest>;
  readonly cuts: ReadonlyMap<EpochMs, Cut>;
  readonly floor: TradingFloor;
  readonly clock: { now(): EpochMs };
}) {
  const { ids, cuts, floor, clock } = deps;
  const { store } = floor;
  const rows: CommittedRow[] = [];
  const heads = new Map<string, string>();
  let shard = { lastSlot: startOfSlot(START, AGENT_TICK_MS), begunSlot: 0, begunTimes: 0, suspect: null as string | null, suspectTimes: 0 };
  let dying: EpochMs | null = null;

  async function commit(tick: Parameters<TradingTickStore['commit']>[0]): Promise<boolean> {
    if (dying === tick.slot) {
      dying = null;
      throw new Error('the worker died before its commit');
    }
    if (shard.lastSlot !== tick.lastSlot) return false;
    shard = { ...shard, lastSlot: tick.slot, suspect: null, suspectTimes: 0 };
    for (const row of tick.rows) {
      rows.push({ ...row, committedAt: clock.now() });
      heads.set(row.agentId, row.hash);
    }
    if (tick.trades !== undefined) await floor.begin(tick.trades);
    return true;
  }

  const tickStore: TradingTickStore = {
    async begin(_, __, slot) {
      if (shard.lastSlot >= slot) return null;
      const again = shard.begunSlot === slot;
      const before = again ? shard : { begunTimes: 0, suspect: null, suspectTimes: 0 };
      shard = { ...before, lastSlot: shard.lastSlot, begunSlot: slot, begunTimes: before.begunTimes + 1 };
      return { lastSlot: shard.lastSlot, begunTimes: shard.begunTimes, suspect: shard.suspect, suspectTimes: shard.suspectTimes };
    },
    agents: async () => shardActors(store, ids),
    duties: async (wanted) => wanted.map((id) => readDuty(deps, id)),
    heads: async (wanted) => new Map(wanted.flatMap((id) => (heads.has(id) ? [[id, heads.get(id) as string] as const] : []))),
    cut: async (slot) => cuts.get(slot) ?? null,
    books: floor.books,
    outsideProposals: async () => new Map(),
    organizations: floor.organizations,
    async suspect(_, __, id) {
      shard.suspectTimes = shard.suspect === id ? shard.suspectTimes + 1 : 1;
      shard.suspect = id;
    },
    poisoned: async () => new Set(),
    inTheWay: async () => new Map(),
    markPoisoned: async () => {},
    commit,
    countCrash: async () => 1,
    clearCrashes: async () => {},
    incident: (incident) => store.incident(incident),
  };
  return {
    store: tickStore,
    rows,
    /** Fails the next commit of this slot, as if its worker died. */
    dieAt: (slot: EpochMs) => void (dying = slot),
  };
}

function shardActors(store: MemoryStore, ids: readonly string[]): ShardActor[] {
  const found = new Map<string, TickWindow>();
  for (const { actorId, from, until } of windowRecords(store)) found.set(actorId, movedWindow(found.get(actorId), { from, until }));
  return ids.map((id) => ({
    id,
    version: store.actors.get(id)?.version ?? 0,
    tickFrom: found.get(id)?.from ?? 0,
    tickUntil: found.get(id)?.until ?? null,
    rests: found.get(id)?.rests ?? [],
  }));
}

function readDuty(
  { floor, orgId, manifests }: { readonly floor: TradingFloor; readonly orgId: string; readonly manifests: ReadonlyMap<string, Manifest> },
  id: string,
) {
  const row = floor.store.actors.get(id);
  const { autonomy, manifestHash } = agentContext(row?.state as ActorState);
  const manifest = manifests.get(manifestHash) as Manifest;
  return { id, version: row?.version ?? 0, orgId, stage: 'draft' as const, autonomy, manifestVersion: 1, manifestHash, manifest };
}
