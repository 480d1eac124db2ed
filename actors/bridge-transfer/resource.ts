/** Fields of a bridge transfer. Amounts on the wire are US dollars with up to six decimals. */
import { Type } from 'typebox';
import { type FixedOf, held, resource, type ViewOf } from '../../src/core/resource.ts';
import { choice, DecimalText, IdText, NullableDecimalText, NullableTime, nullable, Time } from '../../src/core/shapes.ts';
import {
  ARRIVAL_STATES,
  ATTENTIONS,
  type Attention,
  PROVIDER_STATES,
  SOURCE_STATES,
  TRANSFER_STATES,
  type TransferAxes,
} from '../../src/domain/bridge/axes.ts';
import { BRIDGE_CHAINS, BRIDGE_PROVIDERS, type BridgeProviderKind, type BridgeWish, type FeeLine } from '../../src/domain/bridge/quote.ts';
import type { BridgeAlternative, QuotedTransaction } from '../../src/domain/bridge/transfer.ts';

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

/** Column that holds the offer and its progress. */
const within = 'body';

export const bridgeTransfer = resource('bridge_transfers', {
  id: { wire: IdText, column: 'uuid' },
  state: { wire: TransferStateWord, column: 'text', changes: true },
  provider: { wire: BridgeProviderWord, column: 'text' },
  kind: { holds: held<BridgeProviderKind>(), within },
  providerKind: {
    wire: choice(['intent', 'canonical'], '`intent`: a solver pays out. `canonical`: burned on one chain, minted on the other.'),
    computed: true,
  },
  /** Null if only the source transaction identifies the transfer. */
  reference: { wire: nullable('string', "The provider's id of the request."), within },
  wish: { holds: held<BridgeWish>(), within },
  from: { wire: BridgeChainWord, column: 'text', name: 'from_chain' },
  to: { wire: BridgeChainWord, column: 'text', name: 'to_chain' },
  token: { wire: Type.String(), computed: true },
  amount: { wire: DecimalText, computed: true },
  amountUsd: { holds: held<string>(), column: 'numeric' },
  /** Amount in base units, like the next two. */
  amountIn: { holds: held<string>(), within },
  amountOut: { holds: held<string>(), within },
  minimumOut: { holds: held<string>(), within },
  sender: { wire: Type.String(), computed: true },
  recipient: { wire: Type.String(), computed: true },
  fees: { wire: Type.Unsafe<readonly FeeLine[]>(Type.Array(FeeBody)), within },
  expectedReceived: { wire: DecimalText, computed: true },
  minimumReceived: { wire: DecimalText, computed: true },
  /** Steps of the route in words, in order. */
  route: { wire: Type.Array(Type.String()), within },
  estimatedSeconds: { wire: Type.Integer({ description: 'From the submission to the final payment, for this amount.' }), within },
  expiresAt: { wire: Type.String({ format: 'date-time', description: 'Expiry of the quote.' }), within, instant: true },
  explanation: { wire: Type.String({ description: 'Reason for this provider, with the offers of the others.' }), within },
  alternatives: {
    holds: held<readonly BridgeAlternative[]>(),
    wire: Type.Array(
      Type.Object({
        provider: BridgeProviderWord,
        minimumReceived: DecimalText,
        costUsd: DecimalText,
        estimatedSeconds: Type.Integer(),
        fees: Type.Array(FeeBody),
      }),
    ),
    within,
  },
  transaction: { holds: held<QuotedTransaction>(), wire: TransactionBody, within },
  hash: { wire: nullable('string', 'The source transaction, once it is submitted.'), column: 'text', changes: true },
  axes: {
    holds: held<TransferAxes>(),
    wire: Type.Object({
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
    within,
    changes: true,
  },
  attentions: {
    holds: held<readonly Attention[]>(),
    wire: Type.Array(Type.Object({ code: choice(ATTENTIONS), words: Type.String() }), {
      description: 'Contradictions, delays and partial payments: states with words, not errors.',
    }),
    within,
    changes: true,
  },
  delayed: { wire: Type.Boolean({ description: 'It takes more than three times its estimate; an alert was sent once.' }), computed: true },
  /** Time at which the provider reported a delay, or null. */
  delayedAt: { wire: NullableTime, column: 'bigint', changes: true, instant: true },
  broadcast: {
    wire: Type.Unsafe<{ readonly outcome: string; readonly detail: string | null } | null>({
      type: ['object', 'null'],
      description: 'Last answer of a node to the signed bytes, or null if the wallet sent them.',
      properties: { outcome: { type: 'string' }, detail: { type: ['string', 'null'] } },
    }),
    within,
    changes: true,
  },
  quotedBy: { wire: Type.String(), within },
  submittedBy: { wire: nullable('string'), within, changes: true },
  createdAt: { wire: Time, column: 'bigint', instant: true },
  submittedAt: { wire: NullableTime, within, changes: true, instant: true },
  endedAt: { wire: NullableTime, within, changes: true, instant: true },
  changedAt: { wire: Time, column: 'bigint', changes: true, instant: true },
});

export type BridgeTransfer = ViewOf<typeof bridgeTransfer>;
/** Fields of a new transfer. */
export type BridgeTransferTerms = Omit<FixedOf<typeof bridgeTransfer>, 'id' | 'from' | 'to' | 'amountUsd' | 'transaction'>;
