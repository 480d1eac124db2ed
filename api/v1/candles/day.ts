/** GET /v1/candles/day: returns hourly closes of the last 24 hours for many instruments. */
import { Type } from 'typebox';
import { HOUR_MS, isoTime, slotOf } from '../../../src/domain/values/time.ts';
import { POSITIONS, pageBody, pageOfKeyed, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { DecimalText, objectOf, pageFields, pageOf, Time, VenueWord } from '../../shapes.ts';

const HOURS = 24;

const DayClosesBody = Type.Object(
  {
    venue: VenueWord,
    instrument: Type.String(),
    bars: Type.Array(Type.Object({ openTime: Time, close: DecimalText }), {
      maxItems: HOURS,
      description: 'Ascending by open time. A bar that the venue does not have is missing.',
    }),
  },
  { $id: 'DayCloses' },
);

export const listDayCloses = defineRoute({
  method: 'GET',
  url: '/v1/candles/day',
  name: 'listDayCloses',
  tag: 'market',
  summary: 'The last 24 hourly closes of each instrument of the catalog',
  description: 'Sorted by instrument. Enough to draw the day of a whole watchlist; `listCandles` has the bars themselves.',
  permission: 'market:read',
  cost: 'read',
  schema: { querystring: objectOf({ ...pageFields }) },
  answers: { 200: { description: 'A page of instruments.', schema: pageOf(DayClosesBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const asked = pageOfQuery(request.query, 'days', POSITIONS.instrument);
    const { items, next } = pageOfKeyed(ports.catalog.entries.entries, ({ key }) => key, asked);
    const to = slotOf(ports.clock.now(), HOUR_MS);
    const from = to - HOURS * HOUR_MS;
    const stored = await ports.rankings.bars.closes(
      items.map(({ key }) => key),
      '1h',
      from,
      to,
    );
    const days = await Promise.all(
      items.map(async ({ key, venue, instrument }) => {
        const known = stored.get(key) ?? [];
        // Missing bars are requested from the venue once, and its answers are stored.
        const bars =
          known.length >= HOURS ? known : await ports.candles.range({ venue, instrument, timeframe: '1h', from, to, limit: HOURS });
        return { venue, instrument, bars: bars.map(({ openTime, close }) => ({ openTime: isoTime(openTime), close })) };
      }),
    );
    return pageBody({ items: days, next }, 'days', (day) => day);
  },
});
