/** The whole of hearing, put together: feeds to one order, quality, connectivity, the cut, the view, what changed. */
import type { Observable } from 'rxjs';
import type { Cut, IndicatorNeed } from '../src/domain/cut.ts';
import type { FeedMessage } from '../src/domain/market-event.ts';
import type { Venue } from '../src/domain/venue.ts';
import { type CandleHistory, createCandleKeeper } from './candle-keeper.ts';
import type { Clock } from './clock.ts';
import { type Connectivity, createConnectivity } from './connectivity.ts';
import { createFeedCounters, type FeedCounters } from './feed-counters.ts';
import { createFreshness, type FreshnessOptions } from './freshness.ts';
import { createIndicatorBoard, type IndicatorBoard } from './indicator-board.ts';
import { createMarketView, type MarketView } from './market-view.ts';
import { type Feed, mergeFeeds } from './merge-feeds.ts';
import { stale } from './operators/stale.ts';
import { createOrderedBus } from './ordered-bus.ts';
import { createQualityRule, VenueOffsets } from './quality-chain.ts';
import { type ConsumerFailure, safeConsume } from './safe-consume.ts';
import { type Cutter, createCutter, type InstrumentRelations, seriesNeed } from './slot-cut.ts';

export interface MarketPipelineOptions extends FreshnessOptions {
  readonly clock: Clock;
  /** For jitter, 0 <= n < 1. */
  readonly random: () => number;
  readonly feeds: readonly Feed[];
  /** Venues that are expected to be heard; by default those of the feeds. */
  readonly venues?: readonly Venue[];
  readonly instruments: () => readonly InstrumentRelations[];
  readonly needs: () => readonly IndicatorNeed[];
  /** Where bars are fetched; none in a replay, whose tape holds them. */
  readonly histories?: Readonly<Partial<Record<Venue, CandleHistory>>>;
  readonly onCut: (cut: Cut) => void;
  /** Hears of everything that threw. */
  readonly onFailure: (error: unknown) => void;
  readonly periodMs?: number;
}

export interface MarketPipeline {
  /** What was heard, in the one order, before any judgement: what a tape records. */
  readonly heard: Observable<FeedMessage>;
  /** Judged messages with the marks of time added as they fall due: what people are shown. Conflate it. */
  readonly judged: Observable<FeedMessage>;
  readonly view: MarketView;
  readonly board: IndicatorBoard;
  readonly connectivity: Connectivity;
  readonly cutter: Cutter;
  readonly counters: FeedCounters;
  readonly offsets: VenueOffsets;
  /** Puts a message in line: a tape's event in a replay. */
  push(message: FeedMessage): void;
  /** Reads the needs now, after an agent was created. */
  refreshNeeds(): void;
  start(): void;
  stop(): void;
}

/**
 * Puts the rooms of hearing together. The same in a live process and in a replay: only the clock differs, and whether
 * events come from feeds or are pushed.
 */
export function createMarketPipeline(options: MarketPipelineOptions): MarketPipeline {
  const { clock, random, onFailure } = options;
  const counters = createFeedCounters(options.feeds);
  const offsets = new VenueOffsets();
  const freshness = createFreshness(options);
  const view = createMarketView({ freshness, counters });
  const board = createIndicatorBoard({ counters });
  const connectivity = createConnectivity({ clock, venues: options.venues ?? options.feeds.map((feed) => feed.venue), freshness });
  const cutter = createCutter({
    clock,
    view,
    board,
    instruments: options.instruments,
    needs: options.needs,
    onCut: options.onCut,
    onFailure,
    ...(options.periodMs === undefined ? {} : { periodMs: options.periodMs }),
  });
  const merged = mergeFeeds(options.feeds, { clock, random, counters });
  const judge = createQualityRule({ freshness, counters, offsets });
  const judged = createOrderedBus<FeedMessage>();
  const keeper = createCandleKeeper({
    clock,
    random,
    histories: options.histories ?? {},
    needs: () => {
      const byKey = new Map(options.instruments().map((one) => [one.key, one]));
      return options.needs().map((need) => seriesNeed(need, byKey.get(need.instrument)));
    },
    emit: (message) => merged.push(message),
  });
  const consumer = safeConsume(
    merged.stream,
    (message) => {
      connectivity.take(message);
      const kept = judge(message);
      if (kept === null) return;
      if (cutter.take(kept) || kept.kind === 'heartbeat') judged.next(kept);
    },
    (failure: ConsumerFailure) => onFailure(failure.error),
  );

  return {
    heard: merged.stream,
    judged: judged.stream.pipe(stale({ clock, freshness })),
    view,
    board,
    connectivity,
    cutter,
    counters,
    offsets,
    push: (message) => merged.push(message),
    refreshNeeds: () => keeper.refresh(),
    start() {
      connectivity.start();
      cutter.start();
      merged.start();
      keeper.start();
    },
    stop() {
      keeper.stop();
      merged.stop();
      cutter.stop();
      connectivity.stop();
      consumer.subscription.unsubscribe();
      judged.complete();
    },
  };
}
