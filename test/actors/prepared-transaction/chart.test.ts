// Chart of the prepared transaction: each event in each state, taken or not, and the same after a restore.
import { expect, test } from 'vitest';
import { preparedTransactionKind } from '../../../actors/prepared-transaction/effects.ts';
import type { PreparedTransactionInput } from '../../../actors/prepared-transaction/machine.ts';
import { atRest, eventStep, restore, startStep } from '../../../actors/runtime/step.ts';
import type { ActorEvent, ActorState, StepPlan } from '../../../src/domain/agents/actor-step.ts';
import {
  OPEN_TRANSACTION_STATES,
  PREPARED_TRANSACTION_STATES,
  type PreparedTransactionState,
} from '../../../src/domain/solana/lifecycle.ts';
import { SLOT } from '../agent/sample.ts';

const settled: string[] = [];
const kind = preparedTransactionKind({
  swap: {
    dollarsPaid: () => '0',
    objection: () => null,
    settle: (_, info) => {
      settled.push(info.actorId);
      return [{ kind: 'record', record: { type: 'settled' } }];
    },
  },
});
const subject = { actorId: '5b1f6a0e-93c4-8d21-9a7e-2f1c40d6b8aa', orgId: '00000000-0000-7000-8000-000000000001', now: SLOT };
const input: PreparedTransactionInput = {
  purpose: 'swap',
  subject: { what: 'was promised' },
  wallet: 'wallet',
  prepared: { messageBase64: 'AA==', digest: 'd', requiredSigners: ['wallet'], blockhash: 'b', lastValidBlockHeight: 150 },
  unsignedBase64: 'AA==',
  lookups: [],
  reservation: null,
  executor: 'user',
  preparedBy: 'ann',
  epoch: 0,
  createdAt: SLOT,
};

const done = (answer: object): ActorEvent => ({ type: 'activity.done', key: 'k', kind: 'x', answer });
const landed = { slot: 9, blockTime: SLOT, feeLamports: '5000', changes: { lamports: [], tokens: [] } };
const EVENTS = {
  submit: { type: 'submit', signedBase64: 'AQ==', signature: 's', subject: 'ann' },
  begun: { type: 'execution.begun', key: 'k', leaseUntil: SLOT + 2_000, leaseMs: 2_000 },
  verified: done({ outcome: 'verified' }),
  sent: done({ outcome: 'sent', lease: SLOT + 2_000 }),
  refused: done({ outcome: 'refused', reason: 'refused_by_chain', detail: 'x', lease: SLOT + 2_000 }),
  superseded: done({ outcome: 'superseded', reason: 'halted' }),
  notKnown: done({ outcome: 'unknown', detail: 'lost', lease: SLOT + 2_000 }),
  silent: done({ outcome: 'silent', detail: 'no node' }),
  unseen: done({ outcome: 'unseen' }),
  processed: done({ outcome: 'processed' }),
  confirmed: done({ outcome: 'confirmed', slot: 9 }),
  finalized: done({ outcome: 'finalized', landed: { ...landed, error: null } }),
  failed: done({ outcome: 'finalized', landed: { ...landed, error: 'x' } }),
  expired: done({ outcome: 'expired', blockHeight: 151, signature: 's' }),
  expiredUnsigned: done({ outcome: 'expired', blockHeight: 151, signature: null }),
  givenUpCheck: { type: 'activity.given_up', key: 'k', kind: 'check_transaction', detail: 'ten attempts' },
  givenUpBroadcast: { type: 'activity.given_up', key: 'k', kind: 'broadcast_transaction', detail: 'ten attempts' },
  givenUpFollow: { type: 'activity.given_up', key: 'k', kind: 'follow_transaction', detail: 'ten attempts' },
  preparedTimer: { type: 'xstate.after.expiryLookAfter.prepared_transaction@1.prepared' },
  broadcastTimer: { type: 'xstate.after.followAfter.prepared_transaction@1.broadcast' },
  confirmedTimer: { type: 'xstate.after.followAfter.prepared_transaction@1.confirmed' },
  unknownTimer: { type: 'xstate.after.followAfter.prepared_transaction@1.unknown' },
  refusedTimer: { type: 'xstate.after.refusedLookAfter.prepared_transaction@1.refused' },
} as const satisfies Readonly<Record<string, ActorEvent>>;
type EventName = keyof typeof EVENTS;
type Edges = Readonly<Partial<Record<EventName, PreparedTransactionState>>>;

const SAID: Edges = { confirmed: 'confirmed', finalized: 'finalized', failed: 'failed', expired: 'expired' };
const same = (state: PreparedTransactionState, ...names: EventName[]): Edges => Object.fromEntries(names.map((name) => [name, state]));
/** Next state by event. Unlisted events are not taken. */
const EDGES: Readonly<Record<PreparedTransactionState, Edges>> = {
  prepared: {
    submit: 'submitted',
    expiredUnsigned: 'expired',
    ...same('prepared', 'silent', 'unseen', 'processed', 'givenUpCheck', 'givenUpBroadcast', 'givenUpFollow', 'preparedTimer'),
  },
  submitted: { verified: 'verified', refused: 'refused', ...same('refused', 'givenUpCheck', 'givenUpBroadcast', 'givenUpFollow') },
  verified: { begun: 'broadcast', superseded: 'refused', ...same('refused', 'givenUpCheck', 'givenUpBroadcast', 'givenUpFollow') },
  broadcast: {
    ...SAID,
    ...same('broadcast', 'begun', 'sent', 'silent', 'unseen', 'processed', 'givenUpCheck', 'givenUpFollow', 'broadcastTimer'),
    refused: 'refused',
    notKnown: 'unknown',
    givenUpBroadcast: 'unknown',
  },
  confirmed: {
    ...SAID,
    ...same('confirmed', 'silent', 'unseen', 'processed', 'givenUpCheck', 'givenUpBroadcast', 'givenUpFollow', 'confirmedTimer'),
  },
  unknown: {
    ...SAID,
    ...same('unknown', 'begun', 'sent', 'refused', 'notKnown', 'silent', 'unseen', 'processed'),
    ...same('unknown', 'givenUpCheck', 'givenUpBroadcast', 'givenUpFollow', 'unknownTimer'),
  },
  refused: {
    ...SAID,
    ...same('refused', 'silent', 'unseen', 'processed', 'givenUpCheck', 'givenUpBroadcast', 'givenUpFollow', 'refusedTimer'),
  },
  finalized: {},
  failed: {},
  expired: {},
};
/** Events that lead to each state from the initial one. */
const SENT: readonly EventName[] = ['submit', 'verified', 'begun'];
const WAYS: Readonly<Record<PreparedTransactionState, readonly EventName[]>> = {
  prepared: [],
  submitted: ['submit'],
  verified: ['submit', 'verified'],
  broadcast: SENT,
  confirmed: [...SENT, 'confirmed'],
  finalized: [...SENT, 'finalized'],
  failed: [...SENT, 'failed'],
  expired: ['expiredUnsigned'],
  refused: [...SENT, 'refused'],
  unknown: [...SENT, 'notKnown'],
};

function stepped(state: ActorState, name: EventName): StepPlan | null {
  const snapshot = restore(kind.machine, state);
  const event = EVENTS[name];
  if (state.status === 'done' || !snapshot.can(event as never)) return null;
  return eventStep(kind, subject, snapshot, event);
}

function at(state: PreparedTransactionState): ActorState {
  let now = startStep(kind, subject, input as never).state;
  for (const name of WAYS[state]) now = (stepped(now, name) as StepPlan).state;
  expect(now.value).toBe(state);
  return now;
}

test.each(PREPARED_TRANSACTION_STATES)(
  '%s: each event leads where the chart says, or is not taken; a restored snapshot behaves the same',
  (state) => {
    const here = at(state);
    expect(atRest(restore(kind.machine, JSON.parse(JSON.stringify(here))))).toEqual(here);
    const found = Object.fromEntries(
      (Object.keys(EVENTS) as EventName[]).flatMap((name) => {
        const plan = stepped(here, name);
        return plan === null ? [] : [[name, plan.state.value]];
      }),
    );
    expect(found).toEqual(EDGES[state]);
  },
);

const activities = (plan: StepPlan | null) => plan?.activities.map(({ kind: name }) => name) ?? [];
const records = (plan: StepPlan | null) => plan?.records.map(({ type }) => type) ?? [];

test('every step toward the chain requires the epoch, and no other does', () => {
  const requiring = PREPARED_TRANSACTION_STATES.flatMap((state) =>
    (Object.keys(EVENTS) as EventName[]).flatMap((name) =>
      records(stepped(at(state), name)).includes('epoch_check') ? [`${state} ${name}`] : [],
    ),
  );
  expect(requiring).toEqual(['prepared submit', 'verified begun', 'broadcast begun', 'unknown begun']);
  expect(records(startStep(kind, subject, input as never))).toEqual(['epoch_check', 'prepared_transaction']);
});

test('the bytes are sent again only while the chain has not seen them, and never after a refusal', () => {
  const sending = PREPARED_TRANSACTION_STATES.flatMap((state) =>
    (Object.keys(EVENTS) as EventName[]).flatMap((name) =>
      activities(stepped(at(state), name)).includes('broadcast_transaction') ? [`${state} ${name}`] : [],
    ),
  );
  expect(sending).toEqual(['submitted verified', 'broadcast unseen', 'unknown unseen']);
});

test('only a finalized transaction is settled, and once', () => {
  settled.length = 0;
  const settling = PREPARED_TRANSACTION_STATES.flatMap((state) =>
    (Object.keys(EVENTS) as EventName[]).flatMap((name) =>
      records(stepped(at(state), name)).includes('settled') ? [`${state} ${name}`] : [],
    ),
  );
  expect(settling).toEqual(['broadcast finalized', 'confirmed finalized', 'refused finalized', 'unknown finalized']);
});

test('every waiting state in which it may land has a timer or an activity: none waits forever', () => {
  for (const state of OPEN_TRANSACTION_STATES) {
    let plan = startStep(kind, subject, input as never);
    for (const name of WAYS[state]) plan = stepped(plan.state, name) as StepPlan;
    expect([state, plan.timers.some(({ op }) => op === 'set') || plan.activities.length > 0]).toEqual([state, true]);
  }
});

test('the signed bytes and their signature never change', () => {
  for (const state of PREPARED_TRANSACTION_STATES.filter((one) => one !== 'prepared' && one !== 'expired')) {
    const here = at(state);
    for (const name of Object.keys(EVENTS) as EventName[]) {
      const plan = stepped(here, name);
      if (plan !== null) expect(plan.state.context).toMatchObject({ signedBase64: 'AQ==', signature: 's' });
    }
  }
});

test('an answer from before another lease ends no lease', () => {
  const here = at('broadcast');
  const old = eventStep(kind, subject, restore(kind.machine, here), done({ outcome: 'sent', lease: SLOT + 1 }));
  expect(records(old)).not.toContain('execution_lease_ended');
  expect(records(stepped(here, 'sent'))).toContain('execution_lease_ended');
});
