// The database's gates with raw SQL: every pair of stages, every state of the evidence, every role.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createVaultHandler } from '../../../../actors/agent/vault-handler.ts';
import { writeRecords } from '../../../../src/adapters/store/actors/actor-records.ts';
import type { FillRecord } from '../../../../src/adapters/store/books/book-store.ts';
import { createFundingStore } from '../../../../src/adapters/store/books/funding-store.ts';
import { openDatabase, type Sql } from '../../../../src/adapters/store/database.ts';
import { createEvaluationRows } from '../../../../src/adapters/store/evaluations/evaluation-rows.ts';
import { createEvidenceWriter, EVALUATOR_ROLE } from '../../../../src/adapters/store/gates/evidence-store.ts';
import { createGateKeeper } from '../../../../src/adapters/store/gates/gate-keeper.ts';
import { separateLogins } from '../../../../src/adapters/store/logins.ts';
import { createSignedRows } from '../../../../src/adapters/store/trail/signed-rows.ts';
import { stateOrigins } from '../../../../src/adapters/store/catalog/source-origins.ts';
import { verifyTrail } from '../../../../src/adapters/store/trail-verifier.ts';
import { createReserveStore } from '../../../../src/adapters/store/vaults/reserve-store.ts';
import { createVaultStore } from '../../../../src/adapters/store/vaults/vault-store.ts';
import { STAGES, type Stage } from '../../../../src/domain/agents/agent.ts';
import { bookIds } from '../../../../src/domain/books/book.ts';
import { canonicalHash, sha256Hex } from '../../../../src/domain/values/canonical-json.ts';
import type { DataSource, StatedOrigin } from '../../../../src/domain/market/data-source.ts';
import {
  type BacktestSeries,
  type EvidenceDraft,
  type EvidenceKind,
  type EvidenceSeries,
  evidenceChainText,
  evidenceKindAt,
  evidenceMetrics,
  stageChangeChainText,
} from '../../../../src/domain/agents/evidence.ts';
import { computePaperSeries } from '../../../../src/domain/agents/paper-evaluation.ts';
import type { InstrumentKey } from '../../../../src/domain/market/venue.ts';
import { backtestSeries, stressSeries } from '../../../domain/evidence-samples.ts';
import { testDatabase } from '../../../harness/postgres.ts';
import { isMet } from '../../../harness/rounds.ts';
import { payIntoVault } from '../../../harness/vault.ts';
import { waitFor } from '../../../harness/wait-for.ts';
import { createGateFixture, type GateFixture, ORG } from './gate-fixture.ts';

let fixture: GateFixture;
let app: Sql;
let evaluator: Sql;
let url: string;
beforeAll(async () => {
  url = await testDatabase();
  fixture = await createGateFixture(url);
  ({ app, evaluator } = fixture);
});
afterAll(() => fixture.close());

const step = (sql: Sql, id: string, to: Stage, evidenceId: string | null, askedBy: string | null = 'tina') =>
  sql`update agents set stage = ${to}, stage_evidence = ${evidenceId}, stage_asked_by = ${askedBy} where id = ${id}`;
const stageOf = async (id: string): Promise<string> =>
  (await app<{ stage: string }[]>`select stage from agents where id = ${id}`)[0]?.stage as string;

/** States of a gate's evidence, and how to create each. */
const STATES_OF_EVIDENCE = ['absent', 'failing', 'of an older manifest', 'older than a demotion', 'passing'] as const;

describe('every pair of stages, whatever the evidence and the role', () => {
  for (const evidence of STATES_OF_EVIDENCE) {
    test(`with evidence ${evidence}`, async () => {
      for (const from of STAGES) {
        const id = await fixture.agentAt(from, { evidence });
        // The agent's evidence is on record; an attacker could only name it.
        const kind = evidenceKindAt(from);
        const [proof] =
          kind === null
            ? []
            : await app<{ id: string }[]>`select id from evidence where agent_id = ${id} and kind = ${kind} order by seq desc limit 1`;
        for (const to of STAGES) {
          if (STAGES.indexOf(to) <= STAGES.indexOf(from)) continue;
          const opens = evidence === 'passing' && STAGES.indexOf(to) === STAGES.indexOf(from) + 1;
          for (const role of ['app', 'evaluator', 'reader', 'owner'] as const) {
            // The legal step is tried last, because it moves the agent.
            if (opens && role === 'app') continue;
            // Roles without the privilege are refused before any gate: a quarter of the pairs suffices.
            if ((role === 'evaluator' || role === 'reader') && !isMet(STAGES.indexOf(from), STAGES.indexOf(to), 4)) continue;
            const attempt = fixture.as(role).begin(async (sql) => {
              await step(sql as unknown as Sql, id, to, proof?.id ?? null);
              if (role === 'owner' && opens) throw new Error('the gate was open: undone');
            });
            await expect(attempt, `${from} to ${to} as ${role}`).rejects.toThrow(
              role === 'app' || role === 'owner' ? (opens ? /was open/ : /the gate|only the gate/) : /permission denied/,
            );
          }
          expect(await stageOf(id)).toBe(from);
        }
        if (evidence === 'passing' && from !== 'live') {
          const to = STAGES[STAGES.indexOf(from) + 1] as Stage;
          await expect(step(app, id, to, null)).rejects.toThrow(/which was not named/);
          await step(app, id, to, proof?.id as string);
          expect(await stageOf(id)).toBe(to);
        }
      }
    });
  }

  test('the application may step back, which closes every later gate again', async () => {
    for (const from of ['stress_test', 'live'] as const) {
      for (const to of STAGES.slice(0, STAGES.indexOf(from))) {
        const id = await fixture.agentAt(from, { evidence: 'absent' });
        await step(app, id, to, null, 'somebody');
        expect(await stageOf(id)).toBe(to);
        const next = STAGES[STAGES.indexOf(to) + 1] as Stage;
        await expect(step(app, id, next, null)).rejects.toThrow(/needs evidence/);
      }
    }
  });
});

/** Cancels a run after it has left its evidence, as whoever is faster than its worker's end does. */
async function cancelled(runId: string | null): Promise<void> {
  const { superuser } = fixture;
  await superuser`alter table evaluation_runs disable trigger all`;
  await superuser`update evaluation_runs set state = 'cancelled', result_hash = null where id = ${runId}`;
  await superuser`alter table evaluation_runs enable trigger all`;
  await superuser`alter table evaluation_runs enable always trigger evaluation_end`;
}

test('evidence of a run that was cancelled after it decides nothing, and the earlier evidence decides again', async () => {
  const id = await fixture.agentAt('backtest', { evidence: 'passing' });
  const [decided] = await app<{ id: string }[]>`select id from evidence where agent_id = ${id} and kind = 'backtest'`;
  const later = await fixture.pass(id, 'backtest', undefined, false);
  await cancelled(later.runId);
  await step(app, id, 'stress_test', decided?.id as string);
  expect(await stageOf(id)).toBe('stress_test');
  const { breaks } = await verifyTrail(app);
  expect(breaks.filter(({ agentId, part }) => agentId === id && part === 'gate')).toEqual([]);
});

describe('forbidden for every role but a superuser', () => {
  test('inserting evidence or stage changes as the application, the reader or under a login of the service', async () => {
    const id = await fixture.agentAt('draft', { evidence: 'absent' });
    const { appUrl, evaluatorUrl, shared } = await separateLogins(url);
    expect(shared).toBe(null);
    const appLogin = openDatabase({ url: appUrl, connections: 1, name: 'app login' });
    const bareLogin = openDatabase({ url: appUrl, role: null, connections: 1, name: 'bare login' });
    const evaluatorLogin = openDatabase({ url: evaluatorUrl, role: EVALUATOR_ROLE, connections: 1, name: 'evaluator login' });
    try {
      for (const sql of [app, fixture.as('reader'), appLogin, bareLogin]) {
        await expect(
          sql`insert into evidence (id, agent_id, kind, manifest_version, manifest_hash, result_hash, metrics, series)
            values (gen_random_uuid(), ${id}, 'manifest', 1, 'x', 'x', '{}', '{}')`,
        ).rejects.toThrow(/permission denied/);
        await expect(sql`insert into stage_changes select * from stage_changes limit 0`).rejects.toThrow(/permission denied/);
        await expect(sql`update gate_heads set seq = 0`).rejects.toThrow(/permission denied/);
      }
      // The service's login can become neither the evaluator nor the owner, and owns nothing.
      await expect(appLogin`set role sevengate_evaluator`).rejects.toThrow(/permission denied/);
      await expect(bareLogin`set role sevengate_evaluator`).rejects.toThrow(/permission denied/);
      for (const sql of [appLogin, evaluatorLogin]) {
        await sql`reset role`;
        await expect(sql`alter table agents disable trigger agent_stage_gate`).rejects.toThrow(/must be owner/);
        await expect(sql`alter table evidence disable trigger all`).rejects.toThrow(/must be owner/);
        await expect(sql`set session_replication_role = replica`).rejects.toThrow(/permission denied/);
        await expect(sql`select ensure_login('x', 'sevengate_evaluator', 'y')`).rejects.toThrow(/permission denied/);
        await expect(sql`select next_gate_record(${id})`).rejects.toThrow(/permission denied/);
        await expect(sql`create or replace function gate_now() returns bigint language sql as 'select 0::bigint'`).rejects.toThrow(
          /must be owner|permission denied/,
        );
      }
      // The evaluator may write the columns of its work, but no verdict, time, number or hash.
      const columns = ['seq', 'at', 'passed', 'checks', 'hash', 'previous_hash'];
      for (const column of columns)
        await expect(
          evaluator`insert into evidence (id, ${evaluator(column)}) values (gen_random_uuid(), ${column === 'passed' ? true : 1})`,
        ).rejects.toThrow();
      await expect(evaluator`update agents set stage = 'live'`).rejects.toThrow(/permission denied/);
      await expect(evaluator`insert into fills (id) values ('mine')`).rejects.toThrow(/permission denied/);
    } finally {
      await Promise.all([appLogin, bareLogin, evaluatorLogin].map((sql) => sql.end()));
    }
  });

  test('changing, deleting or truncating records', async () => {
    for (const sql of [app, evaluator, fixture.as('reader'), fixture.as('owner'), fixture.superuser]) {
      for (const table of ['evidence', 'stage_changes']) {
        await expect(sql`update ${sql(table)} set previous_hash = ''`).rejects.toThrow(/permission denied|append-only/);
        await expect(sql`delete from ${sql(table)}`).rejects.toThrow(/permission denied|append-only/);
        await expect(sql`truncate ${sql(table)} cascade`).rejects.toThrow(/permission denied|append-only/);
      }
    }
  });

  test('substituting temporary tables for those of the gates', async () => {
    const id = await fixture.agentAt('backtest', { evidence: 'absent' });
    const passing = await fixture.agentAt('backtest', { evidence: 'passing' });
    const { manifestVersion, manifestHash } = fixture.manifestOf(id);
    const forged = fixture.newId();
    await expect(
      app.begin(async (sql) => {
        await sql`create temp table evidence as select * from public.evidence where agent_id = ${passing} and kind = 'backtest'`;
        await sql`update pg_temp.evidence set id = ${forged}, agent_id = ${id}, seq = 99, manifest_version = ${manifestVersion}, manifest_hash = ${manifestHash}`;
        await sql`create temp table stage_changes as select * from public.stage_changes where agent_id = ${id}`;
        await sql`create temp table members as select 'creator' as subject, ${ORG}::uuid as org_id, '{risk:manage}'::text[] as permissions`;
        await sql`create temp table agents as select * from public.agents where id = ${id}`;
        await sql`select count(*) from evidence`;
        await sql`update public.agents set stage = 'stress_test', stage_evidence = ${forged}, stage_asked_by = 'tina' where id = ${id}`;
      }),
    ).rejects.toThrow(/needs evidence/);
    // New guarding functions must set their search path.
    const [odd] = await app<{ names: string | null }[]>`
      select string_agg(p.proname, ', ' order by p.proname) as names from pg_proc p
      where p.pronamespace = 'public'::regnamespace and p.prosecdef and p.proname ~ 'gate|stage|evidence|sign' and not coalesce(p.proconfig::text ~ 'search_path=public, pg_temp', false)
        and p.proname <> 'gate_now'`;
    expect(odd?.names).toBe(null);
  });

  test('writing a verdict, even as the superuser', async () => {
    const id = await fixture.agentAt('draft', { evidence: 'absent' });
    await expect(
      fixture.superuser`insert into evidence (id, agent_id, kind, manifest_version, manifest_hash, result_hash, metrics, series, passed)
        values (gen_random_uuid(), ${id}, 'backtest', 1, 'x', 'x', '{}', '{}', true)`,
    ).rejects.toThrow(/cannot insert a non-DEFAULT value into column "passed"/);
  });
});

describe('the evaluator cannot invent', () => {
  const write = async <Kind extends EvidenceKind>(id: string, kind: Kind, series: EvidenceSeries[Kind], over: object = {}) =>
    createEvidenceWriter(evaluator, fixture.newId).write({
      agentId: id,
      kind,
      ...fixture.manifestOf(id),
      series,
      metrics: evidenceMetrics(kind, series),
      runId: kind === 'backtest' && !('runId' in over) ? await fixture.run(id) : null,
      resultHash: canonicalHash(series as never),
      ...over,
    } as EvidenceDraft);

  test('metrics that do not follow from the series', async () => {
    const id = await fixture.agentAt('backtest', { evidence: 'absent' });
    const series = backtestSeries({ driftPct: 0.01 });
    const metrics = { ...evidenceMetrics('backtest', series), sharpe: 2.5 };
    await expect(write(id, 'backtest', series, { metrics })).rejects.toThrow(/evidence_metrics_follow/);
    const holes = { ...series, days: series.days.filter((_, n) => n % 3 !== 0) };
    await expect(write(id, 'backtest', holes)).rejects.toThrow(/evidence_series_is_sound/);
    expect((await write(id, 'backtest', series)).passed).toBe(false);
  });

  test('limits other than those of the manifest, or an unrecorded manifest', async () => {
    const id = await fixture.agentAt('stress_test', { evidence: 'absent' });
    await expect(write(id, 'stress_test', stressSeries({}, 50))).rejects.toThrow(/not those of manifest/);
    await expect(write(id, 'stress_test', stressSeries(), { manifestHash: 'f'.repeat(64) })).rejects.toThrow(/not on record/);
    await expect(write(id, 'manifest', { ...fixture.manifest, stopLossPct: 7 })).rejects.toThrow(/not those of manifest/);
  });

  test('paper days without trades, a stage not reached, the future', async () => {
    const id = await fixture.agentAt('paper', { evidence: 'absent' });
    const series = await fixture.paperSeries(id);
    await expect(
      write(id, 'paper', { ...series, days: series.days.map(([day, equity], n) => [day, (Number(equity) + n * 10).toFixed(2)] as const) }),
    ).rejects.toThrow(/not that of the fills/);
    await expect(write(id, 'paper', { ...series, enteredAt: series.enteredAt - 86_400_000 * 20 })).rejects.toThrow(/came to paper/);
    await expect(write(id, 'paper', { ...series, evaluatedAt: series.evaluatedAt + 86_400_000 * 400 })).rejects.toThrow(/future/);
    const drafted = await fixture.agentAt('draft', { evidence: 'absent' });
    await expect(write(drafted, 'paper', series)).rejects.toThrow(/does not stand at this gate/);
  });

  test('a sign-off by the creator, by somebody without risk:manage, by a stranger, or before limited_live', async () => {
    const id = await fixture.agentAt('limited_live', { evidence: 'absent' });
    const word = (subject: string) => ({ subject, approved: true, comment: '' });
    for (const subject of ['creator', 'tina', 'stranger', 'theirs'])
      await expect(write(id, 'risk_signoff', word(subject))).rejects.toThrow(/risk:manage/);
    expect((await write(id, 'risk_signoff', word('rita'))).passed).toBe(true);
    const early = await fixture.agentAt('shadow', { evidence: 'absent' });
    await expect(write(early, 'risk_signoff', word('rita'))).rejects.toThrow(/does not stand/);
  });

  test('a backtest whose period ended more than a month ago opens nothing', async () => {
    const stale = await fixture.agentAt('backtest', { evidence: 'absent' });
    const old = await write(stale, 'backtest', backtestSeries());
    expect(old.passed).toBe(true);
    await expect(app`update agents set stage = 'stress_test', stage_evidence = ${old.id} where id = ${stale}`).rejects.toThrow(
      /more than 31 days back/,
    );
    const recent = await fixture.agentAt('backtest', { evidence: 'passing' });
    const [known] = await app`select id from evidence where agent_id = ${recent} and kind = 'backtest'`;
    await app`update agents set stage = 'stress_test', stage_evidence = ${known?.['id'] as string} where id = ${recent}`;
  });

  test('a rehearsal as evidence: a backtest with another timeframe or period, of another manifest or agent, or without a run', async () => {
    const id = await fixture.agentAt('backtest', { evidence: 'absent' });
    const series = backtestSeries();
    const looks = [{ timeframe: '12h' }, { from: '2015-01-01T00:00:00.000Z' }, { to: '2026-01-01T00:00:00.000Z' }, { look: true }];
    for (const over of looks)
      await expect(write(id, 'backtest', series, { runId: await fixture.run(id, over) }), JSON.stringify(over)).rejects.toThrow(
        /is a look at another timeframe or stretch/,
      );
    const foreign = await fixture.agentAt('backtest', { evidence: 'absent' });
    const before = await fixture.run(id);
    const version = await fixture.addVersion(id, { stopLossPct: 6 });
    await app`update agents set stage = 'draft', manifest_version = ${version.version}, manifest_hash = ${version.hash} where id = ${id}`;
    for (const runId of [null, 'nothing', await fixture.run(foreign), before])
      await expect(write(id, 'backtest', series, { runId }), String(runId)).rejects.toThrow(/no backtest of this manifest on record/);
    expect(await app`select 1 from evidence where agent_id = ${id} and kind = 'backtest'`).toHaveLength(0);
  });

  test('a series of earlier rules', async () => {
    const id = await fixture.agentAt('stress_test', { evidence: 'absent' });
    await expect(write(id, 'stress_test', { ...stressSeries(), rules: 1 })).rejects.toThrow(/version 1 of its rules, and 3 holds/);
  });

  test('the same run twice: it is recorded once, and both get the same answer', async () => {
    const id = await fixture.agentAt('backtest', { evidence: 'absent' });
    const series = backtestSeries();
    const runId = await fixture.run(id);
    const [first, second] = await Promise.all([write(id, 'backtest', series, { runId }), write(id, 'backtest', series, { runId })]);
    expect(second).toEqual(first);
    expect(
      await app`select seq from evidence where agent_id = ${id} and kind = 'backtest' and manifest_version = 1 and run_id = ${runId}`,
    ).toHaveLength(1);
    await expectWhole(id);
  });
});

test('a paper trade is a round trip from flat to flat: exit slices and additions to a position are no trades', async () => {
  const id = await fixture.agentAt('paper', { evidence: 'absent' });
  const rows = createEvaluationRows(app);
  const { enteredAt } = (await rows.window(id)) as { enteredAt: number };
  const bookId = bookIds.paper(id, 1);
  const fill = (n: number, instrument: InstrumentKey, side: 'buy' | 'sell', quantity: string, fillPrice: string): FillRecord => {
    const at = enteredAt + n * 60_000;
    const notionalUsd = String(Number(quantity) * Number(fillPrice));
    const ids = { id: fixture.newId(), orderId: fixture.newId(), bookId };
    const priced = { quantity, fillPrice, notionalUsd, feeUsd: '0.05', decisionPrice: fillPrice, slippageBps: 0 };
    return { type: 'fill', orgId: ORG, fill: { ...ids, instrument, side, ...priced, at, quotes: [] } };
  };
  const [one, other] = ['spotchain:AAPLx', 'spotchain:SPYx'] as const;
  await app.begin((sql) =>
    writeRecords(sql, [
      fill(1, one, 'buy', '1', '100'),
      fill(2, other, 'buy', '2', '50'),
      fill(3, one, 'buy', '3', '104'),
      ...[4, 5, 6, 7].map((n) => fill(n, one, 'sell', '1', '110')),
      fill(8, one, 'buy', '1', '100'),
      fill(9, one, 'sell', '1', '99'),
      fill(10, other, 'sell', '1', '60'),
    ]),
  );
  await fixture.advance(3_600_000);
  const { evaluatedAt } = (await rows.window(id)) as { evaluatedAt: number };
  const series = computePaperSeries(await rows.paper({ id, manifestVersion: 1 }, fixture.manifest, { enteredAt, evaluatedAt }));
  // 440 for 412 and six in fees; 99 for 100 and two in fees. The other position is still open.
  expect(series.trades).toEqual([
    [enteredAt + 7 * 60_000, '27.7'],
    [enteredAt + 9 * 60_000, '-1.1'],
  ]);
  const [row] = await app<{ trades: readonly (readonly [number, string])[] }[]>`
    select paper_series(${bookId}, ${fixture.manifest.maxCapitalUsd}, ${enteredAt}, ${evaluatedAt}) -> 'trades' as trades`;
  expect(row?.trades.map(([at, usd]) => [at, Number(usd)])).toEqual(series.trades.map(([at, usd]) => [at, Number(usd)]));
});

test('live needs a different person: neither the creator nor the requester, with risk:manage at that moment', async () => {
  const id = await fixture.agentAt('limited_live', { evidence: 'passing' });
  const [proof] = await app<{ id: string }[]>`select id from evidence where agent_id = ${id} and kind = 'risk_signoff'`;
  await expect(step(app, id, 'live', proof?.id ?? null, null)).rejects.toThrow(/sign-off/);
  await expect(step(app, id, 'live', proof?.id ?? null, 'rita')).rejects.toThrow(/sign-off/);
  await fixture.superuser`update members set permissions = '{agent:read}' where subject = 'rita'`;
  await expect(step(app, id, 'live', proof?.id ?? null)).rejects.toThrow(/sign-off/);
  await fixture.superuser`update members set permissions = '{agent:read,risk:manage}' where subject = 'rita'`;
  await step(app, id, 'live', proof?.id ?? null);
  expect(await stageOf(id)).toBe('live');
});

test('evidence under old rules holds an agent and raises an alert: no gate opens and nothing is deposited until it is renewed', async () => {
  const id = await fixture.agentAt('limited_live', { evidence: 'passing' });
  const view = { id, stage: 'limited_live' as const, ...fixture.manifestOf(id) };
  const [proof] = await app<{ id: string }[]>`select id from evidence where agent_id = ${id} and kind = 'risk_signoff'`;
  const keeper = createGateKeeper({ sql: app, evidence: createEvidenceWriter(evaluator, fixture.newId) });
  const vaults = createVaultStore(app, createSignedRows(evaluator));
  const clock = { now: () => Date.UTC(2026, 7, 1) };
  const marks = () => new Map();
  const paidIn = () =>
    createVaultHandler({ vaults, marks, clock, reserves: createReserveStore(app) }).deposit(
      { orgId: ORG, subject: 'tina', permissions: ['trade:execute'], requestId: 'r' },
      id,
      '100',
    );
  // As in a migration that changes the rules of backtests.
  await fixture.superuser`
    insert into superseded_evidence (evidence_id, rules_version, rule_change)
    select id, 1, 'costs are those of paper' from evidence where agent_id = ${id} and kind = 'backtest'`;
  const words =
    'the evidence of backtest was made under version 1 of its rules, and since then costs are those of paper; run it again: POST /v1/agents/:id/backtest';

  await expect(step(app, id, 'live', proof?.id ?? null)).rejects.toThrow(
    /stays shut: the evidence of backtest was made under version 1 of its rules, and since then costs are those of paper/,
  );
  await expect(payIntoVault(app, ORG, id, '100', clock.now())).rejects.toMatchObject({ constraint_name: 'vault_evidence' });
  expect(await paidIn()).toMatchObject({ ok: false, refusal: { code: 'blocked_by_risk', detail: `the vault takes no deposit: ${words}` } });
  expect(await keeper.validate(view, true)).toMatchObject({ passed: false, problems: [words] });
  const gates = await keeper.all(view);
  expect(gates.map(({ kind, evidence, problems }) => [kind, evidence?.rulesVersion, evidence?.ruleChange, problems])).toEqual([
    ['manifest', 2, null, []],
    ['backtest', 1, 'costs are those of paper', [words]],
    ['stress_test', 3, null, []],
    ['paper', 6, null, []],
    ['shadow', 3, null, []],
    ['risk_signoff', 1, null, [words]],
  ]);
  // It stays at its stage, and alerts once a day.
  expect(await stageOf(id)).toBe('limited_live');
  const alerts = () =>
    app<{ detail: string }[]>`select body ->> 'detail' as detail from announcements where actor_id = ${id} and channel = 'alerts'`;
  for (const at of [clock.now(), clock.now() + 60_000]) {
    for (const untold of await keeper.untold(at)) await keeper.tellOutdated(untold.id, at);
  }
  expect(await alerts()).toEqual([{ detail: `It stays at its stage: ${words}` }]);
  for (const sql of [app, evaluator]) await expect(sql`delete from superseded_evidence`).rejects.toThrow(/permission denied/);

  // Another failing run renews nothing; a passing one does.
  await fixture.pass(id, 'backtest', 'failing run', false);
  await expect(step(app, id, 'live', proof?.id ?? null)).rejects.toThrow(/of its rules/);
  await fixture.pass(id, 'backtest', 'passing run');
  expect(await keeper.untold(clock.now() + 2 * 86_400_000)).toEqual([{ id }]);
  await keeper.tellOutdated(id, clock.now() + 2 * 86_400_000);
  expect(await alerts()).toHaveLength(1);
  await payIntoVault(app, ORG, id, '100', clock.now());
  await step(app, id, 'live', proof?.id ?? null);
  expect(await stageOf(id)).toBe('live');
  await expectWhole(id);
});

test('backtests of rules on events from before reception was kept are of earlier rules', async () => {
  const migration = readFileSync(new URL('../../../../migrations/0460_evidence_of_unproved_reception.sql', import.meta.url), 'utf8');
  const others = fixture.manifest.entry.filter(({ type }) => type !== 'no_negative_event');
  const proofs = new Map<string, string>();
  for (const [rules, entry] of [
    ['without events', others],
    ['with events', [...others, { type: 'no_negative_event', minSeverity: 'high', lookbackHours: 24 }]],
  ] as const) {
    const id = await fixture.agentAt('draft', { evidence: 'absent' });
    await fixture.addVersion(id, { entry: entry as typeof fixture.manifest.entry });
    const { manifestVersion, manifestHash } = fixture.manifestOf(id);
    await app`update agents set manifest_version = ${manifestVersion}, manifest_hash = ${manifestHash} where id = ${id}`;
    await fixture.climbTo(id, 'backtest');
    proofs.set((await fixture.pass(id, 'backtest')).id, rules);
  }
  const superseded = async (receivedFrom: number | null): Promise<string[]> => {
    const found: string[] = [];
    await fixture.superuser
      .begin(async (sql) => {
        if (receivedFrom !== null)
          await sql`insert into event_receptions values ('news:wire', ${receivedFrom}, ${receivedFrom + 1}, '{AAPL}', true)`;
        await sql.unsafe(migration);
        const rows = await sql<{ id: string }[]>`
          select evidence_id as id from superseded_evidence where evidence_id = any(${[...proofs.keys()]}::uuid[])`;
        found.push(...rows.map(({ id }) => proofs.get(id) as string));
        throw new Error('taken back');
      })
      .catch((error: unknown) => expect(String(error)).toContain('taken back'));
    return found;
  };
  const [last] = await app<{ at: number }[]>`select max(at) as at from evidence`;
  expect(await superseded(null)).toEqual(['with events']);
  expect(await superseded((last?.at as number) + 1)).toEqual(['with events']);
  expect(await superseded(0)).toEqual([]);
});

test('paper evidence that passed only by gains from before the stage, or while paused, is of earlier rules', async () => {
  const migration = readFileSync(new URL('../../../../migrations/0462_paper_trades_of_the_stage.sql', import.meta.url), 'utf8');
  const [sound, forged] = [await fixture.agentAt('paper', { evidence: 'absent' }), await fixture.agentAt('paper', { evidence: 'absent' })];
  const proofs = [await fixture.pass(sound, 'paper'), await fixture.pass(forged, 'paper')];
  expect(proofs.map(({ passed }) => passed)).toEqual([true, true]);
  const supersededIds = async (): Promise<string[]> => {
    const found: string[] = [];
    await fixture.superuser
      .begin(async (sql) => {
        // As if each had been paused: one before any of its trades, the other for all of them.
        await sql`alter table evidence disable trigger user`;
        await sql`alter table steps disable trigger user`;
        for (const [id, at] of [
          [sound, 2],
          [forged, Number.MAX_SAFE_INTEGER],
        ] as const) {
          await sql`
            insert into steps (actor_id, version, at, machine, event, to_value)
            values (${id}, 1000, 1, 'agent@1', '{}', '{"duty":"paused"}'), (${id}, 1001, ${at}, 'agent@1', '{}', '{"duty":"active"}')`;
          await sql`update evidence set series = (series::jsonb || '{"pausedMs": 1}')::text where agent_id = ${id} and kind = 'paper'`;
        }
        await sql.unsafe(migration.slice(migration.indexOf('-- Evidence that would not have passed')));
        const rows = await sql<{ id: string }[]>`
          select evidence_id as id from superseded_evidence where evidence_id = any(${proofs.map(({ id }) => id)}::uuid[])`;
        found.push(...rows.map(({ id }) => id));
        throw new Error('taken back');
      })
      .catch((error: unknown) => expect(String(error)).toContain('taken back'));
    return found;
  };
  expect(await supersededIds()).toEqual([proofs[1]?.id]);
});

test('a paper result whose funding is not booked is neither stored nor passes', async () => {
  const id = await fixture.agentAt('paper', { evidence: 'passing' });
  const view = { id, stage: 'paper' as const, ...fixture.manifestOf(id) };
  const keeper = createGateKeeper({ sql: app, evidence: createEvidenceWriter(evaluator, fixture.newId) });
  const evidences = async () =>
    (await app<{ n: number }[]>`select count(*)::int as n from evidence where agent_id = ${id} and kind = 'paper'`)[0]?.n as number;
  expect(await keeper.validate(view, true)).toMatchObject({ problems: [] });
  const before = await evidences();
  const [clock] = await fixture.superuser<{ at: number }[]>`select gate_now() as at`;
  const bookId = bookIds.paper(id, view.manifestVersion);
  const hour = Math.ceil((clock?.at as number) / 3_600_000) * 3_600_000;
  const bought = {
    id: fixture.newId(),
    orderId: fixture.newId(),
    bookId,
    instrument: 'evmvenue:BTC',
    side: 'buy',
    quantity: '0.001',
    fillPrice: '100',
    feeUsd: '0',
    notionalUsd: '0.1',
    decisionPrice: '100',
    slippageBps: 0,
    at: hour - 1_000,
    quotes: [],
  } as const;
  await app.begin((sql) => writeRecords(sql, [{ type: 'fill', orgId: ORG, fill: bought }]));
  await fixture.advance(hour - (clock?.at as number) + 3 * 3_600_000);
  const problems = ['the funding of 2 hours is not booked yet, because a rate or a price of the venue is missing'];
  for (const write of [true, false]) expect(await keeper.validate(view, write)).toMatchObject({ passed: false, problems });
  expect(await evidences()).toBe(before);
  const payments = [0, 1].map((n) => ({ instrument: 'evmvenue:BTC' as const, hour: hour + n * 3_600_000, paidUsd: '0.01' }));
  await createFundingStore(app).book({ id: bookId, orgId: ORG }, payments, hour + 3_600_000, hour + 3_700_000);
  expect(await keeper.validate(view, true)).toMatchObject({ problems: [] });
});

test('no gate opens on evidence under old rules', async () => {
  const id = await fixture.agentAt('stress_test', { evidence: 'passing' });
  const [proof] = await app<{ id: string }[]>`select id from evidence where agent_id = ${id} and kind = 'stress_test'`;
  await fixture.superuser`insert into superseded_evidence values (${proof?.id ?? null}, 1, 'it is asked for more')`;
  await expect(step(app, id, 'paper', proof?.id ?? null)).rejects.toThrow(/version 1 of its rules, and since then it is asked for more/);
  const anew = await fixture.pass(id, 'stress_test', 'anew');
  await step(app, id, 'paper', anew.id);
});

test('evidence of a run that was cancelled after it renews none of earlier rules, and promises no cost', async () => {
  const id = await fixture.agentAt('paper', { evidence: 'absent' });
  const outdated = () => app`select kind from outdated_evidence(${id})`;
  const [proof] = await app<{ id: string; series: string; promised: number }[]>`
    select id, series, promised_cost_bps(${id}, 1) as promised from evidence where agent_id = ${id} and kind = 'backtest'`;
  await fixture.superuser`insert into superseded_evidence values (${proof?.id as string}, 1, 'costs are those of paper')`;
  const series = { ...(JSON.parse(proof?.series as string) as BacktestSeries), slippageBps: 500 };
  const runId = await fixture.run(id, {}, series);
  const metrics = evidenceMetrics('backtest', series);
  const draft = { agentId: id, kind: 'backtest', ...fixture.manifestOf(id), series, metrics, runId, resultHash: 'f'.repeat(64) } as const;
  expect(await createEvidenceWriter(evaluator, fixture.newId).write(draft)).toMatchObject({ passed: true });
  expect(await outdated()).toEqual([]);
  await cancelled(runId);
  expect(await outdated()).toEqual([{ kind: 'backtest' }]);
  expect(await app`select promised_cost_bps(${id}, 1) as promised`).toEqual([{ promised: proof?.promised }]);
  await fixture.pass(id, 'backtest');
  expect(await outdated()).toEqual([]);
});

test('sandbox evidence stops counting beside a real venue: its gate closes, its agent is alerted, and a run on real series renews it', async () => {
  const sandbox = { spotchain: 'sandbox', reference: 'sandbox' } as const;
  const state = (origins: Partial<Record<DataSource, StatedOrigin>>) => stateOrigins(fixture.superuser, origins as never);
  // Before its first start the service has written nothing: unknown counts as sandbox.
  const id = await fixture.agentAt('stress_test', { evidence: 'passing' });
  const keeper = createGateKeeper({ sql: app, evidence: createEvidenceWriter(evaluator, fixture.newId) });
  const view = { id, stage: 'stress_test' as const, ...fixture.manifestOf(id) };
  const stated = async () => (await keeper.all(view)).slice(1, 3).map(({ evidence }) => [evidence?.simulated, evidence?.origins]);
  const unknown = { reference: 'unknown', spotchain: 'unknown' };
  expect(await stated()).toEqual([true, true].map((simulated) => [simulated, unknown]));
  expect(await state(sandbox)).toEqual(['reference', 'spotchain']);
  expect(await state(sandbox)).toEqual([]);
  const renewed = await fixture.pass(id, 'stress_test', 'in the sandbox');
  expect(renewed).toMatchObject({ simulated: true, origins: sandbox, ruleChange: null });
  expect(await keeper.untold(9_000_000_000_000)).not.toContainEqual({ id });

  await fixture.advance(1_000);
  await state({ spotchain: 'real', reference: 'real' });
  await fixture.advance(1_000);
  const why = 'only real sources count beside a real venue, and it stands on reference (sandbox), spotchain (sandbox)';
  expect(await keeper.validate(view, true)).toMatchObject({ passed: false, problems: [expect.any(String), expect.stringContaining(why)] });
  await expect(step(app, id, 'paper', renewed.id)).rejects.toThrow(/only real sources count beside a real venue/);
  expect(await keeper.untold(9_000_000_000_000)).toContainEqual({ id });

  const real = await fixture.pass(id, 'stress_test', 'on real series');
  expect(real).toMatchObject({ simulated: false, origins: { reference: 'real', spotchain: 'real' }, ruleChange: null });
  await expect(step(app, id, 'paper', real.id)).rejects.toThrow(
    /the evidence of backtest .* stands on reference \(unknown\), spotchain \(unknown\)/,
  );
  await fixture.pass(id, 'backtest');
  await step(app, id, 'paper', real.id);
  expect(await keeper.isSimulated(view)).toBe(false);

  // A simulated reference beside a real venue opens no gate, and neither does a stage begun with another source.
  await fixture.advance(1_000);
  await state({ reference: 'sandbox' });
  expect(await fixture.pass(id, 'paper')).toMatchObject({
    origins: { reference: 'sandbox', spotchain: 'real' },
    simulated: true,
    ruleChange: expect.any(String),
  });
  await state(sandbox);
  await fixture.advance(1_000);
  // If nothing is real, all of it counts as before.
  expect(await keeper.validate({ ...view, stage: 'paper' }, false)).toMatchObject({ problems: [] });
  await expectWhole(id);
});

test('a changed manifest is at draft in the same statement, and its old evidence never counts again', async () => {
  const id = await fixture.agentAt('paper', { evidence: 'passing' });
  const version = await fixture.addVersion(id, { stopLossPct: 6 });
  await expect(
    app`update agents set manifest_version = ${version.version}, manifest_hash = ${version.hash} where id = ${id}`,
  ).rejects.toThrow(/restarts/);
  await app`update agents set stage = 'draft', manifest_version = ${version.version}, manifest_hash = ${version.hash} where id = ${id}`;
  const back = await fixture.addVersion(id, {});
  await app`update agents set manifest_version = ${back.version}, manifest_hash = ${back.hash} where id = ${id}`;
  for (const row of await app<{ id: string }[]>`select id from evidence where agent_id = ${id}`)
    await expect(step(app, id, 'backtest', row.id)).rejects.toThrow(/needs evidence/);
  await expectWhole(id);
});

test('evidence based on a corrected cut stops counting; later evidence counts, without the cut', async () => {
  const id = await fixture.agentAt('paper', { evidence: 'passing' });
  const { manifestVersion, manifestHash } = fixture.manifestOf(id);
  const counting = () => app<{ id: string }[]>`select id from gate_evidence(${id}, 'paper', ${manifestVersion}, ${manifestHash})`;
  const [proof] = await counting();
  const [priced] = await app<{ slot: number; instrument: string; day: number }[]>`
    select slot, instrument, slot / 86400000 * 86400000 as day from observations order by slot desc limit 1`;
  const { slot, instrument, day } = priced as { slot: number; instrument: string; day: number };
  const bid = () => app`select last_live_bid(${instrument}, ${day}, ${slot + 1}) as bid`;
  const before = await bid();
  await fixture.superuser`insert into cut_batches (slot, source, instruments, digest) values (${slot}, 'streams', 1, ${'0'.repeat(64)})`;
  await fixture.advance(1_000);
  await fixture.superuser`insert into cut_corrections (slot, reason, corrected_by) values (${slot}, 'the price was of another day', 'ann')`;
  expect(await counting()).toEqual([]);
  await expect(step(app, id, 'shadow', proof?.id ?? null)).rejects.toThrow(/needs evidence/);
  expect(await bid()).not.toEqual(before);
  const anew = await fixture.pass(id, 'paper');
  expect(await counting()).toEqual([{ id: anew.id }]);
  await expectWhole(id);
});

test('evidence of a stage waits for a correction of cuts that has begun', async () => {
  const id = await fixture.agentAt('paper', { evidence: 'absent' });
  const series = await fixture.paperSeries(id);
  const metrics = evidenceMetrics('paper', series);
  const draft = {
    agentId: id,
    kind: 'paper',
    ...fixture.manifestOf(id),
    series,
    metrics,
    runId: null,
    resultHash: 'f'.repeat(64),
  } as const;
  const [newest] = await app<{ slot: number }[]>`select max(slot) as slot from cuts`;
  const slot = (newest?.slot as number) + 60_000;
  await fixture.superuser`insert into cut_batches (slot, source, instruments, digest) values (${slot}, 'streams', 1, ${'0'.repeat(64)})`;
  let writing: Promise<unknown> = Promise.resolve();
  let ended = false;
  await fixture.superuser.begin(async (sql) => {
    await sql`insert into cut_corrections (slot, reason, corrected_by) values (${slot}, 'the price was of another day', 'ann')`;
    const settle = () => (ended = true);
    writing = createEvidenceWriter(evaluator, fixture.newId).write(draft);
    writing.then(settle, settle);
    const waits = () => fixture.superuser`select 1 from pg_locks where relation = 'cut_corrections'::regclass and not granted`;
    await waitFor(async () => ended || (await waits()).length > 0, { what: 'the evidence waits or is written' });
    expect(ended).toBe(false);
  });
  expect(await writing).toMatchObject({ agentId: id, kind: 'paper' });
});

/** Verifies the agent's chain of gate records independently. */
async function expectWhole(id: string): Promise<void> {
  const evidence = await app`
    select agent_id as "agentId", seq, id, kind, manifest_version as "manifestVersion", manifest_hash as "manifestHash", at, run_id as "runId",
      result_hash as "resultHash", metrics, series, previous_hash as "previousHash", hash from evidence where agent_id = ${id}`;
  const changes = await app`
    select agent_id as "agentId", seq, at, from_stage as "fromStage", to_stage as "toStage", manifest_version as "manifestVersion", manifest_hash as "manifestHash",
      evidence_id as "evidenceId", asked_by as "askedBy", previous_hash as "previousHash", hash from stage_changes where agent_id = ${id}`;
  const texts = [
    ...evidence.map((row) => ({ row, text: evidenceChainText(row as never) })),
    ...changes.map((row) => ({ row, text: stageChangeChainText(row as never) })),
  ].sort((a, b) => a.row['seq'] - b.row['seq']);
  let previous = '0'.repeat(64);
  for (const [n, { row, text }] of texts.entries()) {
    expect([row['seq'], row['previousHash'], row['hash']]).toEqual([n + 1, previous, sha256Hex(text)]);
    previous = row['hash'] as string;
  }
  expect(await fixture.superuser`select seq, hash from gate_heads where agent_id = ${id}`).toMatchObject([
    { seq: texts.length, hash: previous },
  ]);
}

test('two concurrent writers of one chain take turns; the chain has no gap', async () => {
  const id = await fixture.agentAt('backtest', { evidence: 'absent' });
  await Promise.all(
    [1, 2, 3, 4].flatMap((n) => [fixture.pass(id, 'backtest', `run ${n}`), app`update agents set name = ${`n${n}`} where id = ${id}`]),
  );
  await expectWhole(id);
  expect(ORG).not.toBe('');
});
