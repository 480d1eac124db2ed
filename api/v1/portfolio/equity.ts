/** GET /v1/portfolio/equity: returns the joint equity curve of all books of a mode, at the prices observed then. */
import { Type } from 'typebox';
import { equityCourse, type PriceAt } from '../../../src/domain/books/equity-course.ts';
import type { Quote } from '../../../src/domain/market/quote.ts';
import { midPrice } from '../../../src/domain/market/valuation.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import { EXECUTION_MODES } from '../../../src/domain/orders/order.ts';
import { type Earnings, totalEarnings } from '../../../src/domain/portfolio/performance.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../../src/domain/values/decimal.ts';
import { type EpochMs, isoTime } from '../../../src/domain/values/time.ts';
import { memberOf } from '../../caller.ts';
import { defineRoute } from '../../route.ts';
import { choice, DecimalText, NullableTime, objectOf, Time } from '../../shapes.ts';
import { COURSE_TIMEFRAMES, courseTimes, equityPoint, MOST_POINTS } from '../books/course-points.ts';
import { readEarnings } from './earnings.ts';

const TotalEquityBody = Type.Object(
  {
    at: Time,
    mode: choice(EXECUTION_MODES),
    openedAt: { ...NullableTime, description: 'Opening time of the first book, or null if there is none.' },
    observedFrom: {
      ...NullableTime,
      description: 'Start of the curve. Earlier observations lie in archive files. Null if nothing was moved.',
    },
    timeframe: choice(COURSE_TIMEFRAMES, 'The distance of two points: the shortest with which all of it fits.'),
    items: Type.Array(equityPoint('Null if nothing was observed then, or something was held whose price was not known.'), {
      description: 'Ascending; the last one is of now, at the prices of `GET /v1/portfolio/performance`.',
    }),
    today: Type.Unsafe<{ startUsd: DecimalString; changeUsd: DecimalString } | null>({
      type: ['object', 'null'],
      required: ['startUsd', 'changeUsd'],
      properties: {
        startUsd: {
          ...DecimalText,
          description: 'Equity now minus the P&L of today, so deposits and withdrawals of today do not count as P&L.',
        },
        changeUsd: { ...DecimalText, description: '`todayUsd` of `GET /v1/portfolio/performance`.' },
      },
      description: 'This UTC day; null if it is not known, or `todayWithout` of the performance names an instrument.',
    }),
  },
  { $id: 'TotalEquity' },
);

export const getTotalEquity = defineRoute({
  method: 'GET',
  url: '/v1/portfolio/equity',
  name: 'getTotalEquity',
  tag: 'books',
  summary: 'Total equity curve: agents, vaults and manual orders together',
  description:
    'Total equity of the books that count now: cash plus positions at the mid price observed at each point. Includes realized and unrealized P&L. Paper and real money are never added up. If a price was not observed, the point is null.',
  permission: 'agent:read',
  cost: 'costly',
  schema: {
    querystring: objectOf({
      mode: Type.Optional(choice(EXECUTION_MODES, 'Default: `paper`.')),
      points: Type.Optional(
        Type.Integer({
          minimum: 2,
          maximum: MOST_POINTS,
          default: MOST_POINTS,
          description: 'Maximum number of points before the last one.',
        }),
      ),
    }),
  },
  answers: { 200: { description: 'The equity curve.', schema: TotalEquityBody } },
  refusals: [],
  handle: (ports) => async (request) => {
    const { orgId } = memberOf(request);
    const { mode = 'paper', points = MOST_POINTS } = request.query;
    const { at, books, quotes, earned } = await readEarnings(ports, orgId, mode);
    const totals = totalEarnings(earned);
    const ids = books.map(({ state }) => state.id);
    const { openedAt, observedFrom } = await ports.books.opened(orgId, ids);
    const { timeframe, barMs, times } = courseTimes(Math.max(openedAt ?? at, observedFrom ?? 0), at, points);
    const moves = await ports.books.movesOf(orgId, ids, [...times, at]);
    const instruments = [...new Set(moves.flatMap(({ instrument }) => (instrument === null ? [] : [instrument])))];
    const observed = await ports.books.observedMids(orgId, instruments, times, barMs);
    const course = openedAt === null ? [] : equityCourse(moves, pricesOf(observed, quotes, at), [...times.filter((time) => time < at), at]);
    return {
      at: isoTime(at),
      mode,
      openedAt: openedAt === null ? null : isoTime(openedAt),
      observedFrom: observedFrom === null ? null : isoTime(observedFrom),
      timeframe,
      items: course.map(({ at: time, ...point }) => ({ at: isoTime(time), ...point })),
      today: todayOf(totals),
    };
  },
});

/** Observed prices at each instant, and current quotes. */
function pricesOf(
  observed: ReadonlyMap<EpochMs, ReadonlyMap<InstrumentKey, DecimalString>>,
  quotes: ReadonlyMap<InstrumentKey, Quote>,
  now: EpochMs,
): PriceAt {
  return (instrument, at) => {
    if (at !== now) return observed.get(at)?.get(instrument) ?? null;
    const quote = quotes.get(instrument);
    return quote === undefined ? null : midPrice(quote.bid, quote.ask);
  };
}

function todayOf({ equityUsd, todayUsd, todayWithout }: Earnings) {
  if (equityUsd === null || todayUsd === null || todayWithout.length > 0) return null;
  return { startUsd: plainDecimal(new Decimal(equityUsd).minus(todayUsd)), changeUsd: todayUsd };
}
