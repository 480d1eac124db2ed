// Example organization of the sandbox: its members hold every permission, so that every route can be tried.
import { expect, test } from 'vitest';
import { PERMISSIONS } from '../../src/domain/agents/agent.ts';
import { EXAMPLE_MEMBERS } from '../../src/sandbox/example-organization.ts';

test('somebody in the example organization holds each permission', () => {
  const held = new Set(EXAMPLE_MEMBERS.flatMap(({ permissions }) => permissions));
  expect(PERMISSIONS.filter((permission) => !held.has(permission))).toEqual([]);
});
