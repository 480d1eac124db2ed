// Statements, records, views and bodies of a resource derive from its fields, and anything that would be lost is refused.
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { derived, held, resource } from '../../src/core/resource.ts';
import { choice, IdText, nullable, Time } from '../../src/core/shapes.ts';

const boat = resource('boats', {
  id: { wire: IdText, column: 'uuid' },
  state: { wire: choice(['afloat', 'sunk']), column: 'text', changes: true },
  length: { wire: Type.String(), column: 'numeric', name: 'length_m' },
  crew: { holds: held<readonly string[] | null>(), column: 'jsonb' },
  berth: { holds: held<{ readonly quay: number }>(), wire: Type.String(), column: 'jsonb' },
  isOld: { wire: Type.Boolean(), computed: true },
  builtAt: { wire: Time, column: 'bigint', instant: true },
  name: { wire: Type.String() },
  owner: { wire: nullable('string') },
  wreck: { wire: nullable('string'), within: 'outcome', changes: true },
});
const view = {
  id: 'b',
  state: 'afloat',
  length: '9.50',
  crew: null,
  berth: { quay: 3 },
  builtAt: 0,
  name: 'Tern',
  owner: null,
  wreck: null,
} as const;

test('a record has its columns beside the organization, and the others in their JSON columns', () => {
  const { name: _, owner: __, wreck: ___, ...columns } = view;
  expect(boat.record('o', view)).toEqual({
    ...columns,
    orgId: 'o',
    terms: { name: 'Tern', owner: null },
    outcome: null,
  });
});

test('an undefined field, and an unknown one, is refused by its name', () => {
  expect(() => boat.record('o', { ...view, owner: undefined as never })).toThrow('boats: "owner" is undefined');
  expect(() => boat.pick({ owner: undefined as never }, view)).toThrow('boats: "owner" is undefined');
  expect(() => boat.record('o', { ...view, sail: 'red' } as never)).toThrow('boats: "sail" is no field');
  expect(boat.pick({ owner: 'Ann' }, { ...view, sail: 'red' } as never)).toEqual({ ...view, owner: 'Ann' });
});

test('a field of a JSON column that is named like a column, and two fields of one column, are refused', () => {
  const id = { wire: IdText, column: 'uuid' } as const;
  expect(() =>
    resource('boats', { id, length: { wire: Type.String(), column: 'numeric', name: 'span' }, span: { wire: Type.String() } }),
  ).toThrow('"span" is named like a column');
  expect(() => resource('boats', { id, terms: { wire: Type.String() } })).toThrow('"terms" is named like a column');
  expect(() => resource('boats', { id, a: { wire: IdText, column: 'text' }, b: { wire: IdText, column: 'text', name: 'a' } })).toThrow(
    'two fields have one column',
  );
  expect(() => resource('boats', { id, 'a; drop': { wire: IdText } })).toThrow('"a; drop" is no name of a field');
});

test('a row is read by its field names; missing JSON fields are null', () => {
  expect(boat.select('t').join()).toBe(
    't.id as "id",t.state as "state",t.length_m::text as "length",t.crew as "crew",t.berth as "berth",t.built_at as "builtAt",t.terms as "terms",t.outcome as "outcome"',
  );
  const { name: _, owner: __, wreck: ___, ...columns } = view;
  expect(boat.view({ ...columns, number: 7, terms: { name: 'Tern' }, outcome: null })).toEqual(view);
  expect(boat.view({ ...columns, terms: { name: 'Tern' }, outcome: { wreck: 'reef' } }).wreck).toBe('reef');
});

test('the wire has the route’s computed fields, and neither hidden fields nor epoch milliseconds', () => {
  expect(Object.keys(boat.wire)).toEqual(['id', 'state', 'length', 'berth', 'isOld', 'builtAt', 'name', 'owner', 'wreck']);
  const { crew: _, ...shown } = view;
  const body = boat.body(view, { isOld: true, berth: 'quay 3' });
  expect(Object.keys(body)).toEqual(Object.keys(boat.wire));
  expect(body).toEqual({
    ...shown,
    berth: 'quay 3',
    isOld: true,
    builtAt: '1970-01-01T00:00:00.000Z',
  });
});

test('an update changes only mutable fields, in a row of the same organization', () => {
  expect(boat.upsert?.[1]).toMatch(
    / on conflict \(id\) do update set state = excluded\.state, outcome = excluded\.outcome where boats\.org_id = excluded\.org_id$/,
  );
  expect(boat.insert.join('?')).not.toContain('conflict');
  const buoy = resource('buoys', { id: { wire: IdText, column: 'uuid' } }, { unless: 'one_buoy' });
  expect(buoy.upsert).toBeNull();
  expect(buoy.insert[1]).toMatch(/ on conflict on constraint one_buoy do nothing$/);
});

test('a revision changes the named fields, or all that may change except some', () => {
  const { update, record } = boat.revision('state');
  expect(update.join('?')).toBe(
    'update boats set state = r."state" from jsonb_to_recordset(?) as r("id" uuid, "orgId" uuid, "state" text) where boats.id = r.id and boats.org_id = r."orgId"',
  );
  expect(record('o', view)).toEqual({ orgId: 'o', id: 'b', state: 'afloat' });
  expect(boat.revisionExcept('state').update[0]).toMatch(/^update boats set outcome = [^,]+, 'null'::jsonb\) from/);
  expect(boat.revisionExcept().update[0]).toBe(
    'update boats set state = r."state", outcome = nullif(r."outcome", \'null\'::jsonb) from jsonb_to_recordset(',
  );
});

test('a derived field is of the wire alone, or the other form of a held one', () => {
  const pier = resource('piers', {
    id: { wire: IdText, column: 'uuid' },
    plan: { holds: held<{ readonly length: number }>(), column: 'text', canonical: true },
    seal: { holds: held<string>(), column: 'bytea' },
    length: derived(Type.Number(), ({ plan }: { readonly plan: { readonly length: number } }) => plan.length),
    owner: {
      holds: held<string | null>(),
      ...derived(Type.String(), ({ owner }: { readonly owner: string | null }) => owner ?? 'the town'),
      column: 'text',
    },
  });
  const stored = { id: 'p', plan: { width: 2, length: 30 }, seal: 'ff', owner: null };
  expect(pier.select('p').join()).toBe('p.id as "id",p.plan as "plan",encode(p.seal, \'hex\') as "seal",p.owner as "owner"');
  expect(pier.record('o', stored)).toEqual({ orgId: 'o', id: 'p', plan: '{"length":30,"width":2}', seal: 'ff', owner: null });
  expect(pier.view({ id: 'p', plan: '{"length":30,"width":2}', seal: 'ff', owner: null })).toEqual(stored);
  expect(pier.body(stored)).toEqual({ id: 'p', length: 30, owner: 'the town' });
});
