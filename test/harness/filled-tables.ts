/** Creates a row of an organization in every table with organizations, from the catalog, so that new tables are included. */
import type { Sql } from '../../src/adapters/store/database.ts';

/** Table with policies. */
export interface OrganizationTable {
  readonly name: string;
  readonly columns: readonly Column[];
}

interface Column {
  readonly name: string;
  readonly type: string;
  /** True if the database fills it. */
  readonly made: boolean;
  /** Referenced table and column, if it refers to another such table. */
  readonly refersTo: { readonly table: string; readonly column: string } | null;
}

type Row = { readonly [column: string]: unknown };

/** Returns the tables with organizations, referenced ones first. */
export async function organizationTables(superuser: Sql): Promise<readonly OrganizationTable[]> {
  const rows = await superuser<{ table: string; column: string; type: string; made: boolean; of: string | null; at: string | null }[]>`
    select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type,
      a.attidentity = 'a' or a.attgenerated <> '' or a.atttypid = 'xid8'::regtype as made, r.relname as of, r.attname as at
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join lateral (
      select f.relname, b.attname from pg_constraint k cross join unnest(k.conkey, k.confkey) as p(n, m) join pg_class f on f.oid = k.confrelid
      join pg_attribute b on b.attrelid = f.oid and b.attnum = p.m
      where k.conrelid = c.oid and k.contype = 'f' and p.n = a.attnum and not k.condeferrable and f.relrowsecurity
      order by cardinality(k.conkey) desc limit 1
    ) r on true
    where c.relnamespace = 'public'::regnamespace and c.relrowsecurity order by c.oid, a.attnum`;
  const tables = new Map<string, Column[]>();
  for (const { table, column, type, made, of, at } of rows) {
    const named = column === 'actor_id' || column === 'agent_id' ? { table: 'actors', column: 'id' } : null;
    const refersTo = of !== null && at !== null ? { table: of, column: at } : named;
    tables.set(table, [...(tables.get(table) ?? []), { name: column, type, made, refersTo: table === 'actors' ? null : refersTo }]);
  }
  return [...tables].map(([name, columns]) => ({ name, columns }));
}

/**
 * Gives an organization one row in each of these tables. The values are meaningless, so the database permanently loses its checks,
 * foreign keys and triggers: afterwards it can only show whose a row is.
 */
export async function fillTables(superuser: Sql, tables: readonly OrganizationTable[], orgId: string): Promise<ReadonlyMap<string, Row>> {
  const rows = new Map<string, Row>();
  await superuser.begin(async (transaction) => {
    for (const { name } of tables) await transaction`alter table ${transaction(name)} disable trigger all`;
    const constraints = await transaction<{ on: string; name: string }[]>`
      select conrelid::regclass::text as on, conname as name from pg_constraint
      where connamespace = 'public'::regnamespace and contype = 'c' and coninhcount = 0 and conrelid <> 0`;
    for (const { on, name } of constraints) await transaction`alter table ${transaction(on)} drop constraint ${transaction(name)} cascade`;
    for (const table of tables) {
      const values = Object.fromEntries(
        table.columns.filter(({ made }) => !made).map((column) => [column.name, valueOf(column, table.name, orgId, rows)]),
      );
      const names = Object.keys(values);
      const [row] = await transaction<{ row: Row }[]>`
        insert into ${transaction(table.name)} (${transaction(names)}) select ${transaction(names)}
        from jsonb_populate_record(null::${transaction(table.name)}, ${transaction.json(values as never)}) returning to_jsonb(${transaction(table.name)}.*) as row`;
      rows.set(table.name, (row as { row: Row }).row);
    }
  });
  return rows;
}

let made = 0;

/** Returns a unique value of the type; a reference leads to the organization's own row. */
function valueOf({ name, type, refersTo }: Column, table: string, orgId: string, rows: ReadonlyMap<string, Row>): unknown {
  if (name === 'org_id' || (table === 'organizations' && name === 'id')) return orgId;
  if (refersTo !== null) return rows.get(refersTo.table)?.[refersTo.column] ?? null;
  made++;
  if (type.endsWith('[]')) return '{}';
  switch (type) {
    case 'uuid':
      return `00000000-0000-7000-9000-${String(made).padStart(12, '0')}`;
    case 'text':
      // Computed columns read some texts as JSON.
      return `{"made":${made}}`;
    case 'jsonb':
      return {};
    case 'boolean':
      return false;
    case 'bytea':
      return '\\x00';
    case 'int8multirange':
      return '{}';
    case 'timestamp with time zone':
      return '2026-03-02T00:00:00Z';
    default:
      return made;
  }
}
