// Live capital on a polled venue: refused in words where its quotes could not be asked for in time, whoever has capital there already.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase, type Sql } from '../../src/adapters/store/database.ts';
import { createLiveRounds } from '../../src/boot/live-rounds.ts';
import { testDatabase } from '../harness/postgres.ts';

const pools: Sql[] = [];
beforeAll(async () => {
  const url = await testDatabase();
  for (const role of ['sevengate_app', 'sevengate_api'] as const)
    pools.push(openDatabase({ url, role, name: 'live rounds test', connections: 1 }));
});
afterAll(async () => {
  for (const pool of pools) await pool.end();
});

test('instruments are given live capital while the round of all that have it fits into five seconds; other venues are not asked', async () => {
  for (const sql of pools) {
    const late = createLiveRounds(sql, 60);
    expect(await late(['spotchain:AAPLx', 'spotchain:TSLAx', 'spotexchange:BTCUSDT'])).toBeNull();
    expect(await late(['spotchain:AAPLx', 'spotchain:TSLAx', 'spotchain:NVDAx'])).toContain('take 7.5 s a round');
    expect(await createLiveRounds(sql, 10)(['spotexchange:BTCUSDT'])).toBeNull();
  }
});
