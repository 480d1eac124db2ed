/**
 * Replays tapes: the same hearing, the same cuts, the same agents and the same ticks as live, under a virtual clock and
 * without a database. The same tape and agents give the same bytes, however often and wherever it is run.
 */
import { createHash } from 'node:crypto';
import { agentContext, agentKind } from '../../actors/agent/effects.ts';
import { agentMachine } from '../../actors/agent/machine.ts';
import {
  type AgentDuty,
  createShardTicker,
  LATE_AFTER_MS,
  movedWindow,
  type ShardAgent,
  type ShardProgress,
  type TickWindow,
} from '../../actors/agent/shard-tick.ts';
import { createDirectory } from '../../actors/runtime/directory.ts';
import { createMemoryStore } from '../../actors/runtime/memory-store.ts';
import { createRuntime } from '../../actors/runtime/runtime.ts';
import { createFeedCounters } from '../../streams/feed-counters.ts';
import { createFreshness } from '../../streams/freshness.ts';
import { createIndicatorBoard } from '../../streams/indicator-board.ts';
import { createMarketView } from '../../streams/market-view.ts';
import { createQualityRule } from '../../streams/quality-chain.ts';
import { createCutter, type Cutter, type InstrumentRelations } from '../../streams/slot-cut.ts';
import { createVirtualClock, type VirtualClock } from '../../streams/virtual-clock.ts';
import type { TapeCut } from '../adapters/tape/tape-reader.ts';
import { CATALOG } from '../domain/catalog.ts';
import type { Cut, IndicatorNeed, Observation } from '../domain/cut.ts';
import { type CompiledManifest, compileManifest } from '../domain/decide.ts';
import { assembleDecision, type DecisionRow } from '../domain/decision.ts';
import { type Manifest, manifestHash } from '../domain/manifest.ts';
import type { TapeAgent, TapeCommand, TapeCutNote, TapeEvent, TapeHeader } from '../domain/tape.ts';
import { AGENT_TICK_MS, type EpochMs, slotOf } from '../domain/time.ts';
import { type InstrumentKey, splitInstrumentKey } from '../domain/venue.ts';

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
    /** What the quality rules, the view and the board marked or refused, over all venues, by reason. */
    readonly judged: Readonly<Record<string, number>>;
  };
  readonly firstSlot: EpochMs | null;
  readonly lastSlot: EpochMs | null;
  /** SHA-256 over the hashes of all decisions in their order, a line each. */
  readonly resultHash: string;
  /** Where the last tape was cut off; null where it is whole. */
  readonly cut: TapeCut | null;
}

/** What happens to the agents, in the order of the tape: a slot is cut, or somebody tells them something. */
type Happening = { readonly kind: 'cut'; readonly cut: Cut } | { readonly kind: 'command'; readonly command: TapeCommand };

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
  const judge = createQualityRule({ freshness, counters });
  const population = createPopulation(options);
  const digest = createHash('sha256');
  const tally = { decisions: 0, hold: 0, propose_entry: 0, propose_exit: 0, blocked_by_risk: 0, commands: 0 };
  const kept: DecisionRow[] = [];
  let hearing: { readonly clock: VirtualClock; readonly cutter: Cutter } | null = null;
  let happenings: Happening[] = [];
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
    const cutter = createCutter({
      clock,
      view,
      board,
      periodMs: AGENT_TICK_MS,
      instruments: () => (note === null ? population.instruments() : population.instruments().filter(({ key }) => noted.has(key))),
      needs: () => note?.needs ?? population.needs(),
      onCut: (cut) => {
        const silent = note !== null && note.source === 'silence' && note.receivedAt === cut.slot;
        happenings.push({ kind: 'cut', cut: silent ? { slot: cut.slot, observations: SILENT } : cut });
      },
      onFailure: (error) => {
        failure ??= error;
      },
    });
    cutter.start();
    return { clock, cutter };
  }

  function take(event: TapeEvent): void {
    const at = event.receivedAt;
    hearing ??= begin(at);
    // Closes every slot before this event, in silence too.
    if (at > hearing.clock.now()) hearing.clock.advanceTo(at);
    if (event.kind === 'command') {
      happenings.push({ kind: 'command', command: event });
      population.hear(event);
    } else if (event.kind === 'cut') {
      note = event;
      noted = new Set(event.instruments);
    } else {
      const judged = judge(event);
      if (judged !== null) hearing.cutter.take(judged);
    }
  }

  async function live(): Promise<void> {
    const now = happenings;
    happenings = [];
    for (const happening of now) {
      if (happening.kind === 'command') {
        tally.commands++;
        await population.tell(happening.command);
        continue;
      }
      const { cut } = happening;
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
      for (const event of batch.events) take(event);
      events += batch.events.length;
      lastAt = (batch.events.at(-1) as TapeEvent).receivedAt;
      if (happenings.length > 0) await live();
      options.progress?.(events);
    }
    cutOff = tape.cut;
  }
  // The slot that the last event fell on is complete once a millisecond has passed.
  const heard = hearing as { readonly clock: VirtualClock; readonly cutter: Cutter } | null;
  heard?.clock.advanceTo(lastAt + 1);
  heard?.cutter.stop();
  await live();

  const refused: Record<string, number> = {};
  for (const venue of Object.values(counters.snapshot())) {
    for (const [what, count] of Object.entries(venue.counted)) if (count > 0) refused[what] = (refused[what] ?? 0) + count;
  }
  return {
    decisions: kept,
    events,
    cuts,
    counts: { agents: population.size, ...tally, refusedCommands: population.refusedCommands, judged: refused },
    firstSlot,
    lastSlot,
    resultHash: digest.digest('hex'),
    cut: cutOff,
  };
}

/** The agents of a replay: the live runtime and the live tick over stores in memory. */
function createPopulation(options: Pick<ReplayOptions, 'missed'>) {
  const store = createMemoryStore();
  const directory = createDirectory([agentKind]);
  const agents = new Map<string, TapeAgent>();
  const manifests = new Map<string, Manifest>();
  const windows = new Map<string, TickWindow>();
  const heads = new Map<string, string>();
  const compiled = new Map<string, CompiledManifest>();
  let recordsSeen = 0;
  let refusedCommands = 0;
  let waiting: TapeAgent[] = [];
  /** The agents live a little behind the prices: at the time of what happens to them. */
  let now: EpochMs = 0;
  const runtime = createRuntime({ store, directory, clock: { now: () => now } });
  let current: Cut = { slot: 0, observations: SILENT };
  let rows: DecisionRow[] = [];
  /** In a comparison every agent is a shard of its own, so that each may have missed other slots. */
  const apart = options.missed !== undefined;
  let missing: MissedTick | null = null;
  const related = new Map<InstrumentKey, InstrumentRelations>();
  let relations: readonly InstrumentRelations[] = [];
  let needs: readonly IndicatorNeed[] = [];

  const ticker = createShardTicker({
    store: {
      async begin(periodMs, shard, slot): Promise<ShardProgress> {
        missing = apart ? (options.missed?.(idOfShard(shard), slot) ?? null) : null;
        const crashed = missing === 'tick_crash';
        return {
          lastSlot: slot - periodMs,
          begunTimes: crashed ? 2 : 1,
          suspect: crashed ? idOfShard(shard) : null,
          suspectTimes: crashed ? Number.MAX_SAFE_INTEGER - 1 : 0,
        };
      },
      agents: async (_, shard) => (apart ? [idOfShard(shard)] : [...agents.keys()]).flatMap(shardAgent),
      duties: async (ids) => ids.map(duty),
      heads: async (ids) => new Map(ids.flatMap((id) => (heads.has(id) ? [[id, heads.get(id) as string] as const] : []))),
      cut: async () => current,
      suspect: async () => {},
      poisoned: async () => new Set<string>(),
      markPoisoned: async () => {},
      async commit(tick) {
        for (const row of tick.rows) {
          rows.push(row);
          heads.set(row.agentId, row.hash);
        }
        return true;
      },
      countCrash: async () => 0,
      clearCrashes: async () => {},
      incident: (incident) => store.incident(incident),
    },
    now: async () => current.slot + (missing === 'late_tick' ? LATE_AFTER_MS + 1 : 0),
    clock: { now: () => now },
    // What paused a live agent is on the tape as a command.
    pause: async () => {},
  });

  const order: string[] = [];
  function idOfShard(shard: number): string {
    return order[shard] as string;
  }

  function shardAgent(id: string): ShardAgent[] {
    const actor = store.actors.get(id);
    const window = windows.get(id);
    if (actor === undefined || window === undefined || window.from === null) return [];
    return [{ id, version: actor.version, tickFrom: window.from, tickUntil: window.until, rests: window.rests }];
  }

  function duty(id: string): AgentDuty {
    const actor = store.actors.get(id);
    if (actor === undefined) throw new Error(`agent ${id} is ticked before it arrived`);
    const context = agentContext(actor.state);
    const { autonomy, manifestVersion, manifestHash: hash } = context;
    return { id, version: actor.version, autonomy, manifestVersion, manifestHash: hash, manifest: manifest(hash) };
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
      await runtime.start('agent', id, orgId, { autonomy, manifestVersion, manifestHash: hash }, { cause: 'tape' });
    } else {
      await store.start({
        id,
        orgId,
        kind: 'agent',
        machine: agentMachine.id,
        at: now,
        input: {},
        plan: { state: snapshot, records: [], timers: [], errands: [], announcements: [] },
        also: [],
        cause: 'tape',
        tickPeriodMs: AGENT_TICK_MS,
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
    knows: (id: string) => agents.has(id),
    /** An agent that is there from the first event on. */
    expect(agent: TapeAgent) {
      agents.set(agent.id, agent);
      compile(agent.manifest);
      waiting.push(agent);
    },
    /** Learns at once what a command changes about what is to be observed; the agents hear it in their turn. */
    hear(command: TapeCommand) {
      if (command.agent !== undefined) {
        agents.set(command.agent.id, command.agent);
        compile(command.agent.manifest);
      }
      if (command.manifest !== undefined) compile(command.manifest);
    },
    needs: () => needs,
    /** Everything that some agent's universe names. */
    instruments: () => relations,
    async tell(command: TapeCommand): Promise<void> {
      await welcome(command.receivedAt);
      if (command.event.type === 'started' || command.event.type === 'joined') {
        await arrive(command.agent as TapeAgent);
        return;
      }
      const outcome = await runtime.deliver(command.actorId, command.event, { cause: command.cause ?? 'tape' });
      readRecords();
      if (!outcome.ok) refusedCommands++;
    },
    async tick(cut: Cut): Promise<readonly DecisionRow[]> {
      await welcome(cut.slot);
      current = cut;
      rows = [];
      if (apart) for (let shard = 0; shard < order.length; shard++) await ticker.tick(AGENT_TICK_MS, shard, cut.slot);
      else await ticker.tick(AGENT_TICK_MS, 0, cut.slot);
      return rows;
    },
    manifest,
  };

  /** Moves on to `at`, and lets those in who were expected: ticked from the first slot on, unless their tape says from when. */
  async function welcome(at: EpochMs): Promise<void> {
    now = at;
    const arriving = waiting;
    waiting = [];
    for (const agent of arriving) {
      await arrive(agent.tickFrom === null && agent.snapshot === null ? { ...agent, tickFrom: slotOf(at, AGENT_TICK_MS) } : agent);
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
