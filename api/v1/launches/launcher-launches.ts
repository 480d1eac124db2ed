/** Launches by the external launcher: shares to pair with, and the quote. */
import { Type } from 'typebox';
import type { LauncherClient } from '../../../actors/launcher-launch/commands.ts';
import { NO_AGENT } from '../../../src/domain/agents/agent.ts';
import type { LauncherPairs } from '../../../src/domain/launch/launcher.ts';
import { refuse } from '../../../src/domain/values/refusal.ts';
import { onceOnly } from '../../idempotency.ts';
import { isUuid } from '../../identifier.ts';
import { sendRefusal } from '../../problem.ts';
import { type ApiPorts, defineRoute } from '../../route.ts';
import { IdText, objectSchema, shownText, Time, walletAddress } from '../../shapes.ts';
import { checkedAddress } from '../signed-transaction.ts';
import { LauncherLaunchBody, launcherLaunchBody } from './launch-body.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    /** External launcher, for public reads. */
    readonly launcher: Pick<LauncherClient, 'pairs'>;
  }
}

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

export const quoteLauncherLaunch = defineRoute({
  method: 'POST',
  url: '/v1/launches/agentlaunch/quote',
  name: 'quoteLauncherLaunch',
  tag: 'launches',
  summary: 'Registers a launch with the external launcher',
  description:
    'Answers exactly what is paid, to whom, and the unsigned payment transaction, which was simulated and stored before. Nothing is owed until it is signed and submitted.',
  permission: 'trade:execute',
  cost: 'write',
  schema: {
    body: objectSchema({
      agentId: IdText,
      pair: Type.String({
        minLength: 1,
        maxLength: 44,
        description: 'The tokenized share that it is paired with: its symbol, or its mint.',
      }),
      creatorFeeBps: Type.Integer({
        minimum: 0,
        maximum: 10_000,
        description:
          'Creator fee of every trade. The launcher takes only values from `creatorFeeBps.min` to `creatorFeeBps.max` of `GET /v1/agentlaunch/pairs`.',
      }),
      name: shownText(32),
      symbol: Type.String({ pattern: '^[A-Za-z0-9]{1,10}$' }),
      description: Type.String({ minLength: 20, maxLength: 500 }),
      imageUrl: Type.String({ minLength: 9, maxLength: 200, description: 'An https address.' }),
      creator: walletAddress('The wallet that signs and pays; base58.'),
    }),
  },
  idempotent: true,
  answers: {
    201: {
      description: 'The launch and its payment.',
      schema: Type.Object(
        {
          id: IdText,
          lamports: Type.String({ description: 'Exactly what is paid, in lamports.' }),
          recipient: Type.String(),
          transaction: Type.String({ description: 'The unsigned payment, base64.' }),
          lastValidBlockHeight: Type.Integer(),
          expiresAt: Time,
          launch: LauncherLaunchBody,
        },
        { $id: 'QuotedLaunch' },
      ),
    },
  },
  refusals: ['launch_refused', 'route_refused', 'not_found', 'halted', 'state_conflict', 'feature_disabled', 'too_many_prepared'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const { pair, creator, agentId, ...wish } = request.body;
      const wallet = checkedAddress(creator);
      return carryOut(request, reply, {
        status: 201,
        answer: ({ launch, transaction, lastValidBlockHeight, expiresAt }) => ({
          id: launch.id,
          lamports: launch.lamports,
          recipient: launch.payTo,
          transaction,
          lastValidBlockHeight,
          expiresAt: new Date(expiresAt).toISOString(),
          launch: launcherLaunchBody(launch, ports.clock.now()),
        }),
        run: async (context) => {
          const agent = isUuid(agentId) ? await ports.agents.reads.get(context.orgId, agentId) : null;
          if (agent === null) return refuse('not_found', NO_AGENT);
          const entry = ports.catalog.entries.byMint(pair) ?? ports.catalog.entries.bySymbol(pair);
          if (entry === undefined || entry.kind !== 'tokenized_equity' || entry.token === null)
            return refuse('launch_refused', `${pair} is not a tokenized stock`);
          return ports.launches.launcher.quote(context, {
            ...wish,
            agentId,
            agentName: agent.name,
            wallet,
            pairMint: entry.token.mint,
            pairedStock: entry.key,
            quoteSymbol: entry.instrument,
          });
        },
      });
    };
  },
});
