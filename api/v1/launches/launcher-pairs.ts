/** GET /v1/agentlaunch/pairs: lists the shares that the external launcher can pair a token with. */
import { Type } from 'typebox';
import type { LauncherPairs } from '../../../src/domain/launch/launcher.ts';
import { sendRefusal } from '../../problem.ts';
import { type ApiPorts, defineRoute } from '../../route.ts';

/** Returns pairs with tokenized shares of the catalog. The launcher also pairs with coins, which are left out. */
function stockPairs(ports: Pick<ApiPorts, 'catalog'>, { pairs }: LauncherPairs) {
  return pairs.flatMap((pair) => {
    const entry = ports.catalog.entries.byMint(pair.mint);
    return entry === undefined || entry.kind !== 'tokenized_equity' || entry.token === null
      ? []
      : [{ mint: pair.mint, symbol: entry.instrument, instrument: entry.key, name: entry.name, decimals: entry.token.decimals }];
  });
}

export const listLauncherPairs = defineRoute({
  method: 'GET',
  url: '/v1/agentlaunch/pairs',
  name: 'listLauncherPairs',
  tag: 'launches',
  summary: 'The shares that the external launcher pairs a token with',
  permission: 'market:read',
  cost: 'costly',
  schema: {},
  answers: {
    200: {
      description: "The pairs, and the range of the creator's fee per trade.",
      schema: Type.Object({
        items: Type.Array(
          Type.Object(
            { mint: Type.String(), symbol: Type.String(), instrument: Type.String(), name: Type.String(), decimals: Type.Integer() },
            { $id: 'LauncherPair' },
          ),
        ),
        creatorFeeBps: Type.Object({ min: Type.Number(), max: Type.Number() }),
      }),
    },
  },
  refusals: ['feature_disabled', 'route_refused'],
  handle: (ports) => async (_request, reply) => {
    const known = await ports.launcher.pairs();
    if (!known.ok) return sendRefusal(reply, known.refusal);
    return { items: stockPairs(ports, known.value), creatorFeeBps: known.value.creatorFeeBps };
  },
});
