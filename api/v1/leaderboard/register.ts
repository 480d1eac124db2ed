/** POST /v1/leaderboard/wallets: registers an address for the leaderboard. */
import { Type } from 'typebox';
import { LONGEST_LABEL } from '../../../src/domain/identity/linked-wallet.ts';
import { onceOnly } from '../../idempotency.ts';
import { defineRoute } from '../../route.ts';
import { choice, nullable, objectOf, shownText } from '../../shapes.ts';
import { AddressText } from '../wallets/linked-wallet-body.ts';

const RegisteredWalletBody = Type.Object(
  {
    address: Type.String({ description: 'With its EIP-55 checksum on the EVM chain.' }),
    chain: choice(['spotchain', 'evmvenue']),
    label: nullable('string'),
  },
  { $id: 'RegisteredWallet' },
);

export const registerLeaderboardWallet = defineRoute({
  method: 'POST',
  url: '/v1/leaderboard/wallets',
  name: 'registerLeaderboardWallet',
  tag: 'leaderboard',
  summary: 'Puts a wallet of either chain on the leaderboard',
  description:
    'The wallet is listed at once without a rank, and gets a rank after its history was read. The first label of an address stays.',
  permission: 'agent:read',
  cost: 'write',
  schema: {
    body: objectOf({ address: AddressText, label: Type.Optional(shownText(LONGEST_LABEL)) }),
  },
  idempotent: true,
  answers: { 201: { description: 'The wallet is on the leaderboard.', schema: RegisteredWalletBody } },
  refusals: ['state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const { address, label = null } = request.body;
      return carryOut(request, reply, {
        status: 201,
        answer: ({ address: kept, chain, label: named }) => ({ address: kept, chain, label: named }),
        run: (context) => ports.leaderboardWallets.commands.register(context, { address, label }),
      });
    };
  },
});
