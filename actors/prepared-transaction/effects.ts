/** Effects of a prepared transaction's committed actions. */
import type { ActorState } from '../../src/domain/actor-step.ts';
import type { PreparedTransactionState } from '../../src/domain/solana/lifecycle.ts';
import { type ActorKind, type Effect, orderActivity, record, type StepInfo } from '../runtime/actor-kind.ts';
import { preparedTransactionMachine } from './machine.ts';
import type { PreparedTransactionContext } from './protocol.ts';
import type { Purposes } from './purpose.ts';

export const CHECK_TRANSACTION = 'check_transaction';
export const BROADCAST_TRANSACTION = 'broadcast_transaction';
export const FOLLOW_TRANSACTION = 'follow_transaction';

export function transactionContext(state: Pick<ActorState, 'context'>): PreparedTransactionContext {
  return state.context as unknown as PreparedTransactionContext;
}

export function transactionState(state: Pick<ActorState, 'value'>): PreparedTransactionState {
  return state.value as PreparedTransactionState;
}

const toCarry = (kind: string, info: StepInfo): readonly Effect[] => [
  orderActivity(kind, { transactionId: info.actorId }, transactionContext(info).reservation?.side === 'sell'),
];

/** The row of the projection as the step leaves it. */
function projected(info: StepInfo): { readonly [field: string]: unknown } {
  const context = transactionContext(info);
  const { reservation } = context;
  return {
    id: info.actorId,
    orgId: info.orgId,
    purpose: context.purpose,
    executor: context.executor,
    wallet: context.wallet,
    subject: context.subject,
    message: context.prepared,
    unsigned: context.unsignedBase64,
    bookId: reservation?.bookId ?? null,
    instrument: reservation?.instrument ?? null,
    side: reservation?.side ?? null,
    quantity: reservation?.quantity ?? null,
    notionalUsd: reservation?.notionalUsd ?? null,
    preparedBy: context.preparedBy,
    submittedBy: context.submittedBy,
    epoch: context.epoch,
    state: transactionState(info),
    reason: context.reason,
    detail: context.detail,
    signature: context.signature,
    broadcasts: context.broadcasts,
    slot: context.slot,
    feeLamports: context.landed?.feeLamports ?? null,
    expiredAtHeight: context.expiredAtHeight,
    createdAt: context.createdAt,
    changedAt: info.now,
  };
}

/** The kind with the purposes that it serves. */
export function preparedTransactionKind(purposes: Purposes): ActorKind {
  return {
    kind: 'prepared_transaction',
    machine: preparedTransactionMachine,
    validate: () => null,
    migrations: {},
    effects: {
      projectTransaction: (_: undefined, info) => [record('prepared_transaction', projected(info))],
      requireEpoch: (_: undefined, info) => [record('epoch_check', { orgId: info.orgId, epoch: transactionContext(info).epoch })],
      checkTransaction: (_: undefined, info) => toCarry(CHECK_TRANSACTION, info),
      broadcastTransaction: (_: undefined, info) => toCarry(BROADCAST_TRANSACTION, info),
      followTransaction: (_: undefined, info) => toCarry(FOLLOW_TRANSACTION, info),
      takeLease: ({ forMs }: { readonly forMs: number }, info) => [
        record('execution_lease', { key: info.actorId, orgId: info.orgId, epoch: transactionContext(info).epoch, forMs }),
      ],
      // An answer of before another lease was taken ends nothing.
      endLease: ({ lease }: { readonly lease: number | null }, info) =>
        lease !== null && lease === transactionContext(info).leaseUntil ? [record('execution_lease_ended', { key: info.actorId })] : [],
      alertOperators: ({ what }: { readonly what: string }, info) => {
        const { purpose, wallet, signature, reason } = transactionContext(info);
        const body = { what, transactionId: info.actorId, state: transactionState(info), purpose, wallet, signature, reason };
        return [{ kind: 'announcement', announcement: { channel: 'alerts', body } }];
      },
      settle: (_: undefined, info) => {
        const context = transactionContext(info);
        const rules = purposes[context.purpose];
        if (rules === undefined) throw new Error(`nobody settles transactions for ${context.purpose}`);
        return rules.settle(context, info);
      },
    },
  };
}
