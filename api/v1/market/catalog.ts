/** The catalog: instruments with their present prices, changes of issuers’ marks, and the calendar of sessions. */
import { Type } from 'typebox';
import type { IssuerMarkStore } from '../../../src/adapters/store/catalog/issuer-mark-store.ts';
import { type Catalog, type CatalogEntry, VENUE_CLASSIFICATIONS } from '../../../src/domain/catalog/catalog.ts';
import { type CalendarDay, calendarDays, newYorkDate, SESSION_YEARS } from '../../../src/domain/market/session.ts';
import { percentAbove } from '../../../src/domain/market/valuation.ts';
import { DAY_MS, isoTime } from '../../../src/domain/values/time.ts';
import { POSITIONS, pageBody, pageOfKeyed, pageOfQuery } from '../../cursor.ts';
import { malformed } from '../../http/strict-json.ts';
import { defineRoute } from '../../route.ts';
import {
  choice,
  DecimalText,
  ExecutableVenueWord,
  NullableDecimalText,
  NullableTime,
  nullable,
  objectSchema,
  pageFields,
  pageSchema,
  Time,
} from '../../shapes.ts';
import { CatalogEntryBody, entryBody, KindWord } from './catalog-entry.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly catalog: {
      readonly entries: Catalog;
      readonly marks: Pick<IssuerMarkStore, 'changes'>;
    };
  }
}

/** True if a search word occurs in one of the instrument's names, ignoring case and punctuation. */
function isNamed(entry: CatalogEntry, word: string): boolean {
  const names = [entry.instrument, entry.name, entry.underlying, ...entry.pairs, ...(entry.token === null ? [] : [entry.token.mint])];
  return names.some((name) => name.toLowerCase().includes(word));
}

export const listCatalog = defineRoute({
  method: 'GET',
  url: '/v1/catalog',
  name: 'listCatalog',
  tag: 'market',
  summary: 'Every instrument that an agent may name',
  permission: 'market:read',
  cost: 'read',
  schema: {
    querystring: objectSchema({
      venue: Type.Optional(ExecutableVenueWord),
      kind: Type.Optional(KindWord),
      classification: Type.Optional(choice(VENUE_CLASSIFICATIONS)),
      underlying: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: 'Underlying that it gives exposure to, e.g. `BTC`.' }),
      ),
      q: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: 'Part of a symbol, name, pair, underlying or mint, in any case.' }),
      ),
      ...pageFields,
    }),
  },
  answers: { 200: { description: 'A page of the catalog, by venue and instrument.', schema: pageSchema(CatalogEntryBody) } },
  refusals: [],
  handle: (ports) => (request) => {
    const { venue, kind, classification, underlying, q } = request.query;
    const word = q?.trim().toLowerCase();
    const page = pageOfQuery(request.query, 'catalog', POSITIONS.instrument);
    const found = ports.catalog.entries.entries.filter(
      (entry) =>
        (venue === undefined || entry.venue === venue) &&
        (kind === undefined || entry.kind === kind) &&
        (classification === undefined || entry.classification === classification) &&
        (underlying === undefined || entry.underlying === underlying) &&
        (word === undefined || isNamed(entry, word)),
    );
    return pageBody(
      pageOfKeyed(found, ({ key }) => key, page),
      'catalog',
      (entry) => entryBody(ports, entry),
    );
  },
});

const MarkChangeBody = Type.Object(
  {
    instrument: Type.String(),
    issuer: Type.String(),
    source: Type.String(),
    mint: Type.String({ description: 'The mint that the issuer named; only marks of the verified mint are kept.' }),
    seenAt: { ...Time, description: 'Time at which the mark was first received. Issuers give no time of their own.' },
    markPrice: { ...DecimalText, description: 'US dollars per UI unit of the token.' },
    markValuation: { ...DecimalText, description: 'US dollars.' },
    previousMarkPrice: NullableDecimalText,
    previousMarkValuation: NullableDecimalText,
    changePct: nullable('number', 'Change of the price in percent; null for the first mark.'),
    supply: { ...NullableDecimalText, description: 'UI units in existence at that time, by the issuer.' },
    issuerTokenPrice: { ...NullableDecimalText, description: "The issuer's own word on the token's price." },
    issuerImpliedValuation: { ...NullableDecimalText, description: "The issuer's own word on the implied valuation." },
  },
  { $id: 'MarkChange' },
);

export const listMarks = defineRoute({
  method: 'GET',
  url: '/v1/catalog/marks',
  name: 'listMarks',
  tag: 'market',
  summary: "History of issuers' marks",
  permission: 'market:read',
  cost: 'read',
  schema: { querystring: objectSchema({ instrument: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })), ...pageFields }) },
  answers: { 200: { description: 'Changes of marks, newest first.', schema: pageSchema(MarkChangeBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = await ports.catalog.marks.changes(request.query.instrument ?? null, pageOfQuery(request.query, 'marks', POSITIONS.number));
    return pageBody(page, 'marks', ({ change, previous }) => ({
      instrument: change.symbol,
      issuer: change.issuer,
      source: change.source,
      mint: change.mint,
      seenAt: isoTime(change.receivedAt),
      markPrice: change.markPrice,
      markValuation: change.markValuation,
      previousMarkPrice: previous?.markPrice ?? null,
      previousMarkValuation: previous?.markValuation ?? null,
      changePct: previous === null ? null : percentAbove(change.markPrice, previous.markPrice),
      supply: change.supply,
      issuerTokenPrice: change.tokenPrice,
      issuerImpliedValuation: change.impliedValuation,
    }));
  },
});

/** Default length of the session calendar, in days. */
const DEFAULT_DAYS = 30;
const FIRST = `${SESSION_YEARS.first}-01-01`;
const LAST = `${SESSION_YEARS.last}-12-31`;

const DayText = (description: string) =>
  Type.Optional(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', examples: ['2026-11-27'], description }));

const SessionDayBody = Type.Object(
  {
    date: Type.String({ description: 'The day in New York.' }),
    kind: choice(['full_day', 'half_day', 'holiday'], 'On a half day the regular session ends at 13:00 and the late one at 17:00.'),
    occasion: nullable('string', 'The holiday, or what makes the day a half one.'),
    preMarketAt: {
      ...NullableTime,
      description: 'Each session begins here and ends where the next one begins, ISO 8601; null on a holiday.',
    },
    regularAt: NullableTime,
    postMarketAt: NullableTime,
    closedAt: NullableTime,
  },
  { $id: 'SessionDay' },
);

function dayBody({ date, trading, occasion }: CalendarDay) {
  return {
    date,
    kind: trading === null ? ('holiday' as const) : trading.halfDay ? ('half_day' as const) : ('full_day' as const),
    occasion,
    preMarketAt: trading === null ? null : isoTime(trading.preMarketAt),
    regularAt: trading === null ? null : isoTime(trading.regularAt),
    postMarketAt: trading === null ? null : isoTime(trading.postMarketAt),
    closedAt: trading === null ? null : isoTime(trading.closedAt),
  };
}

/**
 * Reads a date. @throws InputError `malformed` if the text is not a date or is outside the calendar, because unknown does not mean closed.
 */
function parseDate(text: string, path: string): string {
  const at = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== text) throw malformed(path, 'no such day', 'YYYY-MM-DD');
  if (text < FIRST || text > LAST) throw malformed(path, 'the calendar does not reach that day', `${FIRST} to ${LAST}`);
  return text;
}

function later(date: string, days: number): string {
  const moved = new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
  return moved > LAST ? LAST : moved;
}

export const listSessions = defineRoute({
  method: 'GET',
  url: '/v1/catalog/sessions',
  name: 'listSessions',
  tag: 'market',
  summary: 'Sessions of US equities by day',
  permission: 'market:read',
  cost: 'read',
  schema: {
    querystring: objectSchema({
      from: DayText('The first day, in New York; today where nothing is said.'),
      to: DayText(`The last day, inclusive; ${DEFAULT_DAYS} days later where nothing is said. The calendar reaches to ${LAST}.`),
      ...pageFields,
    }),
  },
  answers: { 200: { description: 'Trading days and holidays, ascending; weekends are left out.', schema: pageSchema(SessionDayBody) } },
  refusals: [],
  handle: (ports) => (request) => {
    const { query } = request;
    const page = pageOfQuery(query, 'sessions', POSITIONS.date);
    const from = parseDate(query.from ?? newYorkDate(ports.clock.now()), 'query.from');
    const to = query.to === undefined ? later(from, DEFAULT_DAYS) : parseDate(query.to, 'query.to');
    if (from > to) throw malformed('query.from', '`from` is later than `to`', 'a day not after `to`');
    return pageBody(
      pageOfKeyed(calendarDays(from, to), ({ date }) => date, page),
      'sessions',
      dayBody,
    );
  },
});
