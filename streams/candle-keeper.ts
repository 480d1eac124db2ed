/** Keeps the bars that indicators need: fetches history once, then each bar shortly after it closes. */
import type { Candle, CandleBatch } from '../src/domain/candles/candle.ts';
import type { IndicatorNeed } from '../src/domain/market/cut.ts';
import type { DecimalString } from '../src/domain/values/decimal.ts';
import { windowBars } from '../src/domain/indicators/windowed.ts';
import type { Rejection } from '../src/domain/market/quote.ts';
import { type EpochMs, HOUR_MS, MINUTE_MS, startOfSlot, timeframeMs } from '../src/domain/values/time.ts';
import { errorText } from '../src/domain/values/value-text.ts';
import { splitInstrumentKey, type Venue } from '../src/domain/market/venue.ts';
import { backoffMs } from './backoff.ts';
import type { Clock } from './clock/clock.ts';
import { FUNDING_HISTORY } from './indicator-board.ts';

/** History of a venue. */
export interface CandleHistory {
  /** Returns how many bars of a timeframe the venue serves. Absent without a limit. */
  readonly reachableBars?: (timeframe: string) => number;
  /** Returns what makes the bars of an instrument in this process, or null if its venue is queried. */
  readonly madeBy?: (instrument: string) => string | null;
  /** Returns closed bars with from <= openTime < to, ascending. */
  fetchCandles(instrument: string, timeframe: string, from: EpochMs, to: EpochMs): Promise<readonly Candle[]>;
  /** Returns hourly funding rates paid at from < at <= to, ascending. Absent for a venue without perpetuals. */
  fetchFunding?(instrument: string, from: EpochMs, to: EpochMs): Promise<readonly FundingRate[]>;
}

/** Rate of the hour that ended at `at`. */
export interface FundingRate {
  readonly at: EpochMs;
  readonly hourlyFunding: DecimalString;
}

interface CandleKeeperOptions {
  readonly clock: Clock;
  readonly histories: Readonly<Partial<Record<Venue, CandleHistory>>>;
  /** Returns the indicators of active manifests, with funding already assigned to the perpetual. Read every 10 s and on `refresh`. */
  readonly needs: () => readonly IndicatorNeed[];
  /** Receives fetched bars for the merged stream. */
  readonly emit: (message: CandleBatch | Rejection) => void;
  /** Random source for jitter, 0 <= n < 1. */
  readonly random: () => number;
  /** Milliseconds after a bar's close at which it is first requested. Default 2,000. */
  readonly settleMs?: number;
  /** Concurrent requests per venue. Default 2. */
  readonly perVenue?: number;
}

export interface CandleKeeper {
  start(): void;
  /** Reads the needs now, so that a new agent does not wait. */
  refresh(): void;
  /** True once the whole window of an indicator was fetched, or if this process fetches none of its series. */
  holdsWindow(need: IndicatorNeed): boolean;
  stop(): void;
}

const REFRESH_MS = 10_000;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = MINUTE_MS;
/** Maximum requests for an expected bar before the venue is assumed to have none. */
const MAX_ASKS = 4;

interface Kept {
  readonly key: string;
  readonly venue: Venue;
  readonly instrument: string;
  readonly timeframe: string;
  readonly barMs: number;
  readonly funding: boolean;
  /** Bars wanted before the first. */
  wanted: number;
  /** Number of bars wanted when the venue last answered, or 0. */
  answered: number;
  /** End of the fetched period, or null before the first answer. */
  doneTo: EpochMs | null;
  failures: number;
  asks: number;
  busy: boolean;
  cancel: () => void;
  dropped: boolean;
}

export function createCandleKeeper(options: CandleKeeperOptions): CandleKeeper {
  return new KeptCandles(options);
}

class KeptCandles implements CandleKeeper {
  readonly #options: CandleKeeperOptions;
  readonly #clock: CandleKeeperOptions['clock'];
  readonly #histories: CandleKeeperOptions['histories'];
  readonly #emit: CandleKeeperOptions['emit'];
  readonly #random: CandleKeeperOptions['random'];
  readonly #settleMs;
  readonly #perVenue;
  readonly #kept = new Map<string, Kept>();
  readonly #inFlight = new Map<Venue, number>();
  readonly #waiting = new Map<Venue, Kept[]>();
  #running = false;
  #cancelRefresh = (): void => {};

  constructor(options: CandleKeeperOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#histories = options.histories;
    this.#emit = options.emit;
    this.#random = options.random;
    this.#settleMs = options.settleMs ?? 2_000;
    this.#perVenue = options.perVenue ?? 2;
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.refresh();
    this.#refreshLater();
  }

  stop(): void {
    this.#running = false;
    this.#cancelRefresh();
    for (const one of this.#kept.values()) {
      one.dropped = true;
      one.cancel();
    }
    this.#kept.clear();
    this.#waiting.clear();
  }

  refresh(): void {
    if (!this.#running) return;
    const wanted = new Map<string, { need: IndicatorNeed; bars: number }>();
    for (const need of this.#options.needs()) {
      const key = seriesKey(need);
      const bars = windowBars(need);
      const known = wanted.get(key);
      if (known === undefined || known.bars < bars) wanted.set(key, { need, bars });
    }
    for (const [key, one] of this.#kept) {
      if (wanted.has(key)) continue;
      one.dropped = true;
      one.cancel();
      this.#kept.delete(key);
    }
    for (const [key, { need, bars }] of wanted) {
      const known = this.#kept.get(key);
      if (known === undefined) this.#keep(key, need, bars);
      else if (known.wanted < bars) {
        known.wanted = bars;
        known.doneTo = null;
        if (!known.busy) this.#ask(known, this.#clock.now());
      }
    }
  }

  holdsWindow(need: IndicatorNeed): boolean {
    const one = this.#kept.get(seriesKey(need));
    return one === undefined ? this.#historyOf(need) === null : one.answered >= windowBars(need);
  }

  #keep(key: string, need: IndicatorNeed, wanted: number): void {
    const { venue, instrument } = splitInstrumentKey(need.instrument);
    const funding = need.name === 'funding_percentile';
    const timeframe = funding ? '1h' : need.timeframe;
    const barMs = timeframeMs(timeframe);
    if (barMs === null || this.#historyOf(need) === null) return;
    const one: Kept = {
      key,
      venue,
      instrument,
      timeframe,
      barMs,
      funding,
      wanted,
      answered: 0,
      doneTo: null,
      failures: 0,
      asks: 0,
      busy: false,
      cancel: () => {},
      dropped: false,
    };
    this.#kept.set(key, one);
    this.#ask(one, this.#clock.now());
  }

  /** Returns the history for an indicator's bars, or null if its venue has none here. */
  #historyOf(need: IndicatorNeed): CandleHistory | null {
    const history = this.#histories[splitInstrumentKey(need.instrument).venue];
    if (history === undefined || (need.name === 'funding_percentile' && history.fetchFunding === undefined)) return null;
    return history;
  }

  #ask(one: Kept, at: EpochMs): void {
    one.cancel();
    one.cancel = this.#clock.deadline(at, () => {
      // A running fetch continues by itself after its answer.
      if (one.busy) return;
      const flying = this.#inFlight.get(one.venue) ?? 0;
      if (flying >= this.#perVenue) {
        const queue = this.#waiting.get(one.venue);
        if (queue === undefined) this.#waiting.set(one.venue, [one]);
        else if (!queue.includes(one)) queue.push(one);
        return;
      }
      void this.#fetchOne(one);
    });
  }

  async #fetchOne(one: Kept): Promise<void> {
    const to = startOfSlot(this.#clock.now(), one.barMs);
    const from = one.doneTo ?? to - one.wanted * one.barMs;
    if (from >= to) {
      this.#ask(one, to + one.barMs + this.#settleMs + this.#jitter());
      return;
    }
    one.busy = true;
    this.#inFlight.set(one.venue, (this.#inFlight.get(one.venue) ?? 0) + 1);
    const wanted = one.wanted;
    try {
      const bars = await this.#fetchBars(one, from, to);
      if (one.dropped || !this.#running) return;
      this.#answered(one, bars, from, to, wanted);
    } catch (error) {
      if (one.dropped || !this.#running) return;
      this.#failed(one, error);
    } finally {
      one.busy = false;
      this.#inFlight.set(one.venue, (this.#inFlight.get(one.venue) ?? 1) - 1);
      // A waiter that gave up must not take another one's turn.
      const queue = this.#waiting.get(one.venue);
      let next = queue?.shift();
      while (next?.dropped) next = queue?.shift();
      if (next !== undefined && this.#running) this.#ask(next, this.#clock.now());
    }
  }

  async #fetchBars(one: Kept, from: EpochMs, to: EpochMs): Promise<readonly Candle[]> {
    const history = this.#histories[one.venue] as CandleHistory;
    if (!one.funding) return history.fetchCandles(one.instrument, one.timeframe, from, to);
    const rates = (await history.fetchFunding?.(one.instrument, from, to + HOUR_MS)) ?? [];
    // Paid some milliseconds after the hour of its rate.
    return rates.map(({ at, hourlyFunding }) => ({
      openTime: startOfSlot(at, HOUR_MS) - HOUR_MS,
      open: hourlyFunding,
      high: hourlyFunding,
      low: hourlyFunding,
      close: hourlyFunding,
      volume: '0',
    }));
  }

  #answered(one: Kept, bars: readonly Candle[], from: EpochMs, to: EpochMs, wanted: number): void {
    const receivedAt = this.#clock.now();
    const candles = bars.filter((bar) => bar.openTime >= from && bar.openTime < to && bar.openTime + one.barMs <= receivedAt);
    const unclosed = bars.find((bar) => bar.openTime >= from && bar.openTime < to && bar.openTime + one.barMs > receivedAt);
    const last = candles[candles.length - 1];
    let complete = unclosed === undefined ? to : unclosed.openTime;
    one.failures = 0;
    one.answered = wanted;
    one.asks++;
    const newestMissing = unclosed === undefined && (last === undefined || last.openTime < to - one.barMs);
    // The venue may need a moment for the newest bar. Only after several requests is it assumed to have none.
    const askAgain = newestMissing && one.asks < MAX_ASKS;
    if (askAgain) complete = last === undefined ? from : last.openTime + one.barMs;
    else one.asks = 0;
    const source = `${one.venue}${one.funding ? FUNDING_HISTORY : ':candles'}`;
    const { venue, instrument, timeframe } = one;
    if (complete > from || candles.length > 0) {
      this.#emit({ kind: 'candles', venue, instrument, timeframe, source, receivedAt, candles, covers: { from, to: complete } });
    }
    // More bars were wanted meanwhile: the fetched ones are kept, and the longer range is requested.
    const longer = one.wanted > wanted;
    one.doneTo = longer ? null : complete;
    if (longer) this.#ask(one, receivedAt);
    else if (askAgain) this.#ask(one, receivedAt + this.#settleMs * 2 ** (one.asks - 1) + this.#jitter());
    else this.#ask(one, Math.max(receivedAt, to + one.barMs + this.#settleMs) + this.#jitter());
  }

  #failed(one: Kept, error: unknown): void {
    one.failures++;
    const { venue, instrument, timeframe } = one;
    const receivedAt = this.#clock.now();
    const why = errorText(error);
    const detail = `bars of ${instrument} ${one.funding ? 'funding' : timeframe}: ${why}`.slice(0, 200);
    this.#emit({ kind: 'rejection', venue, source: `${venue}:candles`, receivedAt, reason: 'venue_error', detail, sample: '' });
    const backoff = backoffMs(one.failures, this.#random, { firstMs: FIRST_RETRY_MS, mostMs: MAX_RETRY_MS });
    // A delay named by the venue is obeyed.
    const asked = (error as { retryAfterMs?: unknown } | null)?.retryAfterMs;
    this.#ask(one, receivedAt + Math.round(Math.max(backoff, typeof asked === 'number' ? asked : 0)));
  }

  /** Returns up to a second, so that a thousand bars that close together are not requested together. */
  #jitter(): number {
    return Math.floor(this.#random() * 1_000);
  }

  #refreshLater(): void {
    this.#cancelRefresh = this.#clock.deadline(this.#clock.now() + REFRESH_MS, () => {
      this.refresh();
      this.#refreshLater();
    });
  }
}

function seriesKey(need: IndicatorNeed): string {
  return `${need.instrument} ${need.name === 'funding_percentile' ? 'funding' : need.timeframe}`;
}
