/**
 * Replay of tapes with the quality rules, cuts, agents, Takes and ticks of the live service, under a virtual clock and without a
 * database. Equal tapes and agents give equal bytes everywhere.
 */
import { createHash } from 'node:crypto';
import type { Cut } from '../../domain/market/cut.ts';
import { type CompiledManifest, compileManifest } from '../../domain/agents/decide.ts';
import { assembleDecision, type DecisionRow } from '../../domain/agents/decision.ts';
import { type Manifest } from '../../domain/manifest/manifest.ts';
import { observedBy } from '../../domain/agents/observed-state.ts';
import type { TapeAgent, TapeCut, TapeEvent, TapeHeader, TapeWalk } from '../../domain/tape/tape.ts';
import { type EpochMs } from '../../domain/values/time.ts';
import { type BrokerCounts } from '../paper-broker.ts';
import { ReplayPipeline } from './pipeline.ts';
import { type PopulationOptions, ReplayPopulation } from './population.ts';

/** Tape for a replay, as returned by `openTape`. */
export interface ReplayTape {
  readonly file: string;
  readonly header: TapeHeader;
  readonly cut: TapeCut | null;
  batches(): AsyncGenerator<{ readonly events: readonly TapeEvent[] }, void, undefined>;
  /** Walks over the same events without creating an object for each, or null if the tape cannot. */
  readonly walks?: (() => AsyncGenerator<TapeWalk, void, undefined>) | null;
}

export interface ReplayOptions extends PopulationOptions {
  /** Tapes of one recording, in order. */
  readonly tapes: readonly ReplayTape[];
  /** Agents in addition to those on the tapes. */
  readonly agents?: readonly TapeAgent[];
  /** Receives each slot's decisions with its cut. Without it they are collected and returned. */
  readonly onDecisions?: (rows: readonly DecisionRow[], cut: Cut, manifestOf: (hash: string) => Manifest) => void | Promise<void>;
  readonly progress?: (events: number) => void;
}

export interface ReplayResult {
  /** Decisions; empty if `onDecisions` received them. */
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
    /** Number of agent events that were accepted live and refused here. */
    readonly refusedCommands: number;
    /** Number of computed proposals and fills. */
    readonly trading: BrokerCounts;
    /** Number of marks and refusals by quality rules, view and board over all venues, by reason. */
    readonly assessed: Readonly<Record<string, number>>;
  };
  readonly firstSlot: EpochMs | null;
  readonly lastSlot: EpochMs | null;
  /** SHA-256 over the hashes of all decisions in order, one per line. */
  readonly resultHash: string;
  /** Position at which the last tape is truncated, or null if it is complete. */
  readonly cut: TapeCut | null;
}

/**
 * Replays tapes with their own and the given agents.
 * @throws TapeError if a tape is invalid
 * @throws RangeError if a tape begins before the previous one ended
 */
export async function replayTape(options: ReplayOptions): Promise<ReplayResult> {
  const replay = new TapeReplay(options);
  for (const tape of options.tapes) await replay.play(tape);
  return replay.end();
}

/** Decisions of the agents: counted, hashed, and passed on or collected. */
class Decided {
  readonly counts = { decisions: 0, hold: 0, propose_entry: 0, propose_exit: 0, blocked_by_risk: 0 };
  readonly kept: DecisionRow[] = [];
  cuts = 0;
  firstSlot: EpochMs | null = null;
  lastSlot: EpochMs | null = null;
  readonly #digest = createHash('sha256');
  readonly #handOn: ReplayOptions['onDecisions'];

  constructor(handOn: ReplayOptions['onDecisions']) {
    this.#handOn = handOn;
  }

  async take(rows: readonly DecisionRow[], cut: Cut, manifestOf: (hash: string) => Manifest): Promise<void> {
    this.cuts++;
    if (rows.length === 0) return;
    this.firstSlot ??= cut.slot;
    this.lastSlot = cut.slot;
    this.counts.decisions += rows.length;
    let hashes = '';
    for (const row of rows) {
      this.counts[row.disposition]++;
      hashes += `${row.hash}\n`;
    }
    this.#digest.update(hashes);
    if (this.#handOn === undefined) for (const row of rows) this.kept.push(row);
    else await this.#handOn(rows, cut, manifestOf);
  }

  /** Returns the SHA-256 over the hashes of all decisions. Call it once. */
  hash(): string {
    return this.#digest.digest('hex');
  }
}

/** Events that agents or their books receive, and not only the view of the market. */
type AgentEvent = Extract<TapeEvent, { readonly kind: 'command' | 'cut' | 'inputs' | 'token_multiplier' }>;

function concernsAgents(event: TapeEvent): event is AgentEvent {
  return event.kind === 'command' || event.kind === 'cut' || event.kind === 'inputs' || event.kind === 'token_multiplier';
}

/** Running replay: its pipeline, agents and decisions. */
class TapeReplay {
  readonly #options: ReplayOptions;
  readonly #pipeline: ReplayPipeline;
  readonly #population: ReplayPopulation;
  readonly #decided: Decided;
  #commands = 0;
  #events = 0;
  #lastAt: EpochMs = 0;
  /** Position at which the last tape is truncated, or null. */
  #cutOff: TapeCut | null = null;

  constructor(options: ReplayOptions) {
    this.#options = options;
    this.#pipeline = new ReplayPipeline(() => this.#population);
    this.#population = new ReplayPopulation(options, this.#pipeline);
    this.#decided = new Decided(options.onDecisions);
    for (const agent of options.agents ?? []) this.#population.expect(agent);
  }

  async play(tape: ReplayTape): Promise<void> {
    if (this.#cutOff !== null)
      throw new RangeError(
        `${tape.file} follows a tape that was cut off (${this.#cutOff.place}): what was lost in between would change the decisions`,
      );
    for (const agent of tape.header.agents ?? []) if (!this.#population.knows(agent.id)) this.#population.expect(agent);
    let first = true;
    for await (const walk of tape.walks?.() ?? readWalks(tape)) {
      if (first && walk.firstAt < this.#lastAt)
        throw new RangeError(`${tape.file} starts before the previous tape ended: list the tapes in time order`);
      first = false;
      await this.#walk(walk);
      this.#events += walk.events;
      this.#lastAt = walk.lastAt;
      this.#options.progress?.(this.#events);
    }
    this.#cutOff = tape.cut;
  }

  async end(): Promise<ReplayResult> {
    // The last event's slot is complete after one more millisecond.
    this.#pipeline.settle();
    if (this.#events > 0) await this.#advance(this.#lastAt + 1);
    this.#pipeline.stop();
    const { kept: decisions, cuts, counts, firstSlot, lastSlot } = this.#decided;
    const { size: agents, refusedCommands, trading } = this.#population;
    return {
      decisions,
      events: this.#events,
      cuts,
      counts: { agents, ...counts, commands: this.#commands, refusedCommands, trading, assessed: this.#pipeline.assessed },
      firstSlot,
      lastSlot,
      resultHash: this.#decided.hash(),
      cut: this.#cutOff,
    };
  }

  async #walk(walk: TapeWalk): Promise<void> {
    const pipeline = this.#pipeline;
    pipeline.begin(walk.firstAt);
    while (walk.next()) {
      const { quote } = walk;
      // The clock is not read between two due events.
      if (quote !== null && pipeline.isBeforeNext(quote.receivedAt)) {
        pipeline.receiveDigits(quote);
        continue;
      }
      const event = walk.event();
      if (concernsAgents(event) || !pipeline.isBeforeNext(event.receivedAt)) await this.#takeWithAgents(event);
      else {
        if (event.receivedAt > pipeline.now) pipeline.advanceTo(event.receivedAt);
        pipeline.receive(event);
      }
    }
  }

  async #takeWithAgents(event: TapeEvent): Promise<void> {
    this.#pipeline.settle();
    // Closes every slot before this event, also without messages. Agents process each instant before the next event.
    await this.#advance(event.receivedAt);
    if (event.kind === 'command') {
      this.#pipeline.tell(event);
      this.#population.receive(event);
    } else if (event.kind === 'cut') this.#pipeline.note(event);
    else if (event.kind === 'inputs') this.#population.note(event.actorId, event.inputs);
    else if (event.kind === 'token_multiplier') this.#population.rescale(event);
    else this.#pipeline.receive(event);
    await this.#live();
  }

  async #advance(at: EpochMs): Promise<void> {
    const pipeline = this.#pipeline;
    if (at <= pipeline.now) return;
    for (let next = pipeline.nextAt; next !== null && next <= at; next = pipeline.nextAt) {
      pipeline.advanceTo(next);
      await this.#live();
    }
    pipeline.advanceTo(at);
  }

  /** Lets the agents process the pipeline's events. */
  async #live(): Promise<void> {
    for (const happened of this.#pipeline.happened()) {
      if (happened.kind === 'command') {
        this.#commands++;
        await this.#population.tell(happened.command);
      } else if (happened.kind === 'wake') await this.#population.wake(happened.at);
      else await this.#decided.take(await this.#population.tick(happened.cut), happened.cut, (hash) => this.#population.manifest(hash));
    }
  }
}

/** Adapts a tape that yields its events in batches. */
async function* readWalks(tape: ReplayTape): AsyncGenerator<TapeWalk, void, undefined> {
  for await (const { events } of tape.batches()) if (events.length > 0) yield new BatchWalk(events);
}

class BatchWalk implements TapeWalk {
  readonly #events: readonly TapeEvent[];
  #at = -1;
  readonly quote = null;

  constructor(events: readonly TapeEvent[]) {
    this.#events = events;
  }

  get events(): number {
    return this.#events.length;
  }

  get firstAt(): EpochMs {
    return (this.#events[0] as TapeEvent).receivedAt;
  }

  get lastAt(): EpochMs {
    return this.event().receivedAt;
  }

  next(): boolean {
    if (this.#at + 1 >= this.#events.length) return false;
    this.#at++;
    return true;
  }

  event(): TapeEvent {
    return this.#events[this.#at] as TapeEvent;
  }
}

/** Creates a writer that turns decisions into full records, one JSON object per line, as in `GET /v1/agents/:id/decisions`. */
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
      const observed = row.observedHash === '' ? [] : observedBy(manifest.reading, cut);
      text += `${JSON.stringify(assembleDecision(row, observed, manifest))}\n`;
    }
    return text;
  };
}
