/**
 * Marks of pre-IPO tokens as their issuer publishes them: share price and valuation of the latest verified round.
 * See docs/reference/outside/issuer-marks.md.
 */

import type { Clock } from '../../../../streams/clock/clock.ts';
import { createUnknownFields, type NoteUnknownField } from '../../../../streams/feed-counters.ts';
import { type DecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import { type IssuerMark, type IssuerMarkState, isSameMark, type MarkChange } from '../../../domain/catalog/issuer-mark.ts';
import type { FeedMessage } from '../../../domain/market/market-event.ts';
import { NO_FLAGS, type Quality } from '../../../domain/market/quote.ts';
import { type EpochMs, MINUTE_MS } from '../../../domain/values/time.ts';
import { valueText } from '../../../domain/values/value-text.ts';
import { knownFields, noteUnknown } from '../known-fields.ts';
import { poll, type Reading, type Rejected } from '../polling.ts';
import { VenueError, type VenueFeed } from '../venue-feed.ts';
import type { KeyedClient } from './keyed-client.ts';
import type { MarkProvider } from './providers.ts';

/** Issuer that publishes marks of its tokens. Each answer format has its own implementation. */
export interface MarkIssuer {
  readonly name: MarkProvider;
  readonly source: string;
  readonly path: string;
  /** Maps an answer. Unusable rows become sentences in `unread`. `note` receives unknown fields. */
  readonly read: (body: unknown, receivedAt: EpochMs, note?: NoteUnknownField) => ReadMarks;
}

interface ReadMarks {
  readonly marks: readonly IssuerMark[];
  readonly unread: readonly string[];
}

function positive(value: unknown): DecimalString | null {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? plainDecimal(value) : null;
}

/** Maps a bare list of tokens. `mintName` is the issuer's field of the mint. A row without mint, mark price or mark valuation is unread. */
function readRows(body: unknown, mintName: string, receivedAt: EpochMs): ReadMarks {
  if (!Array.isArray(body)) return { marks: [], unread: ['the marks are no list'] };
  const marks: IssuerMark[] = [];
  const unread: string[] = [];
  for (const item of body as unknown[]) {
    const row = (typeof item === 'object' && item !== null ? item : {}) as Record<string, unknown>;
    const { symbol, [mintName]: mint } = row;
    const markPrice = positive(row['markPrice']);
    const markValuation = positive(row['markValuation']);
    if (typeof symbol !== 'string' || symbol === '' || typeof mint !== 'string' || markPrice === null || markValuation === null) {
      unread.push(`the row of ${valueText(symbol, 20)} has no mint, or no mark price and valuation above zero`);
      continue;
    }
    marks.push({
      symbol,
      mint,
      markPrice,
      markValuation,
      tokenPrice: positive(row['tokenPrice']),
      impliedValuation: positive(row['impliedValuation']),
      supply: positive(row['supply']),
      receivedAt,
    });
  }
  return { marks, unread };
}

export const MARK_SOURCE = 'prestocks:mark';
const PRESTOCKS_FIELDS = knownFields(
  MARK_SOURCE,
  'name symbol description image external_url contract_address markPrice markValuation tokenPrice impliedValuation supply',
);

/** Issuer of the catalog's pre-IPO tokens. */
export const PRESTOCKS: MarkIssuer = {
  name: 'prestocks',
  source: MARK_SOURCE,
  path: '/api/prestocks',
  read(body, receivedAt, note) {
    noteUnknown(body, PRESTOCKS_FIELDS, note);
    return readRows(body, 'contract_address', receivedAt);
  },
};

const TESSERA_SOURCE = 'tessera:mark';
const TESSERA_FIELDS = knownFields(TESSERA_SOURCE, 'id name symbol code sector mint markPrice holders markValuation');

/** Second issuer, at `https://rest-api.tessera.pe`. It gives neither the token's price nor its supply. */
export const TESSERA: MarkIssuer = {
  name: 'tessera',
  source: TESSERA_SOURCE,
  path: '/v1/public/token-details',
  read(body, receivedAt, note) {
    noteUnknown(body, TESSERA_FIELDS, note);
    return readRows(body, 'mint', receivedAt);
  },
};

/** Issuers by name. */
export const MARK_ISSUERS: Readonly<Record<MarkProvider, MarkIssuer>> = { prestocks: PRESTOCKS, tessera: TESSERA };

/** Requests the marks once. @throws VenueError if the issuer refuses or the answer is invalid */
export async function fetchIssuerMarks(client: KeyedClient, clock: Clock): Promise<readonly IssuerMark[]> {
  const { marks, unread } = PRESTOCKS.read(await client.get(PRESTOCKS.path, []), clock.now());
  if (marks.length === 0)
    throw new VenueError('reference', 200, 'unknown_shape', `the issuer's marks could not be read: ${unread[0] ?? 'the list is empty'}`);
  return marks;
}

/** Storage of marks beyond this process. */
export interface MarkMemory {
  /** Returns the first known and the last change of each token. */
  newest(): Promise<readonly { readonly first: MarkChange; readonly last: MarkChange }[]>;
  /** Stores changes, each once and permanently. */
  append(changes: readonly MarkChange[]): Promise<void>;
}

/** Storage of nothing: a mark dates from its first reading by this process. */
const FORGETFUL: MarkMemory = { newest: async () => [], append: async () => {} };

interface IssuerMarkFeedOptions {
  /** Client of the issuer, e.g. `https://prestocks.com`. */
  readonly client: KeyedClient;
  /** Issuer. Default: that of the catalog's pre-IPO tokens. */
  readonly issuer?: MarkIssuer;
  /** Mints that the catalog trusts, by symbol. A row with another mint is refused, because symbols have impostors. */
  readonly mints: ReadonlyMap<string, string>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly memory?: MarkMemory;
  /** Interval of requests in milliseconds. Default 60 s. */
  readonly everyMs?: number;
}

interface Known {
  readonly mark: IssuerMark;
  readonly firstSeenAt: EpochMs;
  readonly changedAt: EpochMs;
}

/**
 * Creates a feed of marks as reference prices of their tokens (`reference:SPACEX`). The issuer gives no time, so a mark dates from its
 * first reading, and repetition does not make it younger. If the issuer drops a token or changes its mint, its mark stays as `degraded`.
 * `states` gives the valuations.
 */
export function createIssuerMarkFeed(options: IssuerMarkFeedOptions): VenueFeed & { states(): readonly IssuerMarkState[] } {
  const { client, mints, clock, random, issuer = PRESTOCKS, memory = FORGETFUL } = options;
  const unknownFields = createUnknownFields();
  const everyMs = options.everyMs ?? MINUTE_MS;
  const known = new Map<string, Known>();
  const verified = new Map<string, boolean>();
  let remembered = false;

  async function remember(): Promise<void> {
    if (remembered) return;
    for (const { first, last } of await memory.newest()) {
      if (mints.get(last.symbol) !== last.mint) continue;
      known.set(last.symbol, { mark: last, firstSeenAt: first.receivedAt, changedAt: last.receivedAt });
    }
    remembered = true;
  }

  /** Processes the marks of one answer. New ones are stored before they are emitted. */
  async function takeIn(marks: readonly IssuerMark[]): Promise<void> {
    const isNew = (mark: IssuerMark): boolean => {
      const before = known.get(mark.symbol);
      return before === undefined || !isSameMark(before.mark, mark);
    };
    const changes = marks.filter(isNew).map((mark): MarkChange => ({ ...mark, issuer: issuer.name, source: issuer.source }));
    if (changes.length > 0) await memory.append(changes);
    for (const mark of marks) {
      const before = known.get(mark.symbol);
      const changedAt = before !== undefined && isSameMark(before.mark, mark) ? before.changedAt : mark.receivedAt;
      known.set(mark.symbol, { mark, firstSeenAt: before?.firstSeenAt ?? mark.receivedAt, changedAt });
    }
  }

  async function ask(): Promise<Reading<FeedMessage>> {
    await remember();
    const receivedAt = clock.now();
    const { marks, unread } = issuer.read(await client.get(issuer.path, []), receivedAt, unknownFields.note);
    const rejected: Rejected[] = unread.map((detail) => ({ reason: 'unknown_shape', detail }));
    const accepted = new Map<string, IssuerMark>();
    for (const mark of marks) {
      if (mints.get(mark.symbol) === mark.mint) accepted.set(mark.symbol, mark);
      else rejected.push({ reason: 'unknown_instrument', detail: whyRefused(mark) });
    }
    await takeIn([...accepted.values()]);
    for (const symbol of known.keys()) verified.set(symbol, accepted.has(symbol));
    const messages = [...known].map(([symbol, one]) =>
      toReference(one, issuer.source, clock.now(), accepted.has(symbol) ? 'live' : 'degraded'),
    );
    return { messages, rejected };
  }

  function whyRefused({ symbol, mint }: IssuerMark): string {
    return mints.has(symbol)
      ? `${symbol} has mint ${mint.slice(0, 44)}, which is not the catalog's`
      : `nobody asked for ${symbol.slice(0, 20)}`;
  }

  function toState({ mark, firstSeenAt, changedAt }: Known): IssuerMarkState {
    return {
      kind: 'issuer_mark',
      venue: 'reference',
      instrument: mark.symbol,
      issuer: issuer.name,
      source: issuer.source,
      mint: mark.mint,
      mintVerified: verified.get(mark.symbol) ?? false,
      markPrice: mark.markPrice,
      markValuation: mark.markValuation,
      supply: mark.supply,
      firstSeenAt,
      changedAt,
      observedAt: mark.receivedAt,
      receivedAt: mark.receivedAt,
    };
  }

  return {
    venue: 'reference',
    messages: poll<FeedMessage>({ source: issuer.source, everyMs, clock, random, open: () => ({ ask }) }),
    states: () => [...known.values()].map(toState),
    unknownFields,
  };
}

/** Returns a mark as a reference price of its token, with the mark's age. */
function toReference({ mark, changedAt }: Known, source: string, receivedAt: EpochMs, quality: Quality): FeedMessage {
  return {
    kind: 'reference',
    venue: 'reference',
    instrument: mark.symbol,
    source,
    observedAt: receivedAt,
    receivedAt,
    feedUpdatedAt: changedAt,
    referencePrice: mark.markPrice,
    confidence: '0',
    publisherSession: null,
    quality,
    flags: NO_FLAGS,
  };
}
