// The directory of kinds refuses a machine that keeps state outside its snapshot or spawns actors.
import { expect, test } from 'vitest';
import { createMachine } from 'xstate';
import { createDirectory } from '../../../actors/runtime/directory.ts';
import { ACTOR_KINDS } from '../../../src/boot/capabilities/index.ts';

test('a machine with a history state is refused when it is registered, however deep it lies', () => {
  const machine = createMachine({
    id: 'lamp@1',
    initial: 'off',
    states: {
      off: {},
      on: { initial: 'dim', states: { dim: {}, bright: { initial: 'a', states: { a: {}, back: { type: 'history' } } } } },
    },
  });
  const lamp = { kind: 'lamp', machine, effects: {}, migrations: {} };
  expect(() => createDirectory([lamp as never])).toThrow('the machine of lamp has a history state, lamp@1.on.bright.back');
});

test('a machine that invokes an actor is refused: its work would be outside the step', () => {
  const machine = createMachine({
    id: 'lamp@1',
    initial: 'off',
    states: { off: { initial: 'a', states: { a: { invoke: { src: 'bulb' } } } } },
  });
  expect(() => createDirectory([{ kind: 'lamp', machine, effects: {}, migrations: {} } as never])).toThrow(
    'invokes an actor in lamp@1.off.a',
  );
});

test('no machine of the service has a history state or invokes an actor', () => {
  expect(ACTOR_KINDS.length).toBeGreaterThan(5);
  expect(createDirectory(ACTOR_KINDS).kind('agent').kind).toBe('agent');
});
