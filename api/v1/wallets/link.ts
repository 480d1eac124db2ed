/** POST /v1/wallets: links a wallet whose owner has signed the text of its challenge. */
import { Type } from 'typebox';
import { LONGEST_LABEL } from '../../../src/domain/identity/linked-wallet.ts';
import { onceOnly } from '../../idempotency.ts';
import { defineRoute } from '../../route.ts';
import { objectOf, shownText } from '../../shapes.ts';
import { AddressText, LinkedWalletBody, linkedWalletBody } from './linked-wallet-body.ts';

export const linkWallet = defineRoute({
  method: 'POST',
  url: '/v1/wallets',
  name: 'linkWallet',
  tag: 'wallets',
  summary: 'Links a wallet of either chain by the signature of its owner',
  description: 'A link proves ownership and grants no permission. Linking again renews the proof and may change the label.',
  permission: 'agent:read',
  cost: 'write',
  schema: {
    body: objectOf({
      address: AddressText,
      signature: Type.String({
        minLength: 80,
        maxLength: 4_098,
        pattern: '^(0x[0-9a-fA-F]+|[A-Za-z0-9+/=]+)$',
        description:
          '65 bytes in hexadecimal with 0x before them on the EVM chain, or what a wallet that is a contract takes as its own (ERC-1271), at most 2048 bytes; 64 bytes in base64 or base58 on the primary chain.',
      }),
      label: Type.Optional(shownText(LONGEST_LABEL)),
    }),
  },
  idempotent: true,
  answers: { 201: { description: 'The wallet.', schema: LinkedWalletBody } },
  refusals: ['state_conflict', 'signature_invalid', 'challenge_expired'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const { address, signature, label = null } = request.body;
      return carryOut(request, reply, {
        status: 201,
        answer: linkedWalletBody,
        run: (context) => ports.linkedWallets.commands.link(context, { address, signature, label }),
      });
    };
  },
});
