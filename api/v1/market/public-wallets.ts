/** Wallets of anybody, as the perpetuals venue and the EVM chain report them. */
import { Type } from 'typebox';
import type { ChainWalletReads } from '../../../src/adapters/evmchain/wallet-reader.ts';
import type { PrimaryWalletReads } from '../../../src/adapters/solana/primary-wallets.ts';
import type { PublicWalletReads } from '../../../src/adapters/venues/evmvenue/perp-reads.ts';
import type { PublicWallet } from '../../../src/domain/identity/wallet.ts';
import { type EpochMs, isoTime, isoTimeOrNull } from '../../../src/domain/values/time.ts';
import { sendRefusal } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { choice, DecimalText, NullableDecimalText, NullableTime, nullable, objectSchema, Time } from '../../shapes.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    /** Wallets of anybody, read from outside. */
    readonly wallets: {
      readonly venue: PublicWalletReads;
      readonly evm: ChainWalletReads;
      /** Absent if no node of the primary chain reads wallets. */
      readonly primary?: PrimaryWalletReads;
    };
  }
}

/** Address of letters and digits. The reader of the wallet checks its checksum. */
const EvmAddressPath = objectSchema({
  address: Type.String({
    pattern: '^0x[0-9a-fA-F]{40}$',
    description: '0x and 40 hexadecimal digits. Mixed letters have to be the EIP-55 checksum.',
    examples: ['0xaf88d065e77c8cC2239327C5EDb3A432268e5831'],
  }),
});

const pnlFields = {
  grossPnl: { ...DecimalText, description: 'As the venue reports it: fees are not taken off.' },
  closingFills: Type.Integer(),
  wins: Type.Integer(),
  losses: Type.Integer(),
};
const PnlSum = Type.Object(pnlFields);
const Fees = { ...DecimalText, description: 'Signed: rebates are negative.' };

const PublicWalletBody = Type.Object(
  {
    address: Type.String(),
    venue: choice(['evmvenue']),
    label: choice(['reported/partial'], "The venue's own words about the address, and of its fills only the most recent ones."),
    observedAt: { ...NullableTime, description: "The venue's time, ISO 8601." },
    fetchedAt: Time,
    ageMs: Type.Integer({ description: 'Answers are kept for some seconds.' }),
    margin: Type.Object({
      accountValue: DecimalText,
      totalNotional: DecimalText,
      totalMarginUsed: DecimalText,
      withdrawable: DecimalText,
    }),
    positions: Type.Array(
      Type.Object({
        coin: Type.String(),
        side: choice(['long', 'short']),
        size: { ...DecimalText, description: 'Signed: negative is short.' },
        entryPrice: NullableDecimalText,
        positionValue: DecimalText,
        unrealizedPnl: DecimalText,
        liquidationPrice: NullableDecimalText,
        marginUsed: DecimalText,
        leverage: Type.Integer(),
        marginMode: choice(
          ['cross', 'isolated'],
          'As the venue reports it. Books of this service hold isolated margin alone, and nothing is computed for a cross position.',
        ),
        fundingSinceOpen: { ...NullableDecimalText, description: "In the venue's own sign; null if it does not say." },
      }),
    ),
    closed: Type.Object({
      ...pnlFields,
      fees: Fees,
      netPnl: {
        ...NullableDecimalText,
        description:
          'Gross less fees of all fills that were counted; null if one of these fees is in a token that is no dollar stablecoin.',
      },
      long: PnlSum,
      short: PnlSum,
      byCoin: Type.Array(Type.Object({ coin: Type.String(), ...pnlFields, fees: Fees })),
    }),
    coverage: Type.Object({
      label: choice(['reported/partial']),
      fills: Type.Integer({ description: 'Fills that the venue sent.' }),
      counted: Type.Integer({ description: 'Perpetual fills among them.' }),
      excluded: Type.Integer({ description: 'Spot fills, conversions and repeated rows.' }),
      feesInOtherTokens: Type.Integer({ description: 'Fills whose fee is in a token that is no dollar stablecoin and in no sum.' }),
      from: nullable('string', 'The oldest counted fill, ISO 8601.'),
      to: nullable('string', 'The newest counted fill, ISO 8601.'),
      truncated: Type.Boolean({ description: 'True if the cap was reached: older fills are not known.' }),
      cap: Type.Integer(),
    }),
  },
  { $id: 'PublicWallet' },
);

export const getPublicWallet = defineRoute({
  method: 'GET',
  url: '/v1/public-wallet/:address',
  name: 'getPublicWallet',
  tag: 'market',
  summary: 'Margin, positions and closed profit and loss of any address on the perpetuals venue',
  description: 'An address that the venue does not know has zeros. Read-only: nothing is stored.',
  permission: 'market:read',
  cost: 'costly',
  schema: { params: EvmAddressPath },
  answers: { 200: { description: 'The wallet.', schema: PublicWalletBody } },
  refusals: ['malformed'],
  handle: (ports) => async (request, reply) => {
    const read = await ports.wallets.venue.read(request.params.address);
    if (!read.ok) return sendRefusal(reply, read.refusal);
    const { address, observedAt, fetchedAt, positions, pnl, coverage, ...margin } = read.value;
    const { accountValue, totalNotional, totalMarginUsed, withdrawable } = margin;
    return {
      address,
      venue: 'evmvenue' as const,
      label: coverage.label,
      observedAt: isoTimeOrNull(observedAt),
      fetchedAt: isoTime(fetchedAt),
      ageMs: Math.max(0, ports.clock.now() - fetchedAt),
      margin: { accountValue, totalNotional, totalMarginUsed, withdrawable },
      positions: positions.map((position) => ({
        coin: position.coin,
        side: position.size.startsWith('-') ? ('short' as const) : ('long' as const),
        size: position.size,
        entryPrice: position.entryPrice,
        positionValue: position.positionValue,
        unrealizedPnl: position.unrealizedPnl,
        liquidationPrice: position.liquidationPrice,
        marginUsed: position.marginUsed,
        leverage: position.leverage,
        marginMode: position.marginMode,
        fundingSinceOpen: position.fundingSinceOpen,
      })),
      closed: pnl,
      coverage: { ...coverage, from: isoTimeOrNull(coverage.from), to: isoTimeOrNull(coverage.to) },
    };
  },
});

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
