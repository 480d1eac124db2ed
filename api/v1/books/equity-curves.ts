/** Equity curves of a book and of all books together. */
import { Type } from 'typebox';
import type { BookCourse } from '../../../src/adapters/store/books/book-reads.ts';
import { readBookId } from '../../../src/domain/books/book.ts';
import { equityCourse, type KnownClose, lastCloses, type PriceAt } from '../../../src/domain/books/equity-course.ts';
import type { Quote } from '../../../src/domain/market/quote.ts';
import { midPrice } from '../../../src/domain/market/valuation.ts';
import { type InstrumentKey, splitInstrumentKey } from '../../../src/domain/market/venue.ts';
import { EXECUTION_MODES } from '../../../src/domain/orders/order.ts';
import { type Earnings, totalEarnings } from '../../../src/domain/portfolio/performance.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../../src/domain/values/decimal.ts';
import { type EpochMs, isoTime, startOfSlot, timeframeMs } from '../../../src/domain/values/time.ts';
import { requireMember } from '../../caller.ts';
import { sendProblem } from '../../problem.ts';
import { type ApiPorts, defineRoute } from '../../route.ts';
import { choice, DecimalText, NullableDecimalText, NullableTime, nullable, objectSchema, Time } from '../../shapes.ts';
import { readEarnings } from './book-earnings.ts';

const COURSE_TIMEFRAMES = ['1m', '5m', '15m', '1h', '4h', '24h'] as const;
type CourseTimeframe = (typeof COURSE_TIMEFRAMES)[number];
const MOST_POINTS = 200;

/** Returns the schema of a point. @param unknown Says when its equity is null. */
function equityPoint(unknown: string) {
  return Type.Object({
    at: Time,
    equityUsd: { ...NullableDecimalText, description: unknown },
    pnlUsd: { ...NullableDecimalText, description: 'Equity minus net deposits so far.' },
    drawdownPct: nullable('number', 'Drawdown from the highest value so far. Deposits and withdrawals do not change it.'),
  });
}

/** Returns the instants of a curve from the opening until now, ascending, at the shortest timeframe with which all of them fit. */
function courseTimes(
  openedAt: EpochMs,
  now: EpochMs,
  points: number,
): { readonly timeframe: CourseTimeframe; readonly barMs: number; readonly times: readonly EpochMs[] } {
  const timeframe = COURSE_TIMEFRAMES.find((name) => (now - openedAt) / (timeframeMs(name) as number) < points) ?? '24h';
  const barMs = timeframeMs(timeframe) as number;
  const to = startOfSlot(now, barMs);
  const first = Math.max(startOfSlot(openedAt, barMs) + barMs, to - (points - 1) * barMs);
  const times = Array.from({ length: Math.max(0, (to - first) / barMs + 1) }, (_, index) => first + index * barMs);
  return { timeframe, barMs, times };
}

/** Bars before the first point in which a close is searched, because a market may have been closed. */
const BARS_BEFORE = 60;
/** Maximum bars per read. */
const MOST_BARS = MOST_POINTS + BARS_BEFORE + 1;

const EquityBody = Type.Object(
  {
    bookId: Type.String(),
    timeframe: choice(COURSE_TIMEFRAMES, 'The distance of two points: the shortest with which all of the book fits.'),
    items: Type.Array(equityPoint('Null if something was held that has no bar.'), { description: 'Ascending.' }),
  },
  { $id: 'Equity' },
);

async function readCloses(
  ports: Pick<ApiPorts, 'candles'>,
  key: InstrumentKey,
  timeframe: CourseTimeframe,
  span: { readonly from: EpochMs; readonly to: EpochMs },
): Promise<readonly KnownClose[]> {
  const name = splitInstrumentKey(key);
  // Outcomes of prediction markets have no bars.
  if (name.venue === 'prediction') return [];
  const barMs = timeframeMs(timeframe) as number;
  const found = await ports.candles.range({ ...name, timeframe, from: Math.max(0, span.from), to: span.to, limit: MOST_BARS });
  return found.map(({ openTime, close }) => ({ at: openTime + barMs, close }));
}

export const getEquity = defineRoute({
  method: 'GET',
  url: '/v1/books/:id/equity',
  name: 'getEquity',
  tag: 'books',
  summary: 'Equity curve of one book, with its drawdown',
  description:
    'Equity at the end of each bar: cash of the book plus positions at the last close. If a price is unknown, the point is null.',
  permission: 'agent:read',
  cost: 'costly',
  schema: {
    params: objectSchema({ id: Type.String({ maxLength: 100, description: 'Id of a book, as `GET /v1/books` lists it.' }) }),
    querystring: objectSchema({
      points: Type.Optional(
        Type.Integer({ minimum: 2, maximum: MOST_POINTS, default: MOST_POINTS, description: 'At most so many points.' }),
      ),
    }),
  },
  answers: { 200: { description: 'The equity curve.', schema: EquityBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const { id } = request.params;
    const course: BookCourse | null = readBookId(id) === null ? null : await ports.books.course(requireMember(request).orgId, id);
    if (course === null) return sendProblem(reply, 'not_found', 'there is no book with this id');
    const now = ports.clock.now();
    const { timeframe, barMs, times } = courseTimes(course.openedAt, now, request.query.points ?? MOST_POINTS);
    const to = startOfSlot(now, barMs);
    const first = times[0] ?? to;
    const instruments = [...new Set(course.moves.flatMap(({ instrument }) => (instrument === null ? [] : [instrument])))];
    const span = { from: first - BARS_BEFORE * barMs, to };
    const closes = await Promise.all(instruments.map(async (key) => [key, await readCloses(ports, key, timeframe, span)] as const));
    return {
      bookId: id,
      timeframe,
      items: equityCourse(course.moves, lastCloses(new Map(closes)), times).map(({ at, ...point }) => ({ at: isoTime(at), ...point })),
    };
  },
});

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
    querystring: objectSchema({
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
    const { orgId } = requireMember(request);
    const { mode = 'paper', points = MOST_POINTS } = request.query;
    const { at, books, quotes, earned } = await readEarnings(ports, orgId, mode);
    const totals = totalEarnings(earned);
    const ids = books.map(({ state }) => state.id);
    const { openedAt, observedFrom } = await ports.books.opened(orgId, ids);
    const { timeframe, barMs, times } = courseTimes(Math.max(openedAt ?? at, observedFrom ?? 0), at, points);
    const moves = await ports.books.movesOf(orgId, ids, [...times, at]);
    const instruments = [...new Set(moves.flatMap(({ instrument }) => (instrument === null ? [] : [instrument])))];
    const observed = await ports.books.observedMids(orgId, instruments, times, barMs);
    const course =
      openedAt === null ? [] : equityCourse(moves, createPriceAt(observed, quotes, at), [...times.filter((time) => time < at), at]);
    return {
      at: isoTime(at),
      mode,
      openedAt: openedAt === null ? null : isoTime(openedAt),
      observedFrom: observedFrom === null ? null : isoTime(observedFrom),
      timeframe,
      items: course.map(({ at: time, ...point }) => ({ at: isoTime(time), ...point })),
      today: readToday(totals),
    };
  },
});

/** Observed prices at each instant, and current quotes. */
function createPriceAt(
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

function readToday({ equityUsd, todayUsd, todayWithout }: Earnings) {
  if (equityUsd === null || todayUsd === null || todayWithout.length > 0) return null;
  return { startUsd: plainDecimal(new Decimal(equityUsd).minus(todayUsd)), changeUsd: todayUsd };
}
