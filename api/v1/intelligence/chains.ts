/** Value locked on chains, with its age and changes. */
import { Type } from 'typebox';
import type { ChainDay, ChainRow } from '../../../src/adapters/store/intelligence/intelligence-reads.ts';
import { DAY_MS, type EpochMs, isoTime } from '../../../src/domain/values/time.ts';
import { encodeCursor, POSITIONS, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { DecimalText, nullable, objectSchema, pageFields, Time } from '../../shapes.ts';
import { changePct, DAY_PATTERN, toUtcDate } from './intelligence-parameters.ts';

const History = Type.Optional(
  Type.Array(Type.Object({ date: Type.String({ pattern: DAY_PATTERN }), tvlUsd: DecimalText }), {
    description: 'Only if `historyDays` was asked for. Ascending; the last day is still under way.',
  }),
);
const Changes = {
  tvlUsd: DecimalText,
  receivedAt: { ...Time, description: 'The provider gives no time, so a snapshot is as old as its reception.' },
  ageMs: Type.Integer(),
  change1dPct: nullable('number', 'Against a day before; null if that is not known.'),
  change7dPct: nullable('number', 'Against seven days before; null if that is not known.'),
};

const ChainBody = Type.Object(
  {
    chain: Type.String({ examples: ['Solana'] }),
    chainId: nullable('string', 'The chain’s number, where it has one.'),
    tokenSymbol: nullable('string'),
    ...Changes,
    history: History,
  },
  { $id: 'ChainTvl' },
);

const ChainsBody = Type.Object(
  {
    items: Type.Array(ChainBody),
    nextCursor: nullable('string', 'Ask again with this as `cursor`; null on the last page.'),
    total: Type.Union([Type.Object({ ...Changes, history: History }), Type.Null()], {
      description:
        'All chains together by the provider’s own count, which leaves out what would be counted twice; null while it is not known.',
    }),
  },
  { $id: 'Chains' },
);

function toChanges({ tvlUsd, receivedAt, dayBefore, weekBefore }: ChainRow, now: EpochMs) {
  return {
    tvlUsd,
    receivedAt: isoTime(receivedAt),
    ageMs: Math.max(0, now - receivedAt),
    change1dPct: changePct(tvlUsd, dayBefore),
    change7dPct: changePct(tvlUsd, weekBefore),
  };
}

export function chainBody(row: ChainRow, now: EpochMs) {
  return { chain: row.chain ?? '', chainId: row.chainId, tokenSymbol: row.tokenSymbol, ...toChanges(row, now) };
}

export const listChains = defineRoute({
  method: 'GET',
  url: '/v1/chains',
  name: 'listChains',
  tag: 'intelligence',
  summary: 'Value locked on chains',
  permission: 'market:read',
  cost: 'read',
  schema: {
    querystring: objectSchema({
      chain: Type.Optional(Type.String({ minLength: 1, maxLength: 80, description: 'One chain by its name, in any case.' })),
      historyDays: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 365, description: 'Number of days of history to add, where the provider has them.' }),
      ),
      ...pageFields,
    }),
  },
  answers: { 200: { description: 'A page of chains, the largest first.', schema: ChainsBody } },
  refusals: [],
  handle: (ports) => async (request) => {
    const { chain, historyDays } = request.query;
    const { limit, after } = pageOfQuery(request.query, 'chains', POSITIONS.number);
    const now = ports.clock.now();
    const [rows, total] = await Promise.all([ports.intelligence.chains(), ports.intelligence.allChains()]);
    const found = rows.filter((row) => chain === undefined || row.chain?.toLowerCase() === chain.toLowerCase());
    const begin = Number(after ?? 0);
    const page = found.slice(begin, begin + limit);
    const days =
      historyDays === undefined
        ? null
        : await ports.intelligence.chainDays([null, ...page.map((row) => row.chain)], toUtcDate(now - (historyDays - 1) * DAY_MS));
    const pickHistory = (of: string | null): { readonly history?: readonly ChainDay[] } =>
      days === null ? {} : { history: days.get(of) ?? [] };
    return {
      items: page.map((row) => ({ ...chainBody(row, now), ...pickHistory(row.chain) })),
      nextCursor: begin + limit < found.length ? encodeCursor('chains', String(begin + limit)) : null,
      total: total === null ? null : { ...toChanges(total, now), ...pickHistory(null) },
    };
  },
});
