/** POST /v1/launches/dbc/prepare: builds the transactions of a launch for the creator to sign. */
import { Type } from 'typebox';
import { NO_AGENT } from '../../../src/domain/agents/agent.ts';
import { refuse } from '../../../src/domain/values/refusal.ts';
import { malformed } from '../../http/strict-json.ts';
import { onceOnly } from '../../idempotency.ts';
import { isUuid } from '../../identifier.ts';
import { sendRefusal } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { IdText, objectOf, shownText, Time, walletAddress } from '../../shapes.ts';
import { checkedAddress } from '../wallet-address.ts';
import { CURVE_FIELDS, quotedWish } from './launch-body.ts';
import { LaunchBody, launchBody } from './launch-view-body.ts';

export const prepareLaunch = defineRoute({
  method: 'POST',
  url: '/v1/launches/dbc/prepare',
  name: 'prepareLaunch',
  tag: 'launches',
  summary: 'Prepares a bonding-curve launch',
  description:
    'Builds the transaction (or two, if one is too small) that creates the configuration and pool of the curve, with an optional first buy. New keys for the mint and configuration sign here and are discarded; the creator signs last. The transactions are simulated in order against the node and the exact messages are stored before the answer.',
  permission: 'trade:execute',
  cost: 'write',
  schema: {
    body: objectOf({
      ...CURVE_FIELDS,
      name: shownText(32),
      symbol: Type.String({ pattern: '^[A-Za-z0-9]{1,10}$' }),
      uri: Type.String({ minLength: 9, maxLength: 200, description: "Address of the token's metadata (https)." }),
      creator: walletAddress("The wallet that signs, pays, and gets the creator's part of the fees; base58."),
      firstBuy: Type.Optional(
        Type.String({
          pattern: '^\\d{1,15}(\\.\\d{1,9})?$',
          description: 'Whole quote tokens that the creator buys with in the same transaction as the pool.',
        }),
      ),
      agentId: Type.Optional(IdText),
      takeId: Type.Optional(IdText),
    }),
  },
  idempotent: true,
  answers: {
    201: {
      description: 'The launch and its transactions.',
      schema: Type.Object(
        {
          id: IdText,
          mint: Type.String(),
          config: Type.String(),
          transactions: Type.Array(Type.String(), {
            description: 'Base64, in the order in which they land; sign each and submit them together.',
          }),
          lastValidBlockHeight: Type.Integer(),
          expiresAt: Time,
          launch: LaunchBody,
        },
        { $id: 'PreparedLaunch' },
      ),
    },
  },
  refusals: [
    'launch_refused',
    'not_found',
    'halted',
    'state_conflict',
    'blocked_by_risk',
    'feature_disabled',
    'too_many_prepared',
    'external_not_listable',
  ],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const { name, symbol, uri, creator, firstBuy = null, agentId = null, takeId = null, ...curve } = request.body;
      if (agentId !== null && takeId !== null)
        throw malformed('$.takeId', 'agentId and takeId exclude each other', 'one of the two, or none');
      const signer = checkedAddress(creator);
      const quoted = quotedWish(ports.launchQuotes, curve);
      if (!quoted.ok) return sendRefusal(reply, quoted.refusal);
      const { wish, token } = quoted.value;
      return carryOut(request, reply, {
        status: 201,
        answer: ({ launch, transactions, lastValidBlockHeight, expiresAt }) => ({
          id: launch.id,
          mint: launch.mint,
          config: launch.config,
          transactions: [...transactions],
          lastValidBlockHeight,
          expiresAt: new Date(expiresAt).toISOString(),
          launch: launchBody(launch, ports.clock.now()),
        }),
        run: async (context) => {
          // The launch may name an agent of the caller's organization. Another organization's agent is reported as missing.
          if (agentId !== null && (!isUuid(agentId) || (await ports.agents.reads.get(context.orgId, agentId)) === null))
            return refuse('not_found', NO_AGENT);
          return ports.launches.commands.prepare(context, {
            curve: wish,
            token,
            names: { name, symbol, uri },
            creator: signer,
            firstBuy,
            agentId,
            takeId,
          });
        },
      });
    };
  },
});
