/** The feed: hears the venues, cuts every slot, passes quotes on. One process at a time is on duty; others stand by. */

import type { AgentEvent } from '../../../actors/agent/protocol.ts';
import { runEvery } from '../../../actors/runtime/run-every.ts';
import type { Runtime } from '../../../actors/runtime/runtime.ts';
import type { Clock } from '../../../streams/clock.ts';
import { type ConnectivityEdge, degradationLeftMs } from '../../../streams/connectivity.ts';
import { FUNDING_HISTORY } from '../../../streams/indicator-board.ts';
import { createMarketPipeline, type MarketPipeline } from '../../../streams/market-pipeline.ts';
import { publishMarketStates } from '../../../streams/market-states.ts';
import { createIntelligenceFeed } from '../../adapters/intelligence/intelligence-feed.ts';
import type { ServiceMetrics } from '../../adapters/metrics.ts';
import type { MarketStateBus } from '../../adapters/queue/market-state-bus.ts';
import type { QuoteBus } from '../../adapters/queue/quote-bus.ts';
import { createAnnouncementTail } from '../../adapters/store/actors/announcement-tail.ts';
import { activeManifests, agentsHearing } from '../../adapters/store/agents/manifest-reads.ts';
import { createDispatchStore, SlotNotReached, writeCut } from '../../adapters/store/agents/tick-store.ts';
import { createCandleStore } from '../../adapters/store/candles/candle-store.ts';
import { keepPools } from '../../adapters/store/catalog/keep-pools.ts';
import type { Sql } from '../../adapters/store/database.ts';
import { createIntelligenceStore } from '../../adapters/store/intelligence/intelligence-store.ts';
import { keepPredictions } from '../../adapters/store/predictions/keep-predictions.ts';
import { createPredictionStore } from '../../adapters/store/predictions/prediction-store.ts';
import { heldInstruments } from '../../adapters/store/vaults/vault-store.ts';
import { createWriteLine } from '../../adapters/store/write-line.ts';
import { CATALOG, type CatalogEntry } from '../../domain/catalog.ts';
import type { Cut, IndicatorNeed } from '../../domain/cut.ts';
import { compileManifest } from '../../domain/decide.ts';
import type { FeedMessage } from '../../domain/market-event.ts';
import type { BudgetState } from '../../domain/market-state.ts';
import { isPooled } from '../../domain/portfolio/pool-exit.ts';
import { type EpochMs, TAKE_TICK_MS } from '../../domain/time.ts';
import type { InstrumentKey, Venue } from '../../domain/venue.ts';
import type { ClockWatch } from '../clock-watch.ts';
import type { Logger } from '../log.ts';
import type { Venues } from '../outside/index.ts';

const DUTY = 'feed';
const LEASE_MS = 6_000;
const RENEW_MS = 2_000;
/** What agents need is read again so often, and at once where an agent was created or changed. */
const NEEDS_MS = 15_000;
/** Old intelligence is removed this often. */
const PRUNE_MS = 3_600_000;
/** After a start the venues have so long to be heard before an agent is told that they are not. */
const SETTLE_MS = 2_000;
const EDGE_BATCH = 500;
/** Steps after which other instruments or indicators may have to be observed. */
const CHANGES_NEEDS: ReadonlySet<string> = new Set(['started', 'manifest.changed']);

export function startFeed(deps: {
  readonly sql: Sql;
  readonly venues: () => Venues;
  readonly bus: QuoteBus;
  readonly states: MarketStateBus;
  /** What this process may still ask of each provider. */
  readonly budgets: () => readonly BudgetState[];
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly random: () => number;
  readonly holder: string;
  readonly log: Logger;
  readonly metrics: ServiceMetrics;
  /** Whether this machine's clock agrees with PostgreSQL's; a feed whose clock does not agree is not on duty. */
  readonly clockWatch: Pick<ClockWatch, 'check' | 'state'>;
  /** Hears everything that was heard, before any judgement: what a tape records. */
  readonly onPipeline?: (pipeline: MarketPipeline) => () => Promise<void>;
}): { stop(): Promise<void> } {
  const { sql, clock, log, metrics, bus } = deps;
  const leases = createDispatchStore(sql);
  const candles = createCandleStore(sql);
  const intelligenceStore = createIntelligenceStore(sql);
  let beginning = false;
  /** A cut was refused because its slot is not reached: the pipeline's own time ran ahead, so it has to begin anew. */
  let ahead = false;
  let duty: { readonly pipeline: MarketPipeline; end(): Promise<void> } | null = null;
  let needs: readonly IndicatorNeed[] = [];
  /**
   * What the agents look at, what books hold, and every token that trades in pools: people swap tokens that no agent
   * looks at, and their risk asks how deep the pool is.
   */
  let instruments: readonly CatalogEntry[] = [];
  const needsByHash = new Map<string, readonly IndicatorNeed[]>();

  /**
   * What a tick, the breakers and orders wait for stands in no queue behind what is only kept: cuts, the word to agents
   * that a feed is lost, how deep pools are, and everything else go each in a line of their own.
   */
  const [cuts, words, pools, kept] = [createWriteLine(log), createWriteLine(log), createWriteLine(log), createWriteLine(log)];

  async function refreshNeeds(): Promise<void> {
    const [manifests, held] = await Promise.all([activeManifests(sql), heldInstruments(sql)]);
    const union = new Map<string, IndicatorNeed>();
    const looked = new Set<string>(held);
    for (const { hash, manifest } of manifests) {
      let known = needsByHash.get(hash);
      if (!known) {
        known = compileManifest(manifest).needs;
        needsByHash.set(hash, known);
      }
      for (const { key } of manifest.universe) looked.add(key);
      for (const need of known) union.set(`${need.instrument} ${need.name} ${need.period} ${need.timeframe}`, need);
    }
    for (const hash of needsByHash.keys()) if (!manifests.some((active) => active.hash === hash)) needsByHash.delete(hash);
    needs = [...union.values()];
    instruments = CATALOG.entries.filter(({ key }) => looked.has(key) || isPooled(key));
    duty?.pipeline.refreshNeeds();
  }

  /** Tells those who look at a venue or at one instrument, with what is left of the seconds that degraded data is survived for. */
  async function tell(edge: {
    readonly type: ConnectivityEdge['type'];
    readonly subject: Venue | InstrumentKey;
    readonly at: EpochMs;
    readonly goodAt: EpochMs | null;
  }): Promise<void> {
    const { type, subject } = edge;
    const ids = await agentsHearing(sql, subject);
    for (let from = 0; from < ids.length; from += EDGE_BATCH) {
      const event: AgentEvent =
        type === 'feed.degraded'
          ? { type, venue: subject, leftMs: degradationLeftMs(edge, clock.now()) }
          : { type: 'feed.restored', venue: subject };
      await deps.runtime.deliverMany(ids.slice(from, from + EDGE_BATCH), event, { cause: 'feed' });
    }
  }

  function keep(message: FeedMessage): void {
    if (message.kind === 'candles' && !message.source.endsWith(FUNDING_HISTORY)) kept.write('keeping bars', () => candles.save(message));
  }

  async function begin(): Promise<void> {
    await refreshNeeds();
    const { feeds: venueFeeds, histories, extras, intelligence, predictions } = deps.venues();
    const feeds = [
      ...venueFeeds,
      createIntelligenceFeed({
        intelligence,
        store: intelligenceStore,
        clock,
        write: kept.write,
        onFailure: (error) => log.error({ err: error }, 'the intelligence'),
      }),
    ];
    const startedAt = clock.now();
    const pipeline = createMarketPipeline({
      clock,
      random: deps.random,
      feeds,
      histories,
      instruments: () => instruments,
      needs: () => needs,
      // Half minutes hold every slot of agents and of Takes.
      periodMs: TAKE_TICK_MS,
      onCut: (cut: Cut) => {
        cuts.write('writing a cut', async () => {
          try {
            await writeCut(sql, cut, 'streams');
          } catch (error) {
            if (error instanceof SlotNotReached) ahead = true;
            throw error;
          }
          metrics.cut({ instruments: cut.observations.size, behindMs: clock.now() - cut.slot });
        });
      },
      onFailure: (error) => log.error({ err: error }, 'the streams'),
    });
    const unrecord = deps.onPipeline?.(pipeline);
    const heard = pipeline.heard.subscribe({ next: keep, error: (error: unknown) => log.error({ err: error }, 'the streams ended') });
    const shown = pipeline.shown.subscribe({
      next: (prices) => {
        for (const price of prices) bus.publish(price);
      },
      error: (error: unknown) => log.error({ err: error }, 'the streams ended'),
    });
    let settled = false;
    const settle = clock.deadline(startedAt + SETTLE_MS, () => {
      settled = true;
      for (const venue of new Set<Venue>(feeds.map((feed) => feed.venue))) {
        const state = pipeline.connectivity.state(venue);
        words.write('telling agents of a feed', () =>
          tell({
            type: state.degradedSince === null ? 'feed.restored' : 'feed.degraded',
            subject: venue,
            at: clock.now(),
            goodAt: state.goodAt,
          }),
        );
      }
    });
    const edges = pipeline.connectivity.edges.subscribe({
      next: (edge) => {
        log[edge.type === 'feed.degraded' && settled ? 'warn' : 'info']({ venue: edge.venue, hearing: edge.hearing }, edge.detail);
        if (settled) words.write('telling agents of a feed', () => tell({ ...edge, subject: edge.venue }));
      },
      error: (error: unknown) => log.error({ err: error }, 'connectivity ended'),
    });
    const instrumentEdges = pipeline.instrumentEdges.subscribe({
      next: (edge) => {
        if (edge.type === 'feed.degraded') log.warn({ instrument: edge.instrument }, edge.detail);
        words.write('telling agents of an instrument', () => tell({ ...edge, subject: edge.instrument }));
      },
      error: (error: unknown) => log.error({ err: error }, 'the edges of instruments ended'),
    });
    metrics.hearing(() =>
      Object.entries(pipeline.counters.snapshot()).flatMap(([venue, { received, rejected, counted, unknownFields }]) => [
        [venue, 'received', received] as const,
        ...Object.entries({ ...counted, ...rejected }).map(([reason, count]) => [venue, reason, count as number] as const),
        ...unknownFields.map(({ source, field, count }) => [venue, `unknown_field ${source} ${field}`, count] as const),
      ]),
    );
    const unpublish = publishMarketStates({
      pipeline,
      extras,
      venues: [...new Set<Venue>(feeds.map((feed) => feed.venue))],
      bus: deps.states,
      clock,
      budgets: deps.budgets,
      onFailure: (error) => log.error({ err: error }, 'the market states'),
    });
    const unkeep = keepPredictions({
      feeds: predictions,
      store: createPredictionStore(sql),
      write: kept.write,
      onFailure: (error) => log.error({ err: error }, 'the prediction markets'),
    });
    const unpool = keepPools({
      sql,
      judged: pipeline.judged,
      write: pools.write,
      onFailure: (error) => log.error({ err: error }, 'the liquidity of pools'),
    });
    pipeline.start();
    duty = {
      pipeline,
      async end() {
        settle();
        unpublish();
        unkeep();
        unpool();
        metrics.hearing(null);
        pipeline.stop();
        for (const subscription of [heard, shown, edges, instrumentEdges]) subscription.unsubscribe();
        await unrecord?.();
        await Promise.all([cuts.done(), words.done(), pools.done(), kept.done()]);
      },
    };
    log.info({ feeds: feeds.length }, 'the feed is on duty');
  }

  async function standDown(why: string): Promise<void> {
    if (!duty) return;
    log.warn(why);
    const ending = duty;
    duty = null;
    await ending.end();
  }

  async function renew(): Promise<void> {
    const { ok, detail } = ahead ? await deps.clockWatch.check() : deps.clockWatch.state();
    if (!ok || ahead) {
      // A process with a sound clock takes over as soon as the lease is free.
      await standDown(ok ? 'the feed begins anew: its time had run ahead' : `the feed stands down: ${detail}`);
      ahead = false;
      if (!ok) return leases.release(DUTY, deps.holder);
    }
    const held = await leases.hold(DUTY, deps.holder, LEASE_MS);
    if (held && !duty) {
      // Looks may overlap where the database is slow.
      if (beginning) return;
      beginning = true;
      await begin().finally(() => {
        beginning = false;
      });
    } else if (!held && duty) {
      await standDown('another process took over the feed');
    }
  }

  const complain = (error: unknown): void => log.warn({ err: error }, 'the feed');
  const tail = createAnnouncementTail({ sql, clock, random: deps.random, onError: complain });
  const changed = tail.subscribe((rows) => {
    if (
      duty &&
      rows.some(
        ({ channel, body }) => channel === 'inspect' && CHANGES_NEEDS.has((body['event'] as { type?: string } | undefined)?.type ?? ''),
      )
    )
      refreshNeeds().catch(complain);
  });
  const first = tail.start().then(renew).catch(complain);
  const looks = [
    runEvery(clock, RENEW_MS, renew, complain),
    runEvery(clock, NEEDS_MS, async () => (duty ? refreshNeeds() : undefined), complain),
    runEvery(clock, PRUNE_MS, async () => (duty ? intelligenceStore.prune(clock.now()) : undefined), complain),
  ];
  return {
    async stop() {
      await first;
      changed();
      await tail.stop();
      for (const look of looks) await look.stop();
      await duty?.end();
      duty = null;
      await leases.release(DUTY, deps.holder).catch(complain);
    },
  };
}
