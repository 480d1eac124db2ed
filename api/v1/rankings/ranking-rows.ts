/** Rows of rankings on the wire, and the cut, filters and pages that their routes share. */
import { Type } from 'typebox';
import { UnknownInputBody } from '../../../src/core/decision-shapes.ts';
import type { Cut } from '../../../src/domain/market/cut.ts';
import { SESSIONS } from '../../../src/domain/market/quote.ts';
import type { WeighedEvent } from '../../../src/domain/ranking/event-intensity.ts';
import type { Momentum } from '../../../src/domain/ranking/momentum.ts';
import { type PriceFact, type RankedRow, ROW_FLAGS, UNRANKED_REASONS } from '../../../src/domain/ranking/ranked-row.ts';
import { type EpochMs, isoTime, startOfSlot, TAKE_TICK_MS } from '../../../src/domain/values/time.ts';
import { encodeCursor, pageOfQuery } from '../../cursor.ts';
import { malformed } from '../../http/strict-json.ts';
import type { ApiPorts } from '../../route.ts';
import {
  AnyJson,
  choice,
  NullableDecimalText,
  nullable,
  nullableChoice,
  type PageQuery,
  pageFields,
  QualityFlags,
  QualityWord,
  Time,
} from '../../shapes.ts';

/** Maximum age of a cut in milliseconds. An older one means that the feeds were not received. */
const FRESH_CUT_MS = 120_000;

const PriceBody = Type.Unsafe<ReturnType<typeof priceBody>>({
  anyOf: [
    Type.Object({
      price: Type.String(),
      source: Type.String(),
      observedAt: Time,
      ageMs: Type.Integer({ minimum: 0, description: 'At the cut.' }),
      quality: QualityWord,
      flags: QualityFlags,
    }),
    { type: 'null' },
  ],
});

export { PriceBody };

const RankedRowBody = Type.Object(
  {
    rank: nullable('integer', 'From 1; null if the row cannot be ranked, and `reasons` say why.'),
    symbol: Type.String(),
    score: NullableDecimalText,
    reasons: Type.Array(choice(UNRANKED_REASONS), { description: 'Reasons it has no rank; at least one if `rank` is null.' }),
    causes: Type.Array(UnknownInputBody, {
      description: 'Reasons that inputs named in `reasons` were unknown. Empty for a row with a rank.',
    }),
    flags: Type.Array(choice(ROW_FLAGS), {
      description:
        'Reservations about the rank. `carried_reference`: the exchange is closed and the gap is measured against the price of its last session, `reference.ageMs` old. No rule, Take or policy is triggered by it.',
    }),
    terms: Type.Array(Type.Object({ name: Type.String(), value: Type.String(), points: Type.String() }), {
      description: 'The score is the sum of the points.',
    }),
    instrument: Type.String(),
    name: Type.String(),
    sector: Type.String(),
    session: nullableChoice(SESSIONS),
    tokenPrice: PriceBody,
    reference: PriceBody,
    gapPct: nullable('number', 'Percent; above zero is a premium.'),
    liquidityUsd: NullableDecimalText,
    inputs: Type.Record(Type.String(), AnyJson, { description: 'Other inputs of the mode, by name.' }),
  },
  { $id: 'RankedRow' },
);

export const RankingBody = Type.Object({
  items: Type.Array(RankedRowBody),
  nextCursor: nullable('string', 'Ask again with this as `cursor`: the next rows of the same cut. Null on the last page.'),
  mode: Type.String(),
  formula: Type.String({ description: 'Formula of the score.' }),
  asOf: { ...Time, description: 'The cut that is ranked.' },
});

/** Query fields of every ranking. */
export const rankingFields = {
  at: Type.Optional(
    Type.String({ format: 'date-time', description: 'The last cut at or before this instant; the newest where it is missing.' }),
  ),
  slippageBps: Type.Optional(
    Type.Number({ minimum: 1, maximum: 5_000, default: 50, description: 'Slippage budget of a trade, for `liquidity`.' }),
  ),
  sector: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Part of a symbol or name, in any case.' })),
  ranked: Type.Optional(Type.Boolean({ description: '`true`: only rows with a rank; `false`: only those without.' })),
  ...pageFields,
};

export function priceBody(price: PriceFact | null) {
  return price === null ? null : { ...price, observedAt: isoTime(price.observedAt) };
}

/** Encoded rows. Rows never change, so each is encoded once. */
const bodies = new WeakMap<RankedRow, ReturnType<typeof madeBody>>();

export function rowBody(row: RankedRow) {
  const known = bodies.get(row);
  if (known !== undefined) return known;
  const made = madeBody(row);
  bodies.set(row, made);
  return made;
}

function madeBody(row: RankedRow) {
  return { ...row, tokenPrice: priceBody(row.tokenPrice), reference: priceBody(row.reference), inputs: inputsBody(row.inputs) };
}

/** Converts times of events and bars to their wire form. */
function inputsBody(inputs: RankedRow['inputs']): RankedRow['inputs'] {
  const { events, bars } = inputs as { events?: readonly WeighedEvent[]; bars?: Momentum['bars'] };
  if (events === undefined && bars === undefined) return inputs;
  return {
    ...inputs,
    ...(events === undefined ? {} : { events: events.map((event) => ({ ...event, observedAt: isoTime(event.observedAt) })) }),
    ...(bars === undefined ? {} : { bars: { last: isoTime(bars.last), day: isoTime(bars.day), week: isoTime(bars.week) } }),
  };
}

/** Position in a ranking: the cut and the number of earlier rows, so that all pages are of one cut. */
const RANKING_POSITION = /^\d{1,16}\.\d{1,6}$/;

interface RankingQuery extends PageQuery {
  readonly at?: string;
  readonly sector?: string;
  readonly q?: string;
  readonly ranked?: boolean;
}

/**
 * Returns the cut of a query: from its cursor, its `at`, or the newest. Returns an empty one if there was no cut within two minutes before,
 * so that every row says that it was not observed. @throws InputError `malformed` for a bad cursor or time.
 */
export async function cutOfQuery(
  ports: ApiPorts,
  query: RankingQuery,
  list: string,
): Promise<{ readonly cut: Cut; readonly skip: number; readonly limit: number }> {
  const { limit, after } = pageOfQuery(query, list, RANKING_POSITION);
  const [slot, skip] = (after ?? '').split('.').map(Number);
  const asked = after !== null ? (slot as EpochMs) : query.at === undefined ? null : Date.parse(query.at);
  if (asked !== null && !Number.isFinite(asked)) throw malformed('query.at', 'no time', 'an ISO 8601 time such as 2026-03-02T14:31:00Z');
  const now = ports.clock.now();
  const found = await ports.rankings.cuts.at(asked ?? now);
  const tooOld = found === null || found.slot < (asked ?? now) - FRESH_CUT_MS;
  const cut = tooOld ? { slot: startOfSlot(asked ?? now, TAKE_TICK_MS), observations: new Map() } : found;
  return { cut, skip: skip ?? 0, limit };
}

/** Returns the requested page of the filtered rows. */
export function rankingPage(
  rows: readonly RankedRow[],
  query: RankingQuery,
  place: { readonly cut: Cut; readonly skip: number; readonly limit: number },
  list: string,
) {
  const word = query.q?.trim().toLowerCase();
  const found = rows.filter(
    (row) =>
      (query.sector === undefined || row.sector === query.sector) &&
      (query.ranked === undefined || (row.rank !== null) === query.ranked) &&
      (word === undefined || row.symbol.toLowerCase().includes(word) || row.name.toLowerCase().includes(word)),
  );
  const { cut, skip, limit } = place;
  const next = skip + limit < found.length ? encodeCursor(list, `${cut.slot}.${skip + limit}`) : null;
  return { items: found.slice(skip, skip + limit).map(rowBody), nextCursor: next, asOf: isoTime(cut.slot) };
}
