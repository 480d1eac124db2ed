/** A tape: a recording of everything received, as stored in a file. Its header, its events and their validation. */
import { isObject } from '../values/field.ts';
import type { ActorEvent, ActorState } from '../agents/actor-step.ts';
import { AUTONOMY_LEVELS, type Autonomy, STAGES, type Stage } from '../agents/agent.ts';
import type { Json } from '../values/canonical-json.ts';
import type { IndicatorNeed } from '../market/cut.ts';
import { isDecimalString } from '../values/decimal.ts';
import { isUuid } from '../values/ids.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { type MarketEvent, SEVERITIES } from '../market/market-event.ts';
import { nearestNames } from '../values/nearest-name.ts';
import { NO_FLAGS, QUALITIES, QUALITY_FLAGS, type Quote, SESSIONS } from '../market/quote.ts';
import type { QuoteDigits } from '../market/quote-digits.ts';
import { type EpochMs, timeframeMs } from '../values/time.ts';
import { EXECUTABLE_VENUES, type InstrumentKey, isVenue, VENUES, type Venue } from '../market/venue.ts';

/** Version of the format that this code writes, and the only one it reads. */
const TAPE_VERSION = 1;

/** Events per block of the binary form, and per batch of a replay. */
export const TAPE_BATCH = 1_024;

/** An agent at the start of the recording, from which a replay continues. */
export interface TapeAgent {
  readonly id: string;
  readonly orgId: string;
  /** Canonical manifest of the active version. */
  readonly manifest: Manifest;
  readonly manifestVersion: number;
  readonly autonomy: Autonomy;
  readonly stage: Stage;
  /**
   * First slot that it decides on this tape, after `previousHash`, and the slot before which it stops. `tickFrom` is null if it is not
   * ticked.
   */
  readonly tickFrom: EpochMs | null;
  readonly tickUntil: EpochMs | null;
  /** Hash of the agent's last decision before the recording. */
  readonly previousHash: string;
  /** State of its state chart, or null for an agent that begins at draft. */
  readonly snapshot: ActorState | null;
  /** Kind of the actor. An agent if missing. A Take decides every half minute. */
  readonly kind?: TapeActorKind;
  /** Initial input of a Take that begins on this tape. */
  readonly input?: { readonly [member: string]: Json };
}

/** Kinds of actors that decide on a tape. */
const TAPE_ACTOR_KINDS = ['agent', 'take'] as const;
export type TapeActorKind = (typeof TAPE_ACTOR_KINDS)[number];

/** First line of a tape. Every member but `tape` is optional. Unlisted members are kept and ignored. */
export interface TapeHeader {
  readonly tape: typeof TAPE_VERSION;
  /** Time at which the recording began, ISO 8601. */
  readonly recordedAt?: string;
  /** Recorder, in words. */
  readonly source?: string;
  readonly venues?: readonly Venue[];
  readonly instruments?: readonly InstrumentKey[];
  /** Agents that a live recording ticked. */
  readonly agents?: readonly TapeAgent[];
  /** File name of the tape that this one continues, if a recording was split. */
  readonly continues?: string;
}

/** An event that a live agent accepted during the tape, in band with the prices, so that a replay repeats the agent's life. */
export interface TapeCommand {
  readonly kind: 'command';
  readonly receivedAt: EpochMs;
  readonly actorId: string;
  /** Event as its actor accepted it. `started` is the agent's creation. `joined` means that it already existed. Both come with `agent`. */
  readonly event: ActorEvent;
  readonly cause?: string;
  /** Manifest of the new version, with `manifest.changed`. */
  readonly manifest?: Manifest;
  /** Present with `started` and `joined`. */
  readonly agent?: TapeAgent;
}

/**
 * Cutting of the live process from this slot on, if it changed: the instruments and indicators that agents need. A slot for which the
 * streams did not report in time is cut without them.
 */
export interface TapeCutNote {
  readonly kind: 'cut';
  /** The slot. */
  readonly receivedAt: EpochMs;
  readonly source: 'streams' | 'silence';
  readonly instruments: readonly InstrumentKey[];
  readonly needs: readonly IndicatorNeed[];
  /**
   * Version 2: records commit to cuts by the second rule (`CutHashes`), and indicators look back over windows (`computeWindow`). Missing on
   * older tapes.
   */
  readonly rule?: 2;
}

/** Inputs of an agent's tick besides the cut from this slot on (its book, the risk inputs), as the text of `TickInputs`. */
interface TapeInputsNote {
  readonly kind: 'inputs';
  /** The slot. */
  readonly receivedAt: EpochMs;
  readonly actorId: string;
  readonly inputs: string;
}

export type TapeEvent = MarketEvent | TapeCommand | TapeCutNote | TapeInputsNote;
type TapeKind = TapeEvent['kind'];

/** Iterator over a tape's events, which are created only on access. */
export interface TapeWalk {
  readonly events: number;
  readonly firstAt: EpochMs;
  /** Time of the present event. */
  readonly lastAt: EpochMs;
  /** Digits of the present event if it is a quote stored as such. They change with the next step. */
  readonly quote: QuoteDigits | null;
  /** Moves to the next event. Returns false after the last one. @throws if the tape is malformed. */
  next(): boolean;
  /** Returns the present event. */
  event(): TapeEvent;
}

/** Problem of a value and the expected form, as part of a sentence: `bid is "NaN"; it should be a plain decimal or null`. */
type TapeProblem = string;

/** Latest time that a date can represent. */
const LAST_TIME = 8.64e15;

/** Returns the expected form if the value does not have it, or null. */
type Check = (value: unknown) => string | null;

const time: Check = (value) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= LAST_TIME ? null : 'whole milliseconds since 1970';
const text: Check = (value) => (typeof value === 'string' ? null : 'a text');
const name: Check = (value) => (typeof value === 'string' && value !== '' ? null : 'a text that is not empty');
const flag: Check = (value) => (typeof value === 'boolean' ? null : 'true or false');
const count: Check = (value) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? null : 'a whole number from 0 on';
const decimal: Check = (value) => (typeof value === 'string' && isDecimalString(value) ? null : 'a plain decimal in quotation marks');
const unsigned: Check = (value) =>
  decimal(value) === null && !(value as string).startsWith('-') ? null : 'a plain decimal from zero on in quotation marks';
const object: Check = (value) => (isObject(value) ? null : 'an object');
const uuid: Check = (value) => (typeof value === 'string' && isUuid(value) ? null : 'a UUID in lower case');
const hash64: Check = (value) => (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value) ? null : '64 lower-case hexadecimal digits');
const jsonObjectText: Check = (value) => {
  try {
    if (typeof value === 'string' && isObject(JSON.parse(value))) return null;
  } catch {
    // Not JSON, which is reported below.
  }
  return 'the text of a JSON object';
};
const actorEvent: Check = (value) => (isObject(value) && typeof value['type'] === 'string' ? null : 'an object with a type');

function checkWord(words: readonly string[]): Check {
  const allowed = new Set<unknown>(words);
  return (value) => (allowed.has(value) ? null : `one of ${words.join(', ')}`);
}
function orNull(check: Check): Check {
  return (value) => {
    if (value === null) return null;
    const wanted = check(value);
    return wanted === null ? null : `${wanted}, or null`;
  };
}
function checkList(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return 'a list';
    for (const item of value as unknown[]) {
      const wanted = check(item);
      if (wanted !== null) return `a list of: ${wanted}`;
    }
    return null;
  };
}
const flags = checkList(checkWord(QUALITY_FLAGS));
const timeframe: Check = (value) => (typeof value === 'string' && timeframeMs(value) !== null ? null : 'a timeframe such as 1m or 4h');
const candles: Check = (value) => {
  if (!Array.isArray(value)) return 'a list of candles';
  let last = -1;
  for (const candle of value as unknown[]) {
    if (!isObject(candle)) return 'a list of candles';
    for (const [member, check] of Object.entries(CANDLE)) {
      const wanted = check(candle[member]);
      if (wanted !== null) return `a list of candles whose ${member} is ${wanted}`;
    }
    if (Object.keys(candle).length !== CANDLE_MEMBERS) return `a list of candles with ${Object.keys(CANDLE).join(', ')} and nothing else`;
    if ((candle['openTime'] as number) <= last) return 'a list of candles ascending by openTime';
    last = candle['openTime'] as number;
  }
  return null;
};
const CANDLE: Readonly<Record<string, Check>> = {
  openTime: time,
  // Bars of funding rates may be negative.
  open: decimal,
  high: decimal,
  low: decimal,
  close: decimal,
  volume: unsigned,
};
const CANDLE_MEMBERS = Object.keys(CANDLE).length;

interface Shape {
  readonly needed: Readonly<Record<string, Check>>;
  readonly optional: Readonly<Record<string, Check>>;
  readonly neededCount: number;
}

function shape(needed: Readonly<Record<string, Check>>, optional: Readonly<Record<string, Check>> = {}): Shape {
  return { needed, optional, neededCount: Object.keys(needed).length + 1 };
}

/** Members of every kind, in the order of a line. */
const SHAPES: Readonly<Record<TapeKind, Shape>> = {
  quote: shape({
    venue: checkWord(EXECUTABLE_VENUES),
    instrument: name,
    source: name,
    observedAt: time,
    receivedAt: time,
    sourceTime: flag,
    bid: orNull(decimal),
    ask: orNull(decimal),
    bidSize: orNull(decimal),
    askSize: orNull(decimal),
    sequence: orNull(count),
    quality: checkWord(QUALITIES),
    flags,
  }),
  reference: shape({
    venue: checkWord(['reference']),
    instrument: name,
    source: name,
    observedAt: time,
    receivedAt: time,
    feedUpdatedAt: time,
    referencePrice: decimal,
    confidence: decimal,
    publisherSession: orNull(checkWord(SESSIONS)),
    quality: checkWord(QUALITIES),
    flags,
  }),
  perp_context: shape({
    venue: checkWord(['evmvenue']),
    instrument: name,
    source: name,
    observedAt: time,
    receivedAt: time,
    markPrice: decimal,
    oraclePrice: decimal,
    hourlyFunding: decimal,
    openInterest: decimal,
    dayNotional: decimal,
  }),
  pool_liquidity: shape({
    venue: checkWord(['spotchain']),
    instrument: name,
    source: name,
    observedAt: time,
    receivedAt: time,
    liquidityUsd: decimal,
  }),
  token_multiplier: shape({
    venue: checkWord(['spotchain']),
    instrument: name,
    source: name,
    observedAt: time,
    receivedAt: time,
    multiplier: decimal,
    previous: orNull(decimal),
  }),
  candles: shape(
    { venue: checkWord(VENUES), instrument: name, timeframe, source: name, receivedAt: time, candles },
    {
      covers: (value) =>
        isObject(value) && time(value['from']) === null && time(value['to']) === null && Object.keys(value).length === 2
          ? null
          : 'a range {"from", "to"} of open times',
    },
  ),
  feed_status: shape(
    {
      venue: checkWord(VENUES),
      source: name,
      receivedAt: time,
      status: checkWord(['connected', 'disconnected']),
      epoch: count,
      detail: text,
    },
    { missedAt: time },
  ),
  heartbeat: shape({ venue: checkWord(VENUES), source: name, receivedAt: time }),
  news: shape({
    venue: checkWord(['reference']),
    source: name,
    id: name,
    receivedAt: time,
    observedAt: time,
    symbols: checkList(name),
    severity: checkWord(SEVERITIES),
    negative: flag,
    rumor: flag,
    headline: text,
  }),
  command: shape({ receivedAt: time, actorId: uuid, event: actorEvent }, { cause: text, manifest: object, agent: tapeAgent }),
  cut: shape(
    {
      receivedAt: time,
      source: checkWord(['streams', 'silence']),
      instruments: checkList(anInstrumentKey),
      needs: checkList(indicatorNeed),
    },
    { rule: (value) => (value === 2 ? null : 'rule 2') },
  ),
  inputs: shape({ receivedAt: time, actorId: uuid, inputs: jsonObjectText }),
};

/** The kinds that a tape may hold. */
export const TAPE_KINDS: readonly TapeKind[] = Object.keys(SHAPES) as TapeKind[];

const AGENT: Readonly<Record<string, Check>> = {
  id: uuid,
  orgId: uuid,
  manifest: object,
  manifestVersion: count,
  autonomy: checkWord(AUTONOMY_LEVELS),
  stage: checkWord(STAGES),
  tickFrom: orNull(time),
  tickUntil: orNull(time),
  previousHash: hash64,
  snapshot: orNull(object),
};

function indicatorNeed(value: unknown): string | null {
  const sound =
    isObject(value) &&
    isInstrumentKey(value['instrument']) &&
    INDICATORS.includes(value['name'] as IndicatorNeed['name']) &&
    timeframe(value['timeframe']) === null &&
    count(value['period']) === null;
  return sound ? null : `{"instrument", "name", "timeframe", "period"} with a name of ${INDICATORS.join(', ')}`;
}
const INDICATORS: readonly IndicatorNeed['name'][] = ['rsi', 'ema', 'volatility', 'funding_percentile'];

function isInstrumentKey(value: unknown): value is InstrumentKey {
  return typeof value === 'string' && isVenue(value.slice(0, Math.max(value.indexOf(':'), 0)));
}

function anInstrumentKey(value: unknown): string | null {
  return isInstrumentKey(value) ? null : 'a key such as spotexchange:BTCUSDT';
}

function tapeAgent(value: unknown): string | null {
  if (!isObject(value)) return 'an agent';
  for (const [member, check] of Object.entries(AGENT)) {
    const wanted = check(value[member]);
    if (wanted !== null) return `an agent whose ${member} is ${wanted}`;
  }
  if (value['kind'] !== undefined && !TAPE_ACTOR_KINDS.includes(value['kind'] as TapeActorKind))
    return `an agent whose kind is one of ${TAPE_ACTOR_KINDS.join(', ')}`;
  if (value['input'] !== undefined && !isObject(value['input'])) return 'an agent whose input is an object';
  return null;
}

const HEADER: Readonly<Record<string, Check>> = {
  recordedAt: (value) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && Number.isFinite(Date.parse(value)) ? null : 'an ISO 8601 time',
  source: text,
  venues: checkList(checkWord(VENUES)),
  instruments: checkList(anInstrumentKey),
  agents: checkList(tapeAgent),
  continues: name,
};

/** Returns why a value is not a valid header of a tape, or null. */
export function tapeHeaderProblem(value: unknown): TapeProblem | null {
  if (!isObject(value) || !('tape' in value)) return `is no tape header; the first line should be {"tape":${TAPE_VERSION}, ...}`;
  if (value['tape'] !== TAPE_VERSION) return `says tape version ${shown(value['tape'])}; this release reads version ${TAPE_VERSION}`;
  for (const [member, check] of Object.entries(HEADER)) {
    if (value[member] === undefined) continue;
    const wanted = check(value[member]);
    if (wanted !== null) return `has ${member} ${shown(value[member])}; it should be ${wanted}`;
  }
  return null;
}

const QUALITY_WORDS: ReadonlySet<unknown> = new Set(QUALITIES);
const EXECUTABLE: ReadonlySet<unknown> = new Set(EXECUTABLE_VENUES);
const QUOTE_MEMBERS = SHAPES.quote.neededCount;

/** True only for a quote that passes the checks below: a fast path for most events of most tapes. */
function isPlainQuote(value: Readonly<Record<string, unknown>>, previousAt: EpochMs): boolean {
  if (value['kind'] !== 'quote') return false;
  const quote = value as unknown as Quote;
  const { instrument, source, observedAt, receivedAt, sequence, flags: marks } = quote;
  if (typeof instrument !== 'string' || instrument === '' || typeof source !== 'string' || source === '') return false;
  if (!Number.isSafeInteger(observedAt) || observedAt < 0 || observedAt > LAST_TIME) return false;
  if (!Number.isSafeInteger(receivedAt) || receivedAt < previousAt || receivedAt < 0 || receivedAt > LAST_TIME) return false;
  if (sequence !== null && !(Number.isSafeInteger(sequence) && sequence >= 0)) return false;
  if (!isSide(quote.bid) || !isSide(quote.ask) || !isSide(quote.bidSize) || !isSide(quote.askSize)) return false;
  if (!Array.isArray(marks) || marks.length !== 0 || typeof quote.sourceTime !== 'boolean') return false;
  if (!EXECUTABLE.has(quote.venue) || !QUALITY_WORDS.has(quote.quality)) return false;
  let members = 0;
  for (const _ in value) members++;
  return members === QUOTE_MEMBERS;
}

function isSide(value: unknown): boolean {
  return value === null || (typeof value === 'string' && isDecimalString(value));
}

/**
 * Returns why a value is not a valid event of a tape after `previousAt`, or null. Unknown kinds and members are refused, because passing
 * them on would lose them silently.
 */
export function tapeEventProblem(value: unknown, previousAt: EpochMs): TapeProblem | null {
  if (!isObject(value)) return `is ${shown(value)}; an event is an object`;
  if (isPlainQuote(value, previousAt)) return null;
  const { kind } = value;
  const known = typeof kind === 'string' && Object.hasOwn(SHAPES, kind) ? SHAPES[kind as TapeKind] : null;
  if (known === null) {
    if ('tape' in value) return 'is a second header; one tape holds one';
    const near = typeof kind === 'string' ? nearestNames(kind, TAPE_KINDS, 1)[0] : undefined;
    return `has kind ${shown(kind)}; it should be one of ${TAPE_KINDS.join(', ')}${near === undefined ? '' : ` (did you mean ${near}?)`}`;
  }
  const { needed } = known;
  for (const member in needed) {
    const wanted = (needed[member] as Check)(value[member]);
    if (wanted === null) continue;
    const found = value[member] === undefined ? `lacks ${member}` : `has ${member} ${shown(value[member])}`;
    return `${found}; it should be ${wanted}`;
  }
  let members = 0;
  for (const member in value) {
    if (++members > known.neededCount || (member !== 'kind' && !Object.hasOwn(needed, member))) {
      const problem = optionalProblem(known, value);
      if (problem !== null) return problem;
      break;
    }
  }
  if ((value['receivedAt'] as number) < previousAt) {
    return `has receivedAt ${String(value['receivedAt'])}, which is before the ${previousAt} of the event above; a tape ascends by receivedAt`;
  }
  return kind === 'command' ? commandProblem(value as unknown as TapeCommand) : null;
}

function optionalProblem(known: Shape, value: Readonly<Record<string, unknown>>): TapeProblem | null {
  for (const member of Object.keys(value)) {
    if (member === 'kind' || Object.hasOwn(known.needed, member)) continue;
    const check = known.optional[member];
    const names = [...Object.keys(known.needed), ...Object.keys(known.optional)];
    if (check === undefined)
      return `has a member ${shown(member)} that ${String(value['kind'])} events lack; they have ${names.join(', ')}`;
    const wanted = check(value[member]);
    if (wanted !== null) return `has ${member} ${shown(value[member])}; it should be ${wanted}`;
  }
  return null;
}

function commandProblem(command: TapeCommand): TapeProblem | null {
  const arrives = command.event.type === 'started' || command.event.type === 'joined';
  if (arrives && command.agent?.id !== command.actorId) {
    return `is a ${command.event.type} event without its agent; it should carry agent with the id of actorId`;
  }
  if (command.event.type === 'manifest.changed' && command.manifest === undefined) {
    return 'is a manifest.changed event without the manifest; it should carry manifest';
  }
  return null;
}

/**
 * Returns an event that shares its common values with thousands of others, of which JSON.parse has made copies. The event must be valid.
 */
export function leanEvent(event: TapeEvent): TapeEvent {
  if ((event.kind === 'quote' || event.kind === 'reference') && event.flags.length === 0) {
    (event as { flags: Quote['flags'] }).flags = NO_FLAGS;
  }
  return event;
}

/** Returns a JSON string, without the serializer for plain texts. */
function quoted(value: string): string {
  return PLAIN.test(value) ? `"${value}"` : JSON.stringify(value);
}
const PLAIN = /^[ !#-[\]-~]*$/;

function quotedOrNull(value: string | null): string {
  return value === null ? 'null' : `"${value}"`;
}

/** Returns the canonical line of an event, without a line break. */
export function tapeLine(event: TapeEvent): string {
  switch (event.kind) {
    case 'quote':
      return `{"kind":"quote","venue":"${event.venue}","instrument":${quoted(event.instrument)},"source":${quoted(event.source)},"observedAt":${event.observedAt},"receivedAt":${event.receivedAt},"sourceTime":${event.sourceTime},"bid":${quotedOrNull(event.bid)},"ask":${quotedOrNull(event.ask)},"bidSize":${quotedOrNull(event.bidSize)},"askSize":${quotedOrNull(event.askSize)},"sequence":${event.sequence},"quality":"${event.quality}","flags":${event.flags.length === 0 ? '[]' : JSON.stringify(event.flags)}}`;
    default:
      return JSON.stringify(ordered(event));
  }
}

/** Returns the event with its members in the order of its kind, and nothing else. */
function ordered(event: TapeEvent): object {
  const source = event as unknown as Readonly<Record<string, unknown>>;
  const known = SHAPES[event.kind];
  const result: Record<string, unknown> = { kind: event.kind };
  for (const member in known.needed) result[member] = source[member];
  for (const member in known.optional) if (source[member] !== undefined) result[member] = source[member];
  return result;
}

/** Returns the header as a line, without a line break. */
export function tapeHeaderLine(header: TapeHeader): string {
  return JSON.stringify(header);
}

/** Returns a value for a message, at most 60 characters of it. */
function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** End of a truncated tape. Everything before it was read. */
export interface TapeCut {
  /** Place such as `line 7` or `byte 8192`. */
  readonly place: string;
  readonly detail: string;
}

/** Describes the cut on its own line. Empty for a complete tape. */
export function cutText(cut: TapeCut | null): string {
  return cut === null ? '' : `\ncut off at ${cut.place}: ${cut.detail}; everything before it is used`;
}
