/** POST /v1/wallets/:id/unlink: removes the proof of a wallet. */
import { NO_WALLET } from '../../../actors/linked-wallet/commands.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { EmptyBody } from '../../shapes.ts';
import { LinkedWalletBody, linkedWalletBody, WalletPath } from './linked-wallet-body.ts';

export const unlinkWallet = defineRoute({
  method: 'POST',
  url: '/v1/wallets/:id/unlink',
  name: 'unlinkWallet',
  tag: 'wallets',
  summary: 'Unlinks a wallet',
  description:
    'By the member who proved it, or with trade:execute. The link, its text and its signature are deleted, and the audit keeps who did it. Transfers under way, listings and orders that name the address go on unchanged: the link never permitted them. To link the wallet again it is proved again, and gets another id.',
  permission: 'agent:read',
  cost: 'write',
  schema: { params: WalletPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The wallet as it was linked.', schema: LinkedWalletBody } },
  refusals: ['not_found', 'permission_missing'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_WALLET);
      return carryOut(request, reply, {
        status: 200,
        answer: linkedWalletBody,
        run: (context) => ports.linkedWallets.commands.unlink(context, id),
      });
    };
  },
});
