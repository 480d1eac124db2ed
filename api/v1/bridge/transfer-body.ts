/** Quotes and transfers on the wire. Amounts are US dollars with at most six decimals. */
import { Type } from 'typebox';
import {
  ARRIVAL_STATES,
  type ArrivalAxis,
  ATTENTIONS,
  attentionWords,
  PROVIDER_STATES,
  SOURCE_STATES,
  TRANSFER_STATES,
} from '../../../src/domain/bridge/axes.ts';
import { BRIDGE_CHAINS, BRIDGE_PROVIDERS, usdOf } from '../../../src/domain/bridge/quote.ts';
import type { BridgeTransferView } from '../../../src/domain/bridge/transfer.ts';
import { type EpochMs, isoTime } from '../../../src/domain/time.ts';
import { transferProgress } from '../../../src/domain/work-progress.ts';
import { choice, DecimalText, IdText, NullableDecimalText, NullableTime, nullable, Time } from '../../shapes.ts';
import { WORK_FIELDS } from '../../work-fields.ts';

export const BridgeChainWord = choice(BRIDGE_CHAINS, 'The primary chain, or the EVM chain that the perpetuals venue is funded over.');
export const BridgeProviderWord = choice(BRIDGE_PROVIDERS);
export const TransferStateWord = choice(
  TRANSFER_STATES,
  '`completed`, `refunded` and `failed` are what the chains show for good; `failed` means that nothing but network fees has left. `unknown`: the provider and the chains contradict one another.',
);

const FeeBody = Type.Object({
  name: Type.String(),
  amountUsd: {
    ...NullableDecimalText,
    description: 'Negative for a subsidy. Null if nobody tells the price of the coin it is paid in.',
  },
  included: Type.Boolean({ description: 'True if it is taken out of the amount; false if it is paid on top of it.' }),
});

const ArrivalBody = Type.Object({
  state: choice(ARRIVAL_STATES),
  hash: nullable('string', 'The transaction that the provider names.'),
  amountUsd: NullableDecimalText,
});

const EvmCall = {
  kind: Type.String({ const: 'evm' }),
  chainId: Type.Integer(),
  from: Type.String(),
  to: Type.String(),
  data: Type.String(),
  value: Type.String({ description: 'Wei.' }),
};

const EvmApproval = { ...EvmCall, spender: Type.String(), amount: Type.String({ description: 'Base units.' }) };

const TransactionBody = Type.Unsafe<object>({
  type: 'object',
  description:
    'The unsigned source transaction. On the EVM chain: `chainId`, `from`, `to`, `data`, `value`, and `approval` with a transaction that has to be mined first, or null if the allowance suffices. On the primary chain: `unsigned` (base64, as the wallet is to sign it), its `digest` and until which block height it can land.',
  oneOf: [
    Type.Object({ ...EvmCall, approval: Type.Unsafe<object | null>({ anyOf: [Type.Object(EvmApproval), { type: 'null' }] }) }),
    Type.Object({
      kind: Type.String({ const: 'solana' }),
      wallet: Type.String(),
      unsigned: Type.String(),
      digest: Type.String(),
      requiredSigners: Type.Array(Type.String()),
      blockhash: Type.String(),
      lastValidBlockHeight: Type.Integer(),
    }),
  ],
});

export const BridgeTransferBody = Type.Object(
  {
    id: IdText,
    state: TransferStateWord,
    provider: BridgeProviderWord,
    providerKind: choice(['intent', 'canonical'], '`intent`: a solver pays out. `canonical`: burned on one chain, minted on the other.'),
    reference: nullable('string', "The provider's id of the request."),
    from: BridgeChainWord,
    to: BridgeChainWord,
    token: Type.String(),
    amount: DecimalText,
    sender: Type.String(),
    recipient: Type.String(),
    fees: Type.Array(FeeBody),
    expectedReceived: DecimalText,
    minimumReceived: DecimalText,
    route: Type.Array(Type.String()),
    estimatedSeconds: Type.Integer({ description: 'From the submission to the final payment, for this amount.' }),
    expiresAt: Type.String({ format: 'date-time', description: 'Expiry of the quote.' }),
    explanation: Type.String({ description: 'Reason for this provider, with the offers of the others.' }),
    alternatives: Type.Array(
      Type.Object({
        provider: BridgeProviderWord,
        minimumReceived: DecimalText,
        costUsd: DecimalText,
        estimatedSeconds: Type.Integer(),
        fees: Type.Array(FeeBody),
      }),
    ),
    transaction: TransactionBody,
    hash: nullable('string', 'The source transaction, once it is submitted.'),
    axes: Type.Object({
      provider: Type.Object({
        state: choice(PROVIDER_STATES),
        said: nullable('string', "The provider's own word."),
        reason: nullable('string'),
        silentSince: { ...NullableTime, description: 'Start of its silence, or null while it responds.' },
      }),
      source: Type.Object({
        state: choice(SOURCE_STATES, '`unseen` is no failure.'),
        confirmations: Type.Integer(),
        includedAt: NullableTime,
        detail: nullable('string'),
      }),
      destination: ArrivalBody,
      refund: ArrivalBody,
    }),
    attentions: Type.Array(Type.Object({ code: choice(ATTENTIONS), words: Type.String() }), {
      description: 'Contradictions, delays and partial payments: states with words, not errors.',
    }),
    delayed: Type.Boolean({ description: 'It takes more than three times its estimate; an alert was sent once.' }),
    delayedAt: NullableTime,
    broadcast: Type.Unsafe<object | null>({
      type: ['object', 'null'],
      description: 'Last answer of a node to the signed bytes, or null if the wallet sent them.',
      properties: { outcome: { type: 'string' }, detail: { type: ['string', 'null'] } },
    }),
    quotedBy: Type.String(),
    submittedBy: nullable('string'),
    createdAt: Time,
    submittedAt: NullableTime,
    endedAt: NullableTime,
    changedAt: Time,
    ...WORK_FIELDS,
  },
  { $id: 'BridgeTransfer' },
);

const timeOrNull = (at: number | null): string | null => (at === null ? null : isoTime(at));

function arrivalBody({ state, hash, amount }: ArrivalAxis) {
  return { state, hash, amountUsd: amount === null ? null : usdOf(amount) };
}

function transactionBody({ transaction }: BridgeTransferView): object {
  if (transaction.kind === 'evm') return transaction;
  const { digest, requiredSigners, blockhash, lastValidBlockHeight } = transaction.prepared;
  const { kind, wallet, unsignedBase64: unsigned } = transaction;
  return { kind, wallet, unsigned, digest, requiredSigners: [...requiredSigners], blockhash, lastValidBlockHeight };
}

export function bridgeTransferBody(view: BridgeTransferView, at: EpochMs) {
  const { provider, source, destination, refund } = view.axes;
  return {
    id: view.id,
    state: view.state,
    provider: view.provider,
    providerKind: view.kind,
    reference: view.reference,
    ...view.wish,
    fees: view.fees.map((fee) => ({ ...fee })),
    expectedReceived: usdOf(view.amountOut),
    minimumReceived: usdOf(view.minimumOut),
    route: [...view.route],
    estimatedSeconds: view.estimatedSeconds,
    expiresAt: isoTime(view.expiresAt),
    explanation: view.explanation,
    alternatives: view.alternatives.map(({ provider: name, minimumOut, costUsd, estimatedSeconds, fees }) => ({
      provider: name,
      minimumReceived: usdOf(minimumOut),
      costUsd,
      estimatedSeconds,
      fees: fees.map((fee) => ({ ...fee })),
    })),
    transaction: transactionBody(view),
    hash: view.hash,
    axes: {
      provider: { state: provider.state, said: provider.said, reason: provider.reason, silentSince: timeOrNull(provider.silentSince) },
      source: { ...source, includedAt: timeOrNull(source.includedAt) },
      destination: arrivalBody(destination),
      refund: arrivalBody(refund),
    },
    attentions: view.attentions.map((code) => ({ code, words: attentionWords(code) })),
    delayed: view.delayedAt !== null,
    delayedAt: timeOrNull(view.delayedAt),
    broadcast: view.broadcast,
    quotedBy: view.quotedBy,
    submittedBy: view.submittedBy,
    createdAt: isoTime(view.createdAt),
    submittedAt: timeOrNull(view.submittedAt),
    endedAt: timeOrNull(view.endedAt),
    changedAt: isoTime(view.changedAt),
    ...transferProgress(view, at),
  };
}
