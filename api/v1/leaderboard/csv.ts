/** GET /v1/leaderboard/csv: returns the whole ranking of a window as CSV. */
import { defineRoute } from '../../route.ts';
import { objectOf } from '../../shapes.ts';
import { csvOf, entryBody, WindowField } from './leaderboard-body.ts';
import { LEADERBOARD_FILTER } from './list.ts';

const MOST_ROWS = 20_000;
const COLUMNS = [
  'rank',
  'address',
  'chain',
  'label',
  'realizedPnlUsd',
  'coveragePct',
  'basis',
  'sales',
  'matchedSales',
  'readAt',
  'historySince',
  'reasons',
] as const;

export const getLeaderboardCsv = defineRoute({
  method: 'GET',
  url: '/v1/leaderboard/csv',
  name: 'getLeaderboardCsv',
  tag: 'leaderboard',
  summary: 'The leaderboard of a window as CSV',
  permission: 'market:read',
  cost: 'costly',
  schema: { querystring: objectOf({ window: WindowField, ...LEADERBOARD_FILTER }) },
  answers: { 200: { description: 'One line per wallet.', contentType: 'text/csv' } },
  refusals: [],
  handle: (ports) => async (request, reply) => {
    const { window, chain = null, search = null, ranked = null, minCoveragePct = null } = request.query;
    const filter = { chain, search, ranked, minimumCoveragePct: minCoveragePct };
    const { items } = await ports.leaderboard.rank(window, filter, { limit: MOST_ROWS, after: null });
    const now = ports.clock.now();
    reply.header('content-disposition', `attachment; filename="leaderboard-${window}.csv"`);
    return reply.type('text/csv; charset=utf-8').send(
      csvOf(
        COLUMNS,
        items.map((entry) => entryBody(entry, window, now)),
      ),
    );
  },
});
