/** Fast-forward of a sandbox: parts of feed and worker over the service's own store, under a virtual clock. */
import { Subject } from 'rxjs';
import { startActivities } from '../../../actors/runtime/activities.ts';
import type { Containment } from '../../../actors/runtime/containment.ts';
import type { Runtime } from '../../../actors/runtime/runtime.ts';
import { startTimers } from '../../../actors/runtime/timers.ts';
import { createMarketNeeds } from '../../../actors/ticking/market-needs.ts';
import { createTurns } from '../../../actors/ticking/shard-ticker.ts';
import type { TradingTickStore } from '../../../actors/ticking/trading-decisions.ts';
import type { VirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { createUnknownFields } from '../../../streams/feed-counters.ts';
import { createMarketPipeline, type MarketPipeline } from '../../../streams/market-pipeline.ts';
import { createIntelligenceFeed } from '../../adapters/intelligence/intelligence-feed.ts';
import { createLog } from '../../adapters/log/log.ts';
import { createNewIds } from '../../adapters/new-ids.ts';
import { createActorStore } from '../../adapters/store/actors/actor-store.ts';
import { nextDue } from '../../adapters/store/actors/next-due.ts';
import { shareCommits } from '../../adapters/store/actors/shared-commits.ts';
import { writeCuts } from '../../adapters/store/agents/cut-store.ts';
import { createDispatchStore, databaseNow } from '../../adapters/store/agents/dispatch-store.ts';
import { activeManifests } from '../../adapters/store/agents/manifest-reads.ts';
import { createTickStore } from '../../adapters/store/agents/tick-store.ts';
import { createFundingStore } from '../../adapters/store/books/funding-store.ts';
import { createMarginStore, type MarginStore } from '../../adapters/store/books/margin-store.ts';
import { keepBars } from '../../adapters/store/candles/candle-store.ts';
import { stateOrigins } from '../../adapters/store/catalog/source-origins.ts';
import type { Sql } from '../../adapters/store/database.ts';
import { createShadowStore } from '../../adapters/store/gates/shadow-store.ts';
import { keepReceptions } from '../../adapters/store/intelligence/event-reception-store.ts';
import { createIntelligenceStore } from '../../adapters/store/intelligence/intelligence-store.ts';
import { createProposalStore } from '../../adapters/store/orders/proposal-store.ts';
import { createSharedRiskReads } from '../../adapters/store/risk/risk-reads.ts';
import { moveTimeTo, recordedMove } from '../../adapters/store/simulated-time.ts';
import { createWriteLine } from '../../adapters/store/write-line.ts';
import { BBO_SOURCE, CONTEXT_SOURCE } from '../../adapters/venues/evmvenue/map.ts';
import { HERMES_SOURCE } from '../../adapters/venues/reference/hermes-map.ts';
import { MARK_SOURCE } from '../../adapters/venues/reference/issuer-marks.ts';
import { PRICE_SOURCE, QUOTE_SOURCE } from '../../adapters/venues/spotchain/map.ts';
import { BOOK_TICKER_SOURCE } from '../../adapters/venues/spotexchange/scan-frames.ts';
import { CATALOG, listCatalogUnderlyings } from '../../domain/catalog/catalog.ts';
import type { IntelligenceRecord } from '../../domain/intelligence/record.ts';
import type { Cut } from '../../domain/market/cut.ts';
import type { FeedMessage } from '../../domain/market/market-event.ts';
import { type InstrumentKey, instrumentKey } from '../../domain/market/venue.ts';
import type { FlowKeeper } from '../../domain/shadow/flow.ts';
import { refuse } from '../../domain/values/refusal.ts';
import { AGENT_TICK_MS, type EpochMs, HOUR_MS, MINUTE_MS } from '../../domain/values/time.ts';
import { createMarketFlows } from '../../sandbox/market/market-flows.ts';
import { createMarketWords, type MarketWords } from '../../sandbox/market/market-words.ts';
import { createSeededMarket } from '../../sandbox/market/seeded-market.ts';
import { createToldFlow } from '../../sandbox/market/told-flow.ts';
import { createMadeCuts } from '../../simulation/stretch/made-cuts.ts';
import {
  type MovedOn,
  moveTimeOn,
  type OpenStretch,
  openStretch,
  readShards,
  type StretchAsked,
  type StretchMargins,
  type StretchWorker,
} from '../../simulation/stretch/stretch.ts';
import { createToldReports } from '../../simulation/stretch/told-reports.ts';
import { bookFunding } from '../../trading/book-funding.ts';
import { createDisabledVenues } from '../../trading/disabled-venues.ts';
import { liquidateBooks } from '../../trading/liquidations.ts';
import { createPreTrade } from '../../trading/pre-trade.ts';
import { measureDue } from '../../trading/shadow-measuring.ts';
import type { WorkerDeps } from '../capabilities/capability.ts';
import { createActivityWorkers, createTickers } from '../capabilities/index.ts';
import { type Config, ROLES } from '../config.ts';
import { openContainment } from '../containment.ts';
import { readOrigins } from '../outside/origins.ts';
import { openActors } from '../roles/worker.ts';
import { createServiceProcess, type ServiceProcess } from '../service-process.ts';
import { openStoreConnections, type StoreConnections } from '../store-connections.ts';
import { useCatalog } from '../used-catalog.ts';
import { openGates } from '../wiring/gates.ts';
import { type SandboxPast, sandboxPast } from './sandbox-past.ts';
import { namedSystems } from './simulated-clock.ts';

const LEASE_MS = MINUTE_MS;
const SOURCES = {
  spotexchange: BOOK_TICKER_SOURCE,
  evmvenue: BBO_SOURCE,
  perpContext: CONTEXT_SOURCE,
  spotchain: QUOTE_SOURCE,
  liquidity: PRICE_SOURCE,
  reference: HERMES_SOURCE,
  mark: MARK_SOURCE,
};

/** Moves the time of the configured sandbox in a service process of its own. @throws Error as `moveSandboxOn` */
export async function moveOn(given: Config, asked: StretchAsked): Promise<MovedOn> {
  // A fast-forward uses no queue.
  const config = given.REDIS_URL === null ? { ...given, QUEUE_BACKEND: 'postgres' as const } : given;
  useCatalog(config);
  const { signal } = asked;
  const service = createServiceProcess({ config, roles: ROLES, record: null, path: '', log: createLog('error'), signal });
  try {
    return await moveSandboxOn(service, await openStoreConnections(service, { waitsForDisk: false }), asked);
  } finally {
    await service.stop();
  }
}

/**
 * Runs through a period of the sandbox's market, and moves the database's time with it.
 * @throws Error if a service is running, or the sandbox has no market of its own
 */
export async function moveSandboxOn(service: ServiceProcess, store: StoreConnections, asked: StretchAsked): Promise<MovedOn> {
  const real = namedSystems(service.config);
  if (real.length > 0) throw new Error(`only a sandbox can be advanced in time, and these settings name real systems: ${real.join(', ')}`);
  const past = sandboxPast(service);
  if (past === null) throw new Error('SANDBOX_TAPE: this sandbox is priced by a tape, which has no prices after its end');
  const recorded = recordedMove(store.sql, service.clock, asked.signal);
  const now = () => databaseNow(store.sql);
  return store.asOwner(async (owner) => {
    await stateOrigins(owner, readOrigins(service.config));
    // The owner's commits wait for the disk, so reported progress is stored with everything before it.
    const dispatch = createDispatchStore(owner);
    return moveTimeOn(
      {
        leases: {
          hold: (duty) => dispatch.hold(duty, service.holder, LEASE_MS),
          release: (duty) => dispatch.release(duty, service.holder),
        },
        now,
        open: (clock) => openParts({ service, store, past, clock, owner, containment: openContainment(service, null) }),
        recorded,
      },
      asked,
    );
  });
}

interface StretchDeps {
  readonly service: ServiceProcess;
  readonly store: StoreConnections;
  readonly past: SandboxPast;
  readonly clock: VirtualClock;
  readonly owner: Sql;
  readonly containment: Containment;
}

/** Opens the parts of feed and worker for a fast-forward. */
async function openParts(deps: StretchDeps): Promise<OpenStretch> {
  const { clock, owner, containment } = deps;
  const { sql, evaluator } = deps.store;
  const { dueShards } = createDispatchStore(sql);
  const shards = await readShards({ dueShards });
  const market = await openMarket(deps, Math.min(...shards.keys(), AGENT_TICK_MS));
  const { runtime } = openActors(sql, clock, createNewIds(clock));
  const worker = workerParts(deps, runtime, market);
  const gates = openGates({ sql, evaluator, runtime, clock, newId: createNewIds(clock), obtainable: new Set() });
  return openStretch({
    clock,
    shards,
    market,
    store: {
      ticks: createTickStore(sql, createActorStore(sql).incident),
      dueShards,
      nextDue: () => nextDue(sql, Object.keys(worker.activities)),
      moveTimeTo: (at) => moveTimeTo(owner, at),
    },
    worker: worker.open,
    margins: worker.margins,
    async assessDue(at) {
      await worker.bookFunding(at);
      await market.measureShadows(at);
      await gates.assessDue(at, containment('assessing paper and shadow stages'));
    },
  });
}

/** Opens the feed of a fast-forward: the live pipeline, which reads the sandbox's market directly instead of its simulators. */
async function openMarket({ service, store, past, clock, owner, containment }: StretchDeps, periodMs: number) {
  const { config, log, random, warn } = service;
  const sql = store.feed;
  const { entries, indicators } = await neededBy(store.sql, containment);
  const { words, flow } = spokenMarket(config, clock);
  const line = createHoldingLine(log);
  const onFailure = warn('the streams');
  const told = new Subject<FeedMessage | IntelligenceRecord>();
  const reports = createToldReports(past.archives, clock.now(), (one) => told.next(one));
  const cuts = createMadeCuts();
  const pipeline = createMarketPipeline({
    clock,
    random,
    feeds: [
      createIntelligenceFeed({
        intelligence: { sources: [told], unknownFields: createUnknownFields() },
        store: createIntelligenceStore(sql),
        clock,
        write: line.hold,
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
  const unkeep = keepBars({ sql, received: pipeline.received, write: line.hold, onFailure });
  const underlyings = listCatalogUnderlyings(entries);
  const unreceive = keepReceptions({
    sql,
    received: pipeline.received,
    underlyings,
    silenceMs: pipeline.view.freshness.limits.eventsMaxSilenceMs,
    everyMs: HOUR_MS,
    write: line.hold,
    onFailure,
  });
  pipeline.start();
  // Stored news is read first, and only then is a source subscribed.
  await waitUntilObserved(told);
  return {
    words,
    pipeline,
    measureShadows: (now: EpochMs) =>
      measureDue({ store: createShadowStore(sql), keeper: flow, now, contained: containment('measuring shadow orders') }),
    cut: cuts.find,
    keepCuts: () =>
      cuts.keep(async (some) => {
        await moveTimeTo(owner, (some.at(-1) as Cut).slot + 1);
        await writeCuts(sql, some, 'streams');
      }),
    async receive() {
      const at = clock.now();
      reports.tellUntil(at, underlyings);
      for (const message of words.at(entries, at)) pipeline.push(message);
      await clock.settleTo(at);
    },
    written: line.written,
    stop() {
      unkeep();
      unreceive();
      pipeline.stop();
    },
  };
}

/** Creates a queue that holds its writes until the end, because the trail refuses signatures while time moves. */
function createHoldingLine(log: ServiceProcess['log']) {
  const line = createWriteLine(log);
  const held: Parameters<typeof line.write>[] = [];
  return {
    hold: (...piece: Parameters<typeof line.write>) => void held.push(piece),
    written(): Promise<unknown> {
      for (const piece of held.splice(0)) line.write(...piece);
      return line.done();
    },
  };
}

/** Returns the instruments and indicators that agents use. A fast-forward observes no others. */
async function neededBy(sql: Sql, containment: Containment) {
  const manifests = await activeManifests(sql);
  const needs = createMarketNeeds({
    manifests: async () => manifests,
    held: async () => [],
    contained: containment('what the feed observes'),
  });
  await needs.refresh();
  return { entries: CATALOG.entries.filter(({ key }) => needs.looked.has(key)), indicators: needs.indicators };
}

/** Creates the reads of the sandbox's market, at an instant and over a time window. */
function spokenMarket({ SANDBOX_SEED: seed }: Config, clock: VirtualClock): { readonly words: MarketWords; readonly flow: FlowKeeper } {
  const market = createSeededMarket({ seed });
  const underlying = (key: InstrumentKey): string | undefined => CATALOG.byKey(key)?.underlying;
  const words = createMarketWords({ market, seed, sources: SOURCES, catalog: CATALOG, now: clock.now });
  return { words, flow: createToldFlow({ words, market, underlying }) };
}

/** Waits for a subscriber. @throws Error if there is none within seconds */
async function waitUntilObserved(told: { readonly observed: boolean }): Promise<void> {
  for (let looks = 0; !told.observed; looks++) {
    if (looks > 5_000) throw new Error('stored news could not be read');
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** Creates the worker of a fast-forward: tickers, timers and activities over the service's store, run on request. */
function workerParts(
  { service, store: { sql }, past, clock, containment }: StretchDeps,
  runtime: Runtime,
  { words, pipeline }: { readonly words: MarketWords; readonly pipeline: MarketPipeline },
) {
  const { config, warn } = service;
  const store = shareCommits(createActorStore(sql));
  const { preTrade, disabledVenues } = preTradeOn(sql, clock, { words, pipeline });
  const bid = (key: InstrumentKey) => words.quote(key, clock.now())?.bid ?? null;
  const deps: WorkerDeps = {
    sql,
    store,
    runtime,
    clock,
    leaseIsHeld: createProposalStore(sql).leaseIsHeld,
    containment,
    onError: warn,
    trading: {
      preTrade,
      clients: {},
      flows: createMarketFlows(words),
      disabledVenues,
      approvalMs: config.PROPOSAL_APPROVAL_MINUTES * MINUTE_MS,
      bid,
    },
  };
  const activities = createActivityWorkers(deps);
  return {
    activities,
    margins: stretchMargins({ store: createMarginStore(sql), bid, clock, contained: containment('liquidating perpetuals') }),
    async bookFunding(at: EpochMs): Promise<void> {
      const history = past.histories({}).evmvenue;
      if (history?.fetchFunding === undefined) return;
      await bookFunding({
        store: createFundingStore(sql),
        history: { fetchCandles: history.fetchCandles, fetchFunding: history.fetchFunding },
        clock,
        contained: containment('booking funding'),
        // An hour is stored with everything before its end.
        recordedUntil: at,
      });
    },
    open(tickStore: TradingTickStore): StretchWorker {
      // Without deadlines they run only on request.
      const told = { now: clock.now, deadline: () => () => {} };
      const timers = startTimers({ store, runtime, clock: told, contained: containment('timers'), onError: warn('timers') });
      const contained = containment('activities');
      const carried = startActivities({ store, runtime, workers: activities, clock: told, contained, onError: warn('activities') });
      return {
        tickers: createTickers({ ...deps, tickStore, now: async () => clock.now(), alone: createTurns(), periodsMs: {} }),
        async carryDue() {
          await timers.fireDue();
          await carried.carryDue();
        },
        stop: () => Promise.all([timers.stop(), carried.stop()]),
      };
    },
  };
}

/** Creates the liquidations of a fast-forward. Books are read again after a possible change. */
function stretchMargins({ store, ...looked }: Parameters<typeof liquidateBooks>[0]): StretchMargins {
  let known: ReturnType<MarginStore['margined']> | null = null;
  const margined = (): ReturnType<MarginStore['margined']> => {
    known ??= store.margined();
    return known;
  };
  return {
    forget: () => void (known = null),
    end: (beforeWriting) =>
      liquidateBooks({
        ...looked,
        store: {
          margined,
          async end(book, fill) {
            await beforeWriting();
            return store.end(book, fill);
          },
        },
      }),
  };
}

/** Creates the pre-trade risk on the market's prices at the time of an order. */
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
  // A fast-forward sends no live orders, because a live venue's time cannot be moved.
  const disabledVenues = createDisabledVenues({
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
