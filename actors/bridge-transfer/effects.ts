/** Effects of a bridge transfer's committed actions. */
import { type Attention, attentionWords, type TransferState } from '../../src/domain/bridge/axes.ts';
import { toUsd } from '../../src/domain/bridge/quote.ts';
import type { Json } from '../../src/domain/values/canonical-json.ts';
import { isoTime, type EpochMs } from '../../src/domain/values/time.ts';
import { type ActorKind, activity, type Effect, record, type StepInfo } from '../runtime/actor-kind.ts';
import { bridgeTransferMachine, type BridgeTransferContext } from './machine.ts';
import { bridgeTransfer, type BridgeTransfer } from './resource.ts';
import type { ActorState } from '../../src/domain/agents/actor-step.ts';

export const LOOK_AT_TRANSFER = 'look_at_bridge_transfer';
export const BROADCAST_SOURCE = 'broadcast_bridge_source';

/** Returns the fields of a transfer for the feed and the alerts. */
function told(info: StepInfo): { readonly [key: string]: Json } {
  const { wish, provider, hash, axes, attentions, delayedAt, amountIn } = transferContext(info);
  return {
    transferId: info.actorId,
    state: transferState(info),
    provider,
    from: wish.from,
    to: wish.to,
    amountUsd: toUsd(amountIn),
    hash,
    providerState: axes.provider.state,
    sourceState: axes.source.state,
    destinationState: axes.destination.state,
    refundState: axes.refund.state,
    arrivedUsd: axes.destination.amount === null ? null : toUsd(axes.destination.amount),
    refundedUsd: axes.refund.amount === null ? null : toUsd(axes.refund.amount),
    attentions: [...attentions],
    delayed: delayedAt !== null,
  };
}

/** Returns a row for each final arrival. */
function settled({ actorId, context }: StepInfo): readonly Effect[] {
  const { wish, axes, hash: sourceHash } = transferContext({ context });
  const arrivals = [
    { chain: wish.to, kind: 'payment', ...axes.destination },
    { chain: wish.from, kind: 'refund', ...axes.refund },
  ];
  return arrivals
    .filter(({ state }) => state === 'final')
    .map(({ chain, kind, hash }) =>
      record('bridge_arrival', { chain, hash, kind, transferId: actorId, sourceChain: wish.from, sourceHash }),
    );
}

function alarm(info: StepInfo, what: string, more: { readonly [key: string]: Json } = {}): Effect {
  return { kind: 'announcement', announcement: { channel: 'alerts', body: { what, ...told(info), ...more } } };
}

const toCarry = (kind: string, { actorId }: StepInfo): readonly Effect[] => [activity(kind, { transferId: actorId })];

export const bridgeTransferKind: ActorKind = {
  kind: 'bridge_transfer',
  machine: bridgeTransferMachine,
  validate: (state, event) => {
    const { expiresAt, createdAt } = transferContext(state);
    if (event.type !== 'submit' || transferState(state) !== 'quoted' || (event['at'] as number) < expiresAt) return null;
    return {
      code: 'state_conflict',
      detail: `the quote has expired at ${isoTime(expiresAt)}, ${Math.round((expiresAt - createdAt) / 1_000)} s after it was made: ask for a new one`,
    };
  },
  migrations: {},
  effects: {
    projectTransfer: (_: undefined, info) => [
      record('bridge_transfer', bridgeTransfer.record(info.orgId, transferView(info.actorId, info, info.now))),
    ],
    announceTransfer: (_: undefined, info) => [{ kind: 'announcement', announcement: { channel: 'bridge', body: told(info) } }],
    settleArrivals: (_: undefined, info) => settled(info),
    requireEpoch: (_: undefined, info) => [record('epoch_check', { orgId: info.orgId, epoch: transferContext(info).epoch })],
    lookAtTransfer: (_: undefined, info) => toCarry(LOOK_AT_TRANSFER, info),
    // This service does not send a transaction that the wallet sends itself.
    broadcastSource: (_: undefined, info) => (transferContext(info).signed === null ? [] : toCarry(BROADCAST_SOURCE, info)),
    takeLease: ({ forMs }: { readonly forMs: number }, info) => [
      record('execution_lease', { key: info.actorId, orgId: info.orgId, epoch: transferContext(info).epoch, forMs }),
    ],
    // A late answer of an earlier lease must not end the new one.
    endLease: ({ lease }: { readonly lease: number | null }, info) =>
      lease !== null && lease === transferContext(info).leaseUntil ? [record('execution_lease_ended', { key: info.actorId })] : [],
    alertOperators: ({ what }: { readonly what: string }, info) => [alarm(info, what)],
    tellAttentions: ({ attentions }: { readonly attentions: readonly Attention[] }, info) =>
      attentions.map((attention) => alarm(info, `bridge_${attention}`, { words: attentionWords(attention) })),
  },
};

export function transferContext(state: Pick<ActorState, 'context'>): BridgeTransferContext {
  return state.context as unknown as BridgeTransferContext;
}

/** Returns the public state: that of the inner chart while the transfer is followed. */
export function transferState({ value }: Pick<ActorState, 'value'>): TransferState {
  return (typeof value === 'object' && value !== null && 'tracking' in value ? value['tracking'] : value) as TransferState;
}

/** Returns the transfer after a step. */
export function transferView(id: string, state: Pick<ActorState, 'context' | 'value'>, changedAt: EpochMs): BridgeTransfer {
  const context = transferContext(state);
  const { wish, source, amountIn } = context;
  const derived = { from: wish.from, to: wish.to, amountUsd: toUsd(amountIn), transaction: source };
  return bridgeTransfer.pick({ ...derived, id, state: transferState(state), changedAt }, context);
}
