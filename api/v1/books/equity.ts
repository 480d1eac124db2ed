/** GET /v1/books/:id/equity: returns the equity curve of a book, marked at closes of bars. */
import { Type } from 'typebox';
import type { BookCourse } from '../../../src/adapters/store/books/book-reads.ts';
import { readBookId } from '../../../src/domain/books/book.ts';
import { equityCourse, type KnownClose, lastCloses } from '../../../src/domain/books/equity-course.ts';
import { type InstrumentKey, splitInstrumentKey } from '../../../src/domain/market/venue.ts';
import { type EpochMs, isoTime, slotOf, timeframeMs } from '../../../src/domain/values/time.ts';
import { memberOf } from '../../caller.ts';
import { sendProblem } from '../../problem.ts';
import { type ApiPorts, defineRoute } from '../../route.ts';
import { choice, objectOf } from '../../shapes.ts';
import { COURSE_TIMEFRAMES, type CourseTimeframe, courseTimes, equityPoint, MOST_POINTS } from './course-points.ts';

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

async function closesOf(
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
    params: objectOf({ id: Type.String({ maxLength: 100, description: 'Id of a book, as `GET /v1/books` lists it.' }) }),
    querystring: objectOf({
      points: Type.Optional(
        Type.Integer({ minimum: 2, maximum: MOST_POINTS, default: MOST_POINTS, description: 'At most so many points.' }),
      ),
    }),
  },
  answers: { 200: { description: 'The equity curve.', schema: EquityBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const { id } = request.params;
    const course: BookCourse | null = readBookId(id) === null ? null : await ports.books.course(memberOf(request).orgId, id);
    if (course === null) return sendProblem(reply, 'not_found', 'there is no book with this id');
    const now = ports.clock.now();
    const { timeframe, barMs, times } = courseTimes(course.openedAt, now, request.query.points ?? MOST_POINTS);
    const to = slotOf(now, barMs);
    const first = times[0] ?? to;
    const instruments = [...new Set(course.moves.flatMap(({ instrument }) => (instrument === null ? [] : [instrument])))];
    const span = { from: first - BARS_BEFORE * barMs, to };
    const closes = await Promise.all(instruments.map(async (key) => [key, await closesOf(ports, key, timeframe, span)] as const));
    return {
      bookId: id,
      timeframe,
      items: equityCourse(course.moves, lastCloses(new Map(closes)), times).map(({ at, ...point }) => ({ at: isoTime(at), ...point })),
    };
  },
});
