/** Transfers between the primary chain and the EVM chain. */
import { Type } from 'typebox';
import { type BridgeCommands, NO_TRANSFER } from '../../actors/bridge-transfer/commands.ts';
import {
  BridgeChainWord,
  BridgeProviderWord,
  type BridgeTransfer,
  bridgeTransfer,
  TransferStateWord,
} from '../../actors/bridge-transfer/resource.ts';
import type { BridgeTransferStore } from '../../src/adapters/store/bridge/bridge-transfer-store.ts';
import { WORK_FIELDS } from '../../src/core/work-fields.ts';
import { ARRIVAL_STATES, type ArrivalAxis, attentionWords, PROVIDER_STATES, SOURCE_STATES } from '../../src/domain/bridge/axes.ts';
import { BRIDGE_PREFERENCES } from '../../src/domain/bridge/comparison.ts';
import { transferCourse } from '../../src/domain/bridge/course.ts';
import { toUsd } from '../../src/domain/bridge/quote.ts';
import { type EpochMs, isoTime, isoTimeOrNull } from '../../src/domain/values/time.ts';
import { transferProgress } from '../../src/domain/values/work-progress.ts';
import { requireMember } from '../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../cursor.ts';
import { malformed } from '../http/strict-json.ts';
import { onceOnly } from '../idempotency.ts';
import { idInPath } from '../identifier.ts';
import { sendProblem } from '../problem.ts';
import { defineRoute, type RouteGroup, renamed } from '../route.ts';
import { choice, IdText, NullableDecimalText, objectSchema, pageFields, pageSchema, Time } from '../shapes.ts';
import { TAKES_SIGNED_TRANSACTION } from './signed-transaction.ts';
import { addressNamed } from './wallets.ts';

declare module '../route.ts' {
  interface ApiPorts {
    readonly bridge: {
      readonly reads: Pick<BridgeTransferStore, 'list' | 'find' | 'steps'>;
      readonly commands: BridgeCommands;
    };
  }
}

const BridgeTransferBody = Type.Object({ ...bridgeTransfer.wire, ...WORK_FIELDS }, { $id: 'BridgeTransfer' });

function arrivalBody({ state, hash, amount }: ArrivalAxis) {
  return { state, hash, amountUsd: amount === null ? null : toUsd(amount) };
}

function transactionBody({ transaction }: BridgeTransfer): object {
  if (transaction.kind === 'evm') return transaction;
  const { digest, requiredSigners, blockhash, lastValidBlockHeight } = transaction.prepared;
  const { kind, wallet, unsignedBase64: unsigned } = transaction;
  return { kind, wallet, unsigned, digest, requiredSigners: [...requiredSigners], blockhash, lastValidBlockHeight };
}

function bridgeTransferBody(view: BridgeTransfer, at: EpochMs) {
  const { provider, source, destination, refund } = view.axes;
  const { token, amount, sender, recipient } = view.wish;
  return {
    ...bridgeTransfer.body(view, {
      providerKind: view.kind,
      token,
      amount,
      sender,
      recipient,
      expectedReceived: toUsd(view.amountOut),
      minimumReceived: toUsd(view.minimumOut),
      alternatives: view.alternatives.map(({ provider: name, minimumOut, costUsd, estimatedSeconds, fees }) => ({
        provider: name,
        minimumReceived: toUsd(minimumOut),
        costUsd,
        estimatedSeconds,
        fees: fees.map((fee) => ({ ...fee })),
      })),
      transaction: transactionBody(view),
      axes: {
        provider: { state: provider.state, said: provider.said, reason: provider.reason, silentSince: isoTimeOrNull(provider.silentSince) },
        source: { ...source, includedAt: isoTimeOrNull(source.includedAt) },
        destination: arrivalBody(destination),
        refund: arrivalBody(refund),
      },
      attentions: view.attentions.map((code) => ({ code, words: attentionWords(code) })),
      delayed: view.delayedAt !== null,
    }),
    ...transferProgress(view, at),
  };
}

const quoteBridge = defineRoute({
  method: 'POST',
  url: '/v1/bridge/quote',
  name: 'quoteBridge',
  tag: 'bridge',
  summary: 'An executable quote of a transfer of the stablecoin between the primary chain and the EVM chain',
  description:
    'Requests a quote from every provider, compares minimum amounts and extra fees, and returns the best with the reason. The unsigned source transaction is checked and, if it needs no approval first, simulated. Nothing is sent before you sign.',
  permission: 'market:read',
  cost: 'costly',
  schema: {
    body: objectSchema({
      from: BridgeChainWord,
      to: BridgeChainWord,
      token: Type.String({ maxLength: 20, description: 'USDC.' }),
      amount: Type.String({ maxLength: 30, description: 'US dollars, at most six decimals.' }),
      sender: Type.String({
        maxLength: 64,
        description: 'Wallet that signs and pays on the chain of `from`: an address, or the label or id of a linked wallet of that chain.',
      }),
      recipient: Type.String({
        maxLength: 64,
        description: 'Wallet that receives on the chain of `to`: an address, or the label or id of a linked wallet of that chain.',
      }),
      preference: Type.Optional(choice(BRIDGE_PREFERENCES, 'Prefer the offer that delivers most (default) or the fastest one.')),
      provider: Type.Optional(BridgeProviderWord),
    }),
  },
  idempotent: true,
  answers: { 201: { description: 'The quote.', schema: BridgeTransferBody } },
  refusals: ['route_refused', 'blocked_by_risk', 'feature_disabled', 'too_many_prepared', 'halted'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const { preference = 'received', provider = null, ...wish } = request.body;
      return carryOut(request, reply, {
        status: 201,
        answer: (view: BridgeTransfer) => bridgeTransferBody(view, ports.clock.now()),
        async run(context) {
          const sender = await addressNamed(ports, context.orgId, wish.sender, wish.from, '$.sender');
          if (!sender.ok) return sender;
          const recipient = await addressNamed(ports, context.orgId, wish.recipient, wish.to, '$.recipient');
          if (!recipient.ok) return recipient;
          return ports.bridge.commands.quote(context, { ...wish, sender: sender.value, recipient: recipient.value, preference, provider });
        },
      });
    };
  },
});

const submitBridge = defineRoute({
  method: 'POST',
  url: '/v1/bridge/submission',
  name: 'submitBridge',
  tag: 'bridge',
  summary: 'Records a signed bridge transaction and starts settlement tracking',
  description:
    'Give `signedTransaction` (base64 on the primary chain, hexadecimal on the EVM chain) and it is checked against the quote and sent; or give the `hash` of the transaction where the wallet has sent it. The same request again answers the present state. A hash that no node has seen yet is accepted too. What differs from the quote is refused before it is sent.',
  permission: 'trade:execute',
  ...TAKES_SIGNED_TRANSACTION,
  schema: {
    body: objectSchema({
      quoteId: IdText,
      signedTransaction: Type.Optional(
        Type.String({ minLength: 4, maxLength: 200_000, pattern: '^(0x[0-9a-fA-F]*|[A-Za-z0-9+/]+={0,2})$' }),
      ),
      hash: Type.Optional(Type.String({ minLength: 64, maxLength: 90, pattern: '^[0-9A-Za-z]+$' })),
    }),
  },
  answers: { 202: { description: 'The transfer, tracked from now on.', schema: BridgeTransferBody } },
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const { quoteId, signedTransaction, hash } = request.body;
      if ((signedTransaction === undefined) === (hash === undefined))
        throw malformed('$', 'give exactly one of signedTransaction and hash', 'exactly one of signedTransaction and hash');
      const submitted = signedTransaction === undefined ? { hash: hash as string } : { signedTransaction };
      return carryOut(request, reply, {
        status: 202,
        answer: (view: BridgeTransfer) => bridgeTransferBody(view, ports.clock.now()),
        run: (context) => ports.bridge.commands.submit(context, quoteId.toLowerCase(), submitted),
      });
    };
  },
});

const getBridgeStatus = defineRoute({
  method: 'GET',
  url: '/v1/bridge/status',
  name: 'getBridgeStatus',
  tag: 'bridge',
  summary: 'Live confirmation and finality status of a transfer',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectSchema({ id: IdText }) },
  answers: { 200: { description: 'The transfer.', schema: BridgeTransferBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const transfer = await ports.bridge.reads.find(requireMember(request).orgId, request.query.id.toLowerCase());
    return transfer === null ? sendProblem(reply, 'not_found', NO_TRANSFER) : bridgeTransferBody(transfer, ports.clock.now());
  },
});

const listBridgeTransfers = defineRoute({
  method: 'GET',
  url: '/v1/bridge/transfers',
  name: 'listBridgeTransfers',
  tag: 'bridge',
  summary: 'Submitted transfers, newest first; quotes where their state is asked for',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectSchema({ ...pageFields, state: Type.Optional(TransferStateWord) }) },
  answers: { 200: { description: 'A page of transfers.', schema: pageSchema(BridgeTransferBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const { state } = request.query;
    const page = pageOfQuery(request.query, 'bridge-transfers', POSITIONS.number);
    const filter = state === undefined ? {} : { state };
    return pageBody(await ports.bridge.reads.list(requireMember(request).orgId, filter, page), 'bridge-transfers', (view) =>
      bridgeTransferBody(view, ports.clock.now()),
    );
  },
});

const TransferPointBody = Type.Object(
  {
    at: Time,
    state: TransferStateWord,
    provider: choice(PROVIDER_STATES, 'Status by the provider.'),
    source: choice(SOURCE_STATES, 'Status on the source chain.'),
    destination: choice(ARRIVAL_STATES, 'Status on the destination chain.'),
    arrivedUsd: NullableDecimalText,
    refundedUsd: NullableDecimalText,
  },
  { $id: 'BridgeTransferPoint' },
);

const getBridgeTransferTimeline = defineRoute({
  method: 'GET',
  url: '/v1/bridge/transfers/:id/timeline',
  name: 'getBridgeTransferTimeline',
  tag: 'bridge',
  summary: 'Timeline of a transfer',
  description: 'Ascending: one point for each committed step that changed the state, a chain or an amount.',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: objectSchema({ id: IdText }) },
  answers: { 200: { description: 'The points.', schema: Type.Object({ items: Type.Array(TransferPointBody) }) } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const { orgId } = requireMember(request);
    const id = idInPath(request.params);
    const transfer = id === null ? null : await ports.bridge.reads.find(orgId, id);
    if (transfer === null) return sendProblem(reply, 'not_found', NO_TRANSFER);
    const steps = await ports.bridge.reads.steps(orgId, transfer.id);
    const usd = (amount: string | null) => (amount === null ? null : toUsd(amount));
    return {
      items: transferCourse(transfer.createdAt, steps).map(({ at, arrived, refunded, ...point }) => ({
        at: isoTime(at),
        ...point,
        arrivedUsd: usd(arrived),
        refundedUsd: usd(refunded),
      })),
    };
  },
});

export const bridgeRoutes: RouteGroup = {
  tag: {
    name: 'bridge',
    position: 190,
    description:
      'Stablecoin transfers between the primary chain and the EVM chain. Quote, sign the source transaction, submit it or its hash, and follow the status. The provider, the source chain and the destination chain are reported apart; `unknown` means that they contradict each other.',
  },
  routes: [
    quoteBridge,
    submitBridge,
    getBridgeStatus,
    listBridgeTransfers,
    ...renamed(getBridgeTransferTimeline, {
      url: '/v1/bridge/transfers/:id/course',
      name: 'getBridgeTransferCourse',
      since: '2026-11-27',
    }),
  ],
};
