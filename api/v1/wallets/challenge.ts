/** POST /v1/wallets/challenge: returns the text that the owner of a wallet signs to prove it. */
import { Type } from 'typebox';
import { WALLET_CHALLENGE_MS, type WalletTypedData } from '../../../src/domain/identity/linked-wallet.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { onceOnly } from '../../idempotency.ts';
import { defineRoute } from '../../route.ts';
import { choice, objectOf, Time } from '../../shapes.ts';
import { AddressText } from './linked-wallet-body.ts';

const WalletChallengeBody = Type.Object(
  {
    address: Type.String(),
    text: Type.String({
      description:
        'To be signed as it is: as a personal message (EIP-191) by a wallet of the EVM chain, as UTF-8 (Ed25519) by one of the primary chain.',
    }),
    typedData: Type.Unsafe<WalletTypedData | null>({
      anyOf: [
        Type.Object({
          domain: Type.Object({ name: Type.String(), version: Type.String(), chainId: Type.Integer() }),
          types: Type.Record(Type.String(), Type.Array(Type.Object({ name: Type.String(), type: Type.String() }))),
          primaryType: choice(['WalletProof']),
          message: Type.Record(Type.String(), Type.String()),
        }),
        { type: 'null' },
      ],
      description:
        'The same fields as typed data (EIP-712), which a wallet of the EVM chain may sign in the place of the text: `eth_signTypedData_v4`. Null for the primary chain.',
    }),
    expiresAt: Time,
  },
  { $id: 'WalletChallenge' },
);

export const challengeWallet = defineRoute({
  method: 'POST',
  url: '/v1/wallets/challenge',
  name: 'challengeWallet',
  tag: 'wallets',
  summary: 'Text that the owner signs to link a wallet',
  description:
    'The newest text of an address is valid for ten minutes; earlier texts are not. Signing it moves no money and grants no permission.',
  permission: 'agent:read',
  cost: 'write',
  schema: { body: objectOf({ address: AddressText }) },
  answers: { 200: { description: 'The text.', schema: WalletChallengeBody } },
  refusals: [],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) =>
      carryOut(request, reply, {
        status: 200,
        answer: ({ address, text, typedData, issuedAt }) => ({
          address,
          text,
          typedData,
          expiresAt: isoTime(issuedAt + WALLET_CHALLENGE_MS),
        }),
        run: (context) => ports.linkedWallets.commands.challenge(context, request.body.address),
      });
  },
});
