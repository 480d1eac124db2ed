/** GET /v1/catalog/sessions: returns the calendar of US equity sessions, with half days and holidays. */
import { Type } from 'typebox';
import { type CalendarDay, calendarDays, newYorkDate, SESSION_YEARS } from '../../../src/domain/market/session.ts';
import { DAY_MS, isoTime } from '../../../src/domain/values/time.ts';
import { POSITIONS, pageBody, pageOfKeyed, pageOfQuery } from '../../cursor.ts';
import { malformed } from '../../http/strict-json.ts';
import { defineRoute } from '../../route.ts';
import { choice, NullableTime, nullable, objectOf, pageFields, pageOf } from '../../shapes.ts';

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
function dateOf(text: string, path: string): string {
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
    querystring: objectOf({
      from: DayText('The first day, in New York; today where nothing is said.'),
      to: DayText(`The last day, inclusive; ${DEFAULT_DAYS} days later where nothing is said. The calendar reaches to ${LAST}.`),
      ...pageFields,
    }),
  },
  answers: { 200: { description: 'Trading days and holidays, ascending; weekends are left out.', schema: pageOf(SessionDayBody) } },
  refusals: [],
  handle: (ports) => (request) => {
    const { query } = request;
    const page = pageOfQuery(query, 'sessions', POSITIONS.date);
    const from = dateOf(query.from ?? newYorkDate(ports.clock.now()), 'query.from');
    const to = query.to === undefined ? later(from, DEFAULT_DAYS) : dateOf(query.to, 'query.to');
    if (from > to) throw malformed('query.from', '`from` is later than `to`', 'a day not after `to`');
    return pageBody(
      pageOfKeyed(calendarDays(from, to), ({ date }) => date, page),
      'sessions',
      dayBody,
    );
  },
});
