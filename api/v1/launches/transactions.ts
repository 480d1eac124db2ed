/** GET /v1/launches/:id/transactions: returns the transactions that the wallet of a launch signs. */
import { Type } from 'typebox';
import { NO_LAUNCH } from '../../../actors/launch/commands.ts';
import { PREPARED_TRANSACTION_STATES } from '../../../src/domain/solana/lifecycle.ts';
import { memberOf } from '../../caller.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { choice, IdText, nullable } from '../../shapes.ts';
import { LaunchPath } from './launch-view-body.ts';

const LaunchTransactionBody = Type.Object(
  {
    id: IdText,
    wallet: Type.String({ description: 'Wallet that signs and pays.' }),
    state: choice(PREPARED_TRANSACTION_STATES, 'It can be signed while it is `prepared`.'),
    transaction: Type.String({ description: 'The unsigned bytes, base64; keys that the service made have signed already.' }),
    lastValidBlockHeight: Type.Integer(),
    signature: nullable('string'),
  },
  { $id: 'LaunchTransaction' },
);

export const listLaunchTransactions = defineRoute({
  method: 'GET',
  url: '/v1/launches/:id/transactions',
  name: 'listLaunchTransactions',
  tag: 'launches',
  summary: 'The transactions of a launch, in the order in which they land',
  description:
    'Unsigned transactions of a launch; for the external launcher, its payment. Sign those that are `prepared` and submit them together.',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: LaunchPath },
  answers: { 200: { description: 'The transactions.', schema: Type.Object({ items: Type.Array(LaunchTransactionBody) }) } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const { orgId } = memberOf(request);
    const id = idInPath(request.params);
    const launch = id === null ? null : await ports.launches.reads.find(orgId, id);
    if (launch === null) return sendProblem(reply, 'not_found', NO_LAUNCH);
    const found = await ports.launches.reads.transactions(orgId, launch.id);
    return {
      items: found.map(({ id, wallet, state, unsigned, message, signature }) => ({
        id,
        wallet,
        state,
        transaction: unsigned,
        lastValidBlockHeight: message.lastValidBlockHeight,
        signature,
      })),
    };
  },
});
