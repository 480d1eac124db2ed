/** GET /v1/agent-vaults/leaderboard. */
import { Type } from 'typebox';
import type { RankedVault } from '../../../src/adapters/store/vaults/vault-store.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import {
  choice,
  DecimalText,
  IdText,
  NullableDecimalText,
  NullableTime,
  nullable,
  objectOf,
  pageFields,
  pageOf,
  StageWord,
  Time,
} from '../../shapes.ts';

/** Periods over which the return is measured. */
const VAULT_WINDOWS = ['24h', '7d', '30d', 'all'] as const;

const RankedVaultBody = Type.Object(
  {
    rank: nullable('integer', 'Null if the vault has no valuation within the window.'),
    agentId: IdText,
    name: Type.String(),
    stage: StageWord,
    returnPct: nullable('number', 'Change of the share price over the window, or since the first mark where that is later.'),
    sinceAt: { ...NullableTime, description: 'The mark that the return is measured from, ISO 8601.' },
    sharePriceUsd: NullableDecimalText,
    highWaterMarkUsd: DecimalText,
    drawdownPct: nullable('number'),
    equityUsd: NullableDecimalText,
    allocatedUsd: DecimalText,
    realizedPnlUsd: DecimalText,
    depositors: Type.Integer(),
    markedAt: Type.Unsafe<string | null>({
      ...Time,
      type: ['string', 'null'],
      description: 'Time at which the vault was last priced on live quotes.',
    }),
  },
  { $id: 'RankedVault' },
);

function rankedBody(ranked: RankedVault) {
  return {
    rank: ranked.rank,
    agentId: ranked.agentId,
    name: ranked.name,
    stage: ranked.stage,
    returnPct: ranked.returnPct,
    sinceAt: ranked.sinceAt === null ? null : isoTime(ranked.sinceAt),
    sharePriceUsd: ranked.sharePriceUsd,
    highWaterMarkUsd: ranked.highWaterMarkUsd,
    drawdownPct: ranked.drawdownPct,
    equityUsd: ranked.equityUsd,
    allocatedUsd: ranked.allocatedUsd,
    realizedPnlUsd: ranked.realizedPnlUsd,
    depositors: ranked.depositors,
    markedAt: ranked.markedAt === null ? null : isoTime(ranked.markedAt),
  };
}

export const rankVaults = defineRoute({
  method: 'GET',
  url: '/v1/agent-vaults/leaderboard',
  name: 'rankVaults',
  tag: 'vaults',
  summary: 'Vaults by the return of a share',
  description:
    'Live capital only; paper trades never count. The share price is free of deposits and withdrawals, so the ranking is too. Ties are ordered by the smaller drawdown.',
  permission: 'agent:read',
  cost: 'read',
  schema: {
    querystring: objectOf({
      window: Type.Optional(choice(VAULT_WINDOWS, 'Period of the return. Default: 30d.')),
      ...pageFields,
    }),
  },
  answers: { 200: { description: 'A page of the ranking.', schema: pageOf(RankedVaultBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const window = request.query.window ?? '30d';
    const list = `vaults-${window}`;
    const page = pageOfQuery(request.query, list, POSITIONS.number);
    return pageBody(await ports.vaults.ranking.rank(memberOf(request).orgId, window, page, ports.clock.now()), list, rankedBody);
  },
});
