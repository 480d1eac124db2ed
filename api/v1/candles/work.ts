/** GET /v1/candles/work: lists imports and backfills of bars with their progress. */
import { Type } from 'typebox';
import type { Venue } from '../../../src/domain/market/venue.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { choice, objectOf, pageFields, pageOf, VenueWord } from '../../shapes.ts';
import { WORK_RECORD, workRecord } from '../runtime/work-body.ts';

const KINDS = ['import', 'backfill'] as const;

const CandleWorkBody = Type.Object(
  {
    kind: choice(KINDS, '`import`: from files. `backfill`: what a venue is asked for.'),
    venue: VenueWord,
    instrument: Type.String(),
    timeframe: Type.String(),
    ...WORK_RECORD,
  },
  { $id: 'CandleWork' },
);

export const listCandleWork = defineRoute({
  method: 'GET',
  url: '/v1/candles/work',
  name: 'listCandleWork',
  tag: 'market',
  summary: 'Imports and backfills of candles with their progress, newest first',
  description: 'Shown for a week. Work of less than a second is left out.',
  permission: 'market:read',
  cost: 'read',
  schema: { querystring: objectOf(pageFields) },
  answers: { 200: { description: 'A page of imports and backfills.', schema: pageOf(CandleWorkBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'candle-work', POSITIONS.number);
    const found = await ports.longWork.list(page, KINDS);
    return pageBody(found, 'candle-work', (work) => ({
      kind: work.kind as (typeof KINDS)[number],
      // Every such work in the table has a series.
      venue: work.venue as Venue,
      instrument: work.instrument as string,
      timeframe: work.timeframe as string,
      ...workRecord(work),
    }));
  },
});
