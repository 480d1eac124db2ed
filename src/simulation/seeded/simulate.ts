/**
 * Whole engine in one process under virtual time: seeded feeds and faults, streams, cuts, two workers and commands. A run is a function
 * of its seed: the faults are drawn first, then the world runs them.
 */

import { createMemoryStore } from '../../../actors/runtime/memory-store.ts';
import { startTimers } from '../../../actors/runtime/timers.ts';
import { createTradingTicker, type MarkedAgent } from '../../../actors/ticking/trading-decisions.ts';
import { createMarketPipeline, type MarketPipeline } from '../../../streams/market-pipeline.ts';
import { createVirtualClock, type VirtualClock } from '../../../streams/clock/virtual-clock.ts';
import type { Autonomy } from '../../domain/agents/agent.ts';
import { CATALOG } from '../../domain/catalog/catalog.ts';
import type { Cut } from '../../domain/market/cut.ts';
import { type CompiledManifest, compileManifest } from '../../domain/agents/decide.ts';
import { uuidV7 } from '../../domain/values/ids.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import type { FeedMessage } from '../../domain/market/market-event.ts';
import { seededRandom } from '../../domain/values/seeded-random.ts';
import { AGENT_TICK_MS, type EpochMs } from '../../domain/values/time.ts';
import type { Venue } from '../../domain/market/venue.ts';
import { AGENTS, type Fault, LAST_SLOT, plan, START } from './fault-plan.ts';
import { createSeededFeeds, type SeededFeeds } from './feeds.ts';
import { type CommittedRow, createShardInMemory, type ShardInMemory, windowRecords } from './shard-in-memory.ts';
import { createTradingFloor, type Trading, type TradingFloor } from './trading-floor.ts';
import { eachRow } from '../../../actors/runtime/containment.ts';

const EAGER: Manifest = {
  schemaVersion: '1',
  name: 'discount hunter',
  description: '',
  universe: [{ key: 'spotchain:AAPLx', kind: 'tokenized_equity' }],
  timeframe: '1h',
  entry: [{ type: 'premium_below', pct: 0.5 }],
  exit: [],
  maxCapitalUsd: '10000',
  maxTradeNotionalUsd: '1000',
  maxLeverage: '1',
  stopLossPct: 5,
  takeProfitPct: 10,
  maxDailyDrawdownPct: 3,
  maxOpenPositions: 2,
  killSwitchAction: 'cancel_all_and_halt',
  algorithm: 'smart_order_routing_maker_first',
  urgency: 'medium',
  maxSlippageBps: 50,
};

/** Strategies of a seeded run. They trade often, so that every minute has decisions on each venue. */
export const MANIFESTS: readonly Manifest[] = [
  EAGER,
  {
    ...EAGER,
    name: 'spot',
    universe: [
      { key: 'spotexchange:BTCUSDT', kind: 'spot' },
      { key: 'evmvenue:BTC', kind: 'perp' },
    ],
    entry: [{ type: 'price_above', price: '100' }],
    exit: [{ type: 'price_above', price: '96000' }],
  },
  {
    ...EAGER,
    name: 'both',
    universe: [
      { key: 'spotexchange:ETHUSDT', kind: 'spot' },
      { key: 'spotchain:AAPLx', kind: 'tokenized_equity' },
    ],
    entry: [{ type: 'price_above', price: '1' }],
    exit: [],
  },
];

const ORG = '00000000-0000-7000-8000-000000000001';
const LEVELS: readonly Autonomy[] = ['confirm', 'policy_auto', 'autonomous', 'suggest', 'research'];

export interface Outcome {
  readonly rows: readonly CommittedRow[];
  readonly cuts: ReadonlyMap<EpochMs, Cut>;
  /** Periods in which each agent was active, from its steps: [from, until). */
  readonly duty: ReadonlyMap<string, readonly (readonly [from: EpochMs, until: EpochMs])[]>;
  readonly incidents: number;
  readonly failures: readonly unknown[];
  readonly faults: readonly Fault[];
  readonly trading: Trading;
  /** Messages of all feeds, in order. */
  readonly received: readonly FeedMessage[];
  /** Books as marked by ticks. */
  readonly marked: readonly (MarkedAgent & { readonly slot: EpochMs })[];
}

/** Running parts of a run. */
interface World {
  readonly clock: VirtualClock;
  readonly random: () => number;
  readonly floor: TradingFloor;
  readonly feeds: SeededFeeds;
  readonly ids: readonly string[];
  readonly compiled: readonly CompiledManifest[];
  readonly cuts: Map<EpochMs, Cut>;
  readonly failures: unknown[];
  /** Deliveries that may still be in progress. */
  readonly told: Promise<unknown>[];
}

/**
 * Runs a seed with its own faults, or with the given ones to shrink a failure.
 * @param nudge fraction by which a venue's prices are raised. Everything that must not depend on that venue stays unchanged.
 */
export async function simulate(
  seed: number,
  faults: readonly Fault[] = plan(seed),
  nudge: Readonly<Partial<Record<Venue, number>>> = {},
): Promise<Outcome> {
  const random = seededRandom(seed);
  const clock = createVirtualClock(START - 5_000);
  const failures: unknown[] = [];
  const onError = (error: unknown): void => void failures.push(error);
  const compiled = MANIFESTS.map(compileManifest);
  const manifests = new Map(compiled.map(({ hash, manifest }) => [hash, manifest]));
  const floor = createTradingFloor({
    memory: createMemoryStore(),
    clock,
    orgId: ORG,
    manifestOf: (hash) => manifests.get(hash) as Manifest,
    failures,
  });
  const timers = startTimers({ contained: eachRow(onError), store: floor.store, runtime: floor.runtime, clock, onError });
  const ids = await startAgents(floor, compiled, seed);
  const feeds = createSeededFeeds(clock, random, nudge);
  const world: World = { clock, random, floor, feeds, ids, compiled, cuts: new Map(), failures, told: [] };
  const pipeline = openPipeline(world, faults);
  const marked: (MarkedAgent & { slot: EpochMs })[] = [];
  const shard = createShardInMemory({ orgId: ORG, ids, manifests, cuts: world.cuts, floor, clock });
  const tick = twoWorkers(shard, clock, marked);
  for (const fault of faults) clock.deadline(Math.max(fault.at, clock.now() + 1), () => suffer(world, fault));
  scheduleTicks(world, faults, shard, tick);
  pipeline.start();
  feeds.begin();
  await clock.settleTo(LAST_SLOT + 500);
  // After the faults the dispatcher catches up.
  await clock.settleTo(LAST_SLOT + 2_000);
  for (let round = 0; round < 3; round++) await tick(0, LAST_SLOT);
  await Promise.all(world.told);
  pipeline.stop();
  await timers.stop();
  await floor.stop();
  return {
    rows: shard.rows,
    cuts: world.cuts,
    duty: readDuties(world),
    incidents: floor.store.incidents.length,
    failures,
    faults,
    trading: floor.outcome(),
    received: feeds.received,
    marked,
  };
}

async function startAgents({ runtime }: TradingFloor, compiled: readonly CompiledManifest[], seed: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let i = 0; i < AGENTS; i++) {
    const id = uuidV7(START, Uint8Array.of(seed & 255, 0, 0, 0, 0, 0, 0, 0, 0, i));
    ids.push(id);
    const input = { autonomy: LEVELS[i] as Autonomy, manifestVersion: 1, manifestHash: compiled[i % compiled.length]?.hash ?? '' };
    await runtime.start('agent', id, ORG, input, { cause: 'test' });
  }
  return ids;
}

/** Opens the market pipeline with its cuts. */
function openPipeline(world: World, faults: readonly Fault[]): MarketPipeline {
  const { clock, random, feeds, floor, compiled, cuts, failures, told, ids } = world;
  const lostCuts = new Set(faults.flatMap((fault) => (fault.kind === 'cut_lost' ? [fault.slot] : [])));
  const error = (thrown: unknown): void => void failures.push(thrown);
  const pipeline = createMarketPipeline({
    clock,
    random,
    feeds: feeds.feeds,
    instruments: () => CATALOG.entries.filter(({ key }) => compiled.some(({ instruments }) => instruments.includes(key))),
    needs: () => compiled.flatMap(({ needs }) => needs),
    periodMs: AGENT_TICK_MS,
    onCut: (cut) => void cuts.set(cut.slot, lostCuts.has(cut.slot) ? { slot: cut.slot, observations: new Map() } : cut),
    onFailure: error,
  });
  pipeline.connectivity.edges.subscribe({
    next: (edge) => told.push(floor.runtime.deliverMany(ids, { type: edge.type, venue: edge.venue }, { cause: 'feed' })),
    error,
  });
  pipeline.assessed.subscribe({
    next: (message) => {
      if (message.kind === 'quote') floor.received(message);
    },
    error,
  });
  return pipeline;
}

type Tick = (worker: 0 | 1, slot: EpochMs) => Promise<void>;

/** Runs two workers on one shard. A worker that dies is replaced. */
function twoWorkers({ store }: ShardInMemory, clock: VirtualClock, marked: (MarkedAgent & { slot: EpochMs })[]): Tick {
  const onMarked = async (books: readonly MarkedAgent[], slot: EpochMs): Promise<void> => {
    for (const each of books) marked.push({ ...each, slot });
  };
  const worker = () => createTradingTicker({ store, now: async () => clock.now(), clock, pause: async () => {}, onMarked });
  const workers = [worker(), worker()];
  return async (which, slot) => {
    try {
      await workers[which]?.tick(AGENT_TICK_MS, 0, slot);
    } catch {
      workers[which] = worker();
    }
  };
}

/** Applies a fault at its time. Faults of jobs and cuts are applied elsewhere. */
function suffer(world: World, fault: Fault): void {
  const { feeds, floor, ids, told, random, clock } = world;
  switch (fault.kind) {
    case 'disconnect':
    case 'freeze':
      return feeds.silence(fault.venue, fault.forMs, fault.kind === 'disconnect');
    case 'garbage':
      return feeds.garbage(fault.venue);
    case 'crossed':
    case 'future':
    case 'old':
      return feeds.price(fault.venue, fault.kind);
    case 'duplicate':
      feeds.price(fault.venue);
      return feeds.price(fault.venue);
    case 'approve':
      return void told.push(floor.approveAll());
    case 'halt':
      return void told.push(floor.halt(ids));
    case 'carrier_dies':
      return floor.killNextWorker();
    case 'pause':
      return void told.push(tell(world, fault.agent, { type: 'pause', cause: 'operator' }));
    case 'resume':
      return void told.push(tell(world, fault.agent, { type: 'resume', subject: 'b', createdBy: 'a', at: clock.now() }));
    case 'autonomy':
      return void told.push(tell(world, fault.agent, { type: 'autonomy.set', autonomy: random() < 0.5 ? 'confirm' : 'risk_only' }));
    default:
      return undefined;
  }
}

function tell({ floor, ids }: World, agent: number, event: Parameters<TradingFloor['runtime']['deliver']>[1]): Promise<unknown> {
  return floor.runtime.deliver(ids[agent] as string, event, { cause: 'test' });
}

/** Enqueues every slot's job. A fault makes it lost, late or duplicate. */
function scheduleTicks({ clock, told }: World, faults: readonly Fault[], shard: ShardInMemory, tick: Tick): void {
  for (let slot = START + AGENT_TICK_MS; slot <= LAST_SLOT; slot += AGENT_TICK_MS) {
    const mine = faults.filter((fault) => 'slot' in fault && fault.slot === slot);
    const has = (kind: Fault['kind']): Fault | undefined => mine.find((fault) => fault.kind === kind);
    const at = (time: EpochMs, worker: 0 | 1): void => void clock.deadline(time, () => told.push(tick(worker, slot)));
    if (has('worker_dies')) clock.deadline(slot + 200, () => shard.dieAt(slot));
    const late = has('job_late');
    if (!has('job_lost')) at(slot + 300 + (late && 'forMs' in late ? late.forMs : 0), 0);
    if (has('job_twice')) for (const extra of [300, 301, 5_000]) at(slot + extra, 1);
  }
}

function readDuties({ floor, ids }: World): Outcome['duty'] {
  const duty = new Map<string, [EpochMs, EpochMs][]>(ids.map((id) => [id, []]));
  for (const { actorId, from, until } of windowRecords(floor.store)) {
    const spans = duty.get(actorId) as [EpochMs, EpochMs][];
    if (from !== null) spans.push([from, Number.POSITIVE_INFINITY]);
    else if (until !== null) (spans[spans.length - 1] as [EpochMs, EpochMs])[1] = until;
  }
  return duty;
}
