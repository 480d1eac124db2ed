/** GET /v1/leaderboard/wallets/:address/csv: returns the sales behind a wallet's figure as CSV. */
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { csvOf, saleBody, WalletPath, WindowQuery } from './leaderboard-body.ts';
import { NO_WALLET } from './wallet.ts';

const MOST_ROWS = 20_000;
const COLUMNS = ['at', 'asset', 'direction', 'quantity', 'proceedsUsd', 'costUsd', 'profitUsd', 'reference'] as const;

export const getLeaderboardWalletCsv = defineRoute({
  method: 'GET',
  url: '/v1/leaderboard/wallets/:address/csv',
  name: 'getLeaderboardWalletCsv',
  tag: 'leaderboard',
  summary: "The sales behind a wallet's figure as CSV",
  permission: 'market:read',
  cost: 'costly',
  schema: { params: WalletPath, querystring: WindowQuery },
  answers: { 200: { description: 'One line per sale, newest first.', contentType: 'text/csv' } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const { window } = request.query;
    const entry = await ports.leaderboard.find(request.params.address, window);
    if (entry === null) return sendProblem(reply, 'not_found', NO_WALLET);
    const { items } = await ports.leaderboard.sales(entry.address, window, ports.clock.now(), { limit: MOST_ROWS, after: null });
    reply.header('content-disposition', `attachment; filename="${entry.address}-${window}.csv"`);
    return reply.type('text/csv; charset=utf-8').send(csvOf(COLUMNS, items.map(saleBody)));
  },
});
