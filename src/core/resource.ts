/** Definition of a resource: its wire schema, its row, its statements, its record and its view follow from one table of fields. */
import { type Static, type TSchema, Type } from 'typebox';
import type { EpochMs } from '../domain/values/time.ts';

export type ColumnType = 'uuid' | 'text' | 'text[]' | 'int' | 'bigint' | 'numeric' | 'boolean' | 'jsonb' | 'timestamptz';

interface OnRecord {
  /** Type of its column. A field without one lies in a JSON column. */
  readonly column?: ColumnType;
  /** Name of its column, if that is not the field's name in snake case. */
  readonly name?: string;
  /** The JSON column of a field without a column of its own: `terms` by default. */
  readonly within?: string;
  /** May differ from the first row. The database refuses every other change. */
  readonly changes?: true;
  /** An instant: epoch milliseconds on record, ISO 8601 on the wire. */
  readonly instant?: true;
}

/** The same on record and on the wire, instants aside. */
interface PlainField extends OnRecord {
  readonly wire: TSchema;
}
/** A field of the record alone, or, with `wire`, one that the route gives another form on the wire. */
interface HeldField extends OnRecord {
  /** Its static type is all that counts. */
  readonly holds: TSchema;
  readonly wire?: TSchema;
}
/** A field of the wire alone, which the route gives. */
interface ComputedField {
  readonly wire: TSchema;
  readonly computed: true;
}
export type Field = PlainField | HeldField | ComputedField;
export type Fields = Readonly<Record<string, Field>>;

type Value<Schema> = Schema extends TSchema
  ? Static<Schema> extends readonly (infer Element)[]
    ? readonly Element[]
    : Static<Schema>
  : never;
type Held<F extends Field> = F extends { readonly holds: infer Schema }
  ? Value<Schema>
  : F extends { readonly wire: infer Schema; readonly instant: true }
    ? null extends Value<Schema>
      ? EpochMs | null
      : EpochMs
    : F extends { readonly wire: infer Schema }
      ? Value<Schema>
      : never;
type View<F extends Fields> = { readonly [Name in keyof F as F[Name] extends ComputedField ? never : Name]: Held<F[Name]> };
type Fixed<F extends Fields> = {
  readonly [Name in keyof F as F[Name] extends ComputedField | { readonly changes: true } ? never : Name]: Held<F[Name]>;
};
type Wire<F extends Fields> = { readonly [Name in keyof F as F[Name] extends { readonly wire: TSchema } ? Name : never]: WireOf<F[Name]> };
type WireOf<F> = F extends { readonly wire: infer Schema extends TSchema } ? Schema : never;
type Body<F extends Fields> = { [Name in keyof Wire<F>]: Static<WireOf<F[Name]>> };
/** Fields of the wire that a route gives. */
type Given<F extends Fields> = {
  readonly [Name in keyof Wire<F> as F[Name] extends ComputedField | { readonly holds: TSchema } ? Name : never]: Static<WireOf<F[Name]>>;
};
/** Fields that are the same on record and on the wire. */
type Shown<F extends Fields> = {
  readonly [Name in keyof Wire<F> as F[Name] extends ComputedField | { readonly holds: TSchema } ? never : Name]: Held<F[Name]>;
};
/** Fields that are not on record. */
type Computed<F extends Fields> = { readonly [Name in keyof F as F[Name] extends ComputedField ? Name : never]: Static<WireOf<F[Name]>> };
type Row = Readonly<Record<string, unknown>>;

/** A resource as commands and reads show it. */
export type ViewOf<R> = R extends { readonly fields: infer F extends Fields } ? View<F> : never;
/** The fields of a resource that never change: what an actor is begun with. */
export type FixedOf<R> = R extends { readonly fields: infer F extends Fields } ? Fixed<F> : never;

/** The fields of a resource that are not on record. */
export type ComputedOf<R> = R extends { readonly fields: infer F extends Fields } ? Computed<F> : never;

/** The type of a field on record that the wire does not show, or shows in another form. */
export const held = <Value>() => Type.Unsafe<Value>({});

const SAFE_NAME = /^[a-zA-Z][a-zA-Z0-9]*$/;
const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A statement's text around its one parameter, as a template literal gives it. */
function statement(before: string, after: string): TemplateStringsArray {
  return Object.assign([before, after], { raw: [before, after] });
}

type Entry = readonly [name: string, field: OnRecord];

interface Column {
  /** Name in records. */
  readonly key: string;
  readonly sql: string;
  readonly type: ColumnType;
  readonly changes: boolean;
}

/** @throws if a field is named like no field, or a field of a JSON column like a column: both would be lost or read from the wrong place. */
function columnsOf(table: string, entries: readonly Entry[]): readonly Column[] {
  const own = entries.flatMap(([key, { column, name = snakeCase(key), changes = false }]): Column[] =>
    column === undefined ? [] : [{ key, sql: name, type: column, changes }],
  );
  const json = new Map<string, boolean>();
  for (const [, { column, within = 'terms', changes = false }] of entries)
    if (column === undefined) json.set(within, changes || (json.get(within) ?? false));
  const columns = [...own, ...[...json].map(([key, changes]): Column => ({ key, sql: key, type: 'jsonb', changes }))];
  const taken = new Set(['orgId', ...columns.map(({ key }) => key), ...columns.map(({ sql }) => sql)]);
  for (const [name, { column }] of entries) {
    if (!SAFE_NAME.test(name)) throw new Error(`${table}: "${name}" is no name of a field: use letters and digits`);
    if (column === undefined && taken.has(name)) throw new Error(`${table}: the JSON field "${name}" is named like a column`);
  }
  if (new Set(columns.map(({ sql }) => sql)).size < columns.length) throw new Error(`${table}: two fields have one column`);
  return columns;
}

const typed = (some: readonly Column[]): string => ['"orgId" uuid', ...some.map(({ key, type }) => `"${key}" ${type}`)].join(', ');
// JSON's null is no null of SQL.
const read = ({ key, type }: Column): string => (type === 'jsonb' ? `nullif(r."${key}", 'null'::jsonb)` : `r."${key}"`);

interface Options {
  /** A row that this constraint refuses is left out of an insert. */
  readonly unless?: string;
}

/** Texts of the statements that write rows. Each takes records as one JSON array. */
function statementsOf(table: string, columns: readonly Column[], { unless }: Options) {
  const changing = columns.filter(({ changes }) => changes);
  const before = `insert into ${table} (org_id, ${columns.map(({ sql }) => sql).join(', ')})
    select r."orgId", ${columns.map(read).join(', ')} from jsonb_to_recordset(`;
  const rows = `) as r(${typed(columns)})`;
  const insert = statement(before, `${rows}${unless === undefined ? '' : ` on conflict on constraint ${unless} do nothing`}`);
  // What never changes is only added.
  if (changing.length === 0) return { insert, upsert: null };
  const taken = changing.map(({ sql }) => `${sql} = excluded.${sql}`).join(', ');
  return {
    insert,
    /** A row that is there keeps what does not change, and stays its organization's. */
    upsert: statement(before, `${rows} on conflict (id) do update set ${taken} where ${table}.org_id = excluded.org_id`),
  };
}

/** Changes of some columns of rows that are there. @throws if one of them never changes */
function revisionOf(table: string, columns: readonly Column[], names: readonly string[]) {
  const fixed = names.filter((name) => !columns.some(({ key, changes }) => key === name && changes));
  if (fixed.length > 0) throw new Error(`${table}: ${fixed.join(', ')} never changes`);
  const chosen = columns.filter(({ key }) => names.includes(key));
  const changed = chosen.map((column) => `${column.sql} = ${read(column)}`).join(', ');
  return {
    update: statement(
      `update ${table} set ${changed} from jsonb_to_recordset(`,
      `) as r("id" uuid, ${typed(chosen)}) where ${table}.id = r.id and ${table}.org_id = r."orgId"`,
    ),
    record: (orgId: string, of: Row): Row => ({
      orgId,
      ...Object.fromEntries(['id', ...names].map((name) => [name, given(table, of, name)])),
    }),
  };
}

function isOnRecord(field: Field): field is PlainField | HeldField {
  return !('computed' in field);
}

/** @throws TypeError if the field is undefined: what is left out never becomes null */
function given(table: string, of: Row, name: string): unknown {
  const value = of[name];
  if (value === undefined) throw new TypeError(`${table}: "${name}" is undefined; a field without a value is null`);
  return value;
}

/** Functions between the view of a resource, its record and its row. */
function rowForms(table: string, entries: readonly Entry[], columns: readonly Column[]) {
  const names: ReadonlySet<string> = new Set(entries.map(([name]) => name));
  const groups = columns.filter(({ key }) => !names.has(key)).map(({ key }) => key);
  const places = entries.map(([name, { column, within = 'terms' }]) => [name, column === undefined ? within : null] as const);
  const nulls = (group: string): Row => Object.fromEntries(places.filter(([, within]) => within === group).map(([name]) => [name, null]));
  return {
    pick(own: Row, rest: Row): Row {
      const view: Record<string, unknown> = {};
      for (const [name] of places) view[name] = given(table, name in own ? own : rest, name);
      return view;
    },

    record(orgId: string, of: Row): Row {
      for (const name in of) if (!names.has(name)) throw new TypeError(`${table}: "${name}" is no field`);
      const row: Record<string, unknown> = { orgId };
      for (const group of groups) row[group] = null;
      for (const [name, group] of places) {
        const value = given(table, of, name);
        if (group === null) row[name] = value;
        // A JSON column of nulls is null.
        else if (value !== null || row[group] !== null) ((row[group] ??= nulls(group)) as Record<string, unknown>)[name] = value;
      }
      return row;
    },

    view(row: Row): Row {
      const view: Record<string, unknown> = {};
      for (const [name, group] of places) {
        const value = group === null ? row[name] : ((row[group] as Row | null)?.[name] ?? null);
        view[name] = value instanceof Date ? value.toISOString() : value;
      }
      return view;
    },
  };
}

/** Schemas of the fields on the wire, in their order, and the function that shows a view by them. */
function wireForms(fields: Fields) {
  const wire = Object.entries<Field>(fields).filter(([, field]) => field.wire !== undefined);
  const forms = wire.map(([name, field]) => {
    const isGiven = !isOnRecord(field) || 'holds' in field;
    return { name, isGiven, isInstant: (field as OnRecord).instant === true };
  });
  return {
    wire: Object.fromEntries(wire.map(([name, field]) => [name, field.wire])),
    body(view: Row, given: Row = {}): Row {
      const body: Record<string, unknown> = {};
      for (const { name, isGiven, isInstant } of forms) {
        const value = isGiven ? given[name] : view[name];
        body[name] = isInstant && !isGiven && value !== null ? new Date(value as EpochMs).toISOString() : value;
      }
      return body;
    },
  };
}

/** Defines the rows of one table. Every table has the column `org_id` besides. */
export function resource<const F extends Fields>(table: string, fields: F, options: Options = {}) {
  const entries = Object.entries<Field>(fields).flatMap(([name, field]): Entry[] => (isOnRecord(field) ? [[name, field]] : []));
  const computed = Object.entries<Field>(fields).flatMap(([name, field]) => (isOnRecord(field) ? [] : [name]));
  const columns = columnsOf(table, entries);
  const rows = rowForms(table, entries, columns);
  const { wire, body } = wireForms(fields);

  return {
    table,
    fields,
    columns,
    unless: options.unless,
    ...statementsOf(table, columns, options),
    /** Defines records that change some fields of rows which are there. */
    revision<const Name extends keyof View<F> & string>(...changing: readonly Name[]) {
      const { update, record } = revisionOf(table, columns, changing);
      return { update, record: (orgId: string, of: Pick<View<F>, Name> & { readonly id: string }): Row => record(orgId, of) };
    },
    /** Schemas of the fields on the wire, in their order. */
    wire: wire as Wire<F>,
    /** The columns of a row under the names of their fields; exact numbers as text. */
    select: columns.map(({ key, sql, type }) => `${sql}${type === 'numeric' ? '::text' : ''} as "${key}"`),

    /**
     * Takes the fields out of an object, and those that it lacks out of another; both may have more. Spreading one of them into the other
     * costs ten times as much. @throws TypeError if a field is undefined
     */
    pick: <Own extends Partial<View<F>>>(own: Own, rest: Omit<View<F>, keyof Own>): View<F> =>
      rows.pick(own as Row, rest as Row) as View<F>,
    /** Returns the record of a row. @throws TypeError if a field is undefined or unknown */
    record: (orgId: string, of: View<F>): Row => rows.record(orgId, of),
    /** Reads a row of `select`. A field that its JSON column does not have yet is null. */
    view: (row: Row): View<F> => rows.view(row) as View<F>,
    /** Reads a row that has the computed fields too. */
    whole: (row: Row): View<F> & Computed<F> =>
      ({ ...rows.view(row), ...Object.fromEntries(computed.map((name) => [name, row[name]])) }) as View<F> & Computed<F>,
    /** Returns a view as it is on the wire, with what the route computes. */
    body: (view: Shown<F>, ...[added]: keyof Given<F> extends never ? [] : [Given<F>]): Body<F> => body(view, added) as Body<F>,
  };
}
