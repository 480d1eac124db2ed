// Decision records are restored from packed rows, shared observations and the manifest active at the time.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDecisionReads } from '../../../../src/adapters/store/agents/decision-reads.ts';
import { writeCut } from '../../../../src/adapters/store/agents/cut-store.ts';
import type { Sql } from '../../../../src/adapters/store/database.ts';
import { canonicalJson } from '../../../../src/domain/values/canonical-json.ts';
import type { Cut } from '../../../../src/domain/market/cut.ts';
import { compileManifest } from '../../../../src/domain/agents/decide.ts';
import {
  type AgentBook,
  decisionHash,
  decisionId,
  EMPTY_BOOK,
  GENESIS_HASH,
  type RiskAttribution,
} from '../../../../src/domain/agents/decision.ts';
import { type Manifest, manifestHash } from '../../../../src/domain/manifest/manifest.ts';
import { CutHashes } from '../../../../src/domain/agents/observed-state.ts';
import { SLOT, sampleCut, sampleManifest } from '../../../actors/agent/sample.ts';
import { agentRow, freshId, ORG, OTHER, storeUnderTest } from '../reads.ts';

let sql: Sql;
beforeAll(async () => {
  sql = await storeUnderTest();
});
afterAll(() => sql.end());

const BOOK: AgentBook = {
  positions: [{ instrument: 'spotchain:AAPLx', quantity: '1.5', averageEntryPrice: '260', openedAt: SLOT - 9 }],
  openProposals: 0,
  fills: 1,
  realizedPnlUsd: '-3.25',
  slippageBps: 4.5,
};
const RISK: RiskAttribution = {
  verdict: 'blocked',
  rejections: [{ code: 'notional_limit_breach', limit: '1000', before: '0', after: '1200', suggestion: '1000' }],
};

interface Told {
  readonly slot: number;
  readonly manifest: Manifest;
  readonly version: number;
  readonly risk?: RiskAttribution;
  readonly book?: AgentBook;
  readonly received?: boolean;
}

/** Adds an indicator that only another organization's agent reads. */
function shared({ slot, observations }: Cut): Cut {
  const theirs = { 'ema:77@15m': { value: 271.25, previous: 271, barOpenTime: slot - 900_000 } };
  return {
    slot,
    observations: new Map([...observations].map(([key, seen]) => [key, { ...seen, indicators: { ...seen.indicators, ...theirs } }])),
  };
}

/** Writes a row as a tick would, and returns the expected record. */
async function decide(agentId: string, { slot, manifest, version, risk, book, received = true }: Told, previousHash = GENESIS_HASH) {
  const cut = sampleCut(slot, { premiumPct: -2, rsi: 30 });
  await writeCut(sql, shared(cut), 'streams');
  const verdict = compileManifest(manifest).decide(received ? cut : { slot, observations: new Map() }, EMPTY_BOOK, 'research');
  const observedHash = received ? new CutHashes(cut).observed(compileManifest(manifest).reading) : '';
  const row = {
    ...verdict,
    agentId,
    slot,
    manifestVersion: version,
    manifestHash: manifestHash(manifest),
    observedHash,
    risk: risk ?? null,
    book: book === undefined ? null : canonicalJson(book as never),
    previousHash,
  };
  const hash = decisionHash(row);
  const bytes = (hex: string) => Buffer.from(hex, 'hex');
  await sql`
    insert into decisions (agent_id, slot, manifest_version, disposition, reason, instrument, outcome, risk, book, manifest_hash, observed_hash, previous_hash, hash)
    values (${agentId}, ${slot}, ${version}, ${row.disposition}, ${row.reason}, ${row.instrument}, ${row.outcome}, ${risk === undefined ? null : JSON.stringify(risk)}, ${row.book},
      ${bytes(row.manifestHash)}, ${bytes(observedHash)}, ${bytes(previousHash)}, ${bytes(hash)})`;
  return { row, hash, observed: received ? Object.fromEntries(cut.observations) : {} };
}

test('a record has its observations without the indicators of others, its rules with thresholds, its risk and its book', async () => {
  const manifest = sampleManifest();
  const id = await agentRow(sql, ORG, '2026-03-02T10:00:00Z', [manifest]);
  const told = await decide(id, { slot: SLOT, manifest, version: 1, risk: RISK, book: BOOK });
  const page = await createDecisionReads(sql).list(ORG, id, { limit: 10, after: null });
  expect(page?.items).toEqual([
    {
      id: decisionId(id, SLOT),
      agentId: id,
      slot: new Date(SLOT).toISOString(),
      at: new Date(SLOT).toISOString(),
      manifestHash: manifestHash(manifest),
      observed: told.observed,
      rules: compileManifest(manifest).unpack(told.row.outcome, { observations: Object.values(told.observed), book: BOOK }),
      disposition: 'hold',
      reason: 'research_only',
      instrument: null,
      risk: RISK,
      book: BOOK,
      previousHash: GENESIS_HASH,
      hash: told.hash,
    },
  ]);
  expect(page?.items[0]?.rules.map(({ type, threshold }) => [type, threshold])).toContainEqual(['premium_below', -1]);
});

test('a decision without observations shows none, although the slot was observed', async () => {
  const manifest = sampleManifest({ name: 'deaf' });
  const id = await agentRow(sql, ORG, '2026-03-02T10:00:00Z', [manifest]);
  await decide(id, { slot: SLOT + 60_000, manifest, version: 1, received: false });
  const [record] = (await createDecisionReads(sql).list(ORG, id, { limit: 1, after: null }))?.items ?? [];
  expect(record).toMatchObject({ observed: {}, reason: 'no_observation', book: EMPTY_BOOK, risk: null });
});

test('each record is read with the manifest of its time, also after other manifests were read', async () => {
  const [one, two] = [sampleManifest({ name: 'v1' }), sampleManifest({ name: 'v2', entry: [{ type: 'premium_below', pct: -9 }] })];
  const id = await agentRow(sql, ORG, '2026-03-02T10:00:00Z', [one, two]);
  const first = await decide(id, { slot: SLOT + 120_000, manifest: one, version: 1 });
  await decide(id, { slot: SLOT + 180_000, manifest: two, version: 2 }, first.hash);
  const reads = createDecisionReads(sql);
  for (let again = 0; again < 2; again++) {
    const items = (await reads.list(ORG, id, { limit: 5, after: null }))?.items ?? [];
    expect(items.map(({ rules }) => rules.find(({ side }) => side === 'entry')?.threshold)).toEqual([-9, -1]);
    expect(items.map(({ rules }) => rules.length)).toEqual([4, 5]);
    expect(items[0]?.previousHash).toBe(items[1]?.hash);
  }
});

test('pages descend by slot; an id leads to its record, of its own agent and organization only', async () => {
  const manifest = sampleManifest({ name: 'paged' });
  const id = await agentRow(sql, ORG, '2026-03-02T10:00:00Z', [manifest]);
  const theirs = await agentRow(sql, OTHER, '2026-03-02T10:00:00Z', [manifest]);
  for (const agent of [id, theirs]) for (let i = 1; i <= 5; i++) await decide(agent, { slot: SLOT + i * 600_000, manifest, version: 1 });
  const reads = createDecisionReads(sql);
  const first = await reads.list(ORG, id, { limit: 2, after: null });
  const second = await reads.list(ORG, id, { limit: 3, after: first?.next ?? '' });
  expect([...(first?.items ?? []), ...(second?.items ?? [])].map(({ slot }) => Date.parse(slot))).toEqual(
    [5, 4, 3, 2, 1].map((i) => SLOT + i * 600_000),
  );
  expect(second?.next).toBeNull();
  for (let i = 1; i <= 5; i++) {
    const slot = SLOT + i * 600_000;
    expect(await reads.get(ORG, id, decisionId(id, slot))).toMatchObject({
      agentId: id,
      id: decisionId(id, slot),
      slot: new Date(slot).toISOString(),
    });
    expect(await reads.get(ORG, theirs, decisionId(theirs, slot))).toBeNull();
    expect(await reads.get(OTHER, id, decisionId(id, slot))).toBeNull();
    expect(await reads.get(ORG, id, decisionId(theirs, slot))).toBeNull();
  }
  expect(await reads.list(ORG, theirs, { limit: 2, after: null })).toBeNull();
  expect(await reads.list(ORG, freshId(), { limit: 2, after: null })).toBeNull();
});

test("a shard's batch is the organization's part of it, between both slots", async () => {
  const manifest = sampleManifest({ name: 'batched' });
  const ours = [await agentRow(sql, ORG, '2026-03-02T10:00:00Z', [manifest]), await agentRow(sql, ORG, '2026-03-02T10:00:00Z', [manifest])];
  const theirs = await agentRow(sql, OTHER, '2026-03-02T10:00:00Z', [manifest]);
  const base = SLOT + 86_400_000;
  for (const agent of [...ours, theirs]) for (let i = 0; i < 4; i++) await decide(agent, { slot: base + i * 60_000, manifest, version: 1 });
  const batch = await createDecisionReads(sql).ofShard({ periodMs: 60_000, shard: 0, fromSlot: base + 60_000, slot: base + 120_000 }, ORG);
  const expected = [...ours].sort().flatMap((id) => [1, 2].map((i) => decisionId(id, base + i * 60_000)));
  expect(batch.map(({ id }) => id)).toEqual(expected);
});
