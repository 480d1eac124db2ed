/** Closed bars with the gaps among them, closes of a day, and imports of bars. */
import { Type } from 'typebox';
import type { CandleReads } from '../../../src/adapters/venues/candle-reads.ts';
import { type CandleGap, explainGap, GAP_REASONS } from '../../../src/domain/candles/candle-gaps.ts';
import type { Venue } from '../../../src/domain/market/venue.ts';
import { type EpochMs, HOUR_MS, isoTime, startOfSlot, timeframeMs } from '../../../src/domain/values/time.ts';
import { encodeCursor, POSITIONS, pageBody, pageOfKeyed, pageOfQuery } from '../../cursor.ts';
import { malformed } from '../../http/strict-json.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { choice, DecimalText, nullable, objectSchema, pageFields, pageSchema, Time, VenueWord } from '../../shapes.ts';
import { WORK_RECORD, workRecord } from '../runtime.ts';
import { knownInstrument, NO_INSTRUMENT } from './known-instrument.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly candles: CandleReads;
  }
}

/** Missing bars that open from `from` (inclusive) to `to` (exclusive). */
interface Gap {
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly missing: number;
}

/**
 * Returns the gaps between ascending open times within [from, to), on the grid of the timeframe. All times are aligned to it. The reader
 * decides which gaps a closed market explains.
 */
export function findGaps(openTimes: readonly EpochMs[], from: EpochMs, to: EpochMs, timeframeLength: number): Gap[] {
  const gaps: Gap[] = [];
  let expected = from;
  const close = (until: EpochMs): void => {
    if (until > expected) gaps.push({ from: expected, to: until, missing: Math.round((until - expected) / timeframeLength) });
  };
  for (const openTime of openTimes) {
    close(openTime);
    expected = openTime + timeframeLength;
  }
  close(to);
  return gaps;
}

const WHY_MISSING =
  '`not_asked`: nobody was asked yet. `refused`: the venue would not say. `out_of_reach`: further back than it serves. `venue_maintenance`: it answered and has none. `before_listing`: the same, before its first bar. `not_in_file`: the imported file has none. `calendar`: no session was open.';

/** A closed bar on the wire. */
export const barFields = {
  openTime: Time,
  open: DecimalText,
  high: DecimalText,
  low: DecimalText,
  close: DecimalText,
  volume: DecimalText,
  source: Type.String(),
  simulated: nullable(
    'boolean',
    'False if it was received while its venue was a real one. True of the sandbox, and of what nobody knows. Null of a tape, which does not say.',
  ),
};

const CandlesBody = Type.Object(
  {
    items: Type.Array(Type.Object(barFields), { description: 'Ascending by open time.' }),
    nextCursor: nullable('string', 'Goes on towards `to`; null if this page reaches it.'),
    coverage: Type.Object({
      complete: Type.Boolean({ description: 'True if no closed bar of this page is missing.' }),
      from: Time,
      to: Time,
      gaps: Type.Array(Type.Object({ from: Time, to: Time, missing: Type.Integer(), reason: choice(GAP_REASONS, WHY_MISSING) }), {
        description: 'Bars that are missing: those that open from `from` (inclusive) to `to` (exclusive).',
      }),
    }),
  },
  { $id: 'Candles' },
);

const When = (description: string) =>
  Type.Optional(Type.String({ maxLength: 40, description: `${description} ISO 8601, or milliseconds since the epoch.` }));

const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;
/** Latest accepted instant: the year 2100. The earliest is 1970. */
const LAST_INSTANT = Date.UTC(2100, 0, 1);

function parseInstant(text: string, path: string): EpochMs {
  const at = /^\d{1,15}$/.test(text) ? Number(text) : ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (!(at >= 0 && at < LAST_INSTANT))
    throw malformed(
      path,
      `got the text ${JSON.stringify(text)}`,
      'an ISO 8601 time such as 2026-03-02T14:31:00Z, or milliseconds since 1970',
    );
  return at;
}

const alignUp = (at: EpochMs, length: number): EpochMs => startOfSlot(at + length - 1, length);

export const listCandles = defineRoute({
  method: 'GET',
  url: '/v1/candles',
  name: 'listCandles',
  tag: 'market',
  summary: 'Closed candles of one instrument, and the gaps between them',
  description:
    'Without `from`, the latest `limit` bars before `to`. Without `to`, up to now. A missing bar is named in `coverage`, never filled in.',
  permission: 'market:read',
  cost: 'read',
  schema: {
    querystring: objectSchema({
      venue: VenueWord,
      instrument: Type.String({ minLength: 1, maxLength: 64 }),
      timeframe: Type.String({ pattern: '^[1-9][0-9]{0,2}[mh]$', description: '`<n>m` or `<n>h`.' }),
      from: When('The first open time.'),
      to: When('Bars open before it.'),
      ...pageFields,
    }),
  },
  answers: { 200: { description: 'A page of candles.', schema: CandlesBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const { query } = request;
    const length = timeframeMs(query.timeframe);
    if (length === null) throw malformed('query.timeframe', 'no timeframe', '<n>m or <n>h');
    const { limit, after } = pageOfQuery(query, 'candles', POSITIONS.number);
    if (!knownInstrument(ports.catalog.entries, query.venue, query.instrument)) return sendProblem(reply, 'not_found', NO_INSTRUMENT);
    // Only bars that have closed by now are expected.
    const now = startOfSlot(ports.clock.now(), length);
    const to = Math.min(now, query.to === undefined ? now : alignUp(parseInstant(query.to, 'query.to'), length));
    const asked = query.from === undefined ? Math.max(0, to - limit * length) : alignUp(parseInstant(query.from, 'query.from'), length);
    if (query.from !== undefined && query.to !== undefined && parseInstant(query.from, 'query.from') > parseInstant(query.to, 'query.to')) {
      throw malformed('query.from', '`from` is later than `to`', 'a time before `to`');
    }
    const from = after === null ? asked : Math.max(asked, Number(after) + length);
    const { venue, instrument, timeframe } = query;
    const found = from >= to ? [] : await ports.candles.range({ venue, instrument, timeframe, from, to, limit: limit + 1 });
    const candles = found.slice(0, limit);
    const last = candles.at(-1);
    const more = found.length > limit && last !== undefined;
    const end = more ? last.openTime + length : Math.max(from, to);
    const holes = findGaps(
      candles.map((candle) => candle.openTime),
      from,
      end,
      length,
    );
    const gaps: CandleGap[] = [];
    if (holes.length > 0) {
      const series = { venue, instrument, timeframe };
      const [windows, firstOpen] = await Promise.all([ports.candles.windows(series, { from, to: end }), ports.candles.firstOpen(series)]);
      for (const hole of holes) gaps.push(...explainGap(hole, { venue, barMs: length, windows, firstOpen }));
    }
    return {
      items: candles.map(({ openTime, open, high, low, close, volume, source, simulated = null }) => ({
        openTime: isoTime(openTime),
        open,
        high,
        low,
        close,
        volume,
        source,
        simulated,
      })),
      nextCursor: more ? encodeCursor('candles', String(last.openTime)) : null,
      coverage: {
        complete: gaps.length === 0,
        from: isoTime(from),
        to: isoTime(end),
        gaps: gaps.map((gap) => ({ from: isoTime(gap.from), to: isoTime(gap.to), missing: gap.missing, reason: gap.reason })),
      },
    };
  },
});

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
  schema: { querystring: objectSchema({ ...pageFields }) },
  answers: { 200: { description: 'A page of instruments.', schema: pageSchema(DayClosesBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const asked = pageOfQuery(request.query, 'days', POSITIONS.instrument);
    const { items, next } = pageOfKeyed(ports.catalog.entries.entries, ({ key }) => key, asked);
    const to = startOfSlot(ports.clock.now(), HOUR_MS);
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
  schema: { querystring: objectSchema(pageFields) },
  answers: { 200: { description: 'A page of imports and backfills.', schema: pageSchema(CandleWorkBody) } },
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
