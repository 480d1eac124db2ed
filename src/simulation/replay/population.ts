/** Agents and Takes of a replay: the live runtime and tick over in-memory stores. */

import { agentContext, agentKind, agentValue } from '../../../actors/agent/effects.ts';
import { agentMachine } from '../../../actors/agent/machine.ts';
import { proposalKind } from '../../../actors/proposal/effects.ts';
import { createDirectory } from '../../../actors/runtime/directory.ts';
import { createMemoryStore } from '../../../actors/runtime/memory-store.ts';
import { createRuntime, type Runtime } from '../../../actors/runtime/runtime.ts';
import { takeContext, takeKind, takeState } from '../../../actors/take/effects.ts';
import { takeMachine } from '../../../actors/take/machine.ts';
import type { ShardTicker } from '../../../actors/ticking/shard-ticker.ts';
import type { ShardProgress } from '../../../actors/ticking/tick-store.ts';
import { LATE_AFTER_MS, movedWindow, type ShardActor, type TickWindow } from '../../../actors/ticking/tick-window.ts';
import {
  createTradingTicker,
  type MarkedAgent,
  type TradingDuty,
  type TradingTickStore,
} from '../../../actors/ticking/trading-decisions.ts';
import type { InstrumentRelations } from '../../../streams/slot-cut.ts';
import type { ActorRecord, ActorRow } from '../../domain/agents/actor-step.ts';
import type { Stage } from '../../domain/agents/agent.ts';
import { CATALOG } from '../../domain/catalog/catalog.ts';
import type { Cut, IndicatorNeed } from '../../domain/market/cut.ts';
import { type CompiledManifest, compileManifest } from '../../domain/agents/decide.ts';
import type { DecisionRow } from '../../domain/agents/decision.ts';
import { type Manifest, manifestHash } from '../../domain/manifest/manifest.ts';
import type { RiskPreferences } from '../../domain/risk/preferences.ts';
import type { TapeAgent, TapeCommand } from '../../domain/tape/tape.ts';
import { AGENT_TICK_MS, type EpochMs, startOfSlot, TAKE_TICK_MS } from '../../domain/values/time.ts';
import type { TokenMultiplier } from '../../domain/market/quote.ts';
import { type InstrumentKey, splitInstrumentKey } from '../../domain/market/venue.ts';
import { type BrokerCounts, createPaperBroker, type PaperBroker } from '../paper-broker.ts';
import type { BrokeredAgent, ReplayedFill } from './replay-books.ts';
import { type ReplayPipeline, SILENT } from './pipeline.ts';

/** Reason why a live decision did not use the slot's cut. */
export type MissedTick = 'late_tick' | 'tick_crash';

export interface PopulationOptions {
  /** Returns how the live run missed a slot of an agent, which no tape records, or null. */
  readonly missed?: (agentId: string, slot: EpochMs) => MissedTick | null;
  /** Risk preferences of organizations without a note on the tape. Default: those of a new organization. */
  readonly preferences?: RiskPreferences;
  /** Receives every computed fill. Fills that a live run noted are already in its books. */
  readonly onFill?: (fill: ReplayedFill) => void;
  /** Receives the touched books after each slot. */
  readonly onMarked?: (marked: readonly MarkedAgent[], slot: EpochMs) => void;
}

/** Known manifests, and the data that all of them need. */
class KnownManifests {
  readonly #manifests = new Map<string, Manifest>();
  readonly #compiled = new Map<string, CompiledManifest>();
  readonly #related = new Map<InstrumentKey, InstrumentRelations>();
  readonly #needed = new Map<string, IndicatorNeed>();
  /** Distinct indicators. */
  needs: readonly IndicatorNeed[] = [];
  /** Instruments in some universe. */
  relations: readonly InstrumentRelations[] = [];

  relationsOf(key: InstrumentKey): InstrumentRelations | undefined {
    return this.#related.get(key);
  }

  /** Returns a manifest. @throws Error if no tape contained it */
  get(hash: string): Manifest {
    const known = this.#manifests.get(hash);
    if (known === undefined) throw new Error(`no tape has the manifest ${hash}, and --agent did not give it`);
    return known;
  }

  /** Adds a manifest and returns it compiled. */
  learn(authored: Manifest): CompiledManifest {
    const hash = manifestHash(authored);
    const known = this.#compiled.get(hash);
    if (known !== undefined) return known;
    const made = compileManifest(authored);
    this.#compiled.set(hash, made);
    this.#manifests.set(hash, authored);
    for (const need of made.needs) this.#needed.set(`${need.instrument} ${need.name} ${need.period} ${need.timeframe}`, need);
    for (const key of made.instruments) if (!this.#related.has(key)) this.#related.set(key, findRelations(key));
    this.needs = [...this.#needed.values()];
    this.relations = [...this.#related.values()];
    return made;
  }
}

export class ReplayPopulation {
  readonly #options: PopulationOptions;
  readonly #store = createMemoryStore({ onRecord: (record) => this.#record(record) });
  readonly #runtime: Runtime;
  readonly #broker: PaperBroker;
  readonly #ticker: ShardTicker;
  readonly #manifests = new KnownManifests();
  readonly #agents = new Map<string, TapeAgent>();
  readonly #windows = new Map<string, TickWindow>();
  /** Cached shards, with the number of steps when they were read. */
  readonly #shards = new Map<number, { readonly at: number; readonly actors: readonly ShardActor[] }>();
  /** Hash of each agent's last decision. */
  readonly #heads = new Map<string, string>();
  /** Agents in order of arrival. */
  readonly #order: string[] = [];
  #waiting: TapeAgent[] = [];
  readonly #brokered = new Map<string, { readonly version: number; readonly agent: BrokeredAgent }>();
  #refusedCommands = 0;
  #hasTakes = false;
  /** Time of the agents, which lags the prices: that of their current event. */
  #now: EpochMs = 0;
  #current: Cut = { slot: 0, observations: SILENT };
  #rows: DecisionRow[] = [];
  /** Agent that is ticked alone, and how the live run missed its slot. */
  #asking: string | null = null;
  #missing: MissedTick | null = null;

  constructor(options: PopulationOptions, market: Pick<ReplayPipeline, 'view' | 'wakeAt' | 'follow'>) {
    this.#options = options;
    const clock = { now: () => this.#now };
    this.#runtime = createRuntime({ store: this.#store, directory: createDirectory([agentKind, takeKind, proposalKind]), clock });
    this.#broker = createPaperBroker({
      store: this.#store,
      runtime: this.#runtime,
      view: market.view,
      now: clock.now,
      wakeAt: (at) => market.wakeAt(at),
      follow: (instrument, listener) => market.follow(instrument, listener),
      agent: (id) => this.#brokeredAgent(id),
      relations: (key) => this.#manifests.relationsOf(key),
      ...(options.preferences === undefined ? {} : { preferences: options.preferences }),
      ...(options.onFill === undefined ? {} : { onFill: options.onFill }),
    });
    this.#ticker = createTradingTicker({
      store: this.#tickStore(),
      now: async () => this.#current.slot + (this.#missing === 'late_tick' ? LATE_AFTER_MS + 1 : 0),
      clock,
      // A live pause is a command on the tape.
      pause: async () => {},
      // A replay writes no tape.
      notesInputs: false,
      ...(options.onMarked === undefined ? {} : { onMarked: async (marked, slot) => options.onMarked?.(marked, slot) }),
    });
  }

  get size(): number {
    return this.#agents.size;
  }

  /** Number of agent events that were accepted live and refused here. */
  get refusedCommands(): number {
    return this.#refusedCommands;
  }

  get trading(): BrokerCounts {
    return this.#broker.counts;
  }

  /** True if any Take is known, armed or not. */
  get hasTakes(): boolean {
    return this.#hasTakes;
  }

  knows(id: string): boolean {
    return this.#agents.has(id);
  }

  /** Adds an agent that exists from the first event on. */
  expect(agent: TapeAgent): void {
    this.#learn(agent);
    this.#waiting.push(agent);
  }

  /** Applies a command's effect on the observed data at once. The agents receive it in order. */
  receive(command: TapeCommand): void {
    if (command.agent !== undefined) this.#learn(command.agent);
    if (command.manifest !== undefined) this.#manifests.learn(command.manifest);
  }

  /** Records the inputs of an agent's live ticks from the next slot on. */
  note(agentId: string, inputs: string): void {
    this.#broker.note(agentId, inputs);
  }

  /** Gives the books a token's new multiplier. */
  rescale(message: TokenMultiplier): void {
    this.#broker.rescale(message);
  }

  get needs(): readonly IndicatorNeed[] {
    return this.#manifests.needs;
  }

  /** Instruments in any agent's universe. */
  get instruments(): readonly InstrumentRelations[] {
    return this.#manifests.relations;
  }

  async tell(command: TapeCommand): Promise<void> {
    await this.#activate(command.receivedAt);
    if (command.event.type === 'started' || command.event.type === 'joined') {
      await this.#arrive(command.agent as TapeAgent);
      return;
    }
    const cause = command.cause ?? 'tape';
    if (this.#agents.has(command.actorId)) {
      const outcome = await this.#runtime.deliver(command.actorId, command.event, { cause });
      await this.#broker.sync();
      if (!outcome.ok) this.#refusedCommands++;
    } else if (this.#broker.isProposal(command.actorId)) {
      if (!(await this.#broker.tell(command.actorId, command.event, cause))) this.#refusedCommands++;
    } else this.#refusedCommands++;
  }

  async wake(at: EpochMs): Promise<void> {
    this.#now = at;
    await this.#broker.wake();
  }

  async tick(cut: Cut): Promise<readonly DecisionRow[]> {
    await this.#activate(cut.slot);
    await this.#broker.wake();
    this.#current = cut;
    this.#rows = [];
    const periods = [AGENT_TICK_MS, ...(this.#hasTakes ? [TAKE_TICK_MS] : [])].filter((periodMs) => cut.slot % periodMs === 0);
    for (const periodMs of periods) {
      if (!this.#apart()) await this.#ticker.tick(periodMs, 0, cut.slot);
      else
        for (const [shard, id] of this.#order.entries())
          if (this.#periodOf(id) === periodMs) await this.#ticker.tick(periodMs, shard, cut.slot);
    }
    return this.#rows;
  }

  /** Returns a manifest. @throws Error if no tape contained it */
  manifest(hash: string): Manifest {
    return this.#manifests.get(hash);
  }

  #tickStore(): TradingTickStore {
    return {
      begin: async (periodMs, shard, slot): Promise<ShardProgress> => {
        this.#asking = this.#apart() ? this.#idOfShard(shard) : null;
        this.#missing = this.#asking === null ? null : (this.#options.missed?.(this.#asking, slot) ?? null);
        const crashed = this.#missing === 'tick_crash';
        return {
          lastSlot: slot - periodMs,
          begunTimes: crashed ? 2 : 1,
          suspect: crashed ? this.#idOfShard(shard) : null,
          suspectTimes: crashed ? Number.MAX_SAFE_INTEGER - 1 : 0,
        };
      },
      agents: async (periodMs, shard) => (this.#apart() ? this.#shardAgent(this.#idOfShard(shard)) : this.#shardOf(periodMs)),
      duties: async (ids) => ids.map((id) => this.#duty(id)),
      heads: async (ids) => new Map(ids.flatMap((id) => (this.#heads.has(id) ? [[id, this.#heads.get(id) as string] as const] : []))),
      cut: async () => this.#current,
      suspect: async () => {},
      poisoned: async () => new Set<string>(),
      inTheWay: async () => new Map(),
      markPoisoned: async () => {},
      commit: async (tick) => {
        for (const row of tick.rows) {
          this.#rows.push(row);
          this.#heads.set(row.agentId, row.hash);
        }
        if (tick.trades !== undefined) await this.#broker.begin(tick.trades);
        return true;
      },
      books: async (ids) => this.#broker.books(ids),
      outsideProposals: async (ids) => this.#broker.outsideProposals(ids),
      organizations: async (ids) => this.#broker.organizations(ids, this.#asking),
      countCrash: async () => 0,
      clearCrashes: async () => {},
      incident: (incident) => this.#store.incident(incident),
    };
  }

  /**
   * True if every agent is ticked alone: in a comparison, where each may have missed other slots, or if a live run noted each agent's
   * inputs.
   */
  #apart(): boolean {
    return this.#options.missed !== undefined || this.#broker.hasNotes;
  }

  #idOfShard(shard: number): string {
    return this.#order[shard] as string;
  }

  /** Returns the actors ticked with a period, read again after a step. */
  #shardOf(periodMs: number): readonly ShardActor[] {
    const at = this.#store.changes;
    const known = this.#shards.get(periodMs);
    if (known?.at === at) return known.actors;
    const ids = [...this.#agents.keys()].filter((id) => this.#periodOf(id) === periodMs);
    const actors = ids.flatMap((id) => this.#shardAgent(id));
    this.#shards.set(periodMs, { at, actors });
    return actors;
  }

  #shardAgent(id: string): ShardActor[] {
    const actor = this.#store.actors.get(id);
    const window = this.#windows.get(id);
    if (actor === undefined || window === undefined || window.from === null) return [];
    return [{ id, version: actor.version, tickFrom: window.from, tickUntil: window.until, rests: window.rests }];
  }

  #actorOf(id: string): ActorRow {
    const actor = this.#store.actors.get(id);
    if (actor === undefined) throw new Error(`agent ${id} is ticked before it arrived`);
    return actor;
  }

  #isTake(id: string): boolean {
    return this.#agents.get(id)?.kind === 'take';
  }

  #periodOf(id: string): number {
    return this.#isTake(id) ? TAKE_TICK_MS : AGENT_TICK_MS;
  }

  /** Returns the state of an agent that its orders depend on, cached until its next step. */
  #brokeredAgent(id: string): BrokeredAgent {
    const actor = this.#actorOf(id);
    const known = this.#brokered.get(id);
    if (known?.version === actor.version) return known.agent;
    const agent = { ...this.#duty(id), paused: this.#isPaused(actor) };
    this.#brokered.set(id, { version: actor.version, agent });
    return agent;
  }

  #isPaused({ id, state }: ActorRow): boolean {
    return this.#isTake(id) ? !takeState(state).onDuty : agentContext(state).pauseCause !== null;
  }

  /** Returns the duty of a Take, which trades as last armed, by its single manifest. */
  #dutyOfTake({ id, version, orgId, state }: ActorRow): TradingDuty {
    const authored = (this.#agents.get(id) as TapeAgent).manifest;
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

  #duty(id: string): TradingDuty {
    const actor = this.#actorOf(id);
    if (this.#isTake(id)) return this.#dutyOfTake(actor);
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
      manifest: this.#manifests.get(hash),
    };
  }

  /** Processes a step's record: the period in which an agent is ticked. Other records concern proposals. */
  #record(record: ActorRecord): void {
    const { type, actorId, from, until } = record as {
      readonly type: string;
      readonly actorId?: string;
      readonly from?: EpochMs | null;
      readonly until?: EpochMs | null;
    };
    if (type !== 'tick_window') this.#broker.record(record);
    else if (actorId !== undefined)
      this.#windows.set(actorId, movedWindow(this.#windows.get(actorId), { from: from ?? null, until: until ?? null }));
  }

  async #arrive(agent: TapeAgent): Promise<void> {
    const { id, orgId, autonomy, manifestVersion, snapshot } = agent;
    const { hash } = this.#manifests.learn(agent.manifest);
    if (snapshot === null) {
      const input = agent.kind === 'take' ? (agent.input ?? {}) : { autonomy, manifestVersion, manifestHash: hash };
      await this.#runtime.start(agent.kind ?? 'agent', id, orgId, input, { cause: 'tape' });
    } else {
      await this.#store.start({
        id,
        orgId,
        kind: agent.kind ?? 'agent',
        machine: agent.kind === 'take' ? takeMachine.id : agentMachine.id,
        at: this.#now,
        input: {},
        plan: { state: snapshot, records: [], timers: [], activities: [], announcements: [] },
        also: [],
        cause: 'tape',
        tickPeriodMs: this.#periodOf(id),
      });
    }
    if (agent.tickFrom !== null || snapshot !== null) this.#windows.set(id, { from: agent.tickFrom, until: agent.tickUntil, rests: [] });
    this.#heads.set(id, agent.previousHash);
    this.#order.push(id);
    this.#shards.clear();
  }

  #learn(agent: TapeAgent): void {
    this.#agents.set(agent.id, agent);
    if (agent.kind === 'take') this.#hasTakes = true;
    this.#manifests.learn(agent.manifest);
  }

  /** Advances to `at` and activates expected agents. They are ticked from the first slot on, unless their tape has a start. */
  async #activate(at: EpochMs): Promise<void> {
    this.#now = at;
    const arriving = this.#waiting;
    this.#waiting = [];
    for (const agent of arriving) {
      const isNewAgent = agent.tickFrom === null && agent.snapshot === null && agent.kind !== 'take';
      await this.#arrive(isNewAgent ? { ...agent, tickFrom: startOfSlot(at, AGENT_TICK_MS) } : agent);
    }
  }
}

/** Returns an instrument's relations. An unknown instrument has none. */
function findRelations(key: InstrumentKey): InstrumentRelations {
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
