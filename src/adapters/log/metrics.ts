/** Metrics of the service in Prometheus' format. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { createUnknownFields, type FeedCounters, type NoteUnknownField } from '../../../streams/feed-counters.ts';

export interface RequestObservation {
  readonly method: string;
  /** Pattern of the route, or `unknown`. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
}

export interface ServiceMetrics {
  readonly contentType: string;
  /** Returns the Prometheus text. */
  render(): Promise<string>;
  observe(request: RequestObservation): void;
  ticked(tick: {
    readonly decisions: number;
    readonly late: number;
    readonly crashed: number;
    readonly tookMs: number;
    readonly behindMs: number;
  }): void;
  /** Counts a tick that failed as a whole; its shard did not advance. */
  tickFailed(): void;
  /** Sets the number of stalled shards and the largest lag. */
  stalled(shards: { readonly count: number; readonly behindMs: number }): void;
  /** Counts a row that a background loop failed to handle and will retry. */
  rowFailed(loop: string): void;
  /** Sets the number of quarantined rows per loop and of quarantined actors. */
  quarantined(now: { readonly actors: number; readonly rows: readonly { readonly loop: string; readonly count: number }[] }): void;
  /** Records a round of the leaderboard's refresh: results by wallet, the number of waiting wallets, and the longest wait. */
  leaderboardRefreshed(round: {
    readonly refreshed: number;
    readonly failed: number;
    readonly waiting: number;
    readonly behindMs: number;
  }): void;
  /** Records a round of comparing vault claims with holdings: organizations by verdict. */
  reservesCompared(round: Readonly<Record<'backed' | 'short' | 'unknown', number>>): void;
  cut(cut: { readonly instruments: number; readonly behindMs: number }): void;
  /** Sets the milliseconds by which this machine's clock is ahead of PostgreSQL's. */
  clockOffset(offsetMs: number): void;
  /** Sets the source of message counts by venue and result, read on every scrape; null when no feed runs any more. */
  countMessages(counts: (() => Iterable<readonly [venue: string, what: string, count: number]>) | null): void;
  /** Counts a restart of an embedded server that had ended by itself. */
  serverRestarted(server: 'postgresql' | 'redis'): void;
  /** Counts an unanswered request to a system. */
  unanswered(place: AskedSystem, reason: string): void;
  /** Counts an unknown member in an answer of a system. */
  readonly unknownField: NoteUnknownField;
}

/** Systems that are queried on demand, by their names in settings and in the sandbox. */
export type AskedSystem = 'identity' | 'primarychain' | 'evmchain' | 'signer' | 'bridge' | 'agentlaunch';

/** Interval of the probes of the event loop in milliseconds. */
const PROBE_MS = 10;

export function createMetrics(): ServiceMetrics {
  const registry = new Registry();
  const registers = [registry];
  let probing: Promise<void> | null = null;
  /** Measures Node.js from the first scrape on: the probe wakes the process a hundred times a second. */
  function probe(): Promise<void> {
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: PROBE_MS });
    // Begun after the one of the metrics: once it has measured, so has that one, however long the loop was held.
    const measured = monitorEventLoopDelay({ resolution: PROBE_MS });
    measured.enable();
    const clock = createLiveClock();
    return new Promise((done) => {
      const look = (): void => {
        if (measured.count === 0) return void clock.deadline(clock.now() + PROBE_MS, look);
        measured.disable();
        done();
      };
      look();
    });
  }
  return {
    contentType: registry.contentType,
    async render() {
      await (probing ??= probe());
      return registry.metrics();
    },
    observe: requestSeconds(registers),
    ...tickMetrics(registers),
    ...shardMetrics(registers),
    ...quarantineMetrics(registers),
    leaderboardRefreshed: leaderboardMetrics(registers),
    reservesCompared: reservesGauge(registers),
    ...feedMetrics(registers),
    ...outsideMetrics(registers),
  };
}

function requestSeconds(registers: Registry[]): ServiceMetrics['observe'] {
  const requests = new Histogram({
    name: 'sevengate_http_request_seconds',
    help: 'HTTP requests by route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3],
    registers,
  });
  // Looking up a series by its labels costs more than observing, so series are cached by route and status.
  const known = new Map<string, Histogram.Internal<'method' | 'route' | 'status'>>();
  return ({ method, route, status, durationMs }) => {
    const key = `${method} ${status} ${route}`;
    let series = known.get(key);
    if (!series) {
      series = requests.labels({ method, route, status });
      known.set(key, series);
    }
    series.observe(durationMs / 1_000);
  };
}

function tickMetrics(registers: Registry[]): Pick<ServiceMetrics, 'ticked' | 'tickFailed'> {
  const decisions = new Counter({ name: 'sevengate_decisions_total', help: 'Decision records committed by this process', registers });
  const late = new Counter({
    name: 'sevengate_late_decisions_total',
    help: 'Decision records of slots that were missed or ticked too late',
    registers,
  });
  const crashes = new Counter({
    name: 'sevengate_tick_crashes_total',
    help: 'Agents taken off duty because their ticks crashed',
    registers,
  });
  const failures = new Counter({
    name: 'sevengate_failed_ticks_total',
    help: 'Ticks of shards that failed as a whole',
    registers,
  });
  const took = new Histogram({
    name: 'sevengate_shard_tick_seconds',
    help: 'How long a shard took to tick',
    buckets: [0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
    registers,
  });
  const behind = new Histogram({
    name: 'sevengate_tick_behind_seconds',
    help: 'From the slot to its committed decisions',
    buckets: [0.1, 0.3, 1, 2, 5, 10, 30, 60],
    registers,
  });
  return {
    ticked(tick) {
      decisions.inc(tick.decisions);
      late.inc(tick.late);
      crashes.inc(tick.crashed);
      took.observe(tick.tookMs / 1_000);
      if (tick.decisions > 0) behind.observe(Math.max(0, tick.behindMs) / 1_000);
    },
    tickFailed: () => failures.inc(),
  };
}

function shardMetrics(registers: Registry[]): Pick<ServiceMetrics, 'stalled'> {
  const shards = new Gauge({ name: 'sevengate_stalled_shards', help: 'Shards with actors on duty that do not advance', registers });
  const behind = new Gauge({
    name: 'sevengate_stalled_shard_behind_seconds',
    help: 'How far the worst of the shards that do not advance lies behind',
    registers,
  });
  return {
    stalled({ count, behindMs }) {
      shards.set(count);
      behind.set(behindMs / 1_000);
    },
  };
}

function quarantineMetrics(registers: Registry[]): Pick<ServiceMetrics, 'rowFailed' | 'quarantined'> {
  const failures = new Counter({
    name: 'sevengate_row_failures_total',
    help: 'Rows that a background loop could not handle, by loop; every try counts',
    labelNames: ['loop'],
    registers,
  });
  const rows = new Gauge({
    name: 'sevengate_quarantined_rows',
    help: 'Rows that a background loop leaves out because it could not handle them, by loop',
    labelNames: ['loop'],
    registers,
  });
  const actors = new Gauge({ name: 'sevengate_quarantined_actors', help: 'Actors in quarantine', registers });
  return {
    rowFailed: (loop) => failures.inc({ loop }),
    quarantined(now) {
      actors.set(now.actors);
      rows.reset();
      for (const { loop, count } of now.rows) rows.set({ loop }, count);
    },
  };
}

function leaderboardMetrics(registers: Registry[]): ServiceMetrics['leaderboardRefreshed'] {
  const wallets = new Counter({
    name: 'sevengate_leaderboard_wallets_total',
    help: 'Wallets of the leaderboard that were asked for, by what came of it',
    labelNames: ['outcome'],
    registers,
  });
  const waitingNow = new Gauge({ name: 'sevengate_leaderboard_waiting', help: 'Wallets that wait for their refresh', registers });
  const behind = new Gauge({
    name: 'sevengate_leaderboard_behind_seconds',
    help: 'For how long the wallet that waits longest was not asked for',
    registers,
  });
  return ({ refreshed, failed, waiting, behindMs }) => {
    wallets.inc({ outcome: 'refreshed' }, refreshed);
    wallets.inc({ outcome: 'failed' }, failed);
    waitingNow.set(waiting);
    behind.set(behindMs / 1_000);
  };
}

function feedMetrics(registers: Registry[]): Pick<ServiceMetrics, 'cut' | 'countMessages'> {
  const cuts = new Counter({ name: 'sevengate_cuts_total', help: 'Slots that were cut by this process', registers });
  const behind = new Gauge({ name: 'sevengate_cut_behind_seconds', help: 'From the last slot to its committed cut', registers });
  const observed = new Gauge({ name: 'sevengate_cut_instruments', help: 'Instruments of the last cut', registers });
  let received: Parameters<ServiceMetrics['countMessages']>[0] = null;
  new Gauge({
    name: 'sevengate_feed_messages',
    help: 'Messages received since the start, by venue and by what became of them',
    labelNames: ['venue', 'what'],
    registers,
    collect() {
      for (const [venue, what, count] of received?.() ?? []) this.set({ venue, what }, count);
    },
  });
  return {
    cut({ instruments, behindMs }) {
      cuts.inc();
      observed.set(instruments);
      behind.set(Math.max(0, behindMs) / 1_000);
    },
    countMessages(counts) {
      received = counts;
    },
  };
}

/** Creates the metrics of clock, servers and outside systems. */
function outsideMetrics(registers: Registry[]): Pick<ServiceMetrics, 'clockOffset' | 'serverRestarted' | 'unanswered' | 'unknownField'> {
  const offset = new Gauge({
    name: 'sevengate_clock_offset_seconds',
    help: "How far this machine's clock is ahead of PostgreSQL's; below zero it is behind",
    registers,
  });
  const restarts = new Counter({
    name: 'sevengate_server_restarts_total',
    help: 'Servers of this service that ended by themselves and were started again',
    labelNames: ['server'],
    registers,
  });
  const silent = new Counter({
    name: 'sevengate_unanswered_total',
    help: 'Questions that brought no answer, by whom was asked and why',
    labelNames: ['place', 'reason'],
    registers,
  });
  const unknown = createUnknownFields();
  new Gauge({
    name: 'sevengate_asked_unknown_fields',
    help: 'Members of answers that nobody knows and that were ignored, of what is asked only when somebody needs it',
    labelNames: ['source', 'field'],
    registers,
    collect() {
      for (const { source, field, count } of unknown.rows()) this.set({ source, field }, count);
    },
  });
  return {
    clockOffset: (offsetMs) => offset.set(offsetMs / 1_000),
    serverRestarted: (server) => restarts.inc({ server }),
    unanswered: (place, reason) => silent.inc({ place, reason }),
    unknownField: unknown.note,
  };
}

/** Returns message counts as `countMessages` needs them: one row per venue and result. */
export function messageCounts(counters: ReturnType<FeedCounters['snapshot']>): (readonly [venue: string, what: string, count: number])[] {
  return Object.entries(counters).flatMap(([venue, { received, rejected, counted, unknownFields }]) => [
    [venue, 'received', received] as const,
    ...Object.entries({ ...counted, ...rejected }).map(([reason, count]) => [venue, reason, count as number] as const),
    ...unknownFields.map(({ source, field, count }) => [venue, `unknown_field ${source} ${field}`, count] as const),
  ]);
}

function reservesGauge(registers: Registry[]): ServiceMetrics['reservesCompared'] {
  const reserves = new Gauge({
    name: 'sevengate_reserves_organizations',
    help: 'Organizations by how the last comparison of what their vaults claim with what is held came out',
    labelNames: ['verdict'],
    registers,
  });
  return (round) => {
    for (const [verdict, organizations] of Object.entries(round)) reserves.set({ verdict }, organizations);
  };
}
