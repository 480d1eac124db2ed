/** Finer bars within decision bars, read only where the path of prices matters. */
import type { Candle } from '../../domain/candles/candle.ts';
import { sha256OfLines } from '../../domain/values/canonical-json.ts';
import { timeframeMs } from '../../domain/values/time.ts';
import { type InstrumentKey, splitInstrumentKey } from '../../domain/market/venue.ts';
import type { BacktestReads } from '../../adapters/store/candles/backtest-reads.ts';
import type { StoredSpan } from '../../adapters/store/candles/candle-store.ts';
import type { MetBars } from './bar-execution.ts';
import type { History } from './history.ts';

/** Timeframes that divide a day and that venues offer, ascending. */
const TIMEFRAMES = ['1m', '3m', '5m', '15m', '30m', '1h', '2h', '4h', '6h', '8h', '12h'];

export type FinerReads = Pick<BacktestReads, 'bars' | 'storedSpans'>;

/** Bar of a history, by the index of its instrument. */
export interface BarPlace {
  readonly instrument: number;
  readonly bar: number;
}

/** Finer bars that a run used. */
export interface FinerUse {
  /** Number of bars for which all finer bars were read. */
  readonly bars: number;
  /** SHA-256 over the finer bars, in reading order. */
  readonly hash: string;
}

/** Finer bars of a history that were read so far. */
export class FinerBars {
  readonly #reads: FinerReads;
  readonly #history: History;
  /** Stored spans of finer timeframes by instrument, finest first. */
  readonly #spans: readonly (readonly StoredSpan[])[];
  /** Finer bars by instrument and bar; null if no timeframe is complete within the bar. */
  readonly #read: readonly Map<number, MetBars | null>[];
  readonly #lines: string[] = [];
  #whole = 0;

  private constructor(reads: FinerReads, history: History, spans: readonly (readonly StoredSpan[])[]) {
    this.#reads = reads;
    this.#history = history;
    this.#spans = spans;
    this.#read = spans.map(() => new Map());
  }

  /** Queries which finer bars are stored. Returns null if there is none. */
  static async open(reads: FinerReads, history: History): Promise<FinerBars | null> {
    const { firstSlot, barMs, length } = history;
    const timeframes = TIMEFRAMES.filter((timeframe) => barMs > timeframeLength(timeframe) && barMs % timeframeLength(timeframe) === 0);
    if (timeframes.length === 0) return null;
    const [from, to] = [firstSlot - barMs, firstSlot + (length - 1) * barMs];
    const stored = await Promise.all(
      history.instruments.map(({ key }) => reads.storedSpans({ ...splitInstrumentKey(key), timeframes, from, to })),
    );
    const finest = stored.map((found) => [...found].sort((a, b) => timeframeLength(a.timeframe) - timeframeLength(b.timeframe)));
    return finest.every((found) => found.length === 0) ? null : new FinerBars(reads, history, finest);
  }

  /** True if any finer bars of an instrument are stored within the history. */
  has(instrument: number): boolean {
    return (this.#spans[instrument] as readonly StoredSpan[]).length > 0;
  }

  /** True if the finer bars of a bar have yet to be read. */
  isUnread({ instrument, bar }: BarPlace): boolean {
    return !this.#readOf(instrument).has(bar) && this.#spansOver({ instrument, bar }).length > 0;
  }

  /** Returns the complete finer bars of a bar, or null if they are not stored or were not read. */
  of(instrument: number, bar: number): MetBars | null {
    return this.#readOf(instrument).get(bar) ?? null;
  }

  async read(places: readonly BarPlace[]): Promise<void> {
    const found = await Promise.all(places.map((place) => this.#finest(place)));
    for (const [n, { instrument, bar }] of places.entries()) {
      const candles = found[n] as readonly Candle[];
      this.#readOf(instrument).set(
        bar,
        candles.length === 0 ? null : { barMs: this.#history.barMs / candles.length, bars: candles.map(met) },
      );
      if (candles.length === 0) continue;
      this.#whole++;
      const { key } = this.#history.instruments[instrument] as History['instruments'][number];
      for (const { openTime, open, high, low, close, volume } of candles)
        this.#lines.push([key, openTime, open, high, low, close, volume].join(','));
    }
  }

  /** Finer bars that were used, or null if no bar has any. */
  get used(): FinerUse | null {
    return this.#whole === 0 ? null : { bars: this.#whole, hash: sha256OfLines(this.#lines) };
  }

  #readOf(instrument: number): Map<number, MetBars | null> {
    return this.#read[instrument] as Map<number, MetBars | null>;
  }

  /** Returns the stored spans that cover a whole bar, possibly with gaps. */
  #spansOver({ instrument, bar }: BarPlace): readonly StoredSpan[] {
    const { firstSlot, barMs } = this.#history;
    const to = firstSlot + bar * barMs;
    return (this.#spans[instrument] as readonly StoredSpan[]).filter(
      ({ timeframe, firstOpen, lastOpen }) => firstOpen <= to - barMs && lastOpen >= to - timeframeLength(timeframe),
    );
  }

  /** Returns the bars of the finest timeframe without a gap in the bar, or an empty list. */
  async #finest({ instrument, bar }: BarPlace): Promise<readonly Candle[]> {
    const { firstSlot, barMs, instruments } = this.#history;
    const series = splitInstrumentKey((instruments[instrument] as { readonly key: InstrumentKey }).key);
    const to = firstSlot + bar * barMs;
    for (const { timeframe } of this.#spansOver({ instrument, bar })) {
      // A coarser timeframe is read only if this one has a gap.
      // oxlint-disable-next-line no-await-in-loop
      const candles = await this.#reads.bars({ ...series, timeframe, from: to - barMs, to });
      if (candles.length * timeframeLength(timeframe) === barMs) return candles;
    }
    return [];
  }
}

function timeframeLength(timeframe: string): number {
  return timeframeMs(timeframe) as number;
}

function met({ open, high, low, close, volume }: Candle): MetBars['bars'][number] {
  return { open: Number(open), high: Number(high), low: Number(low), close: Number(close), volume: Number(volume) };
}
