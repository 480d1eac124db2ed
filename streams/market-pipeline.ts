/** Live path of a quote: merged feeds, quality rules one by one, cut and view, and display. */
import { defer, filter, type MonoTypeOperatorFunction, type Observable } from 'rxjs';
import type { Cut, IndicatorNeed } from '../src/domain/market/cut.ts';
import type { FeedMessage } from '../src/domain/market/market-event.ts';
import type { Quote, ReferencePrice } from '../src/domain/market/quote.ts';
import type { Venue } from '../src/domain/market/venue.ts';
import { type CandleHistory, type CandleKeeper, createCandleKeeper } from './candle-keeper.ts';
import type { Clock } from './clock/clock.ts';
import { type Connectivity, createConnectivity } from './quality/connectivity.ts';
import { createFeedCounters, type FeedCounters } from './feed-counters.ts';
import { createFreshness, type FreshnessOptions } from './quality/freshness.ts';
import { createIndicatorBoard, type IndicatorBoard } from './indicator-board.ts';
import { type InstrumentEdge, instrumentEdges } from './quality/instrument-health.ts';
import { createMarketView, type MarketView } from './market-view.ts';
import { type Feed, mergeFeeds } from './merge-feeds.ts';
import { carriedForward } from './operators/carried-forward.ts';
import { type ClockSkewOptions, clockSkew, VenueOffsets } from './operators/clock-skew.ts';
import { crossed } from './operators/crossed.ts';
import { degraded } from './operators/degraded.ts';
import { gap } from './operators/gap.ts';
import { outOfOrder } from './operators/out-of-order.ts';
import { priceJump } from './operators/price-jump.ts';
import { createRuleMemories, keptBy } from './operators/rule.ts';
import { stale } from './operators/stale.ts';
import { createOrderedBus } from './ordered-bus.ts';
import { type Cutter, createCutter, type InstrumentRelations, seriesNeed } from './slot-cut.ts';

interface MarketPipelineOptions extends FreshnessOptions {
  readonly clock: Clock;
  /** Random source for jitter, 0 <= n < 1. */
  readonly random: () => number;
  readonly feeds: readonly Feed[];
  /** Expected venues. Default: those of the feeds. */
  readonly venues?: readonly Venue[];
  readonly instruments: () => readonly InstrumentRelations[];
  readonly needs: () => readonly IndicatorNeed[];
  /** Sources of bars. None in a replay, whose tape contains them. */
  readonly histories?: Readonly<Partial<Record<Venue, CandleHistory>>>;
  readonly onCut: (cut: Cut) => void;
  /** Receives every error that a rule or a subscriber threw. */
  readonly onFailure: (error: unknown) => void;
  readonly periodMs?: number;
}

export interface MarketPipeline {
  /** Received messages in order, before any quality rule, as a tape records them. */
  readonly received: Observable<FeedMessage>;
  /** Messages after the quality rules, with time flags added when due. */
  readonly assessed: Observable<FeedMessage>;
  /** Instruments whose own book became gapped, crossed or silent, or recovered. */
  readonly instrumentEdges: Observable<InstrumentEdge>;
  /** Quotes and reference prices from `assessed`. */
  readonly prices: Observable<Quote | ReferencePrice>;
  readonly view: MarketView;
  readonly board: IndicatorBoard;
  readonly connectivity: Connectivity;
  readonly cutter: Cutter;
  readonly counters: FeedCounters;
  readonly offsets: VenueOffsets;
  /** Adds a message: a tape's event in a replay. */
  push(message: FeedMessage): void;
  /** Reads the needs now, after an agent was created. */
  refreshNeeds(): void;
  start(): void;
  stop(): void;
}

/** Returns the quality rules, one operator each, in order. They share memories, so that a message is looked up once. */
export function composedQuality(options: ClockSkewOptions = {}): MonoTypeOperatorFunction<FeedMessage> {
  return (source) =>
    defer(() => {
      const rules = { ...options, memories: createRuleMemories(options) };
      return source.pipe(
        clockSkew(rules),
        outOfOrder(rules),
        gap(rules),
        crossed(rules),
        degraded(rules),
        carriedForward(rules),
        priceJump(rules),
      );
    });
}

/** Creates the live path. It is the same for a live process and a replay of its tape, except for the clock and the source of events. */
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
    needs: () => fetchedNeeds(options, keeper),
    onCut: options.onCut,
    onFailure,
    ...(options.periodMs === undefined ? {} : { periodMs: options.periodMs }),
  });
  const merged = mergeFeeds(options.feeds, { clock, random, counters });
  const keeper = createCandleKeeper({
    clock,
    random,
    histories: options.histories ?? {},
    needs: () => options.needs().map(toSeries(options)),
    emit: (message) => merged.push(message),
  });

  /** Assessed messages in one order for every subscriber, even if one of them pushes another message. */
  const assessed = createOrderedBus<FeedMessage>();
  const live = merged.stream
    .pipe(watchedBy(connectivity, onFailure), composedQuality({ freshness, counters, offsets, onFailure }), takenBy(cutter, onFailure))
    .subscribe({ next: assessed.next, error: onFailure });

  const fresh = assessed.stream.pipe(stale({ clock, freshness }));

  return {
    received: merged.stream,
    assessed: fresh,
    instrumentEdges: fresh.pipe(instrumentEdges({ freshness, clock, askedEveryMs: pollingIntervals(options.feeds) })),
    prices: fresh.pipe(filter(isPrice)),
    view,
    board,
    connectivity,
    cutter,
    counters,
    offsets,
    push: merged.push,
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
      live.unsubscribe();
      assessed.complete();
    },
  };
}

/** Returns how often a polled venue requests an instrument in milliseconds, or null if it is not polled. */
function pollingIntervals(feeds: readonly Feed[]): (venue: Venue, instrument: string) => number | null {
  return (venue, instrument) =>
    feeds.find((feed) => feed.venue === venue && feed.schedule !== undefined)?.schedule?.everyMs(instrument) ?? null;
}

type Needs = Pick<MarketPipelineOptions, 'instruments' | 'needs'>;

function toSeries({ instruments }: Needs): (need: IndicatorNeed) => IndicatorNeed {
  const byKey = new Map(instruments().map((one) => [one.key, one]));
  return (need) => seriesNeed(need, byKey.get(need.instrument));
}

/** Returns the needs whose whole window is fetched. A partial value would depend on who else needs the series. */
function fetchedNeeds(options: Needs, keeper: CandleKeeper): IndicatorNeed[] {
  const seriesOf = toSeries(options);
  return options.needs().filter((need) => keeper.holdsWindow(seriesOf(need)));
}

function isPrice(message: FeedMessage): message is Quote | ReferencePrice {
  return message.kind === 'quote' || message.kind === 'reference';
}

/** Passes each message to connectivity before a rule can drop it. */
function watchedBy(connectivity: Connectivity, onFailure: (error: unknown) => void): MonoTypeOperatorFunction<FeedMessage> {
  return keptBy(
    () => (message) => {
      connectivity.take(message);
      return message;
    },
    onFailure,
  );
}

/** Passes each message to the cutter, which closes slots and updates the view. Emits what changed the view, and heartbeats. */
function takenBy(cutter: Cutter, onFailure: (error: unknown) => void): MonoTypeOperatorFunction<FeedMessage> {
  return keptBy(() => (message) => (cutter.take(message) || message.kind === 'heartbeat' ? message : null), onFailure);
}
