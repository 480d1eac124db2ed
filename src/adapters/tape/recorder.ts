/**
 * Recorder of a live process for replays: everything received, the commands of its agents and Takes, and how its slots were cut. The
 * agents' side is read from the store a little later and merged by time.
 */
import { EMPTY, type Observable } from 'rxjs';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { ActorEvent, ActorState } from '../../domain/agents/actor-step.ts';
import type { Autonomy, Stage } from '../../domain/agents/agent.ts';
import type { IndicatorNeed } from '../../domain/market/cut.ts';
import { GENESIS_HASH } from '../../domain/agents/decision.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import type { FeedMessage } from '../../domain/market/market-event.ts';
import type { TapeActorKind, TapeAgent, TapeCommand, TapeCutNote, TapeEvent } from '../../domain/tape/tape.ts';
import { AGENT_TICK_MS, type EpochMs, isoTime, startOfSlot, TAKE_TICK_MS } from '../../domain/values/time.ts';
import type { InstrumentKey } from '../../domain/market/venue.ts';
import type { Sql, Transaction } from '../store/database.ts';
import { recordStream } from './stream-recorder.ts';

/** Delay before events are written, after which the store has the agents' events and the slots' cuts. */
const HOLD_BACK_MS = 3_000;
/** Maximum wait for a cut to appear in the store, or for a store that fails. */
const CUT_DEADLINE_MS = 45_000;
const LOOK_MS = 1_000;
/** Decision interval of each kind. */
const TICK_MS: Readonly<Record<TapeActorKind, number>> = { agent: AGENT_TICK_MS, take: TAKE_TICK_MS };
/** Overlap between two reads of steps, because their commits may take a while. */
const STEP_OVERLAP_MS = 30_000;

interface TapeRecorderOptions {
  readonly sql: Sql;
  /** Stream of everything received, before any quality rule. */
  readonly pipeline: { readonly received: Observable<FeedMessage> };
  readonly file: string;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  /** Receives a problem. The recording continues. */
  readonly log: (error: unknown) => void;
}

interface StoredAgent {
  id: string;
  kind: TapeActorKind;
  org_id: string;
  version: number;
  snapshot: ActorState;
  tick_from: number | null;
  tick_until: number | null;
  stage: Stage;
  autonomy: Autonomy;
  manifest_version: number;
  canonical: string;
  head: string | null;
  /** Last recorded inputs of its tick other than the cut, or null if none were recorded yet. */
  inputs: string | null;
}

interface StoredStep {
  actor_id: string;
  kind: TapeActorKind;
  org_id: string;
  version: number;
  at: number;
  event: ActorEvent;
  cause: string | null;
}

/**
 * Starts recording. Returns a function that ends it after everything received is written. @throws TapeError if the file name has no
 * tape's extension
 */
export function createTapeRecorder(options: TapeRecorderOptions): () => Promise<void> {
  const recorder = new TapeRecorder(options);
  return () => recorder.close();
}

class TapeRecorder {
  readonly #options: TapeRecorderOptions;
  readonly #sql;
  readonly #clock;
  readonly #startedAt;
  readonly #recorder;
  #queue: TapeEvent[] = [];
  /** Version up to which each agent's steps are on the tape, or null before the first read. */
  #versions: Map<string, number> | null = null;
  #nextSlot;
  #stepsReadTo;
  #lastNote = '';
  #ended = false;
  #cancel: () => void = () => {};

  #looking: Promise<void> = Promise.resolve();
  readonly #subscription;

  constructor(options: TapeRecorderOptions) {
    this.#options = options;
    const { sql, clock } = options;
    this.#sql = sql;
    this.#clock = clock;
    this.#startedAt = clock.now();
    this.#recorder = recordStream(EMPTY, {
      file: options.file,
      header: { tape: 1, recordedAt: isoTime(this.#startedAt), source: 'live recording' },
      clock: clock,
      onProblem: (sentence) => options.log(new Error(sentence)),
    });
    this.#nextSlot = startOfSlot(this.#startedAt, TAKE_TICK_MS) + TAKE_TICK_MS;
    this.#stepsReadTo = this.#startedAt;
    this.#subscription = options.pipeline.received.subscribe({
      next: (message) => {
        if (message.kind !== 'rejection') this.#queue.push(message);
      },
      error: options.log,
    });
    this.#schedule();
  }

  async close(): Promise<void> {
    this.#subscription.unsubscribe();
    this.#ended = true;
    this.#cancel();
    await this.#looking;
    try {
      if (this.#versions !== null) await this.#readSteps(this.#versions);
      await this.#noteCuts(this.#clock.now());
    } catch (error) {
      this.#options.log(error);
    }
    this.#write(Number.POSITIVE_INFINITY);
    await this.#recorder.close();
  }

  /** Records the agents at a moment when every shard is ticked. Their next decisions are on this tape. */
  async #meet(): Promise<void> {
    const agents = await this.#sql.begin('isolation level repeatable read read only', async (transaction) => {
      const now = this.#clock.now();
      if (await isBehind(transaction, startOfSlot(now, TAKE_TICK_MS))) return null;
      const rows = await transaction<StoredAgent[]>`
        select a.id, g.kind, a.org_id, a.version, a.snapshot, a.tick_from, a.tick_until, g.stage, g.autonomy, g.manifest_version, m.canonical,
          (select encode(d.hash, 'hex') from decisions d where d.agent_id = a.id order by d.slot desc limit 1) as head,
          (select i.body from tick_inputs i where i.agent_id = a.id order by i.slot desc limit 1) as inputs
        from actors a join traders g on g.id = a.id join manifests m on m.agent_id = g.id and m.version = g.manifest_version order by a.number`;
      return rows.map((row) => ({ row, now }));
    });
    if (agents === null) return;
    this.#versions = new Map();
    for (const { row, now } of agents) {
      const periodMs = TICK_MS[row.kind];
      this.#versions.set(row.id, row.version);
      if (row.inputs !== null) this.#queue.push({ kind: 'inputs', receivedAt: now, actorId: row.id, inputs: row.inputs });
      this.#queue.push({
        kind: 'command',
        receivedAt: now,
        actorId: row.id,
        event: { type: 'joined' },
        agent: {
          id: row.id,
          orgId: row.org_id,
          manifest: JSON.parse(row.canonical) as Manifest,
          manifestVersion: row.manifest_version,
          autonomy: row.autonomy,
          stage: row.stage,
          tickFrom: row.tick_from === null ? null : Math.max(row.tick_from, startOfSlot(now, periodMs) + periodMs),
          tickUntil: row.tick_until,
          previousHash: row.head ?? GENESIS_HASH,
          snapshot: row.snapshot,
          ...(row.kind === 'take' ? { kind: 'take' } : {}),
        },
      });
    }
  }

  /** Reads the agents' events since the last read. */
  async #readSteps(known: Map<string, number>): Promise<void> {
    const now = this.#clock.now();
    const steps = await this.#sql<StoredStep[]>`
      select s.actor_id, a.kind, a.org_id, s.version, s.at, s.event, s.cause from steps s join actors a on a.id = s.actor_id
      where a.kind in ('agent', 'take') and s.at >= ${this.#stepsReadTo - STEP_OVERLAP_MS} order by s.at, s.actor_id, s.version`;
    for (const step of steps) {
      if (step.version <= (known.get(step.actor_id) ?? 0)) continue;
      const command = await this.#commandOf(step);
      known.set(step.actor_id, step.version);
      this.#queue.push(command);
    }
    this.#stepsReadTo = now;
  }

  async #manifestOf(agentId: string, version: number): Promise<Manifest> {
    const [row] = await this.#sql<
      { canonical: string }[]
    >`select canonical from manifests where agent_id = ${agentId} and version = ${version}`;
    if (!row) throw new Error(`manifest version ${version} of agent ${agentId} is not on record`);
    return JSON.parse(row.canonical) as Manifest;
  }

  /** Records a new Take, which begins as a draft. Its later steps determine when it is evaluated. */
  async #newTake({ actor_id: id, org_id: orgId, event }: StoredStep): Promise<TapeAgent> {
    return {
      id,
      orgId,
      manifest: await this.#manifestOf(id, 1),
      manifestVersion: 1,
      autonomy: 'policy_auto',
      stage: 'paper',
      tickFrom: null,
      tickUntil: null,
      previousHash: GENESIS_HASH,
      snapshot: null,
      kind: 'take',
      input: event['input'] as NonNullable<TapeAgent['input']>,
    };
  }

  async #commandOf(step: StoredStep): Promise<TapeCommand> {
    const { actor_id: actorId, at: receivedAt, event } = step;
    const cause = step.cause === null ? {} : { cause: step.cause };
    if (event.type === 'started' && step.kind === 'take') {
      return { kind: 'command', receivedAt, actorId, event, ...cause, agent: await this.#newTake(step) };
    }
    if (event.type === 'started') {
      const input = event['input'] as { autonomy: Autonomy; manifestVersion: number };
      const agent: TapeAgent = {
        id: actorId,
        orgId: step.org_id,
        manifest: await this.#manifestOf(actorId, input.manifestVersion),
        manifestVersion: input.manifestVersion,
        autonomy: input.autonomy,
        stage: 'draft',
        tickFrom: startOfSlot(receivedAt, AGENT_TICK_MS) + AGENT_TICK_MS,
        tickUntil: null,
        previousHash: GENESIS_HASH,
        snapshot: null,
      };
      return { kind: 'command', receivedAt, actorId, event, ...cause, agent };
    }
    if (event.type === 'manifest.changed') {
      return {
        kind: 'command',
        receivedAt,
        actorId,
        event,
        ...cause,
        manifest: await this.#manifestOf(actorId, event['manifestVersion'] as number),
      };
    }
    return { kind: 'command', receivedAt, actorId, event, ...cause };
  }

  /** Records how slots up to `horizon` were cut. Returns the time up to which the tape can be written. */
  async #noteCuts(horizon: EpochMs): Promise<EpochMs> {
    for (; this.#nextSlot <= horizon; this.#nextSlot += TAKE_TICK_MS) {
      const [cut] = await this.#sql<{ source: 'streams' | 'silence' }[]>`select source from cuts where slot = ${this.#nextSlot}`;
      if (!cut) {
        if (this.#clock.now() < this.#nextSlot + CUT_DEADLINE_MS && !this.#ended) return this.#nextSlot - 1;
        continue;
      }
      // Ticks of this slot record their inputs, so every shard must have been ticked.
      if (!this.#ended && this.#clock.now() < this.#nextSlot + CUT_DEADLINE_MS && (await isBehind(this.#sql, this.#nextSlot)))
        return this.#nextSlot - 1;
      const inputs = await this.#sql<{ agent_id: string; body: string }[]>`
        select i.agent_id, i.body from tick_inputs i join actors a on a.id = i.agent_id where i.slot = ${this.#nextSlot} order by a.number`;
      const rows = await this.#sql<{ instrument: InstrumentKey; indicators: string[] }[]>`
        select instrument, array(select jsonb_object_keys(body::jsonb -> 'indicators')) as indicators from observations where slot = ${this.#nextSlot} order by instrument`;
      for (const { agent_id, body } of inputs)
        this.#queue.push({ kind: 'inputs', receivedAt: this.#nextSlot, actorId: agent_id, inputs: body });
      const needs = rows.flatMap(({ instrument, indicators }) => [...indicators].sort().map((key) => parseNeed(instrument, key)));
      const instruments = rows.map(({ instrument }) => instrument);
      const note: TapeCutNote = { kind: 'cut', receivedAt: this.#nextSlot, source: cut.source, instruments, needs, rule: 2 };
      const text = JSON.stringify([cut.source, instruments, needs]);
      if (text === this.#lastNote) continue;
      this.#lastNote = text;
      this.#queue.push(note);
    }
    return horizon;
  }

  #write(horizon: EpochMs): void {
    // Stable: events of the same millisecond stay in order.
    this.#queue.sort((a, b) => a.receivedAt - b.receivedAt);
    let index = 0;
    for (; index < this.#queue.length && (this.#queue[index] as TapeEvent).receivedAt <= horizon; index++)
      this.#recorder.add(this.#queue[index] as TapeEvent);
    this.#queue = this.#queue.slice(index);
  }

  async #look(): Promise<void> {
    // Events wait for a store that fails: what it holds of their time has to precede them on the tape.
    let horizon = this.#clock.now() - CUT_DEADLINE_MS;
    try {
      if (this.#versions === null) await this.#meet();
      else await this.#readSteps(this.#versions);
      horizon = await this.#noteCuts(this.#clock.now() - HOLD_BACK_MS);
    } catch (error) {
      this.#options.log(error);
    }
    this.#write(horizon);
  }

  #schedule(): void {
    if (this.#ended) return;
    this.#cancel = this.#clock.deadline(this.#clock.now() + LOOK_MS, () => {
      this.#looking = this.#look().finally(() => this.#schedule());
    });
  }
}

/** Parses `rsi:14@1h` into an instrument's indicator need. */
function parseNeed(instrument: InstrumentKey, key: string): IndicatorNeed {
  const match = /^(\w+):(\d+)@(\w+)$/.exec(key);
  if (match === null) throw new Error(`an observation of ${instrument} holds an indicator called ${key}`);
  return { instrument, name: match[1] as IndicatorNeed['name'], timeframe: match[3] as string, period: Number(match[2]) };
}

/** True if a shard has not yet been ticked up to this slot, or up to its own last slot before it. */
async function isBehind(sql: Sql | Transaction, slot: EpochMs): Promise<boolean> {
  const [behind] = await sql`
    select 1 from actors a left join tick_shards t on t.period_ms = a.tick_period_ms and t.shard = a.shard
    where a.kind in ('agent', 'take') and a.tick_from <= ${slot} and coalesce(t.last_slot, 0) < ${slot}::bigint / a.tick_period_ms * a.tick_period_ms limit 1`;
  return behind !== undefined;
}
