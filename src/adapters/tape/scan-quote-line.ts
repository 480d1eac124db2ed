/** Reads a quote line in its one spelling without JSON.parse: checked character by character, and left to JSON.parse at the first difference. */
import { QUALITIES, QUALITY_FLAGS, NO_FLAGS, type Quality, type QualityFlag, type Quote } from '../../domain/quote.ts';
import { EXECUTABLE_VENUES, type ExecutableVenue } from '../../domain/venue.ts';

/** The part of a line before its times: the same for every quote of one instrument and source. */
interface Head {
  readonly venue: ExecutableVenue;
  readonly instrument: string;
  readonly source: string;
}

/** The part of a line after its sequence. */
interface Tail {
  readonly quality: Quality;
  readonly flags: readonly QualityFlag[];
}

const HEAD = /^\{"kind":"quote","venue":"([a-z]+)","instrument":"([^"\\\u0000-\u001f]+)","source":"([^"\\\u0000-\u001f]+)",$/;
const TAIL = /^,"quality":"([a-z]+)","flags":\[((?:"[a-z_]+"(?:,"[a-z_]+")*)?)\]\}$/;
const OBSERVED = '"observedAt":';
const RECEIVED = ',"receivedAt":';
const SOURCE_TRUE = ',"sourceTime":true';
const SOURCE_FALSE = ',"sourceTime":false';
const BID = ',"bid":';
const ASK = ',"ask":';
const BID_SIZE = ',"bidSize":';
const ASK_SIZE = ',"askSize":';
const SEQUENCE = ',"sequence":';
const START = '{"kind":"quote",';
/** Heads and tails that are remembered; a tape with more instruments than this reads them anew. */
const REMEMBERED = 20_000;
/** The longest whole number that a double holds for certain. */
const SAFE_DIGITS = 15;

/** Makes a scanner. It remembers heads and tails, so that each costs one look-up. */
export function createQuoteScanner(): (line: string) => Quote | null {
  const heads = new Map<string, Head | null>();
  const tails = new Map<string, Tail | null>();
  let line = '';
  let at = 0;

  /** Steps over a text; false where the line has another one. */
  function skip(text: string): boolean {
    if (!line.startsWith(text, at)) return false;
    at += text.length;
    return true;
  }

  /** A whole number from 0 on, without a leading zero; -1 where there is none. */
  function whole(): number {
    const start = at;
    let value = 0;
    let code = line.charCodeAt(at);
    while (code >= 48 && code <= 57) {
      value = value * 10 + (code - 48);
      code = line.charCodeAt(++at);
    }
    const digits = at - start;
    if (digits === 0 || digits > SAFE_DIGITS || (digits > 1 && line.charCodeAt(start) === 48)) return -1;
    return value;
  }

  /** A plain decimal in quotation marks or null; undefined where there is neither. */
  function decimal(): string | null | undefined {
    if (line.charCodeAt(at) !== 34) return skip('null') ? null : undefined;
    const start = ++at;
    let code = line.charCodeAt(at);
    if (code === 45) code = line.charCodeAt(++at);
    let digits = at;
    while (code >= 48 && code <= 57) code = line.charCodeAt(++at);
    if (at === digits) return undefined;
    if (code === 46) {
      code = line.charCodeAt(++at);
      digits = at;
      while (code >= 48 && code <= 57) code = line.charCodeAt(++at);
      if (at === digits) return undefined;
    }
    if (code !== 34) return undefined;
    return line.slice(start, at++);
  }

  return (text) => {
    line = text;
    if (!line.startsWith(START)) return null;
    const observedFrom = line.indexOf(OBSERVED, START.length);
    if (observedFrom < 0) return null;
    const headText = line.slice(0, observedFrom);
    let head = heads.get(headText);
    if (head === undefined) {
      head = readHead(headText);
      if (heads.size < REMEMBERED) heads.set(owned(headText), head);
    }
    if (head === null) return null;
    at = observedFrom + OBSERVED.length;
    const observedAt = whole();
    if (observedAt < 0 || !skip(RECEIVED)) return null;
    const receivedAt = whole();
    if (receivedAt < 0) return null;
    let sourceTime = true;
    if (!skip(SOURCE_TRUE)) {
      if (!skip(SOURCE_FALSE)) return null;
      sourceTime = false;
    }
    if (!skip(BID)) return null;
    const bid = decimal();
    if (bid === undefined || !skip(ASK)) return null;
    const ask = decimal();
    if (ask === undefined || !skip(BID_SIZE)) return null;
    const bidSize = decimal();
    if (bidSize === undefined || !skip(ASK_SIZE)) return null;
    const askSize = decimal();
    if (askSize === undefined || !skip(SEQUENCE)) return null;
    let sequence: number | null = null;
    if (!skip('null')) {
      sequence = whole();
      if (sequence < 0) return null;
    }
    const tailText = line.slice(at);
    let tail = tails.get(tailText);
    if (tail === undefined) {
      tail = readTail(tailText);
      if (tails.size < REMEMBERED) tails.set(owned(tailText), tail);
    }
    if (tail === null) return null;
    return {
      kind: 'quote',
      venue: head.venue,
      instrument: head.instrument,
      source: head.source,
      observedAt,
      receivedAt,
      sourceTime,
      bid,
      ask,
      bidSize,
      askSize,
      sequence,
      quality: tail.quality,
      flags: tail.flags,
    };
  };
}

/** A copy that does not keep the whole chunk of the file alive of which the text is a slice. */
function owned(text: string): string {
  return Buffer.from(text).toString();
}

function readHead(text: string): Head | null {
  const match = HEAD.exec(text);
  if (match === null) return null;
  const [, venue, instrument, source] = match as unknown as [string, string, string, string];
  return (EXECUTABLE_VENUES as readonly string[]).includes(venue) ? { venue: venue as ExecutableVenue, instrument: owned(instrument), source: owned(source) } : null;
}

function readTail(text: string): Tail | null {
  const match = TAIL.exec(text);
  if (match === null) return null;
  const [, quality, list] = match as unknown as [string, string, string];
  if (!(QUALITIES as readonly string[]).includes(quality)) return null;
  if (list === '') return { quality: quality as Quality, flags: NO_FLAGS };
  const flags = JSON.parse(`[${list}]`) as QualityFlag[];
  return flags.every((flag) => QUALITY_FLAGS.includes(flag)) ? { quality: quality as Quality, flags: Object.freeze(flags) } : null;
}
