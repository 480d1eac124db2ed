/** GET /v1/wallets/evmvenue/{address}: returns balances and state of a wallet on the EVM chain. */
import { Type } from 'typebox';
import type { PublicWallet } from '../../../src/domain/identity/wallet.ts';
import { type EpochMs, isoTime } from '../../../src/domain/values/time.ts';
import { sendRefusal } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { choice, DecimalText, NullableTime, nullable, Time } from '../../shapes.ts';
import { EvmAddressPath } from '../public-wallet/get.ts';

const TokenBody = Type.Object({
  symbol: Type.String(),
  contract: nullable('string', "Null for the chain's own coin."),
  decimals: Type.Integer(),
  balance: Type.String({ pattern: '^\\d+$', description: 'In base units.' }),
  amount: DecimalText,
});

const VenueAccountBody = Type.Object({
  accountValue: DecimalText,
  withdrawable: DecimalText,
  totalNotional: DecimalText,
  totalMarginUsed: DecimalText,
  openPositions: Type.Integer(),
  observedAt: { ...NullableTime, description: "The venue's own time; null if it gave none." },
  fetchedAt: Time,
  ageMs: Type.Integer(),
  quality: choice(['live', 'delayed'], 'Delayed where the answer is older than 30 s.'),
});

/** Cache lifetime of a margin account, in milliseconds. */
const LIVE_FOR_MS = 30_000;

/** Returns the margin account as the venue reports it. */
function venueAccount(found: PublicWallet, now: EpochMs) {
  const { accountValue, withdrawable, totalNotional, totalMarginUsed, positions, observedAt, fetchedAt } = found;
  const ageMs = Math.max(0, now - Math.min(fetchedAt, observedAt ?? fetchedAt));
  return {
    accountValue,
    withdrawable,
    totalNotional,
    totalMarginUsed,
    openPositions: positions.length,
    observedAt: observedAt === null ? null : isoTime(observedAt),
    fetchedAt: isoTime(fetchedAt),
    ageMs,
    quality: ageMs <= LIVE_FOR_MS ? ('live' as const) : ('delayed' as const),
  };
}

const ChainWalletBody = Type.Object(
  {
    address: Type.String({ description: 'With its EIP-55 checksum.' }),
    chainId: Type.Integer(),
    kind: choice(['account', 'contract', 'delegated'], '`contract`: a smart contract. `delegated`: a key with delegated code (EIP-7702).'),
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
    venue: Type.Unsafe<object | null>({
      anyOf: [VenueAccountBody, { type: 'null' }],
      description: 'The margin account on the perpetuals venue; null if the venue did not answer.',
    }),
    venueUnread: nullable('string', 'Reason the margin account is unknown, or null.'),
  },
  { $id: 'ChainWallet' },
);

export const getChainWallet = defineRoute({
  method: 'GET',
  url: '/v1/wallets/evmvenue/:address',
  name: 'getChainWallet',
  tag: 'bridge',
  summary: 'Balances and kind of a wallet on the EVM chain, all at one block, and its margin account on the perpetuals venue',
  permission: 'market:read',
  cost: 'costly',
  schema: { params: EvmAddressPath },
  answers: { 200: { description: 'The wallet.', schema: ChainWalletBody } },
  refusals: ['malformed'],
  handle: (ports) => async (request, reply) => {
    const { address } = request.params;
    const [read, margin] = await Promise.all([ports.wallets.evm.read(address), ports.wallets.venue.read(address)]);
    if (!read.ok) return sendRefusal(reply, read.refusal);
    const { block, fetchedAt, ...wallet } = read.value;
    return {
      ...wallet,
      block: { number: block.number, hash: block.hash, at: isoTime(block.at), ageMs: Math.max(0, ports.clock.now() - block.at) },
      fetchedAt: isoTime(fetchedAt),
      venue: margin.ok ? venueAccount(margin.value, ports.clock.now()) : null,
      venueUnread: margin.ok ? null : margin.refusal.detail,
    };
  },
});
