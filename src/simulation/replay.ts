/**
 * Replays tapes: the same hearing, the same cuts, the same agents and Takes and the same ticks as live, under a virtual clock and
 * without a database. The same tape and agents give the same bytes, however often and wherever it is run.
 */
import { createHash } from 'node:crypto';
import { agentContext, agentKind, agentValue } from '../../actors/agent/effects.ts';
import { agentMachine } from '../../actors/agent/machine.ts';
import { proposalKind } from '../../actors/proposal/effects.ts';
import { createDirectory } from '../../actors/runtime/directory.ts';
import { createMemoryStore } from '../../actors/runtime/memory-store.ts';
import { createRuntime } from '../../actors/runtime/runtime.ts';
import { takeContext, takeKind, takeStanding } from '../../actors/take/effects.ts';
import { takeMachine } from '../../actors/take/machine.ts';
import { type ShardProgress } from '../../actors/ticking/tick-store.ts';
import { LATE_AFTER_MS, movedWindow, type ShardActor, type TickWindow } from '../../actors/ticking/tick-window.ts';
import { type MarkedAgent, type TradingDuty } from '../../actors/ticking/trading-decisions.ts';
import { createTradingTicker } from '../../actors/ticking/trading-ticker.ts';
import { createFeedCounters } from '../../streams/feed-counters.ts';
import { createFreshness } from '../../streams/freshness.ts';
import { createFusedQuality } from '../../streams/fused-quality.ts';
import { createIndicatorBoard } from '../../streams/indicator-board.ts';
import { createMarketView, type MarketView } from '../../streams/market-view.ts';
import { type Cutter, createCutter, type InstrumentRelations } from '../../streams/slot-cut.ts';
import { createVirtualClock, type VirtualClock } from '../../streams/virtual-clock.ts';
import type { ActorRow } from '../domain/actor-step.ts';
import type { Stage } from '../domain/agent.ts';
import { CATALOG } from '../domain/catalog.ts';
import type { Cut, IndicatorNeed, Observation } from '../domain/cut.ts';
import { type CompiledManifest, compileManifest } from '../domain/decide.ts';
import { assembleDecision, type DecisionRow } from '../domain/decision.ts';
import { type Manifest, manifestHash } from '../domain/manifest/manifest.ts';
import type { RiskPreferences } from '../domain/risk/index.ts';
import type { TapeAgent, TapeCommand, TapeCut, TapeCutNote, TapeEvent, TapeHeader } from '../domain/tape.ts';
import { AGENT_TICK_MS, type EpochMs, slotOf, TAKE_TICK_MS } from '../domain/time.ts';
import { type InstrumentKey, splitInstrumentKey } from '../domain/venue.ts';
import { type BrokerCounts, createPaperBroker, type PaperBroker, type ReplayedFill } from './paper-broker.ts';

/** A tape as a replay needs it; `openTape` gives one. */
export interface ReplayTape {
  readonly file: string;
  readonly header: TapeHeader;
  readonly cut: TapeCut | null;
  batches(): AsyncGenerator<{ readonly events: readonly TapeEvent[] }, void, undefined>;
}

/** How the live run came to a decision that was not made on the slot's cut. */
export type MissedTick = 'late_tick' | 'tick_crash';

export interface ReplayOptions {
  /** One recording, cut into as many tapes as it was. */
  readonly tapes: readonly ReplayTape[];
  /** Agents besides those on the tapes. */
  readonly agents?: readonly TapeAgent[];
  /** What is known of a live run's slots that no tape tells: those that an agent missed. */
  readonly missed?: (agentId: string, slot: EpochMs) => MissedTick | null;
  /** Takes the decisions of each slot as they are made, together with its cut. Without it they are kept and returned. */
  readonly onDecisions?: (rows: readonly DecisionRow[], cut: Cut, manifestOf: (hash: string) => Manifest) => void | Promise<void>;
  /** The risk preferences of every organization that no note on the tape tells otherwise of; those of a fresh organization. */
  readonly preferences?: RiskPreferences;
  /** Hears of every fill that was computed; fills that a live run noted are in its books already. */
  readonly onFill?: (fill: ReplayedFill) => void;
  /** Hears after each slot how the books stand that something has happened to. */
  readonly onMarked?: (marked: readonly MarkedAgent[], slot: EpochMs) => void;
  readonly progress?: (events: number) => void;
}

export interface ReplayResult {
  /** Empty where `onDecisions` took them. */
  readonly decisions: readonly DecisionRow[];
  readonly events: number;
  readonly cuts: number;
  readonly counts: {
    readonly agents: number;
    readonly decisions: number;
    readonly hold: number;
    readonly propose_entry: number;
    readonly propose_exit: number;
    readonly blocked_by_risk: number;
    readonly commands: number;
    /** Agent events that the agents took live and refused here. */
    readonly refusedCommands: number;
    /** Proposals and fills that were computed. */
    readonly trading: BrokerCounts;
    /** What the quality rules, the view and the board marked or refused, over all venues, by reason. */
    readonly assessed: Readonly<Record<string, number>>;
  };
  readonly firstSlot: EpochMs | null;
  readonly lastSlot: EpochMs | null;
  /** SHA-256 over the hashes of all decisions in their order, a line each. */
  readonly resultHash: string;
  /** Where the last tape was cut off; null where it is whole. */
  readonly cut: TapeCut | null;
}

/** What happens to the agents, in the order of the tape: a slot is cut, somebody tells them something, an order is due. */
type ReplayEvent =
  | { readonly kind: 'cut'; readonly cut: Cut }
  | { readonly kind: 'command'; readonly command: TapeCommand }
  | { readonly kind: 'wake'; readonly at: EpochMs };

const SILENT: ReadonlyMap<InstrumentKey, Observation> = new Map();

/**
 * Replays tapes with their own agents and those given.
 * @throws TapeError where a tape is not sound, RangeError where a further tape begins before the last one ended.
 */
export async function replayTape(options: ReplayOptions): Promise<ReplayResult> {
  const counters = createFeedCounters();
  const freshness = createFreshness();
  const view = createMarketView({ freshness, counters });
  const board = createIndicatorBoard({ counters });
  const assess = createFusedQuality({ freshness, counters });
  const population = createPopulation(options, view, (at) => {
    hearing?.clock.deadline(at, () => replayEvents.push({ kind: 'wake', at }));
  });
  const digest = createHash('sha256');
  const tally = { decisions: 0, hold: 0, propose_entry: 0, propose_exit: 0, blocked_by_risk: 0, commands: 0 };
  const kept: DecisionRow[] = [];
  let hearing: { readonly clock: VirtualClock; readonly cutter: Cutter } | null = null;
  let replayEvents: ReplayEvent[] = [];
  let failure: unknown = null;
  let events = 0;
  let cuts = 0;
  let lastAt: EpochMs = 0;
  let firstSlot: EpochMs | null = null;
  let lastSlot: EpochMs | null = null;
  /** How the live process cut; null: as the agents here need it. */
  let note: TapeCutNote | null = null;
  let noted: ReadonlySet<InstrumentKey> = new Set();

  function begin(at: EpochMs): NonNullable<typeof hearing> {
    const clock = createVirtualClock(at);
    /** Half minutes are for Takes alone: without one nothing is observed there. */
    const isIdle = (slot: EpochMs): boolean => slot % AGENT_TICK_MS !== 0 && !population.hasTakes;
    const cutting = (): EpochMs => cutter.pendingSlot - TAKE_TICK_MS;
    const instruments = () => (isIdle(cutting()) ? [] : population.instruments());
    const cutter: Cutter = createCutter({
      clock,
      view,
      board,
      periodMs: TAKE_TICK_MS,
      instruments: () => (note === null ? instruments() : instruments().filter(({ key }) => noted.has(key))),
      needs: () => (isIdle(cutting()) ? [] : (note?.needs ?? population.needs())),
      onCut: (cut) => {
        if (isIdle(cut.slot)) return;
        const silent = note !== null && note.source === 'silence' && note.receivedAt === cut.slot;
        replayEvents.push({ kind: 'cut', cut: silent ? { slot: cut.slot, observations: SILENT } : cut });
      },
      onFailure: (error) => {
        failure ??= error;
      },
    });
    cutter.start();
    return { clock, cutter };
  }

  /** Takes the next event; the promise of what the agents make of it, null where they have nothing to do. */
  function take(event: TapeEvent): Promise<void> | null {
    hearing ??= begin(event.receivedAt);
    const { clock } = hearing;
    const next = clock.nextAt();
    if (event.kind === 'command' || event.kind === 'cut' || event.kind === 'inputs' || (next !== null && next <= event.receivedAt))
      return takeWithAgents(event, hearing);
    if (event.receivedAt > clock.now()) clock.advanceTo(event.receivedAt);
    const assessed = assess(event);
    if (assessed !== null) hearing.cutter.take(assessed);
    return null;
  }

  async function takeWithAgents(event: TapeEvent, { clock, cutter }: NonNullable<typeof hearing>): Promise<void> {
    // Closes every slot before this event, in silence too; agents live through each instant before the next is heard.
    await advance(clock, event.receivedAt);
    if (event.kind === 'command') {
      replayEvents.push({ kind: 'command', command: event });
      population.hear(event);
    } else if (event.kind === 'cut') {
      note = event;
      noted = new Set(event.instruments);
    } else if (event.kind === 'inputs') {
      population.note(event.actorId, event.inputs);
    } else {
      const assessed = assess(event);
      if (assessed !== null) cutter.take(assessed);
    }
    if (replayEvents.length > 0) await live();
  }

  async function advance(clock: VirtualClock, at: EpochMs): Promise<void> {
    if (at <= clock.now()) return;
    for (let next = clock.nextAt(); next !== null && next <= at; next = clock.nextAt()) {
      clock.advanceTo(next);
      if (replayEvents.length > 0) await live();
    }
    clock.advanceTo(at);
  }

  async function live(): Promise<void> {
    const now = replayEvents;
    replayEvents = [];
    for (const replayEvent of now) {
      if (replayEvent.kind === 'command') {
        tally.commands++;
        await population.tell(replayEvent.command);
        continue;
      }
      if (replayEvent.kind === 'wake') {
        await population.wake(replayEvent.at);
        continue;
      }
      const { cut } = replayEvent;
      cuts++;
      const rows = await population.tick(cut);
      if (rows.length === 0) continue;
      firstSlot ??= cut.slot;
      lastSlot = cut.slot;
      tally.decisions += rows.length;
      for (const row of rows) {
        tally[row.disposition]++;
        digest.update(`${row.hash}\n`);
      }
      if (options.onDecisions === undefined) for (const row of rows) kept.push(row);
      else await options.onDecisions(rows, cut, population.manifest);
    }
    if (failure !== null) throw failure;
  }

  for (const agent of options.agents ?? []) population.expect(agent);
  let cutOff: TapeCut | null = null;
  for (const tape of options.tapes) {
    if (cutOff !== null)
      throw new RangeError(
        `${tape.file} follows a tape that was cut off (${cutOff.place}): what was lost in between would change the decisions`,
      );
    for (const agent of tape.header.agents ?? []) if (!population.knows(agent.id)) population.expect(agent);
    let first = true;
    for await (const batch of tape.batches()) {
      if (first && (batch.events[0] as TapeEvent).receivedAt < lastAt) {
        throw new RangeError(`${tape.file} begins before the tape in front of it ended: name the tapes in the order of their time`);
      }
      first = false;
      for (const event of batch.events) {
        const agents = take(event);
        if (agents !== null) await agents;
      }
      events += batch.events.length;
      lastAt = (batch.events.at(-1) as TapeEvent).receivedAt;
      options.progress?.(events);
    }
    cutOff = tape.cut;
  }
  // The slot that the last event fell on is complete once a millisecond has passed.
  const heard = hearing as { readonly clock: VirtualClock; readonly cutter: Cutter } | null;
  if (heard !== null) await advance(heard.clock, lastAt + 1);
  heard?.cutter.stop();
  if (failure !== null) throw failure;

  const refused: Record<string, number> = {};
  for (const venue of Object.values(counters.snapshot())) {
    for (const [what, count] of Object.entries(venue.counted)) if (count > 0) refused[what] = (refused[what] ?? 0) + count;
  }
  return {
    decisions: kept,
    events,
    cuts,
    counts: {
      agents: population.size,
      ...tally,
      refusedCommands: population.refusedCommands,
      trading: population.trading,
      assessed: refused,
    },
    firstSlot,
    lastSlot,
    resultHash: digest.digest('hex'),
    cut: cutOff,
  };
}

/** The agents of a replay: the live runtime and the live tick over stores in memory. */
function createPopulation(
  options: Pick<ReplayOptions, 'missed' | 'preferences' | 'onFill' | 'onMarked'>,
  view: MarketView,
  wakeAt: (at: EpochMs) => void,
) {
  const store = createMemoryStore();
  const directory = createDirectory([agentKind, takeKind, proposalKind]);
  const agents = new Map<string, TapeAgent>();
  const manifests = new Map<string, Manifest>();
  const windows = new Map<string, TickWindow>();
  const heads = new Map<string, string>();
  const compiled = new Map<string, CompiledManifest>();
  let recordsSeen = 0;
  let refusedCommands = 0;
  let waiting: TapeAgent[] = [];
  let hasTakes = false;
  /** The agents live a little behind the prices: at the time of what happens to them. */
  let now: EpochMs = 0;
  const runtime = createRuntime({ store, directory, clock: { now: () => now } });
  const broker: PaperBroker = createPaperBroker({
    store,
    runtime,
    view,
    now: () => now,
    wakeAt,
    agent: (id) => ({ ...duty(id), paused: isPaused(actorOf(id)) }),
    agentIds: () => order,
    relations: (key) => related.get(key),
    ...(options.preferences === undefined ? {} : { preferences: options.preferences }),
    ...(options.onFill === undefined ? {} : { onFill: options.onFill }),
  });
  let current: Cut = { slot: 0, observations: SILENT };
  let rows: DecisionRow[] = [];
  /** In a comparison every agent is a shard of its own, so that each may have missed other slots; so it is where a live run noted what each has read. */
  const apart = (): boolean => options.missed !== undefined || broker.hasNotes;
  let asking: string | null = null;
  let missing: MissedTick | null = null;
  const related = new Map<InstrumentKey, InstrumentRelations>();
  let relations: readonly InstrumentRelations[] = [];
  let needs: readonly IndicatorNeed[] = [];

  const ticker = createTradingTicker({
    store: {
      async begin(periodMs, shard, slot): Promise<ShardProgress> {
        asking = apart() ? idOfShard(shard) : null;
        missing = asking === null ? null : (options.missed?.(asking, slot) ?? null);
        const crashed = missing === 'tick_crash';
        return {
          lastSlot: slot - periodMs,
          begunTimes: crashed ? 2 : 1,
          suspect: crashed ? idOfShard(shard) : null,
          suspectTimes: crashed ? Number.MAX_SAFE_INTEGER - 1 : 0,
        };
      },
      agents: async (periodMs, shard) =>
        (apart() ? [idOfShard(shard)] : [...agents.keys()].filter((id) => periodOf(id) === periodMs)).flatMap(shardAgent),
      duties: async (ids) => ids.map(duty),
      heads: async (ids) => new Map(ids.flatMap((id) => (heads.has(id) ? [[id, heads.get(id) as string] as const] : []))),
      cut: async () => current,
      suspect: async () => {},
      poisoned: async () => new Set<string>(),
      inTheWay: async () => new Map(),
      markPoisoned: async () => {},
      async commit(tick) {
        for (const row of tick.rows) {
          rows.push(row);
          heads.set(row.agentId, row.hash);
        }
        if (tick.trades !== undefined) await broker.begin(tick.trades);
        return true;
      },
      books: async (ids) => broker.books(ids),
      organizations: async (ids) => broker.organizations(ids, asking),
      countCrash: async () => 0,
      clearCrashes: async () => {},
      incident: (incident) => store.incident(incident),
    },
    now: async () => current.slot + (missing === 'late_tick' ? LATE_AFTER_MS + 1 : 0),
    clock: { now: () => now },
    // What paused a live agent is on the tape as a command.
    pause: async () => {},
    onMarked: async (marked, slot) => options.onMarked?.(marked, slot),
  });

  const order: string[] = [];
  function idOfShard(shard: number): string {
    return order[shard] as string;
  }

  function shardAgent(id: string): ShardActor[] {
    const actor = store.actors.get(id);
    const window = windows.get(id);
    if (actor === undefined || window === undefined || window.from === null) return [];
    return [{ id, version: actor.version, tickFrom: window.from, tickUntil: window.until, rests: window.rests }];
  }

  function actorOf(id: string): ActorRow {
    const actor = store.actors.get(id);
    if (actor === undefined) throw new Error(`agent ${id} is ticked before it arrived`);
    return actor;
  }

  function isTake(id: string): boolean {
    return agents.get(id)?.kind === 'take';
  }

  function periodOf(id: string): number {
    return isTake(id) ? TAKE_TICK_MS : AGENT_TICK_MS;
  }

  function isPaused({ id, state }: ActorRow): boolean {
    return isTake(id) ? !takeStanding(state).onDuty : agentContext(state).pauseCause !== null;
  }

  /** A Take trades as its last arming says, by the one manifest that it has. */
  function dutyOfTake({ id, version, orgId, state }: ActorRow): TradingDuty {
    const authored = (agents.get(id) as TapeAgent).manifest;
    const stage = takeContext(state).mode === 'live' ? 'live' : 'paper';
    return {
      id,
      version,
      orgId,
      stage,
      autonomy: 'policy_auto',
      manifestVersion: 1,
      manifestHash: manifestHash(authored),
      manifest: authored,
    };
  }

  function duty(id: string): TradingDuty {
    const actor = actorOf(id);
    if (isTake(id)) return dutyOfTake(actor);
    const { autonomy, manifestVersion, manifestHash: hash } = agentContext(actor.state);
    const stage = agentValue(actor.state).stage as Stage;
    return {
      id,
      version: actor.version,
      orgId: actor.orgId,
      stage,
      autonomy,
      manifestVersion,
      manifestHash: hash,
      manifest: manifest(hash),
    };
  }

  /** @throws Error where no tape told it. */
  function manifest(hash: string): Manifest {
    const known = manifests.get(hash);
    if (known === undefined) throw new Error(`the manifest ${hash} is on no tape and was not given`);
    return known;
  }

  function compile(authored: Manifest): CompiledManifest {
    const hash = manifestHash(authored);
    let made = compiled.get(hash);
    if (made === undefined) {
      made = compileManifest(authored);
      compiled.set(hash, made);
      manifests.set(hash, authored);
      needs = [
        ...new Map(
          [...needs, ...made.needs].map((need) => [`${need.instrument} ${need.name} ${need.period} ${need.timeframe}`, need]),
        ).values(),
      ];
      for (const key of made.instruments) if (!related.has(key)) related.set(key, relationsOf(key));
      relations = [...related.values()];
    }
    return made;
  }

  /** Keeps what the steps wrote that the ticks read: from when to when each agent is ticked. */
  function readRecords(): void {
    for (; recordsSeen < store.records.length; recordsSeen++) {
      const record = store.records[recordsSeen] as { type: string; actorId?: string; from?: EpochMs | null; until?: EpochMs | null };
      if (record.type !== 'tick_window' || record.actorId === undefined) continue;
      windows.set(record.actorId, movedWindow(windows.get(record.actorId), { from: record.from ?? null, until: record.until ?? null }));
    }
  }

  async function arrive(agent: TapeAgent): Promise<void> {
    const { id, orgId, autonomy, manifestVersion, snapshot } = agent;
    const { hash } = compile(agent.manifest);
    if (snapshot === null) {
      const input = agent.kind === 'take' ? (agent.input ?? {}) : { autonomy, manifestVersion, manifestHash: hash };
      await runtime.start(agent.kind ?? 'agent', id, orgId, input, { cause: 'tape' });
    } else {
      await store.start({
        id,
        orgId,
        kind: agent.kind ?? 'agent',
        machine: agent.kind === 'take' ? takeMachine.id : agentMachine.id,
        at: now,
        input: {},
        plan: { state: snapshot, records: [], timers: [], activities: [], announcements: [] },
        also: [],
        cause: 'tape',
        tickPeriodMs: periodOf(id),
      });
    }
    readRecords();
    if (agent.tickFrom !== null || snapshot !== null) windows.set(id, { from: agent.tickFrom, until: agent.tickUntil, rests: [] });
    heads.set(id, agent.previousHash);
    order.push(id);
  }

  return {
    get size() {
      return agents.size;
    },
    get refusedCommands() {
      return refusedCommands;
    },
    get trading() {
      return broker.counts;
    },
    /** Whether any Take is known, armed or not. */
    get hasTakes() {
      return hasTakes;
    },
    knows: (id: string) => agents.has(id),
    /** An agent that is there from the first event on. */
    expect(agent: TapeAgent) {
      learn(agent);
      waiting.push(agent);
    },
    /** Learns at once what a command changes about what is to be observed; the agents hear it in their turn. */
    hear(command: TapeCommand) {
      if (command.agent !== undefined) {
        learn(command.agent);
      }
      if (command.manifest !== undefined) compile(command.manifest);
    },
    /** What the live ticks of an agent read from the slot on that is cut next. */
    note: (agentId: string, inputs: string) => broker.note(agentId, inputs),
    needs: () => needs,
    /** Everything that some agent's universe names. */
    instruments: () => relations,
    async tell(command: TapeCommand): Promise<void> {
      await activate(command.receivedAt);
      if (command.event.type === 'started' || command.event.type === 'joined') {
        await arrive(command.agent as TapeAgent);
        return;
      }
      const cause = command.cause ?? 'tape';
      if (agents.has(command.actorId)) {
        const outcome = await runtime.deliver(command.actorId, command.event, { cause });
        readRecords();
        await broker.sync();
        if (!outcome.ok) refusedCommands++;
      } else if (broker.isProposal(command.actorId)) {
        if (!(await broker.tell(command.actorId, command.event, cause))) refusedCommands++;
      } else refusedCommands++;
    },
    async wake(at: EpochMs): Promise<void> {
      now = at;
      await broker.wake();
    },
    async tick(cut: Cut): Promise<readonly DecisionRow[]> {
      await activate(cut.slot);
      await broker.wake();
      current = cut;
      rows = [];
      const periods = [AGENT_TICK_MS, ...(hasTakes ? [TAKE_TICK_MS] : [])].filter((periodMs) => cut.slot % periodMs === 0);
      for (const periodMs of periods) {
        if (!apart()) await ticker.tick(periodMs, 0, cut.slot);
        else for (const [shard, id] of order.entries()) if (periodOf(id) === periodMs) await ticker.tick(periodMs, shard, cut.slot);
      }
      return rows;
    },
    manifest,
  };

  function learn(agent: TapeAgent): void {
    agents.set(agent.id, agent);
    if (agent.kind === 'take') hasTakes = true;
    compile(agent.manifest);
  }

  /** Moves on to `at`, and lets those in who were expected: ticked from the first slot on, unless their tape says from when. */
  async function activate(at: EpochMs): Promise<void> {
    now = at;
    const arriving = waiting;
    waiting = [];
    for (const agent of arriving) {
      const isNewAgent = agent.tickFrom === null && agent.snapshot === null && agent.kind !== 'take';
      await arrive(isNewAgent ? { ...agent, tickFrom: slotOf(at, AGENT_TICK_MS) } : agent);
    }
  }
}

/** The catalog's relations of an instrument; one that the catalog lacks stands by itself. */
function relationsOf(key: InstrumentKey): InstrumentRelations {
  const known = CATALOG.entries.find((entry) => entry.key === key);
  return (
    known ?? {
      key,
      underlying: splitInstrumentKey(key).instrument,
      benchmark: null,
      benchmarkKind: null,
      pairedPerp: null,
      pairedSpot: null,
    }
  );
}

/** Turns the decisions of a replay into their full records, one line of JSON each, as `GET /v1/agents/:id/decisions` shows them. */
export function createRecordWriter(): (rows: readonly DecisionRow[], cut: Cut, manifestOf: (hash: string) => Manifest) => string {
  const compiled = new Map<string, CompiledManifest>();
  return (rows, cut, manifestOf) => {
    let text = '';
    for (const row of rows) {
      let manifest = compiled.get(row.manifestHash);
      if (manifest === undefined) {
        manifest = compileManifest(manifestOf(row.manifestHash));
        compiled.set(row.manifestHash, manifest);
      }
      const observations =
        row.observedHash === '' ? [] : manifest.instruments.flatMap((instrument) => cut.observations.get(instrument) ?? []);
      text += `${JSON.stringify(assembleDecision(row, observations, manifest.unpack(row.outcome)))}\n`;
    }
    return text;
  };
}
