/**
 * State chart of a transaction that a wallet signs: prepared, submitted, verified, broadcast, confirmed, finalized. Signed bytes may land
 * until they have expired, whoever sent them. Only the chain's report ends a state after submission, and only a finalized transaction has a
 * result.
 */
import { assign, setup } from 'xstate';
import type { LandedTransaction } from '../../src/domain/solana/chain.ts';
import { effect } from '../runtime/actor-kind.ts';
import type { Json } from '../../src/domain/values/canonical-json.ts';
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import type { OrderSide } from '../../src/domain/orders/order.ts';
import type { TransactionPurpose } from '../../src/domain/solana/lifecycle.ts';
import type { PreparedMessage } from '../../src/domain/solana/verify.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';

/** Lookup-table indexes that the message uses, and the addresses they had when it was prepared. */
export interface ResolvedLookup {
  readonly table: string;
  readonly places: readonly number[];
  readonly addresses: readonly string[];
}

/** Capacity of a book, reserved until the transaction has ended. */
interface TransactionReservation {
  readonly bookId: string;
  readonly instrument: InstrumentKey;
  readonly side: OrderSide;
  readonly quantity: DecimalString;
  readonly notionalUsd: DecimalString;
}

/** Input of a transaction. Plain JSON. */
export interface PreparedTransactionInput {
  readonly purpose: TransactionPurpose;
  /** Promised result in the terms of the purpose, frozen. */
  readonly subject: { readonly [key: string]: Json };
  /** Base58. The wallet that signs, and whose balances it moves. */
  readonly wallet: string;
  readonly prepared: PreparedMessage;
  /** Whole transaction as given to the wallet, with the signatures it already has. */
  readonly unsignedBase64: string;
  readonly lookups: readonly ResolvedLookup[];
  readonly reservation: TransactionReservation | null;
  /** `user` if a person's wallet signs, `delegated` if a session signer does. */
  readonly executor: 'user' | 'delegated';
  readonly preparedBy: string;
  /** Control epoch of the organization when it was prepared. A halt ends it. */
  readonly epoch: number;
  readonly createdAt: EpochMs;
}

/** Context of a transaction. Plain JSON, stored in the snapshot. */
export interface PreparedTransactionContext extends PreparedTransactionInput {
  /** Signed bytes, or null before the submission. They never change. */
  readonly signedBase64: string | null;
  /** First signature in base58, known before anything is sent. */
  readonly signature: string | null;
  readonly submittedBy: string | null;
  readonly reason: string | null;
  readonly detail: string | null;
  /** End of the last broadcast lease, or null before the first. */
  readonly leaseUntil: EpochMs | null;
  /** Number of times a node accepted the bytes. */
  readonly broadcasts: number;
  readonly slot: number | null;
  /** Finalized transaction, successful or failed. Null before. */
  readonly landed: LandedTransaction | null;
  /** Finalized block height that proved its expiry, or null if it did not expire. */
  readonly expiredAtHeight: number | null;
}

/** Result of an activity. */
export type TransactionAnswer =
  /** The stored bytes are correct, and the chain would accept them. */
  | { readonly outcome: 'verified' }
  /** A node accepted the bytes. */
  | { readonly outcome: 'sent'; readonly lease: EpochMs | null }
  /** The bytes were refused. They may still land until they expire. */
  | { readonly outcome: 'refused'; readonly reason: string; readonly detail: string; readonly lease: EpochMs | null }
  /** A halt came first: this attempt sent nothing. */
  | { readonly outcome: 'superseded'; readonly reason: string }
  /** The bytes may have been sent. The answer was lost. */
  | { readonly outcome: 'unknown'; readonly detail: string; readonly lease: EpochMs | null }
  /** No node answers. */
  | { readonly outcome: 'silent'; readonly detail: string }
  /** The chain does not know the signature, and the message may still land. */
  | { readonly outcome: 'unseen' }
  /** A block includes it, not yet confirmed. */
  | { readonly outcome: 'processed' }
  | { readonly outcome: 'confirmed'; readonly slot: number | null }
  | { readonly outcome: 'finalized'; readonly landed: LandedTransaction }
  /** Both proofs of expiry: the finalized block height passed, and a later search for this signature found nothing. */
  | { readonly outcome: 'expired'; readonly blockHeight: number; readonly signature: string | null };

type PreparedTransactionEvent =
  | { readonly type: 'submit'; readonly signedBase64: string; readonly signature: string; readonly subject: string }
  /** The broadcast lease is taken. From now on the bytes may be on the chain. */
  | { readonly type: 'execution.begun'; readonly key: string; readonly leaseUntil: EpochMs; readonly leaseMs: number }
  | { readonly type: 'activity.done'; readonly key: string; readonly kind: string; readonly answer: TransactionAnswer }
  | { readonly type: 'activity.given_up'; readonly key: string; readonly kind: string; readonly detail: string };

type Told = { readonly event: PreparedTransactionEvent };

function readAnswer({ event }: Told): TransactionAnswer | null {
  return event.type === 'activity.done' ? event.answer : null;
}

const answered =
  (outcome: TransactionAnswer['outcome']) =>
  (told: Told): boolean =>
    readAnswer(told)?.outcome === outcome;

/** Returns the landed transaction of a `finalized` answer, or null for other events. */
function findLanded(told: Told): LandedTransaction | null {
  const answer = readAnswer(told);
  return answer?.outcome === 'finalized' ? answer.landed : null;
}

function readReason(told: Told): { readonly reason: string | null; readonly detail: string | null } {
  const answer = readAnswer(told);
  if (told.event.type === 'activity.given_up') return { reason: 'given_up', detail: told.event.detail };
  if (answer?.outcome === 'refused') return { reason: answer.reason, detail: answer.detail };
  if (answer?.outcome === 'superseded') return { reason: answer.reason, detail: null };
  if (answer?.outcome === 'unknown') return { reason: 'outcome_unknown', detail: answer.detail };
  const landed = findLanded(told);
  return landed !== null && landed.error !== null
    ? { reason: 'failed_on_chain', detail: `the transaction failed on the chain: ${landed.error}` }
    : { reason: null, detail: null };
}

const alert = (what: string) => ({ type: 'alertOperators', params: { what } }) as const;

const TAKE_LEASE = {
  type: 'takeLease',
  params: ({ event }: Told) => ({ forMs: event.type === 'execution.begun' ? event.leaseMs : 0 }),
} as const;
const BEGIN = ['requireEpoch', 'rememberLease', TAKE_LEASE] as const;

const END_LEASE = {
  type: 'endLease',
  params: (told: Told) => {
    const answer = readAnswer(told);
    return { lease: answer !== null && 'lease' in answer ? answer.lease : null };
  },
} as const;

/** Transitions by the chain's report, for every state with signed bytes. */
const CHAIN_SAYS = [
  { guard: 'isFinalized', target: 'finalized', actions: 'rememberLanded' },
  { guard: 'isFailed', target: 'failed', actions: ['rememberLanded', 'rememberReason'] },
  { guard: 'isExpired', target: 'expired', actions: 'rememberExpiry' },
  { guard: 'isConfirmed', target: 'confirmed', actions: 'rememberSlot' },
] as const;

/** Asks again later by restarting the state's timer. */
const again = (target: 'broadcast' | 'confirmed' | 'refused' | 'unknown' | 'prepared') =>
  [
    { guard: 'isUnseen', target, reenter: true },
    { guard: 'isProcessed', target, reenter: true },
    { guard: 'isSilent', target, reenter: true },
  ] as const;

export const preparedTransactionMachine = setup({
  types: {
    context: {} as PreparedTransactionContext,
    events: {} as PreparedTransactionEvent,
    input: {} as PreparedTransactionInput,
  },
  actions: {
    projectTransaction: effect<undefined>(),
    /** Makes the database refuse the step if a halt came meanwhile. */
    requireEpoch: effect<undefined>(),
    checkTransaction: effect<undefined>(),
    broadcastTransaction: effect<undefined>(),
    followTransaction: effect<undefined>(),
    takeLease: effect<{ readonly forMs: number }>(),
    endLease: effect<{ readonly lease: number | null }>(),
    alertOperators: effect<{ readonly what: string }>(),
    /** Books the result of a finalized transaction, by the rules of its purpose. */
    settle: effect<undefined>(),
    rememberSubmission: assign(({ event }) =>
      event.type === 'submit' ? { signedBase64: event.signedBase64, signature: event.signature, submittedBy: event.subject } : {},
    ),
    rememberLease: assign({
      leaseUntil: ({ context, event }) => (event.type === 'execution.begun' ? event.leaseUntil : context.leaseUntil),
    }),
    rememberReason: assign((told) => readReason(told)),
    forgetReason: assign({ reason: null, detail: null }),
    countBroadcast: assign({ broadcasts: ({ context }) => context.broadcasts + 1 }),
    rememberSlot: assign({
      slot: (told) => {
        const answer = readAnswer(told);
        return answer?.outcome === 'confirmed' ? answer.slot : told.context.slot;
      },
    }),
    rememberLanded: assign((told) => {
      const landed = findLanded(told);
      return { landed, slot: landed?.slot ?? null, reason: null, detail: null };
    }),
    rememberExpiry: assign({
      expiredAtHeight: (told) => {
        const answer = readAnswer(told);
        return answer?.outcome === 'expired' ? answer.blockHeight : null;
      },
    }),
  },
  guards: {
    isVerified: answered('verified'),
    isSent: answered('sent'),
    isRefused: answered('refused'),
    isSuperseded: answered('superseded'),
    isUnknown: answered('unknown'),
    isUnseen: answered('unseen'),
    isProcessed: answered('processed'),
    isSilent: answered('silent'),
    isConfirmed: answered('confirmed'),
    isFinalized: (told) => findLanded(told)?.error === null,
    isFailed: (told) => typeof findLanded(told)?.error === 'string',
    // An answer from before the submission searched for no signature, and proves nothing after it.
    isExpired: (told) => {
      const answer = readAnswer(told);
      return answer?.outcome === 'expired' && answer.signature === told.context.signature;
    },
    isBroadcasting: ({ event }) => event.type === 'activity.given_up' && event.kind === 'broadcast_transaction',
  },
  delays: { expiryLookAfter: 15_000, followAfter: 2_000, refusedLookAfter: 10_000 },
}).createMachine({
  id: 'prepared_transaction@1',
  context: ({ input }) => ({
    ...input,
    signedBase64: null,
    signature: null,
    submittedBy: null,
    reason: null,
    detail: null,
    leaseUntil: null,
    broadcasts: 0,
    slot: null,
    landed: null,
    expiredAtHeight: null,
  }),
  initial: 'created',
  states: {
    /** Transient first state. */
    created: { entry: 'requireEpoch', always: 'prepared' },
    /** The unsigned message is stored. */
    prepared: {
      entry: 'projectTransaction',
      after: { expiryLookAfter: { actions: 'followTransaction' } },
      on: {
        submit: { target: 'submitted', actions: ['requireEpoch', 'rememberSubmission'] },
        'activity.done': [{ guard: 'isExpired', target: 'expired', actions: 'rememberExpiry' }, ...again('prepared')],
        'activity.given_up': { target: 'prepared', reenter: true },
      },
    },
    /** The signed bytes and their signature are stored. Nothing was sent yet. */
    submitted: {
      entry: ['projectTransaction', 'checkTransaction'],
      on: {
        'activity.done': [
          { guard: 'isVerified', target: 'verified' },
          { guard: 'isRefused', target: 'refused', actions: ['rememberReason', alert('transaction_refused')] },
        ],
        'activity.given_up': { target: 'refused', actions: ['rememberReason', alert('transaction_refused')] },
      },
    },
    /** The bytes were checked again, including every signature, and the chain would accept them. */
    verified: {
      entry: ['projectTransaction', 'broadcastTransaction'],
      on: {
        'execution.begun': { target: 'broadcast', actions: BEGIN },
        'activity.done': [{ guard: 'isSuperseded', target: 'refused', actions: ['rememberReason', alert('transaction_refused')] }],
        'activity.given_up': { target: 'refused', actions: ['rememberReason', alert('transaction_refused')] },
      },
    },
    /** From this state on the bytes may be on the chain. They are sent again while the chain has not seen them. */
    broadcast: {
      entry: 'projectTransaction',
      after: { followAfter: { actions: 'followTransaction' } },
      on: {
        'execution.begun': { actions: BEGIN },
        'activity.done': [
          ...CHAIN_SAYS,
          { guard: 'isSent', actions: ['countBroadcast', END_LEASE] },
          { guard: 'isRefused', target: 'refused', actions: ['rememberReason', END_LEASE, alert('transaction_refused')] },
          { guard: 'isUnknown', target: 'unknown', actions: ['rememberReason', END_LEASE, alert('transaction_outcome_unknown')] },
          { guard: 'isUnseen', target: 'broadcast', reenter: true, actions: 'broadcastTransaction' },
          ...again('broadcast'),
        ],
        'activity.given_up': [
          { guard: 'isBroadcasting', target: 'unknown', actions: ['rememberReason', alert('transaction_outcome_unknown')] },
          { target: 'broadcast', reenter: true },
        ],
      },
    },
    /** A supermajority has voted for its block. The block may still be dropped. */
    confirmed: {
      entry: ['forgetReason', 'projectTransaction'],
      after: { followAfter: { actions: 'followTransaction' } },
      on: {
        'activity.done': [
          ...CHAIN_SAYS.slice(0, 3),
          { guard: 'isConfirmed', target: 'confirmed', reenter: true, actions: 'rememberSlot' },
          ...again('confirmed'),
        ],
        'activity.given_up': { target: 'confirmed', reenter: true },
      },
    },
    /** An answer was lost. Only the chain's report leads out. The same bytes are sent again while the chain has not seen them. */
    unknown: {
      entry: 'projectTransaction',
      after: { followAfter: { actions: 'followTransaction' } },
      on: {
        'execution.begun': { actions: BEGIN },
        'activity.done': [
          ...CHAIN_SAYS,
          { guard: 'isSent', actions: ['countBroadcast', END_LEASE] },
          { guard: 'isRefused', actions: ['rememberReason', END_LEASE] },
          { guard: 'isUnknown', actions: ['rememberReason', END_LEASE] },
          { guard: 'isUnseen', target: 'unknown', reenter: true, actions: 'broadcastTransaction' },
          ...again('unknown'),
        ],
        'activity.given_up': { target: 'unknown', reenter: true },
      },
    },
    /** Refused transaction, not sent any more. Its signed bytes exist, so its reservation stays until they expire. */
    refused: {
      entry: 'projectTransaction',
      after: { refusedLookAfter: { actions: 'followTransaction' } },
      on: {
        'activity.done': [...CHAIN_SAYS, ...again('refused')],
        'activity.given_up': { target: 'refused', reenter: true },
      },
    },
    /** The effect is final. */
    finalized: { type: 'final', entry: ['projectTransaction', 'settle'] },
    /** The transaction is final without an effect except its fee. */
    failed: { type: 'final', entry: ['projectTransaction', alert('transaction_failed')] },
    /** Proven twice that it can never land. */
    expired: { type: 'final', entry: 'projectTransaction' },
  },
});
