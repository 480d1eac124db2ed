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

const HEAD = Buffer.from('{"stream":"');
const NAME = Buffer.from('@bookTicker","data":{"u":');
const SYMBOL = Buffer.from(',"s":"');
const AT = 64;
const QUOTE = 34;
const LONGEST_FRAME = 512;
const LONGEST_ID = 15;

/** True where the frame has exactly `expected` at `at`. */
function matches(frame: Uint8Array, at: number, expected: Uint8Array): boolean {
  for (let i = 0; i < expected.length; i++) if (frame[at + i] !== expected[i]) return false;
  return true;
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
  if (frame.length > LONGEST_FRAME || !matches(frame, 0, HEAD)) return null;
  let nameAt = HEAD.length;
  while (nameAt < frame.length && frame[nameAt] !== AT) nameAt++;
  if (!matches(frame, nameAt, NAME)) return null;

  let at = nameAt + NAME.length;
  const idAt = at;
  let sequence = 0;
  let code = frame[at] as number;
  while (code >= 48 && code <= 57) {
    sequence = sequence * 10 + (code - 48);
    code = frame[++at] as number;
  }
  const digits = at - idAt;
  if (digits === 0 || digits > LONGEST_ID || (digits > 1 && frame[idAt] === 48)) return null;
  if (!matches(frame, at, SYMBOL)) return null;
  const symbolAt = at + SYMBOL.length;
  const symbolEnd = symbolAt + nameAt - HEAD.length;

  if (!memberAt(frame, symbolEnd, 98)) return null;
  const bidAt = symbolEnd + 7;
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

  // Latin-1 is one copy without decoding; a byte above 127 has matched nothing above and matches no symbol below.
  const text = frame.toString('latin1');
  const instrument = instruments.get(text.slice(HEAD.length, nameAt));
  if (instrument === undefined || text.slice(symbolAt, symbolEnd) !== instrument) return null;
  return {
    instrument,
    sequence,
    bid: text.slice(bidAt, bidEnd),
    bidSize: text.slice(bidSizeAt, bidSizeEnd),
    ask: text.slice(askAt, askEnd),
    askSize: text.slice(askSizeAt, askSizeEnd),
  };
}
