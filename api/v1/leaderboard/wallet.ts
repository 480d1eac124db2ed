/** GET /v1/leaderboard/wallets/:address: returns a wallet with the sales behind its figure. */
import { Type } from 'typebox';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { nullable, objectOf, pageFields } from '../../shapes.ts';
import { entryBody, LeaderboardEntryBody, saleBody, WalletPath, WalletSaleBody, WindowField } from './leaderboard-body.ts';

export const NO_WALLET = 'this address is not on the leaderboard';

const LeaderboardWalletBody = Type.Object(
  {
    window: WindowField,
    wallet: LeaderboardEntryBody,
    items: Type.Array(WalletSaleBody),
    nextCursor: nullable('string', 'Ask again with this as `cursor`; null on the last page.'),
  },
  { $id: 'LeaderboardWallet' },
);

export const getLeaderboardWallet = defineRoute({
  method: 'GET',
  url: '/v1/leaderboard/wallets/:address',
  name: 'getLeaderboardWallet',
  tag: 'leaderboard',
  summary: 'One wallet of the leaderboard with the sales behind its figure, newest first',
  permission: 'market:read',
  cost: 'read',
  schema: { params: WalletPath, querystring: objectOf({ window: WindowField, ...pageFields }) },
  answers: { 200: { description: 'The wallet and a page of its sales.', schema: LeaderboardWalletBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const { window } = request.query;
    const now = ports.clock.now();
    const entry = await ports.leaderboard.find(request.params.address, window);
    if (entry === null) return sendProblem(reply, 'not_found', NO_WALLET);
    const page = pageOfQuery(request.query, 'leaderboard-sales', POSITIONS.number);
    const sales = await ports.leaderboard.sales(entry.address, window, now, page);
    return { window, wallet: entryBody(entry, window, now), ...pageBody(sales, 'leaderboard-sales', saleBody) };
  },
});
