// Every resource is compared with the database: columns and types, required values, and what may change.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agent } from '../../../actors/agent/resource.ts';
import { bridgeTransfer } from '../../../actors/bridge-transfer/resource.ts';
import { checkout, licence, marketplaceImport } from '../../../actors/checkout/resource.ts';
import { delegatedOrder, delegation, revocation } from '../../../actors/delegation/resource.ts';
import { launch } from '../../../actors/launch/resource.ts';
import { launcherLaunch } from '../../../actors/launcher-launch/resource.ts';
import { linkedWallet } from '../../../actors/linked-wallet/resource.ts';
import { listing } from '../../../actors/listing/resource.ts';
import { marketOrder } from '../../../actors/market-order/resource.ts';
import { predictionOrder } from '../../../actors/prediction-order/resource.ts';
import { preparedTransaction } from '../../../actors/prepared-transaction/resource.ts';
import { proposal } from '../../../actors/proposal/resource.ts';
import { publishedTake, take } from '../../../actors/take/resource.ts';
import { decision } from '../../../actors/ticking/resource.ts';
import { openDatabase, type Sql } from '../../../src/adapters/store/database.ts';
import { files } from '../../rooms/source.ts';
import { testDatabase } from '../../harness/postgres.ts';

/** Resources whose stores write their rows with statements of their own, and read them by the definition. */
const READ = { linkedWallet, listing };
const RESOURCES = {
  agent,
  bridgeTransfer,
  checkout,
  decision,
  delegatedOrder,
  delegation,
  launch,
  licence,
  marketplaceImport,
  launcherLaunch,
  marketOrder,
  predictionOrder,
  preparedTransaction,
  proposal,
  revocation,
  take,
};
/** Resources whose rows a trigger writes. */
const COPIED = { publishedTake };

interface ColumnRow {
  readonly name: string;
  readonly type: string;
  /** Neither nullable nor filled by the database. */
  readonly isNeeded: boolean;
  readonly mayInsert: boolean;
  readonly mayUpdate: boolean;
}

const TYPES: Readonly<Record<string, string>> = { integer: 'int', 'timestamp with time zone': 'timestamptz' };

let owner: Sql;
beforeAll(async () => {
  owner = openDatabase({ url: await testDatabase(), role: null, name: 'resources', connections: 1 });
});
afterAll(() => owner.end());

const columnsOf = (table: string) => owner<ColumnRow[]>`
  select attname as name, format_type(atttypid, null) as type, attnotnull and not atthasdef and attidentity = '' as "isNeeded",
    has_column_privilege('sevengate_app', attrelid, attnum, 'insert') as "mayInsert",
    has_column_privilege('sevengate_app', attrelid, attnum, 'update') as "mayUpdate"
  from pg_attribute where attrelid = ${table}::regclass and attnum > 0 and not attisdropped`;

test('every definition in a resource.ts is checked here', () => {
  const defined = files
    .filter(({ path }) => /^actors\/[a-z-]+\/resource\.ts$/.test(path))
    .flatMap(({ code }) => [...code.matchAll(/^export const (\w+) = resource\(/gm)].map(([, name]) => name));
  expect(defined.sort()).toEqual(Object.keys({ ...RESOURCES, ...READ, ...COPIED }).sort());
});

test.each(Object.entries({ ...RESOURCES, ...READ, ...COPIED }))(
  '%s has columns of the table, each with its type, and may write each unless a trigger does',
  async (name, { table, columns }) => {
    const mayInsert = !(name in COPIED);
    const rows = new Map((await columnsOf(table)).map((row) => [row.name, row]));
    for (const { sql, type } of columns) {
      const found = rows.get(sql);
      expect({ sql, type: TYPES[found?.type ?? ''] ?? found?.type, mayInsert: found?.mayInsert }).toEqual({ sql, type, mayInsert });
    }
  },
);

describe.each(Object.entries(RESOURCES))('%s', (_, { table, columns }) => {
  test('fills every column that a row needs', async () => {
    const given = new Set(['org_id', ...columns.map(({ sql }) => sql)]);
    expect((await columnsOf(table)).filter(({ name, isNeeded }) => isNeeded && !given.has(name))).toEqual([]);
  });

  test('may change its mutable columns, and nothing that another definition of the table may not', async () => {
    const changing = Object.values(RESOURCES)
      .filter((one) => one.table === table)
      .flatMap((one) => one.columns.filter(({ changes }) => changes).map(({ sql }) => sql));
    const may = (await columnsOf(table)).filter(({ mayUpdate }) => mayUpdate).map(({ name }) => name);
    expect(may.sort()).toEqual([...new Set(changing)].sort());
  });
});
