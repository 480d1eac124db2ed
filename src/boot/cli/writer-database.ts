/** The service's database for a command that writes as a part of the service does. */

import { resolve } from 'node:path';
import { openDatabase, type Sql } from '../../adapters/store/database.ts';
import { readyDatabase } from '../../adapters/store/ready-database.ts';
import type { BatchSigner } from '../../adapters/store/trail/batch-seal.ts';
import { serviceDatabase } from './service-database.ts';
import { settings } from './settings.ts';

/**
 * Opens the database as its owner, with a writer's key, the feed's unless told: a long import is no statement of a request, and
 * what it writes is signed.
 */
export async function withWriterDatabase<Result>(
  name: string,
  work: (sql: Sql) => Promise<Result>,
  writer: 'feed' | 'worker' = 'feed',
): Promise<Result> {
  const { url, close } = await serviceDatabase();
  try {
    const { keys } = await readyDatabase(resolve(settings().SEVENGATE_HOME), url, [writer]);
    const sql = openDatabase({ url, connections: 2, role: null, name, ...signedBy(keys[writer]) });
    try {
      return await work(sql);
    } finally {
      await sql.end({ timeout: 3 });
    }
  } finally {
    await close();
  }
}

const signedBy = (writer: BatchSigner | undefined) => (writer === undefined ? {} : { writer });
