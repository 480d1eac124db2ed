// Checks of every unsigned transaction: how long it could land, and the contents of its lookup tables.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lifetimeObjection, resolvedLookups, groupLookups } from '../../../actors/prepared-transaction/unsigned.ts';

test.each([
  [999, false],
  [1_000, false],
  [1_001, true],
  [1_300, true],
  [1_301, false],
])('at height 1000 a message that may land up to %d can be prepared: %s', async (last, fit) => {
  const objection = await lifetimeObjection({ blockHeight: async () => 1_000 }, last);
  expect(objection === null).toBe(fit);
  if (!fit) expect(objection).toContain(`${last - 1_000} more blocks; 1 to 300 are right`);
});

const table = fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 12 });
const places = fc.uniqueArray(fc.nat(11), { maxLength: 6 });

test('an index is resolved to its account, and a message that names a missing one is refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.tuple(table, places, places)), async (held) => {
      const chain = { lookupTable: async (name: string) => held[name]?.[0] ?? null };
      const lookups = Object.entries(held).map(([name, [, writable, readonly]]) => ({ table: name, writable, readonly }));
      const empty = lookups.some((one) => [...one.writable, ...one.readonly].some((place) => place >= (held[one.table]?.[0].length ?? 0)));
      const resolved = await resolvedLookups(chain, { lookups });
      expect(resolved.ok).toBe(!empty);
      if (!resolved.ok) {
        expect(resolved.refusal.code).toBe('route_refused');
        return;
      }
      const tables = groupLookups(resolved.value);
      for (const one of lookups)
        for (const place of [...one.writable, ...one.readonly]) expect(tables.get(one.table)?.[place]).toBe(held[one.table]?.[0][place]);
    }),
  );
});

test('an invalid table is refused by its name', async () => {
  const outcome = await resolvedLookups({ lookupTable: async () => null }, { lookups: [{ table: 'gone', writable: [0], readonly: [] }] });
  expect(outcome).toMatchObject({ ok: false, refusal: { code: 'route_refused', detail: expect.stringContaining('gone') } });
});
