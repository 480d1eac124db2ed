/** Seeded sandbox in which agents trade on paper for some days, and backtests of the same days as the service runs them. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EvaluationJob } from '../../../actors/evaluation/run-worker.ts';
import { createLog } from '../../../src/adapters/log/log.ts';
import { createMemberStore, writeMember } from '../../../src/adapters/store/callers/member-store.ts';
import { openDatabase, type Sql } from '../../../src/adapters/store/database.ts';
import { moveTimeTo } from '../../../src/adapters/store/simulated-time.ts';
import { isConfig, readConfig, ROLES } from '../../../src/boot/config.ts';
import { openHistoryRunners } from '../../../src/boot/wiring/evaluation-runners.ts';
import { openActors } from '../../../src/boot/roles/worker.ts';
import { sandboxPast } from '../../../src/boot/sandbox/sandbox-past.ts';
import { moveSandboxOn } from '../../../src/boot/sandbox/sandbox-stretch.ts';
import { takeDatabaseTime } from '../../../src/boot/sandbox/simulated-clock.ts';
import { createServiceProcess, type ServiceProcess } from '../../../src/boot/service-process.ts';
import { openStoreConnections, type StoreConnections } from '../../../src/boot/store-connections.ts';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import { readBacktestRequest } from '../../../src/domain/backtest/request.ts';
import { type Manifest, manifestHash } from '../../../src/domain/manifest/manifest.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import { createMarketWords } from '../../../src/sandbox/market/market-words.ts';
import { createSeededMarket } from '../../../src/sandbox/market/seeded-market.ts';
import type { BacktestResult } from '../../../src/simulation/backtest/run.ts';

const NOBODY_STOPS = new AbortController().signal;
const PERMISSIONS = ['trade:execute', 'risk:manage'] as const;

/** A fill on paper with the slot of its decision. */
export interface PaperSide {
  readonly orderId: string;
  readonly slot: number;
  readonly instrument: string;
  readonly side: 'buy' | 'sell';
  readonly quantity: number;
  readonly price: number;
  readonly feeUsd: number;
  readonly algorithm: string;
}

export interface BacktestStretch {
  readonly from: number;
  readonly to: number;
  /** Timeframe of the rules. */
  readonly timeframe: string;
}

export interface Lived {
  readonly owner: Sql;
  /** Agent ids in the order of the manifests. */
  readonly agents: readonly string[];
  /** Lives through some hours and reports progress. */
  live(hours: number, progress: (done: number, total: number) => void): Promise<void>;
  /** Returns an agent's paper orders, each as one side, ascending. */
  sides(agentId: string): Promise<readonly PaperSide[]>;
  /** Runs a backtest like the service: over the stored bars and the sandbox's past. */
  backtest(manifest: Manifest, stretch: BacktestStretch): Promise<BacktestResult>;
  /** Returns the mid of an instrument's quote at a time. */
  middle(instrument: string, at: number): number;
  close(): Promise<void>;
}

/** Opens a sandbox on an empty database at a future time, with an organization for each manifest. */
export async function openLived(url: string, seed: number, at: number, manifests: readonly Manifest[]): Promise<Lived> {
  const home = mkdtempSync(join(tmpdir(), 'sevengate-lived-'));
  chmodSync(home, 0o711);
  const config = readConfig({ DATABASE_URL: url, SEVENGATE_HOME: home, QUEUE_BACKEND: 'postgres', SANDBOX_SEED: String(seed) });
  if (!isConfig(config)) throw new Error(JSON.stringify(config));
  const service = createServiceProcess({ config, roles: ROLES, record: null, path: '', log: createLog('error'), signal: NOBODY_STOPS });
  const store = await openStoreConnections(service, { waitsForDisk: false });
  const owner = openDatabase({ url, role: null, connections: 2, name: 'lived owner' });
  await owner`delete from clock_shift`;
  await moveTimeTo(owner, at);
  await takeDatabaseTime(service, store.sql);
  const agents = await createAgents(service, store, manifests);
  return {
    owner,
    agents,
    live: async (hours, progress) => {
      await moveSandboxOn(service, store, { until: (from) => from + hours * 3_600_000, progress, signal: NOBODY_STOPS });
    },
    sides: (agentId) => paperSides(owner, agentId),
    backtest: (manifest, stretch) => backtest(service, store, manifest, stretch),
    middle: middlesOf(seed, at),
    async close() {
      await service.stop();
      await owner.end();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function middlesOf(seed: number, now: number): Lived['middle'] {
  const sources = { spotexchange: '', evmvenue: '', perpContext: '', spotchain: '', liquidity: '', reference: '', mark: '' };
  const words = createMarketWords({ market: createSeededMarket({ seed }), seed, sources, catalog: CATALOG, now: () => now });
  return (instrument, at) => {
    const { bid, ask } = words.quote(instrument as InstrumentKey, at) ?? {};
    return (Number(bid) + Number(ask)) / 2;
  };
}

async function createAgents(service: ServiceProcess, store: StoreConnections, manifests: readonly Manifest[]): Promise<string[]> {
  const { commands } = openActors(store.sql, service.clock, service.newId);
  const agents: string[] = [];
  for (const manifest of manifests) {
    const orgId = service.newId();
    const subject = `${manifest.name} operator`;
    const context = { orgId, subject, permissions: PERMISSIONS, requestId: service.newId() };
    await store.asOwner(async (tables) => {
      await createMemberStore(tables).ensureOrganization(orgId, manifest.name);
      await tables.begin((transaction) => writeMember(transaction, subject, { orgId, name: subject, permissions: [...PERMISSIONS] }));
    });
    const made = await commands.create(context, manifest);
    if (!made.ok) throw new Error(made.refusal.detail);
    const raised = await commands.setAutonomy(context, made.value.id, 'policy_auto');
    if (!raised.ok) throw new Error(raised.refusal.detail);
    agents.push(made.value.id);
  }
  return agents;
}

async function paperSides(owner: Sql, agentId: string): Promise<readonly PaperSide[]> {
  const rows = await owner<PaperSide[]>`
    select p.id as "orderId", p.slot, p.instrument, f.side, sum(f.quantity)::float8 as quantity,
      (sum(f.notional_usd) / sum(f.quantity))::float8 as price, sum(f.fee_usd)::float8 as "feeUsd",
      coalesce(p.execution ->> 'algorithm', 'unknown') as algorithm
    from proposals p join fills f on f.order_id = p.order_body ->> 'id'
    where p.agent_id = ${agentId} group by p.id, f.side order by p.slot, p.number`;
  return rows.map((row) => ({ ...row, slot: Number(row.slot) }));
}

async function backtest(
  service: ServiceProcess,
  { sql, logins, evaluator: _ }: StoreConnections,
  manifest: Manifest,
  { from, to, timeframe }: BacktestStretch,
): Promise<BacktestResult> {
  const clock = { now: () => to, deadline: service.clock.deadline };
  const past = sandboxPast({ ...service, clock });
  if (past === null) throw new Error('this sandbox has no past');
  const runner = openHistoryRunners(
    { sql, databaseUrl: logins.appUrl, histories: past.histories({}), archives: past.archives, clock, log: createLog('error') },
    false,
  ).backtest;
  const request = readBacktestRequest({ from: new Date(from).toISOString(), to: new Date(to).toISOString(), timeframe, look: true }, to);
  const job = {
    runId: service.newId(),
    orgId: service.newId(),
    agentId: service.newId(),
    manifestVersion: 1,
    manifestHash: manifestHash(manifest),
    manifest,
    request: request as unknown as EvaluationJob['request'],
    createdAt: to,
    signal: NOBODY_STOPS,
    progress: () => {},
  };
  const outcome = await runner(job);
  if (!outcome.ok) throw new Error(`${manifest.name}: ${outcome.detail}`);
  return JSON.parse(outcome.result) as BacktestResult;
}
