// The whole engine in one process under virtual time: seeded feeds and faults, streams, cuts, two workers, commands.
// A run is a function of its seed: the plan of faults is drawn first, then the world runs it.
import { Subject } from 'rxjs';
import { agentContext } from '../../actors/agent/effects.ts';
import { createMemoryStore } from '../../actors/runtime/memory-store.ts';
import { startTimers } from '../../actors/runtime/timers.ts';
import { movedWindow, type ShardActor, type TickWindow } from '../../actors/ticking/tick-window.ts';
import { type MarkedAgent } from '../../actors/ticking/trading-decisions.ts';
import type { TradingTickStore } from '../../actors/ticking/trading-ticker.ts';
import { createTradingTicker } from '../../actors/ticking/trading-ticker.ts';
import type { Autonomy } from '../../src/domain/agent.ts';
import { CATALOG } from '../../src/domain/catalog.ts';
import type { Cut } from '../../src/domain/cut.ts';
import { compileManifest } from '../../src/domain/decide.ts';
import type { DecisionRow } from '../../src/domain/decision.ts';
import { uuidV7 } from '../../src/domain/ids.ts';
import { type Manifest, manifestHash } from '../../src/domain/manifest/manifest.ts';
import type { FeedMessage } from '../../src/domain/market-event.ts';
import { AGENT_TICK_MS, type EpochMs, slotOf } from '../../src/domain/time.ts';
import type { Venue } from '../../src/domain/venue.ts';
import { seededRandom } from '../../src/sandbox/faults.ts';
import { createMarketPipeline } from '../../streams/market-pipeline.ts';
import { createVirtualClock } from '../../streams/virtual-clock.ts';
import { condition, sampleManifest } from '../actors/agent/sample.ts';
import { createTradingFloor, type Trading } from './trading-floor.ts';

const ORG = '00000000-0000-7000-8000-000000000001';
/** A Wednesday in the regular session, so that references are live. */
export const START = Date.UTC(2026, 10, 18, 15, 0, 0);
export const MINUTES = 10;
const LAST_SLOT = START + MINUTES * AGENT_TICK_MS;

export type Fault =
  | { readonly at: EpochMs; readonly kind: 'disconnect' | 'freeze'; readonly venue: Venue; readonly forMs: number }
  | { readonly at: EpochMs; readonly kind: 'garbage' | 'crossed' | 'future' | 'duplicate' | 'old'; readonly venue: Venue }
  | {
      readonly at: EpochMs;
      readonly kind: 'worker_dies' | 'job_lost' | 'job_twice' | 'job_late';
      readonly slot: EpochMs;
      readonly forMs: number;
    }
  | { readonly at: EpochMs; readonly kind: 'cut_lost'; readonly slot: EpochMs }
  | { readonly at: EpochMs; readonly kind: 'pause' | 'resume' | 'autonomy'; readonly agent: number }
  | { readonly at: EpochMs; readonly kind: 'approve' | 'halt' | 'carrier_dies' };

export interface Outcome {
  readonly rows: readonly (DecisionRow & { readonly committedAt: EpochMs })[];
  readonly cuts: ReadonlyMap<EpochMs, Cut>;
  /** When each agent was on duty, from its steps: [from, until). */
  readonly duty: ReadonlyMap<string, readonly (readonly [from: EpochMs, until: EpochMs])[]>;
  readonly incidents: number;
  readonly failures: readonly unknown[];
  readonly faults: readonly Fault[];
  readonly trading: Trading;
  /** What every feed said, in order. */
  readonly heard: readonly FeedMessage[];
  /** The books as ticks marked them. */
  readonly marked: readonly (MarkedAgent & { readonly slot: EpochMs })[];
}

const VENUES: readonly Venue[] = ['spotexchange', 'spotchain', 'evmvenue', 'reference'];
/** What each venue quotes, and about where. Bitcoin and the share cost nearly the same on two venues: only the venue tells them apart. */
const MARKETS: Readonly<Record<string, readonly (readonly [instrument: string, base: number])[]>> = {
  spotexchange: [
    ['BTCUSDT', 96_000],
    ['ETHUSDT', 3_100],
  ],
  spotchain: [['AAPLx', 270]],
  evmvenue: [['BTC', 96_010]],
};
/** Liquidity of every pool, both sides together. Without it nothing is bought on the primary chain. */
export const POOL_USD = '1000000';
/** The last two digits of every price say whose it is: no two venues, and no two sides of one, ever say the same number. */
const MARKS: Readonly<Record<string, string>> = { spotexchange: '1', spotchain: '3', evmvenue: '7', reference: '9' };

/** Draws the faults of a seed. Half of them fall within a second of a slot: that is where narrow windows are. */
export function plan(seed: number): Fault[] {
  const random = seededRandom(seed * 7_919 + 1);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const faults: Fault[] = [];
  const count = 6 + Math.floor(random() * 14);
  for (let i = 0; i < count; i++) {
    const slot = START + (1 + Math.floor(random() * (MINUTES - 1))) * AGENT_TICK_MS;
    const at = random() < 0.5 ? slot + Math.round((random() - 0.5) * 2_000) : START + Math.round(random() * (MINUTES - 1) * AGENT_TICK_MS);
    const kind = pick([
      'disconnect',
      'freeze',
      'garbage',
      'crossed',
      'future',
      'duplicate',
      'old',
      'worker_dies',
      'job_lost',
      'job_twice',
      'job_late',
      'cut_lost',
      'pause',
      'resume',
      'autonomy',
      'approve',
      'approve',
      'approve',
      'halt',
      'carrier_dies',
    ] as const);
    if (kind === 'disconnect' || kind === 'freeze')
      faults.push({ at, kind, venue: pick(VENUES), forMs: pick([4_900, 5_100, 20_000, 90_000]) });
    else if (kind === 'garbage' || kind === 'crossed' || kind === 'future' || kind === 'duplicate' || kind === 'old')
      faults.push({ at, kind, venue: pick(VENUES) });
    else if (kind === 'worker_dies' || kind === 'job_lost' || kind === 'job_twice' || kind === 'job_late')
      faults.push({ at, kind, slot, forMs: Math.round(random() * 70_000) });
    else if (kind === 'cut_lost') faults.push({ at, kind, slot });
    else if (kind === 'approve' || kind === 'halt' || kind === 'carrier_dies') faults.push({ at, kind });
    else faults.push({ at, kind, agent: Math.floor(random() * 5) });
  }
  return faults.sort((a, b) => a.at - b.at);
}

export const MANIFESTS: readonly Manifest[] = [
  sampleManifest({ entry: [condition('premium_below', { pct: 0.5 })], exit: [] }),
  sampleManifest({
    name: 'spot',
    universe: [
      { key: 'spotexchange:BTCUSDT', kind: 'spot' },
      { key: 'evmvenue:BTC', kind: 'perp' },
    ],
    entry: [condition('price_above', { price: '100' })],
    exit: [condition('price_above', { price: '96000' })],
  }),
  sampleManifest({
    name: 'both',
    universe: [
      { key: 'spotexchange:ETHUSDT', kind: 'spot' },
      { key: 'spotchain:AAPLx', kind: 'tokenized_equity' },
    ],
    entry: [condition('price_above', { price: '1' })],
    exit: [],
  }),
];

/**
 * Runs a seed with its faults (or with those given, to shrink a failure).
 * @param nudge by which part every price of a venue is dearer than else: what may not depend on that venue stays as it is.
 */
export async function simulate(
  seed: number,
  faults: readonly Fault[] = plan(seed),
  nudge: Readonly<Partial<Record<Venue, number>>> = {},
): Promise<Outcome> {
  const random = seededRandom(seed);
  const clock = createVirtualClock(START - 5_000);
  const failures: unknown[] = [];
  const cuts = new Map<EpochMs, Cut>();
  const memory = createMemoryStore();
  const floor = createTradingFloor({ memory, clock, orgId: ORG, manifestOf: (hash) => manifests.get(hash) as Manifest, failures });
  const { store, runtime } = floor;
  const timers = startTimers({ store, runtime, clock, onError: (error) => failures.push(error) });

  // Agents.
  const compiled = MANIFESTS.map(compileManifest);
  const manifests = new Map(MANIFESTS.map((manifest) => [manifestHash(manifest), manifest]));
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) {
    const id = uuidV7(START, Uint8Array.of(seed & 255, 0, 0, 0, 0, 0, 0, 0, 0, i));
    ids.push(id);
    await runtime.start(
      'agent',
      id,
      ORG,
      {
        autonomy: (['confirm', 'policy_auto', 'autonomous', 'suggest', 'research'] as const)[i] as Autonomy,
        manifestVersion: 1,
        manifestHash: compiled[i % compiled.length]?.hash ?? '',
      },
      { cause: 'test' },
    );
  }

  // Feeds: a price twice a second per instrument, unless a fault says otherwise.
  const feeds = VENUES.map((venue) => ({ venue, messages: new Subject<FeedMessage>() }));
  const silentUntil = new Map<Venue, EpochMs>();
  let epoch = 1;
  const status = (venue: Venue, word: 'connected' | 'disconnected'): FeedMessage => ({
    kind: 'feed_status',
    venue,
    source: `test-${venue}`,
    receivedAt: clock.now(),
    status: word,
    epoch,
    detail: '',
  });
  const heard: FeedMessage[] = [];
  function emit(venue: Venue, message: FeedMessage): void {
    heard.push(message);
    feeds.find((feed) => feed.venue === venue)?.messages.next(message);
  }
  function price(venue: Venue, bent: 'crossed' | 'future' | 'old' | null = null): void {
    const now = clock.now();
    const observedAt = bent === 'future' ? now + 3_600_000 : bent === 'old' ? now - 86_400_000 : now;
    const spelled = (level: number, side: string): string => `${level.toFixed(4)}${MARKS[venue]}${side}`;
    const level = (base: number): number => base * (1 + (random() - 0.5) / 100) * (1 + (nudge[venue] ?? 0));
    if (venue === 'reference') {
      emit(venue, {
        kind: 'reference',
        venue,
        instrument: 'AAPL',
        source: 'test-reference:price',
        observedAt,
        receivedAt: now,
        feedUpdatedAt: observedAt,
        referencePrice: spelled(level(270), '0'),
        confidence: '0.05',
        publisherSession: null,
        quality: 'live',
        flags: [],
      });
      return;
    }
    for (const [instrument, base] of MARKETS[venue] ?? []) {
      const mid = level(base);
      const [near, away] = [spelled(mid, '2'), spelled(mid * 1.0002, '4')];
      if (venue === 'spotchain')
        emit(venue, {
          kind: 'pool_liquidity',
          venue,
          instrument,
          source: 'test-spotchain:pools',
          observedAt: now,
          receivedAt: now,
          liquidityUsd: POOL_USD,
        });
      emit(venue, {
        kind: 'quote',
        venue,
        instrument,
        source: `test-${venue}:top`,
        observedAt,
        receivedAt: now,
        sourceTime: true,
        bid: bent === 'crossed' ? away : near,
        ask: bent === 'crossed' ? near : away,
        bidSize: '1',
        askSize: '1',
        sequence: null,
        quality: 'live',
        flags: [],
      });
    }
  }
  function beat(venue: Venue): void {
    if (clock.now() >= (silentUntil.get(venue) ?? 0)) price(venue);
    clock.deadline(clock.now() + 400 + Math.floor(random() * 200), () => beat(venue));
  }

  // Hearing and cutting.
  const lostCuts = new Set(faults.flatMap((fault) => (fault.kind === 'cut_lost' ? [fault.slot] : [])));
  const told: Promise<unknown>[] = [];
  const pipeline = createMarketPipeline({
    clock,
    random,
    feeds,
    instruments: () => CATALOG.entries.filter(({ key }) => compiled.some(({ instruments }) => instruments.includes(key))),
    needs: () => compiled.flatMap(({ needs }) => needs),
    periodMs: AGENT_TICK_MS,
    onCut: (cut) => {
      cuts.set(cut.slot, lostCuts.has(cut.slot) ? { slot: cut.slot, observations: new Map() } : cut);
    },
    onFailure: (error) => failures.push(error),
  });
  pipeline.connectivity.edges.subscribe({
    next: (edge) => told.push(runtime.deliverMany(ids, { type: edge.type, venue: edge.venue }, { cause: 'feed' })),
    error: (error: unknown) => failures.push(error),
  });

  pipeline.judged.subscribe({
    next: (message) => {
      if (message.kind === 'quote') floor.heard(message);
    },
    error: (error: unknown) => failures.push(error),
  });

  // Two workers on one shard.
  const rows: (DecisionRow & { committedAt: EpochMs })[] = [];
  const heads = new Map<string, string>();
  let shard = { lastSlot: slotOf(START, AGENT_TICK_MS), begunSlot: 0, begunTimes: 0, suspect: null as string | null, suspectTimes: 0 };
  let dying: EpochMs | null = null;
  function windows(): ShardActor[] {
    const found = new Map<string, TickWindow>();
    for (const record of store.records) {
      if (record.type !== 'tick_window') continue;
      const { actorId, from, until } = record as unknown as { actorId: string; from: EpochMs | null; until: EpochMs | null };
      found.set(actorId, movedWindow(found.get(actorId), { from, until }));
    }
    return ids.map((id) => ({
      id,
      version: store.actors.get(id)?.version ?? 0,
      tickFrom: found.get(id)?.from ?? 0,
      tickUntil: found.get(id)?.until ?? null,
      rests: found.get(id)?.rests ?? [],
    }));
  }
  const tickStore: TradingTickStore = {
    async begin(_, __, slot) {
      if (shard.lastSlot >= slot) return null;
      const again = shard.begunSlot === slot;
      shard = {
        lastSlot: shard.lastSlot,
        begunSlot: slot,
        begunTimes: again ? shard.begunTimes + 1 : 1,
        suspect: again ? shard.suspect : null,
        suspectTimes: again ? shard.suspectTimes : 0,
      };
      return { lastSlot: shard.lastSlot, begunTimes: shard.begunTimes, suspect: shard.suspect, suspectTimes: shard.suspectTimes };
    },
    agents: async () => windows(),
    duties: async (wanted) =>
      wanted.map((id) => {
        const row = store.actors.get(id);
        const context = agentContext(row?.state as never);
        return {
          id,
          version: row?.version ?? 0,
          orgId: ORG,
          stage: 'draft' as const,
          autonomy: context.autonomy,
          manifestVersion: 1,
          manifestHash: context.manifestHash,
          manifest: manifests.get(context.manifestHash) as Manifest,
        };
      }),
    heads: async (wanted) => new Map(wanted.flatMap((id) => (heads.has(id) ? [[id, heads.get(id) as string] as const] : []))),
    cut: async (slot) => cuts.get(slot) ?? null,
    books: floor.books,
    organizations: floor.organizations,
    async suspect(_, __, id) {
      shard.suspectTimes = shard.suspect === id ? shard.suspectTimes + 1 : 1;
      shard.suspect = id;
    },
    poisoned: async () => new Set(),
    markPoisoned: async () => {},
    async commit(tick) {
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
    },
    countCrash: async () => 1,
    clearCrashes: async () => {},
    incident: (incident) => store.incident(incident),
  };
  const marked: (MarkedAgent & { slot: EpochMs })[] = [];
  const onMarked = async (books: readonly MarkedAgent[], slot: EpochMs): Promise<void> => {
    for (const each of books) marked.push({ ...each, slot });
  };
  const worker = () => createTradingTicker({ store: tickStore, now: async () => clock.now(), clock, pause: async () => {}, onMarked });
  const workers = [worker(), worker()];
  async function tick(which: number, slot: EpochMs): Promise<void> {
    try {
      await workers[which]?.tick(AGENT_TICK_MS, 0, slot);
    } catch {
      workers[which] = worker();
    }
  }

  const at = (time: EpochMs, call: () => void): void => void clock.deadline(time, call);
  for (const fault of faults) {
    at(Math.max(fault.at, clock.now() + 1), () => {
      if (fault.kind === 'disconnect' || fault.kind === 'freeze') {
        silentUntil.set(fault.venue, clock.now() + fault.forMs);
        if (fault.kind === 'freeze') return;
        emit(fault.venue, status(fault.venue, 'disconnected'));
        at(clock.now() + fault.forMs, () => {
          epoch++;
          emit(fault.venue, status(fault.venue, 'connected'));
        });
      } else if (fault.kind === 'garbage')
        emit(fault.venue, {
          kind: 'rejection',
          venue: fault.venue as never,
          source: 'test',
          receivedAt: clock.now(),
          reason: 'not_json',
          detail: 'garbage',
          sample: '',
        });
      else if (fault.kind === 'crossed' || fault.kind === 'future' || fault.kind === 'old') price(fault.venue, fault.kind);
      else if (fault.kind === 'duplicate') {
        price(fault.venue);
        price(fault.venue);
      } else if (fault.kind === 'approve') told.push(floor.approveAll());
      else if (fault.kind === 'halt') told.push(floor.halt(ids));
      else if (fault.kind === 'carrier_dies') floor.killNextWorker();
      else if (fault.kind === 'pause')
        told.push(runtime.deliver(ids[fault.agent] as string, { type: 'pause', cause: 'operator' }, { cause: 'test' }));
      else if (fault.kind === 'resume')
        told.push(
          runtime.deliver(ids[fault.agent] as string, { type: 'resume', subject: 'b', createdBy: 'a', at: clock.now() }, { cause: 'test' }),
        );
      else if (fault.kind === 'autonomy')
        told.push(
          runtime.deliver(
            ids[fault.agent] as string,
            { type: 'autonomy.set', autonomy: random() < 0.5 ? 'confirm' : 'risk_only' },
            { cause: 'test' },
          ),
        );
    });
  }
  for (let slot = START + AGENT_TICK_MS; slot <= LAST_SLOT; slot += AGENT_TICK_MS) {
    const mine = faults.filter((fault) => 'slot' in fault && fault.slot === slot);
    const has = (kind: Fault['kind']): Fault | undefined => mine.find((fault) => fault.kind === kind);
    if (has('worker_dies')) at(slot + 200, () => (dying = slot));
    const late = has('job_late');
    if (!has('job_lost')) at(slot + 300 + (late && 'forMs' in late ? late.forMs : 0), () => told.push(tick(0, slot)));
    if (has('job_twice')) for (const extra of [300, 301, 5_000]) at(slot + extra, () => told.push(tick(1, slot)));
  }

  pipeline.start();
  for (const venue of VENUES) {
    emit(venue, status(venue, 'connected'));
    beat(venue);
  }
  await clock.settleTo(LAST_SLOT + 500);
  // The faults are over: the dispatcher finds whatever is behind.
  await clock.settleTo(LAST_SLOT + 2_000);
  for (let round = 0; round < 3; round++) await tick(0, LAST_SLOT);
  await Promise.all(told);
  pipeline.stop();
  await timers.stop();
  await floor.stop();

  const duty = new Map<string, [EpochMs, EpochMs][]>();
  for (const id of ids) duty.set(id, []);
  for (const record of store.records) {
    if (record.type !== 'tick_window') continue;
    const { actorId, from, until } = record as unknown as { actorId: string; from: EpochMs | null; until: EpochMs | null };
    const spans = duty.get(actorId) as [EpochMs, EpochMs][];
    if (from !== null) spans.push([from, Number.POSITIVE_INFINITY]);
    else if (until !== null) (spans[spans.length - 1] as [EpochMs, EpochMs])[1] = until;
  }
  return { rows, cuts, duty, incidents: store.incidents.length, failures, faults, trading: floor.outcome(), heard, marked };
}
