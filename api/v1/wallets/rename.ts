/** POST /v1/wallets/:id/rename: sets or clears the label of a linked wallet. */
import { Type } from 'typebox';
import { NO_WALLET } from '../../../actors/linked-wallet/commands.ts';
import { LONGEST_LABEL } from '../../../src/domain/identity/linked-wallet.ts';
import { SHOWN_PATTERN } from '../../../src/domain/values/shown-text.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { objectOf } from '../../shapes.ts';
import { LinkedWalletBody, linkedWalletBody, WalletPath } from './linked-wallet-body.ts';

export const renameWallet = defineRoute({
  method: 'POST',
  url: '/v1/wallets/:id/rename',
  name: 'renameWallet',
  tag: 'wallets',
  summary: 'Changes or removes the label of a linked wallet',
  description: 'By the member who proved it, or with trade:execute. What was quoted or read under the old label stays as it is.',
  permission: 'agent:read',
  cost: 'write',
  schema: {
    params: WalletPath,
    body: objectOf({
      label: Type.Unsafe<string | null>({ type: ['string', 'null'], minLength: 1, maxLength: LONGEST_LABEL, pattern: SHOWN_PATTERN }),
    }),
  },
  idempotent: true,
  answers: { 200: { description: 'The wallet with its new label.', schema: LinkedWalletBody } },
  refusals: ['not_found', 'permission_missing'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_WALLET);
      return carryOut(request, reply, {
        status: 200,
        answer: linkedWalletBody,
        run: (context) => ports.linkedWallets.commands.rename(context, id, request.body.label),
      });
    };
  },
});
