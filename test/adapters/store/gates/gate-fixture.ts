// Agents at any stage with evidence in any state, on a real database whose owner is no superuser and whose gate clock the test sets.
import { agent } from '../../../../actors/agent/resource.ts';
import { writeRecords } from '../../../../src/adapters/store/actors/actor-records.ts';
import { openDatabase, type Sql } from '../../../../src/adapters/store/database.ts';
import { writeTrials } from '../../../../src/adapters/store/evaluations/evaluation-records.ts';
import { createEvaluationRows } from '../../../../src/adapters/store/evaluations/evaluation-rows.ts';
import { createEvidenceWriter, EVALUATOR_ROLE, type StoredEvidence } from '../../../../src/adapters/store/gates/evidence-store.ts';
import { createShadowStore } from '../../../../src/adapters/store/gates/shadow-store.ts';
import { STAGES, type Stage } from '../../../../src/domain/agents/agent.ts';
import { type BacktestRequest, readBacktestRequest } from '../../../../src/domain/backtest/request.ts';
import { bookIds, type Fill } from '../../../../src/domain/books/book.ts';
import { canonicalHash, canonicalJson } from '../../../../src/domain/values/canonical-json.ts';
import {
  type BacktestSeries,
  type EvidenceDraft,
  type EvidenceKind,
  evidenceKindAt,
  evidenceMetrics,
  type PaperSeries,
} from '../../../../src/domain/agents/evidence.ts';
import { uuidV7 } from '../../../../src/domain/values/ids.ts';
import type { FlowBook, FlowSpan } from '../../../../src/domain/shadow/flow.ts';
import { type Manifest, manifestHash } from '../../../../src/domain/manifest/manifest.ts';
import { computePaperSeries } from '../../../../src/domain/agents/paper-evaluation.ts';
import { computeShadowSeries } from '../../../../src/domain/agents/shadow-evaluation.ts';
import { computeDailyReturns } from '../../../../src/simulation/backtest/backtest-work.ts';
import { measuredBy } from '../../../../src/trading/shadow-measuring.ts';
import { sampleManifest } from '../../../actors/agent/sample.ts';
import { backtestSeries, DAY, stressSeries } from '../../../domain/evidence-samples.ts';

export const ORG = '00000000-0000-7000-8000-000000000001';
const OTHER_ORG = '00000000-0000-7000-8000-000000000002';
const INSTRUMENT = 'spotchain:AAPLx';
/** Midnight UTC of some day in 2026. */
const BEGINNING = Date.UTC(2026, 5, 1);

export type EvidenceState = 'absent' | 'failing' | 'of an older manifest' | 'older than a demotion' | 'passing';
type RoleName = 'app' | 'evaluator' | 'reader' | 'owner';

export interface GateFixture {
  readonly app: Sql;
  readonly evaluator: Sql;
  readonly superuser: Sql;
  readonly manifest: Manifest;
  as(role: RoleName): Sql;
  newId(): string;
  agentAt(stage: Stage, how: { readonly evidence: EvidenceState }): Promise<string>;
  manifestOf(id: string): { readonly manifestVersion: number; readonly manifestHash: string };
  addVersion(id: string, changes: Partial<Manifest>): Promise<{ readonly version: number; readonly hash: string }>;
  /** Records evidence of a gate that passes, or fails, by its own rows. */
  pass(id: string, kind: EvidenceKind, runId?: string, passing?: boolean): Promise<StoredEvidence>;
  /** Creates a finished backtest of an agent's active manifest, over the gate's period or the given one. */
  run(id: string, over?: Partial<BacktestRequest>, series?: BacktestSeries): Promise<string>;
  /** Returns the series of the paper stage from its rows. */
  paperSeries(id: string): Promise<PaperSeries>;
  /** Registers an agent created elsewhere, at its active version. */
  adopt(id: string, manifest: Manifest, version: number, orgId: string): void;
  /** Trades on paper as the stage requires: two weeks, or a day in shadow. */
  traded(id: string, kind: 'paper' | 'shadow', passing: boolean): Promise<void>;
  /** Promotes the agent to a stage, gate by gate, on passing evidence. */
  climbTo(id: string, to: Stage): Promise<void>;
  /** Moves the clock of the gates forward. */
  advance(ms: number): Promise<void>;
  close(): Promise<void>;
}

export async function createGateFixture(url: string): Promise<GateFixture> {
  const superuser = openDatabase({ url, role: null, connections: 2, name: 'gates superuser' });
  await giveToPlainOwner(superuser);
  const app = openDatabase({ url, connections: 4, name: 'gates app' });
  const evaluator = openDatabase({ url, role: EVALUATOR_ROLE, connections: 2, name: 'gates evaluator' });
  const reader = openDatabase({ url, role: 'sevengate_reader', connections: 1, name: 'gates reader' });
  const owner = openDatabase({ url, role: 'gate_test_owner', connections: 1, name: 'gates owner' });
  const roles: Record<RoleName, Sql> = { app, evaluator, reader, owner };
  const manifest = sampleManifest();
  const active = new Map<string, { version: number; manifest: Manifest }>();
  const organizations = new Map<string, string>();
  let now = BEGINNING;
  let made = 0;
  const newId = (): string => uuidV7(now, Uint8Array.of(1, 2, 3, 4, 5, 6, 7, ++made >> 16, made >> 8, made));

  await app`insert into organizations (id, name) values (${ORG}, 'ours'), (${OTHER_ORG}, 'theirs')`;
  await superuser`insert into members (subject, org_id, name, permissions) values
    ('creator', ${ORG}, 'c', '{agent:read,trade:execute,risk:manage}'), ('tina', ${ORG}, 't', '{agent:read,trade:execute}'),
    ('rita', ${ORG}, 'r', '{agent:read,risk:manage}'), ('theirs', ${OTHER_ORG}, 'x', '{risk:manage}')`;

  async function advance(ms: number): Promise<void> {
    now += ms;
    await superuser`update gate_test_clock set at = ${now}`;
  }

  async function created(of: Manifest): Promise<string> {
    const id = newId();
    active.set(id, { version: 1, manifest: of });
    await app.begin(async (sql) => {
      await sql`insert into actors (id, org_id, kind, machine, version, snapshot, status) values (${id}, ${ORG}, 'agent', 'agent@1', 1, '{}', 'running')`;
      await writeRecords(sql, [
        { type: 'manifest', agentId: id, version: 1, hash: manifestHash(of), canonical: canonicalJson(of as never), createdBy: 'creator' },
        {
          type: 'agent_created',
          ...agent.record(ORG, {
            id,
            name: of.name,
            description: '',
            stage: 'draft',
            autonomy: 'research',
            pauseCause: null,
            manifestVersion: 1,
            manifestHash: manifestHash(of),
            closing: [],
            stageEvidence: null,
            stageAskedBy: null,
            createdBy: 'creator',
            createdAt: new Date(now).toISOString(),
          }),
        },
      ]);
    });
    return id;
  }

  const manifestOf: GateFixture['manifestOf'] = (id) => {
    const { version, manifest: of } = active.get(id) as { version: number; manifest: Manifest };
    return { manifestVersion: version, manifestHash: manifestHash(of) };
  };

  const addVersion: GateFixture['addVersion'] = async (id, changes) => {
    const version = (active.get(id)?.version ?? 0) + 1;
    const of = { ...manifest, ...changes };
    active.set(id, { version, manifest: of });
    await app.begin((sql) =>
      writeRecords(sql, [
        { type: 'manifest', agentId: id, version, hash: manifestHash(of), canonical: canonicalJson(of as never), createdBy: 'creator' },
      ]),
    );
    return { version, hash: manifestHash(of) };
  };

  /**
   * Trades round trips on the paper book, each bought at 100 and sold two minutes later at the given gain. At the shadow stage also
   * writes the pools around its arrival, `marketOff` dollars worse.
   */
  async function roundTrips(
    id: string,
    trips: readonly { readonly at: number; readonly gainUsd: number; readonly marketOff: number }[],
  ): Promise<void> {
    const bookId = bookIds.paper(id, active.get(id)?.version as number);
    const orgId = organizations.get(id) ?? ORG;
    const fills: Fill[] = [];
    const cuts: { readonly slot: number; readonly body: string }[] = [];
    const pools = new Map<string, { readonly bid: number; readonly ask: number }>();
    for (const { at, gainUsd, marketOff } of trips) {
      for (const side of ['buy', 'sell'] as const) {
        const price = side === 'buy' ? 100 : 100 + gainUsd;
        const filledAt = side === 'buy' ? at : at + 120_000;
        fills.push({
          id: newId(),
          orderId: newId(),
          bookId,
          instrument: INSTRUMENT,
          side,
          quantity: '5',
          fillPrice: String(price),
          feeUsd: '0.05',
          notionalUsd: String(price * 5),
          decisionPrice: String(price),
          slippageBps: 0,
          at: filledAt,
          quotes: [],
        });
        const quote = { bid: String(price - 0.01), ask: String(price + 0.01), quality: 'live' };
        pools.set((fills.at(-1) as Fill).id, { bid: price - marketOff, ask: price + marketOff });
        cuts.push({ slot: (Math.floor(filledAt / 60_000) + 1) * 60_000, body: JSON.stringify({ quote }) });
      }
    }
    await app.begin(async (sql) => {
      await writeRecords(
        sql,
        fills.map((fill) => {
          const limitPrice = String(Number(fill.fillPrice) * (fill.side === 'buy' ? 1.05 : 0.95));
          return { type: 'fill', orgId, fill, sent: { limitPrice, restedSince: null } };
        }),
      );
      await sql`insert into cuts (slot, source, instruments) select slot, 'streams', 1 from jsonb_to_recordset(${sql.json(cuts)}) as c(slot bigint) on conflict do nothing`;
      await sql`
        insert into observations (slot, instrument, hash, body)
        select slot, ${INSTRUMENT}, 'h', body from jsonb_to_recordset(${sql.json(cuts)}) as c(slot bigint, body text) on conflict do nothing`;
    });
    const shadows = createShadowStore(app);
    const sent = (await shadows.unmeasured(0, 1_000)).filter((order) => pools.has(order.id));
    await shadows.write(
      sent.map((order) => {
        const { bid, ask } = pools.get(order.id) as { bid: number; ask: number };
        return measuredBy(order, { window: (span) => ({ ...span, books: pooledBooks(span, bid, ask), trades: [], gaps: [] }) });
      }),
    );
  }

  /** Makes the agent's actor match its row in `agents`, so that a runtime can continue it. */
  async function awake(id: string): Promise<string> {
    await app`
      update actors set version = actors.version + 1, snapshot = jsonb_build_object('status', 'active', 'value', jsonb_build_object('stage', g.stage, 'duty', 'active', 'feed', 'live'),
        'context', jsonb_build_object('autonomy', g.autonomy, 'manifestVersion', g.manifest_version, 'manifestHash', g.manifest_hash, 'pauseCause', null, 'degradedVenues', '[]'::jsonb,
          'promotion', jsonb_build_object('evidenceId', g.stage_evidence, 'askedBy', g.stage_asked_by)))
      from agents g where g.id = actors.id and actors.id = ${id}`;
    return id;
  }

  async function rowsOf(id: string, kind: 'paper' | 'shadow') {
    const { version, manifest: of } = active.get(id) as { version: number; manifest: Manifest };
    const rows = createEvaluationRows(app);
    const window = (await rows.window(id)) as { enteredAt: number; evaluatedAt: number };
    const agent = { id, manifestVersion: version };
    return kind === 'paper'
      ? computePaperSeries(await rows.paper(agent, of, window))
      : computeShadowSeries(await rows.shadow(agent, of, window));
  }

  const run: GateFixture['run'] = async (id, over = {}, series) => {
    const runId = newId();
    const orgId = organizations.get(id) ?? ORG;
    const { manifestVersion, manifestHash: hash } = manifestOf(id);
    const request = { ...(readBacktestRequest({}, now) as BacktestRequest), ...over };
    await superuser`insert into actors (id, org_id, kind, machine, version, snapshot, status) values (${runId}, ${orgId}, 'evaluation', 'evaluation@1', 1, '{}', 'done')`;
    await superuser`
      insert into evaluation_runs (id, org_id, agent_id, evaluation, state, manifest_version, manifest_hash, request, requested_by, created_at, ended_at, attempts, result_hash, summary)
      values (${runId}, ${orgId}, ${id}, 'backtest', 'finished', ${manifestVersion}, ${hash}, ${superuser.json(request as never)}, 'ann', ${now}, ${now}, 1,
        ${'a'.repeat(64)}, '{}')`;
    if (series !== undefined) {
      const sharpe = evidenceMetrics('backtest', series)['sharpe'] as number;
      await app.begin((sql) =>
        writeTrials(sql, [{ type: 'trial', orgId, runId, manifestHash: hash, sharpe, ...computeDailyReturns(series) }]),
      );
    }
    return runId;
  };

  async function traded(id: string, kind: 'paper' | 'shadow', passing: boolean): Promise<void> {
    const trips =
      kind === 'shadow'
        ? Array.from({ length: 6 }, (_, n) => ({ at: now + n * 240_000, gainUsd: 1, marketOff: passing ? 0 : 0.9 }))
        : Array.from({ length: 8 }, (_, n) => ({ at: now + 2 * n * DAY, gainUsd: (passing ? 1 : -1) * (1 + n / 5), marketOff: 0 }));
    await roundTrips(id, trips);
    await advance(kind === 'shadow' ? DAY + 6 * 240_000 : 15 * DAY);
  }

  const pass: GateFixture['pass'] = async (id, kind, runId, passing = true) => {
    const of = active.get(id)?.manifest as Manifest;
    if (kind === 'paper' || kind === 'shadow') await traded(id, kind, passing);
    const series = {
      manifest: () => of,
      backtest: () => backtestSeries({ firstDay: Math.floor(now / DAY) * DAY - 1_828 * DAY, ...(passing ? {} : { driftPct: 0.01 }) }),
      stress_test: () => stressSeries(passing ? {} : { breaches: 2 }, of.maxDailyDrawdownPct),
      paper: () => rowsOf(id, 'paper'),
      shadow: () => rowsOf(id, 'shadow'),
      risk_signoff: () => ({ subject: 'rita', approved: passing, comment: 'seen' }),
    }[kind]();
    const found = await series;
    return createEvidenceWriter(evaluator, newId).write({
      agentId: id,
      kind,
      ...manifestOf(id),
      series: found,
      metrics: evidenceMetrics(kind, found as never),
      runId: kind === 'backtest' ? await run(id) : (runId ?? null),
      resultHash: canonicalHash(found as never),
    } as EvidenceDraft);
  };

  /** Promotes from any stage, gate by gate. */
  async function climb(id: string, to: Stage): Promise<void> {
    const [row] = await app<{ stage: Stage }[]>`select stage from agents where id = ${id}`;
    for (let place = STAGES.indexOf(row?.stage as Stage); place < STAGES.indexOf(to); place++) {
      const from = STAGES[place] as Stage;
      const proof = await pass(id, evidenceKindAt(from) as EvidenceKind);
      const next = STAGES[place + 1] as Stage;
      await app`update agents set stage = ${next}, stage_evidence = ${proof.id}, stage_asked_by = 'tina' where id = ${id}`;
      await advance(1_000);
    }
  }

  return {
    app,
    evaluator,
    superuser,
    manifest,
    as: (role) => roles[role],
    newId,
    manifestOf,
    addVersion,
    pass,
    run,
    traded,
    climbTo: climb,
    adopt(id, of, version, orgId) {
      active.set(id, { version, manifest: of });
      organizations.set(id, orgId);
    },
    advance,
    paperSeries: async (id) => {
      await traded(id, 'paper', true);
      return (await rowsOf(id, 'paper')) as PaperSeries;
    },
    async agentAt(stage, { evidence }) {
      const kind = evidenceKindAt(stage);
      const id = await created(stage === 'draft' && evidence === 'failing' ? { ...manifest, stopLossPct: 0 } : manifest);
      await climb(id, stage);
      if (kind === null || evidence === 'absent') return awake(id);
      if (evidence === 'passing' || evidence === 'failing') await pass(id, kind, undefined, evidence === 'passing');
      else await pass(id, kind);
      if (evidence === 'of an older manifest') {
        const { version, hash } = await addVersion(id, { stopLossPct: 6 });
        await app`update agents set stage = 'draft', manifest_version = ${version}, manifest_hash = ${hash} where id = ${id}`;
        await climb(id, stage);
      }
      if (evidence === 'older than a demotion') {
        // A draft has no earlier stage: its evidence becomes stale by one further up.
        if (stage === 'draft') await climb(id, 'backtest');
        await app`update agents set stage = 'draft', stage_asked_by = 'breaker' where id = ${id}`;
        await climb(id, stage);
      }
      return awake(id);
    },
    async close() {
      await Promise.all([superuser, app, evaluator, reader, owner].map((sql) => sql.end({ timeout: 2 })));
    },
  };
}

/** Returns a pool before and after an order reaches it, at one price. */
function pooledBooks({ from, arrival }: FlowSpan, bid: number, ask: number): FlowBook[] {
  const book = {
    source: 'test',
    bids: [{ price: String(bid), size: '100' }],
    asks: [{ price: String(ask), size: '100' }],
    liquidityUsd: null,
  };
  return [
    { ...book, at: from },
    { ...book, at: arrival + 1 },
  ];
}

/** Gives everything that the migrations created to an owner who is no superuser, and makes the gates' clock a table. */
async function giveToPlainOwner(superuser: Sql): Promise<void> {
  await superuser.begin(async (sql) => {
    // Roles belong to the whole server; other test files create the same one concurrently.
    await sql`select pg_advisory_xact_lock(7070709)`;
    await sql.unsafe(
      `do $$ begin create role gate_test_owner nologin; exception when duplicate_object or unique_violation then null; end $$`,
    );
  });
  await superuser.unsafe(`
    create table gate_test_clock (at bigint not null);
    insert into gate_test_clock values (${BEGINNING});
    create or replace function gate_now() returns bigint language sql volatile security definer set search_path = public as 'select at from gate_test_clock';
    grant usage, create on schema public to gate_test_owner;
    do $$
    declare
      thing record;
    begin
      for thing in select c.oid::regclass as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v') loop
        execute format('alter table %s owner to gate_test_owner', thing.name);
      end loop;
      for thing in select p.oid::regprocedure as name from pg_proc p where p.pronamespace = 'public'::regnamespace loop
        execute format('alter function %s owner to gate_test_owner', thing.name);
      end loop;
    end $$;`);
}
