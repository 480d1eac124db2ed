/** GET /v1/candles/work: imports and backfills of bars, and how far each is. */
import { Type } from 'typebox';
import { isoTime } from '../../../src/domain/time.ts';
import { CANDLE_WORK_STATES, candleWorkProgress, candleWorkState } from '../../../src/domain/work-progress.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { choice, nullable, objectOf, pageFields, pageOf, Time, VenueWord } from '../../shapes.ts';
import { WORK_FIELDS } from '../../work-fields.ts';

const CandleWorkBody = Type.Object(
  {
    kind: choice(['import', 'backfill'], '`import`: from files. `backfill`: what a venue is asked for.'),
    venue: VenueWord,
    instrument: Type.String(),
    timeframe: Type.String(),
    source: Type.String({ description: 'Names of the files, or the venue that is asked.' }),
    state: choice(CANDLE_WORK_STATES, '`silent`: nothing was said of it for half a minute, so whoever worked at it is gone.'),
    begunAt: Time,
    seenAt: { ...Time, description: 'When it said last how far it is.' },
    endedAt: nullable('string'),
    error: nullable('string', 'Why it ended before its end; null where it did not.'),
    ...WORK_FIELDS,
  },
  { $id: 'CandleWork' },
);

export const listCandleWork = defineRoute({
  method: 'GET',
  url: '/v1/candles/work',
  name: 'listCandleWork',
  tag: 'market',
  summary: 'Imports and backfills of candles, newest first: how far each is and what it waits for',
  description: 'What takes the service less than a second is not among them. They are shown for a week.',
  cost: 'read',
  schema: { querystring: objectOf(pageFields) },
  answers: { 200: { description: 'A page of imports and backfills.', schema: pageOf(CandleWorkBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'candle-work', POSITIONS.number);
    const found = await ports.candleWork.list(page);
    return pageBody(found, 'candle-work', (work) => ({
      kind: work.kind,
      venue: work.venue,
      instrument: work.instrument,
      timeframe: work.timeframe,
      source: work.source,
      state: candleWorkState(work, work.at),
      begunAt: isoTime(work.begunAt),
      seenAt: isoTime(work.seenAt),
      endedAt: work.endedAt === null ? null : isoTime(work.endedAt),
      error: work.error,
      ...candleWorkProgress(work, work.at),
    }));
  },
});
