/** The hot path of the spot exchange: reads a best-bid-and-ask frame without JSON.parse. */
import type { DecimalString } from '../../../domain/decimal.ts';
import { MAX_DECIMAL_CHARACTERS } from '../wire-decimal.ts';

/** The members of a bookTicker message as the venue wrote them. */
export interface BookTicker {
  readonly instrument: string;
  readonly sequence: number;
  readonly bid: DecimalString;
  readonly bidSize: DecimalString;
  readonly ask: DecimalString;
  readonly askSize: DecimalString;
}

const HEAD = '{"stream":"';
const AT = 64;
const QUOTE = 34;
const LONGEST_FRAME = 512;
const LONGEST_ID = 15;

/** True where the frame has exactly `expected` at `at`. */
function matches(frame: Uint8Array, at: number, expected: Uint8Array): boolean {
  for (let i = 0; i < expected.length; i++) if (frame[at + i] !== expected[i]) return false;
  return true;
}

/** The bytes of an instrument's frames that are always the same. */
interface FrameLayout {
  readonly instrument: string;
  /** From the beginning to the update id. */
  readonly head: Uint8Array;
  /** From the update id to the bid. */
  readonly middle: Uint8Array;
}

/** Finds the layout that a frame may have by the bytes of its stream's name, without making a text of them. */
class FrameLayouts {
  readonly #buckets: FrameLayout[][];

  constructor(instruments: ReadonlyMap<string, string>) {
    this.#buckets = Array.from({ length: 4 * 2 ** Math.ceil(Math.log2(instruments.size + 1)) }, () => []);
    for (const [symbol, instrument] of instruments) {
      // A name that JSON would have to escape has no layout, and is parsed.
      if (!/^[\w.-]+$/.test(symbol) || !/^[\w.-]+$/.test(instrument)) continue;
      const head = Buffer.from(`${HEAD}${symbol}@bookTicker","data":{"u":`);
      this.#bucketOf(head).push({ instrument, head, middle: Buffer.from(`,"s":"${instrument}","b":"`) });
    }
  }

  /** The layout whose head the frame begins with; null where there is none. */
  find(frame: Uint8Array): FrameLayout | null {
    const bucket = this.#bucketOf(frame);
    for (let i = 0; i < bucket.length; i++) {
      const layout = bucket[i] as FrameLayout;
      if (matches(frame, 0, layout.head)) return layout;
    }
    return null;
  }

  #bucketOf(frame: Uint8Array): FrameLayout[] {
    let sum = 0;
    let at = HEAD.length;
    for (let code = frame[at] as number; at < frame.length && code !== AT; code = frame[++at] as number) sum = (sum * 31 + code) | 0;
    return this.#buckets[sum & (this.#buckets.length - 1)] as FrameLayout[];
  }
}

const layoutsOf = new WeakMap<ReadonlyMap<string, string>, FrameLayouts>();
let lastInstruments: ReadonlyMap<string, string> | null = null;
let lastLayouts: FrameLayouts | null = null;

/** The layouts of the instruments; made once for each map, which does not change. */
function frameLayouts(instruments: ReadonlyMap<string, string>): FrameLayouts {
  if (instruments === lastInstruments && lastLayouts !== null) return lastLayouts;
  let layouts = layoutsOf.get(instruments);
  if (layouts === undefined) {
    layouts = new FrameLayouts(instruments);
    layoutsOf.set(instruments, layouts);
  }
  lastInstruments = instruments;
  lastLayouts = layouts;
  return layouts;
}

/** True where the frame has `","<name>":"` at `at`, the name being one character. */
function memberAt(frame: Uint8Array, at: number, name: number): boolean {
  return (
    frame[at] === QUOTE &&
    frame[at + 1] === 44 &&
    frame[at + 2] === QUOTE &&
    frame[at + 3] === name &&
    frame[at + 4] === QUOTE &&
    frame[at + 5] === 58 &&
    frame[at + 6] === QUOTE
  );
}

/** `scanDecimal` on bytes. */
function decimalEnd(frame: Uint8Array, start: number): number {
  let at = start;
  if (frame[at] === 45) at++;
  const whole = at;
  let code = frame[at] as number;
  while (code >= 48 && code <= 57) code = frame[++at] as number;
  if (at === whole) return -1;
  if (code === 46) {
    const fraction = ++at;
    code = frame[at] as number;
    while (code >= 48 && code <= 57) code = frame[++at] as number;
    if (at === fraction) return -1;
  }
  return at - start <= MAX_DECIMAL_CHARACTERS ? at : -1;
}

/**
 * Reads a combined-stream bookTicker frame where it has, byte for byte, the layout in which the venue writes it;
 * null where it deviates anywhere (other order, blanks, escapes, more members, an instrument that is not followed):
 * then the caller parses it as JSON, with the same outcome. Every byte of the frame is checked, so nothing that is
 * accepted here could read differently as JSON. `instruments` maps the stream's lower-case symbol to the product's.
 */
export function scanBookTicker(frame: Buffer, instruments: ReadonlyMap<string, string>): BookTicker | null {
  if (frame.length > LONGEST_FRAME) return null;
  const layout = frameLayouts(instruments).find(frame);
  if (layout === null) return null;

  let at = layout.head.length;
  const idAt = at;
  let sequence = 0;
  let code = frame[at] as number;
  while (code >= 48 && code <= 57) {
    sequence = sequence * 10 + (code - 48);
    code = frame[++at] as number;
  }
  const digits = at - idAt;
  if (digits === 0 || digits > LONGEST_ID || (digits > 1 && frame[idAt] === 48)) return null;
  if (!matches(frame, at, layout.middle)) return null;

  const bidAt = at + layout.middle.length;
  const bidEnd = decimalEnd(frame, bidAt);
  if (bidEnd < 0 || !memberAt(frame, bidEnd, 66)) return null;
  const bidSizeAt = bidEnd + 7;
  const bidSizeEnd = decimalEnd(frame, bidSizeAt);
  if (bidSizeEnd < 0 || !memberAt(frame, bidSizeEnd, 97)) return null;
  const askAt = bidSizeEnd + 7;
  const askEnd = decimalEnd(frame, askAt);
  if (askEnd < 0 || !memberAt(frame, askEnd, 65)) return null;
  const askSizeAt = askEnd + 7;
  const askSizeEnd = decimalEnd(frame, askSizeAt);
  if (askSizeEnd < 0 || frame.length !== askSizeEnd + 3) return null;
  if (frame[askSizeEnd] !== QUOTE || frame[askSizeEnd + 1] !== 125 || frame[askSizeEnd + 2] !== 125) return null;

  // Latin-1 is one copy without decoding: every byte of the numbers was seen to be a digit, a sign or a point.
  const text = frame.toString('latin1', bidAt, askSizeEnd);
  return {
    instrument: layout.instrument,
    sequence,
    bid: text.slice(0, bidEnd - bidAt),
    bidSize: text.slice(bidSizeAt - bidAt, bidSizeEnd - bidAt),
    ask: text.slice(askAt - bidAt, askEnd - bidAt),
    askSize: text.slice(askSizeAt - bidAt),
  };
}
