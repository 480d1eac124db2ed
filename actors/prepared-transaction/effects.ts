/** Effects of a prepared transaction's committed actions. */
import type { ActorState } from '../../src/domain/agents/actor-step.ts';
import type { PreparedTransactionState } from '../../src/domain/solana/lifecycle.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import { spendingRows } from '../manual-order/manual-order.ts';
import { type ActorKind, type Effect, orderActivity, record, type StepInfo } from '../runtime/actor-kind.ts';
import { type PreparedTransactionContext, preparedTransactionMachine } from './machine.ts';
import type { PurposeRules, Purposes } from './purpose.ts';
import { type PreparedTransaction, type PreparedTransactionView, preparedTransaction } from './resource.ts';

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

const RESERVES_NOTHING = { bookId: null, instrument: null, side: null, quantity: null, notionalUsd: null };

/** Returns the transaction after a step. @param dollarsUsd Dollars that it pays, by the rules of its purpose. */
function transactionRow(
  id: string,
  state: Pick<ActorState, 'context' | 'value'>,
  changedAt: EpochMs,
  dollarsUsd: string | null,
): PreparedTransaction {
  const context = transactionContext(state);
  const own = {
    ...(context.reservation ?? RESERVES_NOTHING),
    id,
    state: transactionState(state),
    message: context.prepared,
    unsigned: context.unsignedBase64,
    dollarsUsd,
    feeLamports: context.landed?.feeLamports ?? null,
    changedAt,
  };
  return preparedTransaction.pick(own, context);
}

/** Returns the rules of a purpose. @throws Error for a purpose that this service does not serve. */
function findRules(purposes: Purposes, info: Pick<StepInfo, 'context'>): PurposeRules {
  const { purpose } = transactionContext(info);
  const rules = purposes[purpose];
  if (rules === undefined) throw new Error(`there is no handler for transactions of purpose ${purpose}`);
  return rules;
}

/**
 * Binds the dollars of a person's transaction when it is prepared. A transaction of an agent or Take spends what is already bound for it.
 */
function spent(rules: PurposeRules, info: StepInfo): readonly Effect[] {
  const context = transactionContext(info);
  if (context.executor === 'delegated' || transactionState(info) !== 'prepared') return [];
  const spending = { id: info.actorId, venue: 'spotchain', wallet: context.wallet, usd: rules.dollarsPaid(context) } as const;
  return spendingRows(info.orgId, spending, info.now).map(({ type, ...row }) => record(type, row));
}

/** Returns the actor kind for these purposes. */
export function preparedTransactionKind(purposes: Purposes): ActorKind {
  return {
    kind: 'prepared_transaction',
    machine: preparedTransactionMachine,
    validate: () => null,
    migrations: {},
    effects: {
      projectTransaction: (_: undefined, info) => {
        const dollarsUsd = findRules(purposes, info).dollarsPaid(transactionContext(info));
        const row = transactionRow(info.actorId, info, info.now, dollarsUsd);
        return [record('prepared_transaction', preparedTransaction.record(info.orgId, row))];
      },
      requireEpoch: (_: undefined, info) => [
        record('epoch_check', { orgId: info.orgId, epoch: transactionContext(info).epoch }),
        ...spent(findRules(purposes, info), info),
      ],
      checkTransaction: (_: undefined, info) => toCarry(CHECK_TRANSACTION, info),
      broadcastTransaction: (_: undefined, info) => toCarry(BROADCAST_TRANSACTION, info),
      followTransaction: (_: undefined, info) => toCarry(FOLLOW_TRANSACTION, info),
      takeLease: ({ forMs }: { readonly forMs: number }, info) => [
        record('execution_lease', { key: info.actorId, orgId: info.orgId, epoch: transactionContext(info).epoch, forMs }),
      ],
      // A late answer of an earlier lease must not end the new one.
      endLease: ({ lease }: { readonly lease: number | null }, info) =>
        lease !== null && lease === transactionContext(info).leaseUntil ? [record('execution_lease_ended', { key: info.actorId })] : [],
      alertOperators: ({ what }: { readonly what: string }, info) => {
        const { purpose, wallet, signature, reason } = transactionContext(info);
        const body = { what, transactionId: info.actorId, state: transactionState(info), purpose, wallet, signature, reason };
        return [{ kind: 'announcement', announcement: { channel: 'alerts', body } }];
      },
      settle: (_: undefined, info) => findRules(purposes, info).settle(transactionContext(info), info),
    },
  };
}

/** Returns the transaction after a step. Its fills are read from the store. */
export function transactionView(id: string, state: ActorState, changedAt: EpochMs): PreparedTransactionView {
  const { dollarsUsd: _, ...row } = transactionRow(id, state, changedAt, null);
  return { ...row, fills: [] };
}
