/** Definition of a resource: its wire schema, its row, its statements, its record and its view follow from one table of fields. */
import { type Static, type TSchema, Type } from 'typebox';
import type { EpochMs } from '../domain/time.ts';

export type ColumnType = 'uuid' | 'text' | 'text[]' | 'int' | 'bigint' | 'numeric' | 'boolean' | 'jsonb' | 'timestamptz';

export interface Field<Wire extends TSchema = TSchema> {
  /** Schema on the wire. Only the static type counts if the field is hidden. */
  readonly wire: Wire;
  /** Type of its column. A field without one lies in a JSON column. */
  readonly column?: ColumnType;
  /** Name of its column, if that is not the field's name in snake case. */
  readonly name?: string;
  /** The JSON column of a field without a column of its own: `terms` by default. */
  readonly within?: string;
  /** May differ from the first row. The database refuses every other change. */
  readonly changes?: true;
  /** On record, and not on the wire. */
  readonly hidden?: true;
  /** An instant: epoch milliseconds on record, ISO 8601 on the wire. */
  readonly instant?: true;
}
export type Fields = Readonly<Record<string, Field>>;

type Held<F extends Field> = F extends { readonly instant: true }
  ? null extends Static<F['wire']>
    ? EpochMs | null
    : EpochMs
  : Static<F['wire']> extends readonly (infer Element)[]
    ? readonly Element[]
    : Static<F['wire']>;
type Visible<F extends Fields> = {
  readonly [Name in keyof F as F[Name] extends { readonly hidden: true } ? never : Name]: F[Name]['wire'];
};
type Fixed<F extends Fields> = { readonly [Name in keyof F as F[Name] extends { readonly changes: true } ? never : Name]: Held<F[Name]> };
type View<F extends Fields> = { readonly [Name in keyof F]: Held<F[Name]> };
type Body<F extends Fields> = { [Name in keyof Visible<F>]: Static<Visible<F>[Name]> };
type Row = Readonly<Record<string, unknown>>;

/** A resource as commands and reads show it. */
export type ViewOf<R> = R extends { readonly fields: infer F extends Fields } ? View<F> : never;
/** The fields of a resource that never change: what an actor is begun with. */
export type FixedOf<R> = R extends { readonly fields: infer F extends Fields } ? Fixed<F> : never;

/** A hidden field of a type that the wire never shows. */
export const held = <Value>() => Type.Unsafe<Value>({});

const SAFE_NAME = /^[a-zA-Z][a-zA-Z0-9]*$/;
const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A statement's text around its one parameter, as a template literal gives it. */
function statement(before: string, after: string): TemplateStringsArray {
  return Object.assign([before, after], { raw: [before, after] });
}

interface Column {
  /** Name in records. */
  readonly key: string;
  readonly sql: string;
  readonly type: ColumnType;
  readonly changes: boolean;
}

/** @throws if a field is named like no field, or a field of a JSON column like a column: both would be lost or read from the wrong place. */
function columnsOf(table: string, entries: readonly (readonly [string, Field])[]): readonly Column[] {
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

/** Texts of the statements that write rows. Each takes records as one JSON array. */
function statementsOf(table: string, columns: readonly Column[]) {
  const typed = (some: readonly Column[]) => ['"orgId" uuid', ...some.map(({ key, type }) => `"${key}" ${type}`)].join(', ');
  // JSON's null is no null of SQL.
  const read = ({ key, type }: Column) => (type === 'jsonb' ? `nullif(r."${key}", 'null'::jsonb)` : `r."${key}"`);
  const changing = columns.filter(({ changes }) => changes);
  const before = `insert into ${table} (org_id, ${columns.map(({ sql }) => sql).join(', ')})
    select r."orgId", ${columns.map(read).join(', ')} from jsonb_to_recordset(`;
  const rows = `) as r(${typed(columns)})`;
  return {
    insert: statement(before, rows),
    /** A row that is there keeps what does not change, and stays its organization's. */
    upsert: statement(
      before,
      `${rows} on conflict (id) do update set ${changing.map(({ sql }) => `${sql} = excluded.${sql}`).join(', ')} where ${table}.org_id = excluded.org_id`,
    ),
    update: statement(
      `update ${table} set ${changing.map((column) => `${column.sql} = ${read(column)}`).join(', ')} from jsonb_to_recordset(`,
      `) as r(${typed([...columns.filter(({ key }) => key === 'id'), ...changing])}) where ${table}.id = r.id and ${table}.org_id = r."orgId"`,
    ),
  };
}

/** Defines the rows of one table. One of its fields is `id`. Every table has the column `org_id` besides. */
export function resource<const F extends Fields>(table: string, fields: F) {
  const entries = Object.entries(fields);
  const columns = columnsOf(table, entries);
  const names: ReadonlySet<string> = new Set(entries.map(([name]) => name));
  const groups = columns.filter(({ key }) => !names.has(key)).map(({ key }) => key);
  const plain = entries.map(([name, { column, within = 'terms' }]) => [name, column === undefined ? within : null] as const);
  const shown = entries.filter(([, { hidden }]) => hidden !== true).map(([name, { instant }]) => [name, instant === true] as const);

  const given = (of: Row, name: string): unknown => {
    const value = of[name];
    if (value === undefined) throw new TypeError(`${table}: "${name}" is undefined; a field without a value is null`);
    return value;
  };

  return {
    table,
    fields,
    columns,
    ...statementsOf(table, columns),
    /** Schemas of the fields on the wire, in their order. */
    wire: Object.fromEntries(shown.map(([name]) => [name, fields[name]?.wire])) as Visible<F>,
    /** The columns of a row under the names of their fields; exact numbers as text. */
    select: columns.map(({ key, sql, type }) => `${sql}${type === 'numeric' ? '::text' : ''} as "${key}"`),

    /** Takes the fields out of an object that has more. @throws TypeError if one is undefined */
    pick(of: View<F>): View<F> {
      return Object.fromEntries(entries.map(([name]) => [name, given(of as Row, name)])) as View<F>;
    },

    /** Returns the record of a row. @throws TypeError if a field is undefined or unknown */
    record(orgId: string, of: View<F>): Row {
      for (const name of Object.keys(of)) if (!names.has(name)) throw new TypeError(`${table}: "${name}" is no field`);
      const json = Object.fromEntries(groups.map((group) => [group, {} as Record<string, unknown>]));
      const row: Record<string, unknown> = { orgId };
      for (const [name, group] of plain) (group === null ? row : (json[group] as Record<string, unknown>))[name] = given(of as Row, name);
      for (const [group, inside] of Object.entries(json))
        row[group] = Object.values(inside).every((value) => value === null) ? null : inside;
      return row;
    },

    /** Reads a row of `select`. A field that its JSON column does not have yet is null. */
    view(row: Row): View<F> {
      const view: Record<string, unknown> = {};
      for (const [name, group] of plain) {
        const value = group === null ? row[name] : ((row[group] as Row | null)?.[name] ?? null);
        view[name] = value instanceof Date ? value.toISOString() : value;
      }
      return view as View<F>;
    },

    /** Returns a view as it is on the wire. */
    body(view: View<F>): Body<F> {
      const body: Record<string, unknown> = {};
      for (const [name, isInstant] of shown) {
        const value = (view as Row)[name];
        body[name] = isInstant && value !== null ? new Date(value as EpochMs).toISOString() : value;
      }
      return body as Body<F>;
    },
  };
}
