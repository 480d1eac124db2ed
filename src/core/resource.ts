/** Defines a resource: its wire schema, row, statements, record and view follow from one table of fields. */
import { type Static, type TSchema, Type } from 'typebox';
import { canonicalJson } from '../domain/values/canonical-json.ts';
import type { EpochMs } from '../domain/values/time.ts';

export type ColumnType = 'uuid' | 'text' | 'text[]' | 'int' | 'bigint' | 'numeric' | 'boolean' | 'jsonb' | 'timestamptz' | 'bytea';

interface OnRecord {
  /** Type of its column. A field without one is stored in a JSON column. */
  readonly column?: ColumnType;
  /** Name of its column, if it is not the field's name in snake case. */
  readonly name?: string;
  /** JSON column of a field without its own. Default `terms`. */
  readonly within?: string;
  /** True if it may change after the first row. The database refuses every other change. */
  readonly changes?: true;
  /** True for an instant: epoch milliseconds on record, ISO 8601 on the wire. */
  readonly instant?: true;
  /** True for an object stored as canonical JSON in a text column, because its hash covers that text. */
  readonly canonical?: true;
}

/** Field with the same form on record and on the wire, except instants. */
interface PlainField extends OnRecord {
  readonly wire: TSchema;
}
/** Field on record only, or with `wire` one that has another form on the wire: derived, or else supplied by the route. */
interface HeldField extends OnRecord {
  /** Schema used only for its static type. */
  readonly holds: TSchema;
  readonly wire?: TSchema;
  readonly derive?: Derivation;
}
/** Field on the wire only, derived from the view. */
interface DerivedField {
  readonly wire: TSchema;
  readonly derive: Derivation;
}
/** Field on the wire only, supplied by the route. */
interface ComputedField {
  readonly wire: TSchema;
  readonly computed: true;
}
/** Returns a field's wire form from a view. */
type Derivation = (view: never) => unknown;
type Field = PlainField | HeldField | DerivedField | ComputedField;
type Fields = Readonly<Record<string, Field>>;

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
type OffRecord = ComputedField | (DerivedField & { readonly holds?: never });
type View<F extends Fields> = { readonly [Name in keyof F as F[Name] extends OffRecord ? never : Name]: Held<F[Name]> };
type Fixed<F extends Fields> = {
  readonly [Name in keyof F as F[Name] extends OffRecord | { readonly changes: true } ? never : Name]: Held<F[Name]>;
};
/** Names of the fields whose columns change. */
type Changing<F extends Fields> = {
  [Name in keyof F]: F[Name] extends { readonly changes: true; readonly column: ColumnType } ? Name : never;
}[keyof F] &
  keyof View<F> &
  string;
type Wire<F extends Fields> = { readonly [Name in keyof F as F[Name] extends { readonly wire: TSchema } ? Name : never]: WireOf<F[Name]> };
type WireOf<F> = F extends { readonly wire: infer Schema extends TSchema } ? Schema : never;
type Body<F extends Fields> = { [Name in keyof Wire<F>]: Static<WireOf<F[Name]>> };
type Derives = { readonly derive: Derivation };
/** Wire fields that a route supplies. */
type Given<F extends Fields> = {
  readonly [Name in keyof Wire<F> as F[Name] extends Derives
    ? never
    : F[Name] extends ComputedField | { readonly holds: TSchema }
      ? Name
      : never]: Static<WireOf<F[Name]>>;
};
/** Fields with the same form on record and on the wire, and all that others are derived from. */
type Shown<F extends Fields> = {
  readonly [Name in keyof Wire<F> as F[Name] extends ComputedField | Derives | { readonly holds: TSchema } ? never : Name]: Held<F[Name]>;
} & All<{ [Name in keyof F]: F[Name] extends { readonly derive: (view: infer Source) => unknown } ? Source : never }[keyof F]>;
/** Intersection of the members of a union. */
type All<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer One) => void ? One : never;
/** Fields that are not on record. */
type Computed<F extends Fields> = { readonly [Name in keyof F as F[Name] extends ComputedField ? Name : never]: Static<WireOf<F[Name]>> };
type Row = Readonly<Record<string, unknown>>;

/** View of a resource for commands and reads. */
export type ViewOf<R> = R extends { readonly fields: infer F extends Fields } ? View<F> : never;
/** Fields of a resource that never change, with which an actor begins. */
export type FixedOf<R> = R extends { readonly fields: infer F extends Fields } ? Fixed<F> : never;

/** The fields of a resource that are not on record. */
export type ComputedOf<R> = R extends { readonly fields: infer F extends Fields } ? Computed<F> : never;

/** Returns the type of a recorded field that the wire does not show, or shows in another form. */
export const held = <Value>() => Type.Unsafe<Value>({});

/** Defines how the wire derives a field from the view. */
export const derived = <Schema extends TSchema, Source>(wire: Schema, derive: (view: Source) => Value<Schema>) => ({ wire, derive });

const SAFE_NAME = /^[a-zA-Z][a-zA-Z0-9]*$/;
const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns a statement's text around its only parameter, as a template literal provides it. */
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

/**
 * Returns the columns of a table. @throws Error if two fields share a name, or a field of a JSON column has a column's name, because one
 * would be lost or misread.
 */
function buildColumns(table: string, entries: readonly Entry[]): readonly Column[] {
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
// JSON's null is not SQL's null.
const read = ({ key, type }: Column): string => (type === 'jsonb' ? `nullif(r."${key}", 'null'::jsonb)` : `r."${key}"`);

function readColumn(of: string, { sql, type }: Column): string {
  if (type === 'bytea') return `encode(${of}.${sql}, 'hex')`;
  return `${of}.${sql}${type === 'numeric' ? '::text' : ''}`;
}

interface Options {
  /** Constraint whose violation skips the row of an insert. */
  readonly unless?: string;
}

/** Returns the statements that write rows. Each takes records as one JSON array. */
function buildStatements(table: string, columns: readonly Column[], { unless }: Options) {
  const changing = columns.filter(({ changes }) => changes);
  const before = `insert into ${table} (org_id, ${columns.map(({ sql }) => sql).join(', ')})
    select r."orgId", ${columns.map(read).join(', ')} from jsonb_to_recordset(`;
  const rows = `) as r(${typed(columns)})`;
  const insert = statement(before, `${rows}${unless === undefined ? '' : ` on conflict on constraint ${unless} do nothing`}`);
  // Rows that never change are only added.
  if (changing.length === 0) return { insert, upsert: null };
  const taken = changing.map(({ sql }) => `${sql} = excluded.${sql}`).join(', ');
  return {
    insert,
    /** Statement in which an existing row keeps its fixed fields and its organization. */
    upsert: statement(before, `${rows} on conflict (id) do update set ${taken} where ${table}.org_id = excluded.org_id`),
  };
}

/** Returns the statement that changes some columns of existing rows. */
function buildRevision(table: string, chosen: readonly Column[]) {
  const changed = chosen.map((column) => `${column.sql} = ${read(column)}`).join(', ');
  return {
    update: statement(
      `update ${table} set ${changed} from jsonb_to_recordset(`,
      `) as r("id" uuid, ${typed(chosen)}) where ${table}.id = r.id and ${table}.org_id = r."orgId"`,
    ),
    pick: (of: Row): Row => Object.fromEntries(chosen.map(({ key }) => [key, given(table, of, key)])),
    record: (orgId: string, of: Row): Row => ({
      orgId,
      ...Object.fromEntries(['id', ...chosen.map(({ key }) => key)].map((name) => [name, given(table, of, name)])),
    }),
  };
}

function isOnRecord(field: Field): field is PlainField | HeldField {
  return 'holds' in field || !('computed' in field || 'derive' in field);
}

/** Returns a field's value. @throws TypeError if it is undefined, because a missing value must not become null. */
function given(table: string, of: Row, name: string): unknown {
  const value = of[name];
  if (value === undefined) throw new TypeError(`${table}: "${name}" is undefined; a field without a value is null`);
  return value;
}

/** Returns an object with these names. To fill a copy of it costs a fifth of adding the names one by one, which V8 keeps in a slow form. */
function blank(names: readonly string[]): Row {
  return Object.fromEntries(names.map((name) => [name, null]));
}

/** Returns the conversions between view, record and row. */
function rowForms(table: string, entries: readonly Entry[], columns: readonly Column[]) {
  const names: ReadonlySet<string> = new Set(entries.map(([name]) => name));
  const groups = columns.filter(({ key }) => !names.has(key)).map(({ key }) => key);
  const places = entries.map(([name, { column, within = 'terms', canonical = false }]) => ({
    name,
    group: column === undefined ? within : null,
    canonical,
  }));
  const nulls = (of: string): Row => blank(places.flatMap(({ name, group }) => (group === of ? [name] : [])));
  const emptyView = blank(entries.map(([name]) => name));
  const emptyRow = blank(['orgId', ...groups, ...places.flatMap(({ name, group }) => (group === null ? [name] : []))]);
  return {
    pick(own: Row, rest: Row): Row {
      const view: Record<string, unknown> = { ...emptyView };
      for (const { name } of places) view[name] = given(table, name in own ? own : rest, name);
      return view;
    },

    record(orgId: string, of: Row): Row {
      for (const name in of) if (!names.has(name)) throw new TypeError(`${table}: "${name}" is no field`);
      const row: Record<string, unknown> = { ...emptyRow, orgId };
      for (const { name, group, canonical } of places) {
        const value = given(table, of, name);
        if (group === null) row[name] = canonical ? canonicalJson(value as object) : value;
        // A JSON column of only nulls is null.
        else if (value !== null || row[group] !== null) ((row[group] ??= nulls(group)) as Record<string, unknown>)[name] = value;
      }
      return row;
    },

    view(row: Row): Row {
      const view: Record<string, unknown> = { ...emptyView };
      for (const { name, group, canonical } of places) {
        const value = group === null ? row[name] : ((row[group] as Row | null)?.[name] ?? null);
        view[name] = canonical ? JSON.parse(value as string) : value instanceof Date ? value.toISOString() : value;
      }
      return view;
    },
  };
}

/** Returns the schemas of the wire fields, in order, and the function that encodes a view. */
function wireForms(fields: Fields) {
  const wire = Object.entries<Field>(fields).filter(([, field]) => field.wire !== undefined);
  const forms = wire.map(([name, field]) => {
    const isGiven = !isOnRecord(field) || 'holds' in field;
    const derive = 'derive' in field ? (field.derive as (view: Row) => unknown) : null;
    return { name, isGiven, derive, isInstant: (field as OnRecord).instant === true };
  });
  return {
    wire: Object.fromEntries(wire.map(([name, field]) => [name, field.wire])),
    body(view: Row, given: Row = {}): Row {
      const body: Record<string, unknown> = {};
      for (const { name, isGiven, derive, isInstant } of forms) {
        const value = derive !== null ? derive(view) : isGiven ? given[name] : view[name];
        body[name] = isInstant && !isGiven && value !== null ? new Date(value as EpochMs).toISOString() : value;
      }
      return body;
    },
  };
}

/** Defines the rows of a table. Every table that is written by a definition also has the column `org_id`. */
export function resource<const F extends Fields>(table: string, fields: F, options: Options = {}) {
  const entries = Object.entries<Field>(fields).flatMap(([name, field]): Entry[] => (isOnRecord(field) ? [[name, field]] : []));
  const computed = Object.entries<Field>(fields).flatMap(([name, field]) => ('computed' in field ? [name] : []));
  const columns = buildColumns(table, entries);
  const rows = rowForms(table, entries, columns);
  const { wire, body } = wireForms(fields);
  const revision = <Name extends Changing<F>>(chosen: readonly Column[]) => {
    const { update, pick, record } = buildRevision(table, chosen);
    return {
      update,
      /** Takes the changing fields from an object that may have more. @throws TypeError if one is undefined. */
      pick: (of: Pick<View<F>, Name>) => pick(of) as Pick<View<F>, Name>,
      record: (orgId: string, of: Pick<View<F>, Name> & { readonly id: string }): Row => record(orgId, of),
    };
  };

  return {
    table,
    fields,
    columns,
    unless: options.unless,
    ...buildStatements(table, columns, options),
    /** Defines records that change some fields of existing rows. */
    revision: <const Name extends Changing<F>>(...names: readonly Name[]) =>
      revision<Name>(columns.filter(({ key }) => names.includes(key as Name))),
    /** Defines records that change every field that may change, except some. */
    revisionExcept: <const Name extends Changing<F> = never>(...names: readonly Name[]) =>
      revision<Exclude<Changing<F>, Name>>(columns.filter(({ key, changes }) => changes && !names.includes(key as Name))),
    /** Schemas of the wire fields, in order. */
    wire: wire as Wire<F>,
    /** Columns of a row of a table by field name, with exact numbers as text and bytes as hexadecimal digits. */
    select: (of: string) => columns.map((column) => `${readColumn(of, column)} as "${column.key}"`),

    /**
     * Takes the fields from an object, and missing ones from another. Both may have more. Spreading one into the other costs ten times as
     * much. @throws TypeError if a field is undefined.
     */
    pick: <Own extends Partial<View<F>>>(own: Own, rest: Omit<View<F>, keyof Own>): View<F> =>
      rows.pick(own as Row, rest as Row) as View<F>,
    /** Returns the record of a row. @throws TypeError if a field is undefined or unknown. */
    record: (orgId: string, of: View<F>): Row => rows.record(orgId, of),
    /** Reads a row of `select`. A field missing in its JSON column is null. */
    view: (row: Row): View<F> => rows.view(row) as View<F>,
    /** Reads a row with computed fields. */
    whole: (row: Row): View<F> & Computed<F> =>
      ({ ...rows.view(row), ...Object.fromEntries(computed.map((name) => [name, row[name]])) }) as View<F> & Computed<F>,
    /** Returns the wire form of a view, with the fields that the route computes. */
    body: (view: Shown<F>, ...[added]: keyof Given<F> extends never ? [] : [Given<F>]): Body<F> => body(view, added) as Body<F>,
  };
}
