/** Bars for simulations: a list of candles, or half a million bars as bytes outside of the heap. */
import type { Candle } from '../../domain/candles/candle.ts';

/** Closed bars, ascending by open time. A list of candles is one form. */
export interface Bars extends Iterable<Candle> {
  readonly length: number;
  at(index: number): Candle | undefined;
}

const FIRST_BARS = 1_024;
const FIRST_BYTES = 65_536;

/**
 * Bars as bytes outside of the heap, in insertion order. Five years of 5-minute bars are half a million: 30 MB as bytes, and four times
 * as much as objects, which a small heap cannot hold.
 */
export class KeptBars implements Bars {
  length = 0;
  #openTimes = new Float64Array(FIRST_BARS);
  /** End of each bar's text. */
  #ends = new Uint32Array(FIRST_BARS);
  #texts = Buffer.alloc(FIRST_BYTES);

  add(candles: readonly Candle[]): void {
    for (const { openTime, open, high, low, close, volume } of candles) {
      const text = `${open},${high},${low},${close},${volume}`;
      const begin = this.#endOf(this.length - 1);
      this.#makeRoom(begin + text.length);
      this.#openTimes[this.length] = openTime;
      this.#ends[this.length] = begin + this.#texts.write(text, begin, 'latin1');
      this.length++;
    }
  }

  at(index: number): Candle | undefined {
    const place = index < 0 ? this.length + index : index;
    return place >= 0 && place < this.length ? this.#read(place) : undefined;
  }

  *[Symbol.iterator](): Iterator<Candle> {
    for (let place = 0; place < this.length; place++) yield this.#read(place);
  }

  #read(place: number): Candle {
    const [open, high, low, close, volume] = this.#texts
      .toString('latin1', this.#endOf(place - 1), this.#endOf(place))
      .split(',') as Fields;
    return { openTime: this.#openTimes[place] as number, open, high, low, close, volume };
  }

  #endOf(place: number): number {
    return place < 0 ? 0 : (this.#ends[place] as number);
  }

  /** Makes room for one more bar with this many bytes of text, by doubling. */
  #makeRoom(bytes: number): void {
    if (this.length === this.#ends.length) {
      const [openTimes, ends] = [this.#openTimes, this.#ends];
      this.#openTimes = new Float64Array(2 * openTimes.length);
      this.#openTimes.set(openTimes);
      this.#ends = new Uint32Array(2 * ends.length);
      this.#ends.set(ends);
    }
    if (bytes > this.#texts.length) this.#texts = Buffer.concat([this.#texts], 2 * bytes);
  }
}

type Fields = [open: string, high: string, low: string, close: string, volume: string];
