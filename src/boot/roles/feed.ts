/** Feed role: receives the venues, cuts every slot and passes quotes on. One process at a time is active; others are on standby. */
import { createFeedNotices, type FeedEdge } from '../../../actors/agent/feed-notices.ts';
import { tellAgents } from '../../../actors/agent/feed-telling.ts';
import type { ClockWatch } from '../../../actors/runtime/clock-watch.ts';
import type { Containment } from '../../../actors/runtime/containment.ts';
import { createDuty, type DutyObstacle, type DutyWork } from '../../../actors/runtime/duty.ts';
import { runEvery } from '../../../actors/runtime/run-every.ts';
import type { Runtime } from '../../../actors/runtime/runtime.ts';
import { createMarketNeeds, type MarketNeeds } from '../../../actors/ticking/market-needs.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import { createFlowKeeper, type FlowKeeperOptions } from '../../../streams/flow-keeper.ts';
import { createMarketPipeline, type MarketPipeline } from '../../../streams/market-pipeline.ts';
import { publishMarketStates } from '../../../streams/market-states.ts';
import type { Feed } from '../../../streams/merge-feeds.ts';
import { createIntelligenceFeed } from '../../adapters/intelligence/intelligence-feed.ts';
import type { Logger } from '../../adapters/log/log.ts';
import { messageCounts, type ServiceMetrics } from '../../adapters/log/metrics.ts';
import type { MarketStateBus } from '../../adapters/queue/market-state-bus.ts';
import type { QuoteBus } from '../../adapters/queue/quote-bus.ts';
import { createAnnouncementTail } from '../../adapters/store/actors/announcement-tail.ts';
import { keepCuts } from '../../adapters/store/agents/cut-store.ts';
import { createDispatchStore } from '../../adapters/store/agents/dispatch-store.ts';
import { activeManifests, liveInstruments, tradersSubscribedTo } from '../../adapters/store/agents/manifest-reads.ts';
import { createCandleStore, keepBars } from '../../adapters/store/candles/candle-store.ts';
import { keepSpreads } from '../../adapters/store/catalog/market-history-store.ts';
import { keepPools } from '../../adapters/store/catalog/pool-liquidity-store.ts';
import { keepMultipliers, lastMultipliers } from '../../adapters/store/catalog/token-multipliers.ts';
import type { Sql } from '../../adapters/store/database.ts';
import { createShadowStore } from '../../adapters/store/gates/shadow-store.ts';
import { keepReceptions } from '../../adapters/store/intelligence/event-reception-store.ts';
import { createIntelligenceStore } from '../../adapters/store/intelligence/intelligence-store.ts';
import { createWorkRecorder } from '../../adapters/store/long-work-store.ts';
import { createPredictionStore, keepPredictions } from '../../adapters/store/predictions/prediction-store.ts';
import { TIDY_MS } from '../../adapters/store/store-upkeep.ts';
import { heldInstruments } from '../../adapters/store/vaults/vault-store.ts';
import { createWriteLine } from '../../adapters/store/write-line.ts';
import { keepHourlyBars } from '../../adapters/venues/keep-hourly-bars.ts';
import { hourlySeries } from '../../domain/basis/basis-legs.ts';
import { CATALOG, listCatalogUnderlyings } from '../../domain/catalog/catalog.ts';
import type { BudgetState } from '../../domain/market/market-state.ts';
import type { Venue } from '../../domain/market/venue.ts';
import { isAhead, TAKE_TICK_MS } from '../../domain/values/time.ts';
import { measureDue } from '../../trading/shadow-measuring.ts';
import type { Venues } from '../outside/index.ts';

const DUTY = 'feed';
const LEASE_MS = 6_000;
const RENEW_MS = 2_000;
/** Interval of reading the agents' needs. They are also read at once after an agent was created or changed. */
const NEEDS_MS = 15_000;
/** Interval of checking for shadow orders. Their flow is kept for minutes. */
const SHADOW_MS = 5_000;
/** Step types after which other instruments or indicators may be needed. */
const CHANGES_NEEDS: ReadonlySet<string> = new Set(['started', 'manifest.changed', 'gate.passed', 'arm']);

interface FeedDeps {
  readonly sql: Sql;
  readonly venues: () => Venues;
  /** Returns the venues' history for background work, which leaves the last part of each budget unused. */
  readonly pastOf: () => Venues['histories'];
  readonly bus: QuoteBus;
  readonly states: MarketStateBus;
  /** Returns this process's remaining requests at each provider. */
  readonly budgets: () => readonly BudgetState[];
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly random: () => number;
  readonly holder: string;
  readonly log: Logger;
  /** Isolates a failing row from the other rows of a background loop. */
  readonly containment: Containment;
  readonly metrics: ServiceMetrics;
  /** Comparison of this machine's clock with PostgreSQL's. A feed with a deviating clock does not become active. */
  readonly clockWatch: Pick<ClockWatch, 'check' | 'state'>;
  /** Receives the pipeline of unassessed messages, for recording a tape. Returns a function that stops it. */
  readonly onPipeline?: (pipeline: MarketPipeline) => () => Promise<void>;
}

export function startFeed(deps: FeedDeps): { stop(): Promise<void> } {
  const { sql, clock, log } = deps;
  const complain = (error: unknown): void => log.warn({ err: error }, 'the feed');
  const leases = createDispatchStore(sql);
  const needs = createMarketNeeds({
    manifests: () => activeManifests(sql),
    held: () => heldInstruments(sql),
    contained: deps.containment('what the feed observes'),
  });
  const notify = createFeedNotices({ subscribers: tradersSubscribedTo(sql), runtime: deps.runtime, clock });
  /** True if a cut was refused because its slot is in the future, or the clock was set back: the pipeline must restart. */
  let ahead = false;
  const duty = createDuty({
    hold: () => leases.hold(DUTY, deps.holder, LEASE_MS),
    release: () => leases.release(DUTY, deps.holder),
    async obstacle(): Promise<DutyObstacle | null> {
      ahead ||= duty.work?.isAhead() ?? false;
      const { ok, detail } = ahead ? await deps.clockWatch.check() : deps.clockWatch.state();
      if (ok && !ahead) return null;
      ahead = false;
      // A process with a correct clock takes over as soon as the lease is free.
      return { why: ok ? 'the feed restarts: its clock had run ahead' : `the feed stands down: ${detail}`, gives: !ok };
    },
    begin: () => beginFeed(deps, { needs, notify, onAhead: () => void (ahead = true) }),
    onLost: (why) => log.warn(why),
    taken: 'another process took over the feed',
  });

  async function refreshNeeds(): Promise<void> {
    if (duty.work === null) return;
    await needs.refresh();
    await duty.work?.refreshNeeds();
  }

  const tail = createAnnouncementTail({ sql, clock, random: deps.random, onError: complain });
  const changed = tail.subscribe((rows) => {
    const isChange = rows.some(
      ({ channel, body }) => channel === 'inspect' && CHANGES_NEEDS.has((body['event'] as { type?: string } | undefined)?.type ?? ''),
    );
    if (isChange) refreshNeeds().catch(complain);
  });
  const first = tail.start().then(duty.look).catch(complain);
  const looks = [
    runEvery(clock, 'the duty of the feed', RENEW_MS, duty.look, complain),
    runEvery(clock, 'what the feed observes', NEEDS_MS, refreshNeeds, complain),
  ];
  return {
    async stop() {
      await first;
      changed();
      await tail.stop();
      for (const look of looks) await look.stop();
      await duty.stop();
      await leases.release(DUTY, deps.holder).catch(complain);
    },
  };
}

/**
 * Creates the write queues. Data that ticks, breakers and orders wait for must not queue behind data that is only stored, so cuts, feed
 * losses of agents, pool depth and everything else have a queue each.
 */
const createLines = ({ log, clock }: Pick<FeedDeps, 'log' | 'clock'>) => ({
  cuts: createWriteLine(log),
  words: createWriteLine(log),
  pools: createWriteLine(log),
  // No source sends this data twice, so it waits for a database that is away.
  kept: createWriteLine(log, clock),
});

interface FeedParts {
  readonly needs: MarketNeeds;
  readonly notify: (edge: FeedEdge) => Promise<void>;
  readonly onAhead: () => void;
}

/** Plans the polling of venues: instruments with live capital first, and those that no agent or book uses less often. */
async function planAsking(sql: Sql, feeds: readonly Feed[], { looked }: Pick<MarketNeeds, 'looked'>): Promise<void> {
  const live = await liveInstruments(sql);
  for (const { venue, schedule } of feeds) {
    const prefix = `${venue}:`;
    const own = (keys: Iterable<string>): ReadonlySet<string> =>
      new Set([...keys].flatMap((key) => (key.startsWith(prefix) ? key.slice(prefix.length) : [])));
    schedule?.askFirst(own(live));
    schedule?.attend(own(looked));
  }
}

function keepHours({ sql, clock, pastOf }: FeedDeps, onFailure: (error: unknown) => void): () => void {
  return keepHourlyBars({
    histories: pastOf(),
    series: () => hourlySeries(CATALOG.entries),
    store: createCandleStore(sql),
    recorder: createWorkRecorder(sql, clock, 'feed'),
    clock,
    onFailure,
  });
}

interface FeedWork extends DutyWork {
  refreshNeeds(): Promise<void>;
  /** True if the clock was set back below the time of what was received. */
  isAhead(): boolean;
}

/** Connects to the venues and follows them until stopped. */
async function beginFeed(deps: FeedDeps, parts: FeedParts): Promise<FeedWork> {
  const { sql, clock, log } = deps;
  const { needs } = parts;
  await needs.refresh();
  const lines = createLines(deps);
  const { write } = lines.kept;
  const { feeds: venueFeeds, histories, extras, trades, intelligence, predictions } = deps.venues();
  const failed = (what: string) => (error: unknown) => log.error({ err: error }, what);
  const news = createIntelligenceStore(sql);
  const feeds = [...venueFeeds, createIntelligenceFeed({ intelligence, store: news, clock, write, onFailure: failed('the intelligence') })];
  const venues = [...new Set<Venue>(feeds.map((feed) => feed.venue))];
  const pipeline = createMarketPipeline({
    clock,
    random: deps.random,
    feeds,
    histories,
    instruments: () => needs.instruments,
    needs: () => needs.indicators,
    // Half minutes contain every slot of agents and of Takes.
    periodMs: TAKE_TICK_MS,
    onCut: keepCuts({ sql, clock, write: lines.cuts.write, onKept: deps.metrics.cut, onAhead: parts.onAhead }),
    onFailure: failed('the streams'),
  });
  await planAsking(sql, feeds, needs);
  const multipliers = await lastMultipliers(sql);
  for (const feed of feeds) feed.recallMultipliers?.(multipliers);
  const unrecord = deps.onPipeline?.(pipeline);
  const subscriptions = [
    keepBars({ sql, received: pipeline.received, write, onFailure: failed('the streams ended') }),
    passOn(deps, pipeline),
    tellAgents({ pipeline, venues, notify: parts.notify, write: lines.words.write, clock, random: deps.random, log }),
  ];
  const forgetting = forgetNews(deps, news, failed('forgetting old intelligence'));
  const shadows = followShadows(deps, { pipeline, trades, books: extras.books, onFailure: failed('measuring shadow orders') });
  const keeping = [
    publishMarketStates({ ...deps, pipeline, extras, venues, bus: deps.states, onFailure: failed('the market states') }),
    keepPredictions({ feeds: predictions, store: createPredictionStore(sql), write, onFailure: failed('the prediction markets') }),
    keepPools({ sql, assessed: pipeline.assessed, write: lines.pools.write, onFailure: failed('the liquidity of pools') }),
    keepMultipliers({ sql, received: pipeline.received, write, onFailure: failed('the multipliers of tokens') }),
    keepSpreads({ sql, assessed: pipeline.assessed, write: lines.pools.write, onFailure: failed('the spreads of quotes') }),
    keepReceptions({
      sql,
      received: pipeline.received,
      underlyings: listCatalogUnderlyings().toSorted(),
      silenceMs: pipeline.view.freshness.limits.eventsMaxSilenceMs,
      write,
      onFailure: failed('the reception of events'),
    }),
    keepHours(deps, failed('the hourly bars')),
  ];
  deps.metrics.countMessages(() => messageCounts(pipeline.counters.snapshot()));
  pipeline.start();
  log.info({ feeds: feeds.length }, 'this process is the active feed');
  return {
    isAhead: () => isAhead(pipeline.cutter.pendingSlot - TAKE_TICK_MS, clock.now()),
    async refreshNeeds() {
      pipeline.refreshNeeds();
      await planAsking(sql, feeds, needs);
    },
    async end() {
      for (const end of keeping) end();
      deps.metrics.countMessages(null);
      pipeline.stop();
      for (const end of subscriptions) end();
      await Promise.all([unrecord?.(), shadows.stop(), forgetting.stop()]);
      await Promise.all(Object.values(lines).map((line) => line.end()));
    },
  };
}

/** Removes expired news when the duty begins and every hour. */
function forgetNews(
  { clock }: FeedDeps,
  { prune }: Pick<ReturnType<typeof createIntelligenceStore>, 'prune'>,
  onFailure: (error: unknown) => void,
): { stop(): Promise<void> } {
  const forget = (): Promise<number> => prune(clock.now());
  const first = forget().catch(onFailure);
  const later = runEvery(clock, 'forgetting old intelligence', TIDY_MS, forget, onFailure);
  return {
    async stop() {
      await Promise.all([first, later.stop()]);
    },
  };
}

/** Keeps the flow for measuring shadow orders, and measures those that are due. */
function followShadows(
  { sql, clock, containment }: FeedDeps,
  { pipeline, ...received }: Pick<FlowKeeperOptions, 'trades' | 'books' | 'onFailure'> & { readonly pipeline: MarketPipeline },
): { stop(): Promise<void> } {
  const keeper = createFlowKeeper({ ...received, assessed: pipeline.assessed, clock });
  const store = createShadowStore(sql);
  const contained = containment('measuring shadow orders');
  const look = (): Promise<void> => measureDue({ store, keeper, follow: keeper.follow, now: clock.now(), contained });
  const measuring = runEvery(clock, 'measuring shadow orders', SHADOW_MS, look, received.onFailure);
  return {
    async stop() {
      await measuring.stop();
      keeper.stop();
    },
  };
}

/** Publishes prices to the bus. Returns a function that stops it. */
function passOn({ bus, log }: FeedDeps, pipeline: MarketPipeline): () => void {
  const prices = pipeline.prices.subscribe({
    next: (price) => bus.publish(price),
    error: (error: unknown) => log.error({ err: error }, 'the streams ended'),
  });
  return () => prices.unsubscribe();
}
