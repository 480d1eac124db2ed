// Rooms that import each other, directly or indirectly. In a circle none of them can be understood alone.
import { expect, test } from 'vitest';
import { product } from './source.ts';

const ROOMS = [
  'src/domain',
  'src/core',
  'streams',
  'actors',
  'src/trading',
  'src/simulation',
  'src/adapters',
  'src/sandbox',
  'api',
  'src/cli',
  'src/boot',
];
const roomOf = (path: string): string | undefined => ROOMS.find((room) => path.startsWith(`${room}/`));

/** Imported rooms of each room, with one importing file. Types count too. */
const imported = new Map<string, Map<string, string>>(ROOMS.map((room) => [room, new Map()]));
for (const { path, imports } of product) {
  const room = roomOf(path);
  for (const { own, from } of imports) {
    const other = own ? roomOf(from) : undefined;
    if (room !== undefined && other !== undefined && other !== room) imported.get(room)?.set(other, path);
  }
}

/** Returns the rooms reachable from a room. */
function reached(room: string): Set<string> {
  const found = new Set<string>();
  const open = [room];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const other of imported.get(next)?.keys() ?? [])
      if (!found.has(other)) {
        found.add(other);
        open.push(other);
      }
  return found;
}

/** Pairs of rooms that reach each other. */
const circles = ROOMS.flatMap((room, index) =>
  ROOMS.slice(index + 1).flatMap((other) => (reached(room).has(other) && reached(other).has(room) ? [`${room} and ${other}`] : [])),
);

/** Existing circles; none may be added. */
const KNOWN: readonly string[] = [];

test('the API imports nothing that imports the API', () => {
  expect(circles.filter((circle) => / api$|^api /.test(circle))).toEqual([]);
});

test('no room has a circle with another, except those that are named here', () => {
  expect(circles.filter((circle) => !KNOWN.includes(circle))).toEqual([]);
});
