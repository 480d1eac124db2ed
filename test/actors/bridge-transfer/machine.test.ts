// Chart of a bridge transfer: all transitions by the axes, each alert once, and the same after a restore.
import { expect, test } from 'vitest';
import {
  transferContext,
  transferState,
  BROADCAST_SOURCE,
  bridgeTransferKind,
  LOOK_AT_TRANSFER,
} from '../../../actors/bridge-transfer/effects.ts';
import { eventStep, restore, startStep } from '../../../actors/runtime/step.ts';
import type { ActorEvent, ActorState, StepPlan } from '../../../src/domain/agents/actor-step.ts';
import { arrived, done, look, NOW, ORG, QUOTED, refunded, says, source, submission, TRANSFER } from './sample.ts';

const subject = (now: number) => ({ actorId: TRANSFER, orgId: ORG, now });
const begin = () => startStep(bridgeTransferKind, subject(NOW), QUOTED as never);

function step(state: ActorState, event: ActorEvent, now = NOW + 2_000): StepPlan {
  // Through JSON, as the store keeps it.
  const rested = JSON.parse(JSON.stringify(state)) as ActorState;
  return eventStep(bridgeTransferKind, subject(now), restore(bridgeTransferKind.machine, rested), event);
}
function walk(...events: readonly ActorEvent[]): { readonly state: ActorState; readonly alerts: string[]; readonly steps: StepPlan[] } {
  let plan = begin();
  const steps: StepPlan[] = [];
  for (const event of events) {
    plan = step(plan.state, event);
    steps.push(plan);
  }
  return { state: plan.state, steps, alerts: steps.flatMap(alertsOf) };
}
const alertsOf = ({ announcements }: StepPlan): string[] =>
  announcements.filter(({ channel }) => channel === 'alerts').map(({ body }) => String(body['what']));
const kindsOf = ({ activities }: StepPlan): string[] => activities.map(({ kind }) => kind);
const timersOf = ({ timers }: StepPlan): string[] => timers.filter(({ op }) => op === 'set').map(({ timerId }) => timerId);

test('a quote waits until its expiry; a submission is sent, checked and timed', () => {
  const quoted = begin();
  expect(transferState(quoted.state)).toBe('quoted');
  expect(quoted.timers).toMatchObject([{ op: 'set', dueAt: QUOTED.expiresAt }]);
  const timer = quoted.timers[0] as { event: ActorEvent };
  expect(transferState(step(quoted.state, timer.event).state)).toBe('expired');
  const submitted = step(quoted.state, submission());
  expect(transferState(submitted.state)).toBe('submitted');
  expect(kindsOf(submitted).sort()).toEqual([BROADCAST_SOURCE, LOOK_AT_TRANSFER].sort());
  expect(
    submitted.timers
      .filter(({ op }) => op === 'set')
      .map((one) => ('dueAt' in one ? one.dueAt : 0) - NOW - 2_000)
      .sort((a, b) => a - b),
  ).toEqual([3_000, 120_000]);
  expect(submitted.timers.some(({ op }) => op === 'cancel')).toBe(true);
  expect(submitted.records.map(({ type }) => type)).toContain('epoch_check');
});

test('an expired quote accepts no submission, even before its timer fires', () => {
  const quoted = begin();
  expect(bridgeTransferKind.validate(quoted.state, submission(QUOTED.expiresAt - 1))).toBeNull();
  expect(bridgeTransferKind.validate(quoted.state, submission(QUOTED.expiresAt))?.detail).toContain('the quote has expired');
});

test('a transaction that the wallet sends itself is not sent by the service', () => {
  expect(kindsOf(step(begin().state, submission(NOW + 1, null)))).toEqual([LOOK_AT_TRANSFER]);
});

const PATHS = {
  submitted: [],
  source_confirmed: [look(NOW + 1, source('included'))],
  source_final: [look(NOW + 1, source('final'))],
  filling: [look(NOW + 1, { ...source('final'), ...says('pending') })],
  refunding: [look(NOW + 1, { ...source('final'), ...says('failing') })],
  unknown: [look(NOW + 1, says('filling'))],
} as const;

test.each(Object.entries(PATHS))('from %s every state is reached that follows from the axes', (from, path) => {
  const { state } = walk(submission(), ...path);
  expect(transferState(state)).toBe(from);
  const to = (event: ActorEvent) => transferState(step(state, event).state);
  expect(to(look(NOW + 9, { ...source('final'), ...arrived('final') }))).toBe('completed');
  expect(to(look(NOW + 9, { ...source('final'), ...refunded('final') }))).toBe('refunded');
  expect(to(look(NOW + 9, { ...source('final'), ...says('filled'), ...arrived('included') }))).toBe('filling');
  expect(to(look(NOW + 9, { ...source('final'), ...says('refunded'), ...refunded('included') }))).toBe('refunding');
  expect(to(look(NOW + 9))).toBe(from);
  expect(to({ type: 'activity.given_up', key: 'k', kind: 'any', detail: 'ten attempts' })).toBe(from);
  if (from === 'submitted') expect(to(look(NOW + 9, source('expired')))).toBe('failed');
});

test.each(['completed', 'refunded', 'failed'] as const)('%s raises an alert once and is final', (end) => {
  const last = {
    completed: { ...source('final'), ...arrived('final') },
    refunded: { ...source('final'), ...refunded('final') },
    failed: source('failed'),
  }[end];
  const { state, alerts } = walk(submission(), look(NOW + 1, last));
  expect(transferState(state)).toBe(end);
  expect(state.status).toBe('done');
  expect(alerts).toEqual([`bridge_transfer_${end}`]);
  expect(restore(bridgeTransferKind.machine, state).can(look(NOW + 2, last) as never)).toBe(false);
});

test('a delay is reported once, before the completion, and its timer survives every change', () => {
  const submitted = step(begin().state, submission());
  const timer = submitted.timers.find((one) => one.op === 'set' && one.dueAt === NOW + 2_000 + 120_000) as {
    timerId: string;
    event: ActorEvent;
  };
  const moved = step(submitted.state, look(NOW + 1, source('included')));
  expect(moved.timers.filter(({ timerId }) => timerId === timer.timerId)).toEqual([]);
  const delayed = step(moved.state, timer.event, NOW + 122_000);
  expect(alertsOf(delayed)).toEqual(['bridge_transfer_delayed']);
  expect(transferState(delayed.state)).toBe('source_confirmed');
  const again = step(delayed.state, timer.event, NOW + 123_000);
  expect(alertsOf(again)).toEqual([]);
  expect(alertsOf(step(again.state, look(NOW + 9, { ...source('final'), ...arrived('final') })))).toEqual(['bridge_transfer_completed']);
});

test('contradictions are reported once each, with their texts', () => {
  const { state, alerts, steps } = walk(
    submission(),
    look(NOW + 1, source('included')),
    look(NOW + 2, source('unseen')),
    look(NOW + 3, source('unseen')),
  );
  expect(alerts).toEqual(['bridge_source_reorged']);
  expect(transferContext(state).attentions).toEqual(['source_reorged']);
  expect(steps[2]?.announcements.find(({ channel }) => channel === 'alerts')?.body['words']).toContain('dropped the block');
  expect(
    walk(submission(), look(NOW + 1, { ...source('final'), ...says('refund_failed') }), look(NOW + 2, says('refund_failed'))).alerts,
  ).toEqual(['bridge_refund_failed']);
});

test('late checks do not move the axes back', () => {
  const { state } = walk(submission(), look(NOW + 50, source('included')));
  const late = step(state, look(NOW + 40, source('unseen')));
  expect(transferState(late.state)).toBe('source_confirmed');
  expect(transferContext(late.state).attentions).toEqual([]);
});

test('the same bytes are sent again while no block holds them, and not afterwards', () => {
  const { state } = walk(submission());
  expect(kindsOf(step(state, look(NOW + 1, source('unseen'))))).toEqual([BROADCAST_SOURCE]);
  const included = walk(submission(), look(NOW + 1, source('included'))).state;
  expect(kindsOf(step(included, look(NOW + 2, source('included'))))).toEqual([]);
  const gone = step(included, look(NOW + 2, source('unseen')));
  expect(kindsOf(gone)).toEqual([LOOK_AT_TRANSFER]);
  expect(kindsOf(step(gone.state, look(NOW + 3, source('unseen'))))).toEqual([BROADCAST_SOURCE]);
});

test('a lease is taken and ended only by its own answer, and a node’s words are remembered', () => {
  const { state } = walk(submission());
  const begun = step(state, { type: 'execution.begun', key: 'k', leaseUntil: NOW + 5_000, leaseMs: 2_000 });
  expect(begun.records.map(({ type }) => type)).toEqual(['epoch_check', 'execution_lease']);
  const other = step(begun.state, done({ outcome: 'sent', detail: null, lease: NOW + 4_000 }));
  expect(other.records.map(({ type }) => type)).not.toContain('execution_lease_ended');
  const refused = step(begun.state, done({ outcome: 'refused', detail: 'nonce too low', lease: NOW + 5_000 }));
  expect(refused.records.map(({ type }) => type)).toContain('execution_lease_ended');
  expect(transferContext(refused.state).broadcast).toEqual({ outcome: 'refused', detail: 'nonce too low' });
  expect(transferState(refused.state)).toBe('submitted');
});

test.each(Object.entries(PATHS))('a provider’s push has %s checked at once, and changes nothing else', (from, path) => {
  const { state } = walk(submission(), ...path);
  const pushed = step(state, { type: 'provider.moved' });
  expect(transferState(pushed.state)).toBe(from);
  expect(kindsOf(pushed)).toEqual([LOOK_AT_TRANSFER]);
  expect(pushed.announcements.filter(({ channel }) => channel !== 'inspect')).toEqual([]);
  expect(transferContext(pushed.state)).toEqual(transferContext(state));
  expect(timersOf(pushed)).toHaveLength(1);
});

test('a push for a transfer that is not followed is ignored', () => {
  const quoted = begin();
  const { state: ended } = walk(submission(), look(NOW + 1, source('failed')));
  for (const state of [quoted.state, ended])
    expect(restore(bridgeTransferKind.machine, state).can({ type: 'provider.moved' } as never)).toBe(false);
});

test('it is checked ever more rarely without changes, and soon again after news', () => {
  let state = walk(submission()).state;
  const waits: number[] = [];
  for (let i = 0; i < 8; i++) {
    const plan = step(state, { type: 'xstate.after.lookAgain.bridge_transfer@1.tracking.submitted' }, NOW);
    const timer = plan.timers.find(({ op, timerId }) => op === 'set' && timerId.includes('lookAgain')) as { dueAt: number };
    waits.push(timer.dueAt - NOW);
    state = plan.state;
  }
  expect(waits).toEqual([6_000, 12_000, 24_000, 48_000, 60_000, 60_000, 60_000, 60_000]);
  const news = step(state, look(NOW + 9, source('included')), NOW);
  expect((news.timers.find(({ op, timerId }) => op === 'set' && timerId.includes('lookAgain')) as { dueAt: number }).dueAt - NOW).toBe(
    3_000,
  );
  expect(timersOf(news)).toHaveLength(1);
});

test('new confirmations are shown without an alert', () => {
  const { state } = walk(submission(), look(NOW + 1, source('included')));
  const plan = step(state, look(NOW + 2, { source: { state: 'included', confirmations: 7, detail: null } }));
  expect(transferContext(plan.state).axes.source.confirmations).toBe(7);
  expect(plan.announcements.filter(({ channel }) => channel !== 'inspect')).toEqual([]);
});
