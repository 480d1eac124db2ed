// Evidence and trials from before a migration that changed the rules: listed with what is asked since, and with their returns.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../../src/adapters/store/database.ts';
import { migrate } from '../../../../src/adapters/store/migrate.ts';
import { testDatabase } from '../../../harness/postgres.ts';

const MIGRATIONS = new URL('../../../../migrations/', import.meta.url);
const ORG = '00000000-0000-7000-8000-000000000001';
const AGENT = '00000000-0000-7000-8000-00000000000a';
const RUNS = [1, 2, 3].map((n) => `00000000-0000-7000-8000-00000000010${n}`) as [string, string, string];
const DAY = 86_400_000;
const TODAY = Date.UTC(2026, 5, 1);
const HASH = createHash('sha256').update('{"timeframe":"1h"}').digest('hex');
const TIMES = { enteredAt: TODAY, evaluatedAt: TODAY + DAY };
const BACKTEST = {
  startEquityUsd: '100',
  firstCandleAt: TODAY,
  lastCandleAt: TODAY,
  annualisation: 365,
  days: [[TODAY, '100', '100', '100', 0]],
  fills: 0,
  closedTrades: 0,
  slippageBps: null,
};
const MANIFEST = {
  universe: [{ venue: 'spotexchange', instrument: 'BTCUSDT' }],
  entry: [],
  maxCapitalUsd: '100',
  maxTradeNotionalUsd: '10',
  maxLeverage: '1',
  stopLossPct: 4,
  takeProfitPct: 9,
  maxDailyDrawdownPct: 3,
  maxOpenPositions: 1,
};
/** Series as they were written before the rules of their gates changed. */
const EVIDENCE = [
  ['backtest', BACKTEST, RUNS[0]],
  ['backtest', BACKTEST, RUNS[1]],
  ['stress_test', { maxDailyDrawdownPct: 3, runs: [] }, null],
  ['paper', { ...TIMES, pausedMs: 0, startEquityUsd: '100', days: [[TODAY, '100']], trades: [] }, null],
  ['shadow', { ...TIMES, maxSlippageBps: 30, orders: [] }, null],
  ['manifest', MANIFEST, null],
  ['manifest', { ...MANIFEST, strategy: { kind: 'external' } }, null],
] as const;

test('evidence and trials from before a migration: held by what the rules ask since, and trials have their returns', async () => {
  const url = await testDatabase('empty');
  const owner = openDatabase({ url, connections: 1, role: null, name: 'test' });
  await owner`create table migrations (name text primary key, hash text not null, applied_at timestamptz not null default clock_timestamp())`;
  for (const name of readdirSync(MIGRATIONS).sort()) {
    if (!name.endsWith('.sql') || name >= '0019') continue;
    const text = readFileSync(new URL(name, MIGRATIONS), 'utf8');
    await owner.begin(async (transaction) => {
      await transaction.unsafe(text);
      await transaction`insert into migrations (name, hash) values (${name}, ${createHash('sha256').update(text).digest('hex')})`;
    });
  }
  await owner`insert into organizations (id, name) values (${ORG}, 'ours')`;
  for (const id of [AGENT, ...RUNS])
    await owner`insert into actors (id, org_id, kind, machine, version, snapshot, status) values (${id}, ${ORG}, 'evaluation', 'evaluation@1', 1, '{}', 'done')`;
  for (const table of ['manifests', 'evidence', 'agents']) await owner`alter table ${owner(table)} disable trigger all`;
  await owner`insert into manifests (agent_id, version, hash, canonical, created_by) values (${AGENT}, 1, ${HASH}, '{"timeframe":"1h"}', 'ann')`;
  await owner`insert into agents (id, org_id, name, stage, autonomy, manifest_version, manifest_hash, created_by)
    values (${AGENT}, ${ORG}, 'a', 'draft', 'research', 1, ${HASH}, 'ann')`;
  const stretch = { from: '2021-05-24T00:00:00.000Z', to: '2026-06-01T00:00:00.000Z', timeframe: null, look: false };
  const daily = [
    { date: '2026-05-29', equityUsd: '101' },
    { date: '2026-06-01', equityUsd: '99.99' },
  ];
  const runs = [
    ['backtest', stretch, { capitalUsd: '100', daily }],
    ['backtest', { ...stretch, timeframe: '12h' }, { capitalUsd: '100', daily: [] }],
    ['sweep', stretch, { capitalUsd: '100', bestDaily: daily, trials: [{ manifestHash: 'b'.repeat(64), sharpe: 0.5 }] }],
  ] as const;
  for (const [n, [evaluation, request, result]] of runs.entries()) {
    const [text, id] = [JSON.stringify(result), RUNS[n] as string];
    const resultHash = createHash('sha256').update(text).digest('hex');
    await owner`
      insert into evaluation_runs (id, org_id, agent_id, evaluation, state, manifest_version, manifest_hash, request, requested_by, created_at, ended_at, attempts, result_hash, summary)
      values (${id}, ${ORG}, ${AGENT}, ${evaluation}, 'finished', 1, ${HASH}, ${owner.json(request)}, 'ann', ${TODAY + 5}, ${TODAY + 9}, 1, ${resultHash}, '{"sharpe":1.5}')`;
    await owner`insert into evaluation_reports (run_id, result_hash, result) values (${id}, ${resultHash}, ${text})`;
  }
  for (const [index, [kind, series, runId]] of EVIDENCE.entries())
    await owner`
      insert into evidence (id, agent_id, seq, kind, manifest_version, manifest_hash, at, run_id, result_hash, metrics, series, previous_hash, hash)
      select gen_random_uuid(), ${AGENT}, ${index + 1}, ${kind}, 1, ${HASH}, ${TODAY}, ${runId}, 'r', evidence_metrics(${kind}, s)::text, s::text, '', ''
      from (select ${owner.json(series as never)}::jsonb as s) of`;
  for (const table of ['manifests', 'evidence', 'agents']) await owner`alter table ${owner(table)} enable trigger all`;
  await owner.end();

  await migrate(url);
  const sql = openDatabase({ url, connections: 1, name: 'test' });
  expect(
    await sql`select e.kind, s.rules_version, s.rule_change from superseded_evidence s join evidence e on e.id = s.evidence_id order by e.seq`,
  ).toEqual([
    {
      kind: 'backtest',
      rules_version: 2,
      rule_change: 'its family is every trial of the organization whose daily returns correlate with its own',
    },
    { kind: 'backtest', rules_version: 2, rule_change: 'a backtest of another timeframe or stretch is a look and no evidence' },
    { kind: 'stress_test', rules_version: 1, rule_change: 'a scenario may cost no more than the daily drawdown of the mandate' },
    { kind: 'paper', rules_version: 2, rule_change: 'a trade is a round trip from flat to flat, however many fills close it' },
    { kind: 'shadow', rules_version: 2, rule_change: 'the expected slippage has to lie within its budget together with its own error' },
    { kind: 'manifest', rules_version: 1, rule_change: 'the proposals of outside code are a condition of entry' },
  ]);
  // What the old rules came to stands: their metrics still follow from their series.
  expect(await sql`select kind from evidence where not metrics_follow(metrics::jsonb, kind, series::jsonb)`).toEqual([]);
  const firstDay = Date.UTC(2026, 4, 29) / DAY;
  const returns = [expect.closeTo(0.01, 6), null, null, expect.closeTo(-0.01, 6)];
  expect(await sql`select run_id, manifest_hash, sharpe, first_day, to_jsonb(returns) as returns from trials order by seq`).toEqual([
    { run_id: RUNS[0], manifest_hash: HASH, sharpe: 1.5, first_day: firstDay, returns },
    { run_id: RUNS[1], manifest_hash: HASH, sharpe: 1.5, first_day: null, returns: null },
    { run_id: RUNS[2], manifest_hash: 'b'.repeat(64), sharpe: 0.5, first_day: firstDay, returns },
  ]);
  await sql.end();
});
