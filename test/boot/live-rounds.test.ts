// Live capital on a polled venue is refused with a reason if its quotes could not be polled in time, whoever has capital there already.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addedLiveInstruments, liveInstruments } from '../../src/adapters/store/agents/manifest-reads.ts';
import { API_ROLE, asOrganization } from '../../src/adapters/store/callers/as-organization.ts';
import { openDatabase, type Sql } from '../../src/adapters/store/database.ts';
import { createLiveRounds } from '../../src/boot/sandbox/live-rounds.ts';
import { testDatabase } from '../harness/postgres.ts';

const OURS = '00000000-0000-7000-8000-00000000000a';
const THEIRS = '00000000-0000-7000-8000-00000000000b';

let owner: Sql;
let engine: Sql;
let callers: Sql;
beforeAll(async () => {
  const url = await testDatabase();
  owner = openDatabase({ url, role: null, name: 'live rounds owner', connections: 1 });
  engine = openDatabase({ url, name: 'live rounds engine', connections: 1 });
  callers = openDatabase({ url, role: API_ROLE, name: 'live rounds callers', connections: 1 });
  await owner`insert into organizations (id, name) values (${OURS}, 'ours'), (${THEIRS}, 'theirs')`;
});
afterAll(async () => {
  for (const pool of [owner, engine, callers]) await pool.end();
});

/** Writes a live book of an organization. */
async function liveBook(orgId: string, instruments: readonly string[]): Promise<void> {
  await owner.begin(async (transaction) => {
    await transaction`alter table books disable trigger all`;
    await transaction`
      insert into books (id, org_id, mode, capital_usd, cash_usd, opened_at, changed_at, holdings)
      values (${`live ${orgId}`}, ${orgId}, 'live', 0, 0, 0, 0, ${transaction.json(instruments.map((instrument) => ({ instrument })))})`;
    await transaction`alter table books enable trigger all`;
  });
}

test('instruments get live capital while the round of all live ones takes at most five seconds; other venues are unaffected', async () => {
  for (const sql of [engine, asOrganization(callers, OURS)]) {
    const late = createLiveRounds(sql, 60);
    expect(await late(['spotchain:AAPLx', 'spotchain:TSLAx', 'spotexchange:BTCUSDT'])).toBeNull();
    expect(await late(['spotchain:AAPLx', 'spotchain:TSLAx', 'spotchain:NVDAx'])).toContain('take 7.5 s a round');
    expect(await createLiveRounds(sql, 10)(['spotexchange:BTCUSDT'])).toBeNull();
  }
});

test('an organization’s live trading is not revealed to others, neither by name nor by the cost of an added instrument', async () => {
  await liveBook(THEIRS, ['spotchain:AAPLx', 'spotchain:TSLAx', 'spotexchange:BTCUSDT']);
  await liveBook(OURS, ['spotchain:AAPLx']);
  const ours = asOrganization(callers, OURS);
  expect(await liveInstruments(engine)).toEqual(['spotchain:AAPLx', 'spotchain:TSLAx', 'spotexchange:BTCUSDT']);
  await expect(liveInstruments(ours)).rejects.toThrow(/permission denied for function live_instruments/);
  expect(await ours`select key from visible_live_instruments()`).toEqual([{ key: 'spotchain:AAPLx' }]);
  const countWith = (key: 'spotchain:AAPLx' | 'spotchain:TSLAx' | 'spotchain:NVDAx') => addedLiveInstruments(ours, 'spotchain', [key]);
  // Known and unknown owners count the same.
  expect(await countWith('spotchain:TSLAx')).toBe(3);
  expect(await countWith('spotchain:NVDAx')).toBe(3);
  expect(await countWith('spotchain:AAPLx')).toBe(2);
  // Their capital still takes its share of the round.
  expect(await createLiveRounds(ours, 60)(['spotchain:NVDAx'])).toContain('quotes of 3 instruments');
  expect(await createLiveRounds(ours, 60)(['spotchain:AAPLx'])).toBeNull();
});
