/** Bars finer than those that are decided on. They are read of the bars alone within which the course of prices matters. */
import type { Candle } from '../../domain/candles/candle.ts';
import { sha256OfLines } from '../../domain/values/canonical-json.ts';
import { timeframeMs } from '../../domain/values/time.ts';
import { type InstrumentKey, splitInstrumentKey } from '../../domain/market/venue.ts';
import type { BacktestReads, StoredSpan } from '../ports.ts';
import type { MetBars } from './bar-execution.ts';
import type { History } from './history.ts';

/** Timeframes that venues tell bars of and a day is a multiple of, ascending. */
const TIMEFRAMES = ['1m', '3m', '5m', '15m', '30m', '1h', '2h', '4h', '6h', '8h', '12h'];

export type FinerReads = Pick<BacktestReads, 'bars' | 'storedSpans'>;

/** A bar of a history, by the place of its instrument. */
export interface BarPlace {
  readonly instrument: number;
  readonly bar: number;
}

/** Finer bars that a run has used. */
export interface FinerUse {
  /** Bars whose finer bars were read, and hold them all. */
  readonly bars: number;
  /** SHA-256 over the finer bars, in the order in which they were read. */
  readonly hash: string;
}

/** Finer bars of a history, as far as they have been read. */
export class FinerBars {
  readonly #reads: FinerReads;
  readonly #history: History;
  /** Stored stretches of finer timeframes by instrument, the finest first. */
  readonly #spans: readonly (readonly StoredSpan[])[];
  /** By instrument and bar; null where no timeframe has all of a bar. */
  readonly #read: readonly Map<number, MetBars | null>[];
  readonly #lines: string[] = [];
  #whole = 0;

  private constructor(reads: FinerReads, history: History, spans: readonly (readonly StoredSpan[])[]) {
    this.#reads = reads;
    this.#history = history;
    this.#spans = spans;
    this.#read = spans.map(() => new Map());
  }

  /** Asks which finer bars are stored; null if there are none. */
  static async open(reads: FinerReads, history: History): Promise<FinerBars | null> {
    const { firstSlot, barMs, length } = history;
    const timeframes = TIMEFRAMES.filter((timeframe) => barMs > lengthOf(timeframe) && barMs % lengthOf(timeframe) === 0);
    if (timeframes.length === 0) return null;
    const [from, to] = [firstSlot - barMs, firstSlot + (length - 1) * barMs];
    const stored = await Promise.all(
      history.instruments.map(({ key }) => reads.storedSpans({ ...splitInstrumentKey(key), timeframes, from, to })),
    );
    const finest = stored.map((found) => [...found].sort((a, b) => lengthOf(a.timeframe) - lengthOf(b.timeframe)));
    return finest.every((found) => found.length === 0) ? null : new FinerBars(reads, history, finest);
  }

  /** True if finer bars of an instrument are stored anywhere in the history. */
  has(instrument: number): boolean {
    return (this.#spans[instrument] as readonly StoredSpan[]).length > 0;
  }

  /** True if the finer bars of a bar have yet to be read. */
  isUnread({ instrument, bar }: BarPlace): boolean {
    return !this.#readOf(instrument).has(bar) && this.#spansOver({ instrument, bar }).length > 0;
  }

  /** The finer bars of a bar, all of them; null if they are not stored or were not read. */
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

  /** Returns what was used; null if no bar has finer ones. */
  get used(): FinerUse | null {
    return this.#whole === 0 ? null : { bars: this.#whole, hash: sha256OfLines(this.#lines) };
  }

  #readOf(instrument: number): Map<number, MetBars | null> {
    return this.#read[instrument] as Map<number, MetBars | null>;
  }

  /** Stored stretches that cover a bar from its open to its end, however many holes it has. */
  #spansOver({ instrument, bar }: BarPlace): readonly StoredSpan[] {
    const { firstSlot, barMs } = this.#history;
    const to = firstSlot + bar * barMs;
    return (this.#spans[instrument] as readonly StoredSpan[]).filter(
      ({ timeframe, firstOpen, lastOpen }) => firstOpen <= to - barMs && lastOpen >= to - lengthOf(timeframe),
    );
  }

  /** The bars of the finest timeframe that has no hole within a bar; none if each has one. */
  async #finest({ instrument, bar }: BarPlace): Promise<readonly Candle[]> {
    const { firstSlot, barMs, instruments } = this.#history;
    const series = splitInstrumentKey((instruments[instrument] as { readonly key: InstrumentKey }).key);
    const to = firstSlot + bar * barMs;
    for (const { timeframe } of this.#spansOver({ instrument, bar })) {
      // A coarser one is read only if this one has a hole.
      // oxlint-disable-next-line no-await-in-loop
      const candles = await this.#reads.bars({ ...series, timeframe, from: to - barMs, to });
      if (candles.length * lengthOf(timeframe) === barMs) return candles;
    }
    return [];
  }
}

function lengthOf(timeframe: string): number {
  return timeframeMs(timeframe) as number;
}

function met({ open, high, low, close, volume }: Candle): MetBars['bars'][number] {
  return { open: Number(open), high: Number(high), low: Number(low), close: Number(close), volume: Number(volume) };
}
