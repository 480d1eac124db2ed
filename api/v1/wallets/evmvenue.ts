/** GET /v1/wallets/evmvenue/{address}: balances and state of a wallet on the EVM chain (spec section 4.5). */
import { Type } from 'typebox';
import { isoTime } from '../../../src/domain/time.ts';
import { sendRefusal } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { choice, DecimalText, nullable, Time } from '../../shapes.ts';
import { EvmAddressPath } from '../public-wallet/get.ts';

const TokenBody = Type.Object({
  symbol: Type.String(),
  contract: nullable('string', "Null for the chain's own coin."),
  decimals: Type.Integer(),
  balance: Type.String({ pattern: '^\\d+$', description: 'In base units.' }),
  amount: DecimalText,
});

const ChainWalletBody = Type.Object(
  {
    address: Type.String({ description: 'With its EIP-55 checksum.' }),
    chainId: Type.Integer(),
    kind: choice(
      ['account', 'contract', 'delegated'],
      '`contract`: code stands behind it. `delegated`: a key whose code lies elsewhere (EIP-7702).',
    ),
    nonce: Type.Integer({ description: 'Transactions that it has sent.' }),
    block: Type.Object({
      number: Type.String({ pattern: '^\\d+$' }),
      hash: Type.String(),
      at: Time,
      ageMs: Type.Integer({ description: 'Since the block was made: how old the balances are.' }),
    }),
    fetchedAt: Time,
    native: TokenBody,
    tokens: Type.Array(TokenBody),
    unread: Type.Array(Type.Object({ symbol: Type.String(), contract: Type.String(), why: Type.String() }), {
      description: 'Tokens whose contract did not answer: their balance is not known.',
    }),
  },
  { $id: 'ChainWallet' },
);

export const getChainWallet = defineRoute({
  method: 'GET',
  url: '/v1/wallets/evmvenue/:address',
  name: 'getChainWallet',
  tag: 'bridge',
  summary: 'Balances, transaction count and kind of a wallet on the EVM chain, all at one block',
  cost: 'costly',
  schema: { params: EvmAddressPath },
  answers: { 200: { description: 'The wallet.', schema: ChainWalletBody } },
  refusals: ['malformed'],
  handle: (ports) => async (request, reply) => {
    const read = await ports.wallets.evm.read(request.params.address);
    if (!read.ok) return sendRefusal(reply, read.refusal);
    const { block, fetchedAt, ...wallet } = read.value;
    return {
      ...wallet,
      block: { number: block.number, hash: block.hash, at: isoTime(block.at), ageMs: Math.max(0, ports.clock.now() - block.at) },
      fetchedAt: isoTime(fetchedAt),
    };
  },
});
