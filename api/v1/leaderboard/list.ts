/** GET /v1/leaderboard: ranks wallets by realized profit in a window. */
import { Type } from 'typebox';
import { isoTime } from '../../../src/domain/values/time.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { choice, nullable, objectOf, pageFields, Time } from '../../shapes.ts';
import { entryBody, LeaderboardEntryBody, WindowField } from './leaderboard-body.ts';

/** Filters of every leaderboard list. */
export const LEADERBOARD_FILTER = {
  chain: Type.Optional(choice(['spotchain', 'evmvenue'])),
  search: Type.Optional(Type.String({ minLength: 1, maxLength: 60, description: 'The beginning of an address, or a part of a label.' })),
  ranked: Type.Optional(Type.Boolean({ description: 'True: wallets with a rank. False: wallets without one.' })),
  minCoveragePct: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
};

const LeaderboardBody = Type.Object(
  {
    window: WindowField,
    items: Type.Array(LeaderboardEntryBody),
    nextCursor: nullable('string', 'Ask again with this as `cursor`; null on the last page.'),
    refresh: Type.Object({
      at: Type.Unsafe<string | null>({ ...Time, type: ['string', 'null'], description: 'Time of the last refresh of wallets.' }),
      waiting: Type.Integer({ description: 'Wallets that wait for their refresh.' }),
      behindSeconds: Type.Number({ description: 'For how long the one that waits longest has waited since it was asked for last.' }),
    }),
  },
  { $id: 'Leaderboard' },
);

export const getLeaderboard = defineRoute({
  method: 'GET',
  url: '/v1/leaderboard',
  name: 'getLeaderboard',
  tag: 'leaderboard',
  summary: 'Wallets by realized profit of live trading',
  description:
    'On the primary chain first-in-first-out on swaps against stablecoins; sales without a known basis, network fees and unrealized gains are in no figure. On the EVM venue the closed profit that the venue reports, without fees. Wallets without data are at the end, without a rank, and say why.',
  permission: 'market:read',
  cost: 'read',
  schema: { querystring: objectOf({ window: WindowField, ...LEADERBOARD_FILTER, ...pageFields }) },
  answers: { 200: { description: 'A page of the ranking.', schema: LeaderboardBody } },
  refusals: [],
  handle: (ports) => async (request) => {
    const { window, chain = null, search = null, ranked = null, minCoveragePct = null } = request.query;
    const page = pageOfQuery(request.query, 'leaderboard', POSITIONS.number);
    const now = ports.clock.now();
    const [found, progress] = await Promise.all([
      ports.leaderboard.rank(window, { chain, search, ranked, minimumCoveragePct: minCoveragePct }, page),
      ports.leaderboard.progress(),
    ]);
    return {
      window,
      ...pageBody(found, 'leaderboard', (entry) => entryBody(entry, window, now)),
      refresh: { at: progress.at === 0 ? null : isoTime(progress.at), waiting: progress.waiting, behindSeconds: progress.behindMs / 1_000 },
    };
  },
});
