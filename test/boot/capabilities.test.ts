// Every kind of actor is registered once, and the parts of the service derive from that one list.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ACTOR_CAPABILITIES, ACTOR_KINDS } from '../../src/boot/capabilities/index.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('every machine under actors/ is registered once, by its own file', () => {
  const machines = readdirSync(`${root}actors`)
    .map((folder) => `actors/${folder}/machine.ts`)
    .filter((file) => existsSync(root + file));
  expect(ACTOR_CAPABILITIES.map(({ machineFile }) => machineFile).sort()).toEqual(machines.sort());
});

test('names of kinds, ids of machines and periods are unique', () => {
  const unique = (values: readonly unknown[]): boolean => new Set(values).size === values.length;
  expect(unique(ACTOR_KINDS.map(({ kind }) => kind))).toBe(true);
  expect(unique(ACTOR_KINDS.map(({ machine }) => machine.id))).toBe(true);
  expect(unique(ACTOR_CAPABILITIES.flatMap(({ ticks }) => (ticks === undefined ? [] : [ticks.periodMs])))).toBe(true);
});

test('every composition file is in the list', () => {
  const files = readdirSync(`${root}src/boot/capabilities`).filter(
    (name) => !['capability.ts', 'index.ts', 'trading-ticks.ts'].includes(name),
  );
  expect(files.length).toBe(ACTOR_CAPABILITIES.length);
});

test("the terminal's list of actors is filtered by every kind", () => {
  const [, listed = ''] = /const KINDS = \[([^\]]*)\]/.exec(readFileSync(`${root}web/terminal/operate/actors.tsx`, 'utf8')) ?? [];
  const names = [...listed.matchAll(/'(\w+)'/g)].map(([, name]) => name);
  expect(names.sort()).toEqual(ACTOR_KINDS.map(({ kind }) => kind).sort());
});
