/** Moves the time of a sandbox on: the parts of feed and worker over the service's own store, under a virtual clock. */
import { Subject } from 'rxjs';
import { startActivities } from '../../actors/runtime/activities.ts';
import { startTimers } from '../../actors/runtime/timers.ts';
import { createMarketNeeds } from '../../actors/ticking/market-needs.ts';
import type { TradingTickStore } from '../../actors/ticking/trading-ticker.ts';
import { createTurns } from '../../actors/ticking/shard-ticker.ts';
import type { VenueFlows } from '../../actors/proposal/execution.ts';
import { createMarketPipeline, type MarketPipeline } from '../../streams/market-pipeline.ts';
import { createUnknownFields } from '../../streams/feed-counters.ts';
import { createVirtualClock, type VirtualClock } from '../../streams/virtual-clock.ts';
import { createIntelligenceFeed } from '../adapters/intelligence/intelligence-feed.ts';
import { createActorStore } from '../adapters/store/actors/actor-store.ts';
import { createLog } from '../adapters/log.ts';
import { createNewIds } from '../adapters/new-ids.ts';
import { nextDue } from '../adapters/store/actors/next-due.ts';
import { shareCommits } from '../adapters/store/actors/shared-commits.ts';
import { activeManifests } from '../adapters/store/agents/manifest-reads.ts';
import { createDispatchStore, createTickStore, databaseNow, writeCuts } from '../adapters/store/agents/tick-store.ts';
import { keepBars } from '../adapters/store/candles/keep-bars.ts';
import type { Sql } from '../adapters/store/database.ts';
import { createIntelligenceStore } from '../adapters/store/intelligence/intelligence-store.ts';
import { createProposalStore } from '../adapters/store/orders/proposal-store.ts';
import { createSharedRiskReads } from '../adapters/store/risk/risk-reads.ts';
import { moveTimeTo } from '../adapters/store/simulated-time.ts';
import { createWriteLine } from '../adapters/store/write-line.ts';
import { CONTEXT_SOURCE, BBO_SOURCE } from '../adapters/venues/evmvenue/map.ts';
import { HERMES_SOURCE } from '../adapters/venues/reference/hermes-map.ts';
import { MARK_SOURCE } from '../adapters/venues/reference/issuer-marks.ts';
import { PRICE_SOURCE, QUOTE_SOURCE } from '../adapters/venues/spotchain/map.ts';
import { BOOK_TICKER_SOURCE } from '../adapters/venues/spotexchange/scan-frames.ts';
import { CATALOG } from '../domain/catalog.ts';
import type { Cut } from '../domain/cut.ts';
import type { IntelligenceRecord } from '../domain/intelligence/record.ts';
import type { FeedMessage } from '../domain/market-event.ts';
import { refuse } from '../domain/refusal.ts';
import { AGENT_TICK_MS, type EpochMs, TAKE_TICK_MS } from '../domain/time.ts';
import type { MarketFlow } from '../domain/resting-fill.ts';
import { type ExecutableVenue, type InstrumentKey, instrumentKey, splitInstrumentKey } from '../domain/venue.ts';
import { createMarketWords, type MarketWords } from '../sandbox/market/market-words.ts';
import { createSeededMarket } from '../sandbox/market/seeded-market.ts';
import { createBatchedTicks } from '../simulation/batched-ticks.ts';
import { liveThrough } from '../simulation/live-through.ts';
import { createToldReports } from '../simulation/told-reports.ts';
import { disabledVenuesOf } from '../trading/disabled-venues.ts';
import { createPreTrade } from '../trading/pre-trade.ts';
import { activityWorkersOf, tickersOf } from './capabilities/index.ts';
import type { WorkerDeps } from './capabilities/capability.ts';
import { useCatalog } from './catalog-file.ts';
import { type Config, ROLES } from './config.ts';
import { openGates } from './gates.ts';
import { openActors } from './roles/worker.ts';
import { type SandboxPast, sandboxPast } from './sandbox-past.ts';
import { createServiceProcess, type ServiceProcess } from './service-process.ts';
import { namedSystems } from './simulated-clock.ts';
import { openStoreConnections, type StoreConnections } from './store-connections.ts';

const HOUR_MS = 3_600_000;
/** Duties of the live service that are held meanwhile, in real time. */
const DUTIES = ['feed', 'dispatcher'];
const LEASE_MS = 60_000;
/** Cuts that are kept together: the trail takes none that was signed minutes after its slot. */
const CUTS_AT_ONCE = 4;
/** What rests on paper is held against the book of every so many milliseconds. */
const FLOW_STEP_MS = 2_000;
const SOURCES = {
  spotexchange: BOOK_TICKER_SOURCE,
  evmvenue: BBO_SOURCE,
  perpContext: CONTEXT_SOURCE,
  spotchain: QUOTE_SOURCE,
  liquidity: PRICE_SOURCE,
  reference: HERMES_SOURCE,
  mark: MARK_SOURCE,
};

/** How a stretch went. */
export interface MovedOn {
  readonly from: EpochMs;
  /** The last slot that was lived through; every slot up to it has its cut and its decisions. */
  readonly to: EpochMs;
}

interface Stretch {
  /** Where the stretch that begins at an instant ends. */
  readonly until: (from: EpochMs) => EpochMs;
  readonly progress: (done: number, total: number) => void;
  readonly signal: AbortSignal;
}

/** Moves the time of the sandbox of these settings on, with a process of its own. @throws Error as `moveSandboxOn` */
export async function moveOn(given: Config, stretch: Stretch): Promise<MovedOn> {
  // Nothing of a stretch is queued.
  const config = given.REDIS_URL === null ? { ...given, QUEUE_BACKEND: 'postgres' as const } : given;
  useCatalog(config);
  const { signal } = stretch;
  const service = createServiceProcess({ config, roles: ROLES, record: null, path: '', log: createLog('error'), signal });
  try {
    return await moveSandboxOn(service, await openStoreConnections(service), stretch);
  } finally {
    await service.stop();
  }
}

/**
 * Lives through a stretch of the sandbox's market and moves the time of the database with it.
 * @throws Error in one sentence where a service is on duty, or the sandbox has no market of its own to live on.
 */
export async function moveSandboxOn(
  service: ServiceProcess,
  store: StoreConnections,
  { until, progress, signal }: Stretch,
): Promise<MovedOn> {
  const real = namedSystems(service.config);
  if (real.length > 0)
    throw new Error(`only the time of a sandbox can be moved on, and these settings name real systems: ${real.join(', ')}`);
  const past = sandboxPast(service);
  if (past === null) throw new Error('SANDBOX_TAPE: a tape prices this sandbox, and what comes after its end is on none');
  const leases = createDispatchStore(store.sql);
  const hold = async (): Promise<void> => {
    for (const duty of DUTIES)
      if (!(await leases.hold(duty, service.holder, LEASE_MS)))
        throw new Error('a service runs on this database: stop it first (Ctrl-C), move its time on, and start it again');
  };
  await hold();
  try {
    const from = await databaseNow(store.sql);
    const end = until(from);
    const total = Math.ceil((end - from) / HOUR_MS);
    let hours = 0;
    const clock = createVirtualClock(from);
    return await store.asOwner(async (owner) => {
      const stretch = await openStretch({ service, store, past, clock, owner });
      try {
        const to = await liveThrough(
          {
            ...stretch.parts,
            async everyHour(slot) {
              await hold();
              await stretch.keepHour(slot);
              progress(++hours, total);
            },
          },
          { to: end, periodsMs: stretch.periodsMs, signal },
        );
        await stretch.keepHour(to);
        return { from, to };
      } finally {
        await stretch.close();
      }
    });
  } finally {
    for (const duty of DUTIES) await leases.release(duty, service.holder);
  }
}

interface StretchDeps {
  readonly service: ServiceProcess;
  readonly store: StoreConnections;
  readonly past: SandboxPast;
  readonly clock: VirtualClock;
  readonly owner: Sql;
}

/** The parts of feed and worker that a stretch is lived with. */
async function openStretch(deps: StretchDeps) {
  const { service, store, clock, owner } = deps;
  const shards = await shardsOf(store.sql);
  const periodsMs = [...shards.keys()];
  const market = await openMarket(deps, Math.min(...periodsMs, AGENT_TICK_MS));
  let due: EpochMs | null | undefined;
  const ticks = createBatchedTicks(createTickStore(store.sql, createActorStore(store.sql).incident), {
    cut: market.cut,
    async before() {
      await market.keepCuts((cuts) => keepCuts(deps, cuts));
      await market.written();
    },
    traded: () => {
      due = undefined;
    },
  });
  const worker = openWorker(deps, market, ticks.store);
  const gates = openGates({
    sql: store.sql,
    evaluator: store.evaluator,
    runtime: worker.runtime,
    clock,
    newId: createNewIds(clock),
    obtainable: new Set(),
  });
  return {
    periodsMs,
    async keepHour(at: EpochMs) {
      await ticks.flush();
      ticks.forget();
      due = undefined;
      await gates.assessDue(at, service.warn('assessing paper and shadow stages'));
    },
    parts: {
      clock,
      receive: market.receive,
      async tick(periodMs: number, slot: EpochMs) {
        const ticker = worker.tickers.get(periodMs);
        if (ticker === undefined) throw new Error(`nobody is ticked every ${periodMs} ms`);
        await Promise.all((shards.get(periodMs) ?? []).map((shard) => ticker.tick(periodMs, shard, slot)));
      },
      async nextDue() {
        due = due === undefined ? await nextDue(store.sql, worker.kinds) : due;
        return due;
      },
      async carryDue() {
        await ticks.flush();
        await moveTimeTo(owner, clock.now());
        await worker.carryDue();
        ticks.forget();
        due = undefined;
      },
    },
    async close() {
      market.stop();
      await worker.stop();
      await market.written();
    },
  };
}

/** Keeps cuts in the order of their slots, each no later than the trail allows. */
async function keepCuts({ owner, store }: Pick<StretchDeps, 'owner' | 'store'>, cuts: readonly Cut[]): Promise<void> {
  for (let first = 0; first < cuts.length; first += CUTS_AT_ONCE) {
    const some = cuts.slice(first, first + CUTS_AT_ONCE);
    await moveTimeTo(owner, (some.at(-1) as Cut).slot + 1);
    await writeCuts(store.feed, some, 'streams');
  }
}

/** The shards of every period at which somebody is ticked. */
async function shardsOf(sql: Sql): Promise<ReadonlyMap<number, readonly number[]>> {
  const dispatch = createDispatchStore(sql);
  const shards = new Map<number, readonly number[]>();
  for (const periodMs of [AGENT_TICK_MS, TAKE_TICK_MS]) {
    const behind = await dispatch.dueShards(periodMs, Number.MAX_SAFE_INTEGER);
    if (behind.length > 0)
      shards.set(
        periodMs,
        behind.map(({ shard }) => shard),
      );
  }
  return shards;
}

/** The feed of a stretch: the live pipeline, which is told what the sandbox's market says instead of its simulators. */
async function openMarket({ service, store, past, clock }: StretchDeps, periodMs: number) {
  const { config, log, random, warn } = service;
  const sql = store.feed;
  const { entries, indicators } = await neededBy(store.sql);
  const words = wordsOf(config, clock);
  const line = createWriteLine(log);
  const onFailure = warn('the streams');
  const told = new Subject<FeedMessage | IntelligenceRecord>();
  const reports = createToldReports(past.archives, clock.now(), (one) => told.next(one));
  const cuts = createCutLine();
  const pipeline = createMarketPipeline({
    clock,
    random,
    feeds: [
      createIntelligenceFeed({
        intelligence: { sources: [told], unknownFields: createUnknownFields() },
        store: createIntelligenceStore(sql),
        clock,
        write: line.write,
        onFailure,
      }),
    ],
    venues: [],
    periodMs,
    histories: past.histories({}),
    instruments: () => entries,
    needs: () => indicators,
    onCut: cuts.add,
    onFailure,
  });
  const unkeep = keepBars({ sql, received: pipeline.received, write: line.write, onFailure });
  pipeline.start();
  // What was kept of the news is read first, and only then a source is listened to.
  await waitUntilObserved(told);
  const underlyings = [...new Set(entries.map(({ underlying }) => underlying))];
  return {
    words,
    pipeline,
    cut: cuts.find,
    keepCuts: cuts.keep,
    async receive() {
      const at = clock.now();
      reports.tellUntil(at, underlyings);
      for (const message of words.at(entries, at)) pipeline.push(message);
      await clock.settleTo(at);
    },
    written: () => line.done(),
    stop() {
      unkeep();
      pipeline.stop();
    },
  };
}

/** The instruments and indicators that agents look at; what is only shown to people is not observed on a stretch. */
async function neededBy(sql: Sql) {
  const manifests = await activeManifests(sql);
  const looked = new Set(manifests.flatMap(({ manifest }) => manifest.universe.map(({ key }) => key as string)));
  const needs = createMarketNeeds({ manifests: async () => manifests, held: async () => [] });
  await needs.refresh();
  return { entries: CATALOG.entries.filter(({ key }) => looked.has(key)), indicators: needs.indicators };
}

function wordsOf({ SANDBOX_SEED: seed }: Config, clock: VirtualClock): MarketWords {
  return createMarketWords({
    market: createSeededMarket({ seed }),
    seed,
    sources: SOURCES,
    underlying: (key) => CATALOG.byKey(key)?.underlying,
    now: clock.now,
  });
}

/** The cuts that wait until they are kept. */
function createCutLine() {
  let cuts: Cut[] = [];
  let newest: Cut | null = null;
  let keeping: Promise<void> = Promise.resolve();
  return {
    add(cut: Cut): void {
      newest = cut;
      cuts.push(cut);
    },
    /** The newest cut, where it is the slot's. */
    find: (slot: EpochMs): Cut | null => (newest?.slot === slot ? newest : null),
    /** Keeps the cuts that were made since the last time; resolves once all before them are kept too. */
    keep(write: (cuts: readonly Cut[]) => Promise<void>): Promise<void> {
      keeping = keeping.then(async () => {
        const made = cuts;
        cuts = [];
        if (made.length > 0) await write(made);
      });
      return keeping;
    },
  };
}

/** Resolves once somebody listens. @throws Error where nobody does within seconds. */
async function waitUntilObserved(told: { readonly observed: boolean }): Promise<void> {
  for (let looks = 0; !told.observed; looks++) {
    if (looks > 5_000) throw new Error('the news that were kept could not be read');
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** The worker of a stretch: tickers, timers and activities over the service's store, told when to look. */
function openWorker(
  { service, store, clock }: StretchDeps,
  { words, pipeline }: { readonly words: MarketWords; readonly pipeline: MarketPipeline },
  tickStore: TradingTickStore,
) {
  const { sql } = store;
  const { config, warn } = service;
  const { runtime } = openActors(sql, clock, createNewIds(clock));
  const actorStore = shareCommits(createActorStore(sql));
  const { preTrade, disabledVenues } = preTradeOn(sql, clock, { words, pipeline });
  const deps: WorkerDeps = {
    sql,
    store: actorStore,
    runtime,
    clock,
    leaseIsHeld: createProposalStore(sql).leaseIsHeld,
    onError: warn,
    trading: {
      preTrade,
      clients: {},
      flows: flowsOf(words),
      disabledVenues,
      approvalMs: config.PROPOSAL_APPROVAL_MINUTES * 60_000,
      bid: (key) => words.quote(key, clock.now())?.bid ?? null,
    },
  };
  const tickers = tickersOf({ ...deps, tickStore, now: async () => clock.now(), alone: createTurns(), periodsMs: {} });
  const workers = activityWorkersOf(deps);
  // They look when they are told to, not by themselves.
  const told = { now: clock.now, deadline: () => () => {} };
  const timers = startTimers({ store: actorStore, runtime, clock: told, onError: warn('timers') });
  const activities = startActivities({ store: actorStore, runtime, workers, clock: told, onError: warn('activities') });
  return {
    runtime,
    tickers,
    kinds: Object.keys(workers),
    async carryDue() {
      await timers.fireDue();
      await activities.carryDue();
    },
    stop: () => Promise.all([timers.stop(), activities.stop()]),
  };
}

/** Risk at the moment of an order, on what the market says then. */
function preTradeOn(
  sql: Sql,
  clock: VirtualClock,
  { words, pipeline }: { readonly words: MarketWords; readonly pipeline: MarketPipeline },
) {
  const bus = {
    latest(key: InstrumentKey) {
      const known = pipeline.view.instrument(key);
      return known?.quote ?? known?.reference ?? null;
    },
  };
  // Nothing leaves on a stretch: live venues have no time of their own that could be moved.
  const disabledVenues = disabledVenuesOf({
    spotexchange: { enabled: false, hasKey: () => false },
    primaryChain: false,
    signer: false,
    onchainPredictions: false,
  });
  const preTrade = createPreTrade({
    reads: createSharedRiskReads(sql),
    bus,
    clock,
    disabledVenues,
    orderBooks: {
      async read(venue, instrument, levels) {
        const book = words.book(instrumentKey(venue, instrument), clock.now(), levels);
        return book === null ? refuse('unavailable', `${venue} shows no book`) : { ok: true, value: book };
      },
    },
  });
  return { preTrade, disabledVenues };
}

/** What the market did while orders rested on paper: the tops of its books, now and then. */
function flowsOf(words: MarketWords): VenueFlows {
  return {
    async between(key, from, to) {
      const tops: MarketFlow['tops'][number][] = [];
      for (let at = from + FLOW_STEP_MS; at <= to; at += FLOW_STEP_MS) {
        const quote = words.quote(key, at);
        if (quote !== null) tops.push({ ...quote, at });
      }
      return { venue: splitInstrumentKey(key).venue as ExecutableVenue, source: 'sandbox', trades: [], tops };
    },
  };
}
