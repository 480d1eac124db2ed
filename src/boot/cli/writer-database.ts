/** The service's database for a command that imports what the feed would have heard. */

import { resolve } from 'node:path';
import { openDatabase, type Sql } from '../../adapters/store/database.ts';
import { readyDatabase } from '../../adapters/store/ready-database.ts';
import { serviceDatabase } from './service-database.ts';
import { settings } from './settings.ts';

/** Opens the database as its owner, with the feed's key: a long import is no statement of a request, and what it writes is signed. */
export async function withWriterDatabase<Result>(name: string, work: (sql: Sql) => Promise<Result>): Promise<Result> {
  const { url, close } = await serviceDatabase();
  try {
    const { keys } = await readyDatabase(resolve(settings().SEVENGATE_HOME), url, ['feed']);
    const sql = openDatabase({ url, connections: 2, role: null, name, ...(keys.feed === undefined ? {} : { writer: keys.feed }) });
    try {
      return await work(sql);
    } finally {
      await sql.end({ timeout: 3 });
    }
  } finally {
    await close();
  }
}
