// Machine for tests with every kind of action that the runtime handles: records, timers, activities, announcements.
import { assign, emit, setup } from 'xstate';
import type { ActorKind } from '../../../actors/runtime/actor-kind.ts';
import { refuse } from '../../../src/domain/values/refusal.ts';

const effect =
  <Parameters>() =>
  (_: unknown, __: Parameters): void => {};

type LampEvent =
  | { type: 'press'; by: string }
  | { type: 'break' }
  | { type: 'poison' }
  | { type: 'count' }
  | { type: 'activity.done'; answer: string }
  | { type: 'activity.given_up'; detail: string };

export const lampMachine = setup({
  types: {
    context: {} as { presses: number; bill: string | null; badly?: unknown },
    events: {} as LampEvent,
    input: {} as { presses?: number },
    emitted: {} as { type: 'alerts'; what: string },
  },
  actions: { noteLight: effect<{ lit: boolean }>(), askForBill: effect<{ presses: number }>(), explode: effect<undefined>() },
  delays: { burnsFor: 5_000 },
}).createMachine({
  id: 'lamp@2',
  context: ({ input }) => ({ presses: input?.presses ?? 0, bill: null }),
  initial: 'dark',
  on: {
    count: { actions: assign({ presses: ({ context }) => context.presses + 1 }) },
    'activity.done': { actions: assign({ bill: ({ event }) => event.answer }) },
    'activity.given_up': [
      { guard: ({ event }) => event.detail.includes('burst'), actions: 'explode' },
      { actions: assign({ bill: ({ event }) => `none: ${event.detail}` }) },
    ],
    poison: { actions: assign({ badly: () => 10n }) },
  },
  states: {
    dark: {
      on: {
        press: {
          target: 'lit',
          actions: [
            assign({ presses: ({ context }) => context.presses + 1 }),
            { type: 'askForBill', params: ({ context }) => ({ presses: context.presses }) },
            emit(({ event }) => ({ type: 'alerts', what: `lit by ${event.by}` })),
          ],
        },
        break: { actions: 'explode' },
      },
    },
    lit: {
      entry: { type: 'noteLight', params: { lit: true } },
      exit: { type: 'noteLight', params: { lit: false } },
      after: { burnsFor: 'dark' },
      on: { press: 'dark' },
    },
  },
});

export const lampKind: ActorKind = {
  kind: 'lamp',
  machine: lampMachine,
  validate: (state, event) =>
    event.type === 'press' && event['by'] === 'nobody'
      ? refuse('permission_missing', 'nobody may not press').refusal
      : state.context['presses'] === 99
        ? refuse('state_conflict', 'worn out').refusal
        : null,
  migrations: {
    'lamp@1': (state) => ({
      ...state,
      value: state.value === 'on' ? 'lit' : 'dark',
      context: { presses: Number(state.context['times']), bill: null },
    }),
  },
  effects: {
    noteLight: ({ lit }: { lit: boolean }, info) => [
      {
        kind: 'record',
        record: {
          type: 'audit',
          orgId: info.orgId,
          subject: 'lamp',
          permission: null,
          action: lit ? 'lit' : 'dark',
          requestId: 'r',
          target: info.actorId,
          beforeHash: null,
          afterHash: null,
        },
      },
    ],
    askForBill: ({ presses }: { presses: number }) => [{ kind: 'activity', activity: { kind: 'bill', payload: { presses } } }],
    explode: () => {
      throw new Error('the bulb burst');
    },
  },
};
