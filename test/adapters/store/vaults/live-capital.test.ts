// Live capital with raw SQL: only through the vault, and a live book equals its ledger.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeRecords } from '../../../../src/adapters/store/actors/actor-records.ts';
import type { Sql } from '../../../../src/adapters/store/database.ts';
import { createEvidenceWriter } from '../../../../src/adapters/store/gates/evidence-store.ts';
import { verifyTrail } from '../../../../src/adapters/store/trail-verifier.ts';
import type { ActorRecord } from '../../../../src/domain/agents/actor-step.ts';
import { bookIds } from '../../../../src/domain/books/book.ts';
import { canonicalHash, canonicalJson } from '../../../../src/domain/values/canonical-json.ts';
import { type EvidenceDraft, evidenceMetrics } from '../../../../src/domain/agents/evidence.ts';
import { manifestHash } from '../../../../src/domain/manifest/manifest.ts';
import { testDatabase } from '../../../harness/postgres.ts';
import { payIntoVault } from '../../../harness/vault.ts';
import { createGateFixture, type GateFixture, ORG } from '../gates/gate-fixture.ts';

const T0 = Date.UTC(2026, 2, 2);
let fixture: GateFixture;
let app: Sql;
beforeAll(async () => {
  fixture = await createGateFixture(await testDatabase());
  app = fixture.app;
});
afterAll(() => fixture.close());

const write = (...records: ActorRecord[]): Promise<void> => app.begin((sql) => writeRecords(sql, records)) as Promise<void>;
const change = (agentId: string, number: number, over: object = {}): ActorRecord => ({
  type: 'vault_change',
  agentId,
  change: number,
  kind: 'deposit',
  depositor: 'mallory',
  amountUsd: '10',
  shares: '10',
  sharePriceUsd: '1',
  roundingUsd: '0',
  stage: 'limited_live',
  at: T0,
  requestId: 'raw',
  ...over,
});
const transfer = (agentId: string, amountUsd: string, reference: string): ActorRecord => ({
  type: 'ledger',
  orgId: ORG,
  bookId: bookIds.live(agentId),
  amountUsd,
  reference,
  at: T0,
});
const bookOf = async (id: string) =>
  (await app`select cash_usd::text as cash, capital_usd::text as capital from books where id = ${bookIds.live(id)}`)[0];

describe('the capital of a live book', () => {
  test('cannot be deposited or withdrawn outside the vault', async () => {
    const id = await fixture.agentAt('limited_live', { evidence: 'absent' });
    await payIntoVault(app, ORG, id, '100', T0);
    for (const [amount, reference] of [
      ['1000000', 'a gift'],
      ['-50', 'a loan'],
      ['5', `vault:${id}:7`],
    ] as const)
      await expect(write(transfer(id, amount, reference)), reference).rejects.toMatchObject({ constraint_name: 'live_money_by_vault' });
    expect(await bookOf(id)).toEqual({ cash: '100', capital: '100' });
  });

  test('is not moved by a vault change that moved no money, or other money than stated', async () => {
    const id = await fixture.agentAt('limited_live', { evidence: 'absent' });
    await expect(write(change(id, 1))).rejects.toMatchObject({ constraint_name: 'vault_money_moved' });
    await expect(write(change(id, 1), transfer(id, '9', `vault:${id}:1`))).rejects.toMatchObject({ constraint_name: 'vault_money_moved' });
    await expect(write(change(id, 1), transfer(id, '-10', `vault:${id}:1`))).rejects.toMatchObject({
      constraint_name: 'vault_money_moved',
    });
    const other = await fixture.agentAt('limited_live', { evidence: 'absent' });
    await expect(write(change(id, 1), transfer(other, '10', `vault:${id}:1`))).rejects.toThrow(/vault/);
    await write(change(id, 1), transfer(id, '10', `vault:${id}:1`));
    expect(await bookOf(id)).toEqual({ cash: '10', capital: '10' });
    const out = { kind: 'withdrawal', amountUsd: '4', shares: '4' };
    await expect(write(change(id, 2, out), transfer(id, '-5', `vault:${id}:2`))).rejects.toMatchObject({
      constraint_name: 'vault_money_moved',
    });
    await write(change(id, 2, out), transfer(id, '-4', `vault:${id}:2`));
    expect(await bookOf(id)).toEqual({ cash: '6', capital: '6' });
  });

  test('equals the ledger, whatever is written into the book', async () => {
    const id = await fixture.agentAt('limited_live', { evidence: 'absent' });
    await payIntoVault(app, ORG, id, '100', T0);
    const refused = { constraint_name: 'live_book_in_ledger' };
    await expect(app`update books set cash_usd = 1000000000, version = version + 1 where id = ${bookIds.live(id)}`).rejects.toMatchObject(
      refused,
    );
    await expect(app`update books set capital_usd = 99.999999 where id = ${bookIds.live(id)}`).rejects.toMatchObject(refused);
    const phantom = [{ instrument: 'spotchain:AAPLx', quantity: '1000', costUsd: '1', openedAt: T0 }];
    await expect(app`update books set holdings = ${app.json(phantom)} where id = ${bookIds.live(id)}`).rejects.toMatchObject(refused);
    const fresh = await fixture.agentAt('limited_live', { evidence: 'absent' });
    await expect(
      app`insert into books (id, org_id, agent_id, mode, capital_usd, cash_usd, opened_at, changed_at)
        values (${bookIds.live(fresh)}, ${ORG}, ${fresh}, 'live', 1000, 1000, 0, 0)`,
    ).rejects.toThrow(/its ledger says 0/);
    expect(await bookOf(id)).toEqual({ cash: '100', capital: '100' });
  });
});

test('the author of a manifest version cannot sign it off, even if another person created the agent', async () => {
  const id = await fixture.agentAt('limited_live', { evidence: 'absent' });
  const manifest = { ...fixture.manifest, stopLossPct: 6 };
  await write({
    type: 'manifest',
    agentId: id,
    version: 2,
    hash: manifestHash(manifest),
    canonical: canonicalJson(manifest as never),
    createdBy: 'rita',
  });
  fixture.adopt(id, manifest, 2, ORG);
  await app`update agents set stage = 'draft', manifest_version = 2, manifest_hash = ${manifestHash(manifest)} where id = ${id}`;
  await fixture.climbTo(id, 'limited_live');
  const series = { subject: 'rita', approved: true, comment: 'mine' };
  const draft = { agentId: id, kind: 'risk_signoff', ...fixture.manifestOf(id), series, metrics: evidenceMetrics('risk_signoff', series) };
  const signed = createEvidenceWriter(fixture.evaluator, fixture.newId).write({
    ...draft,
    runId: null,
    resultHash: canonicalHash(series as never),
  } as EvidenceDraft);
  await expect(signed).rejects.toThrow(/sign-off is given by a member who did not write manifest version 2/);
});

test('a self-sign-off behind the gates is reported by the trail verifier', async () => {
  const id = await fixture.agentAt('limited_live', { evidence: 'passing' });
  const [proof] = await app<{ id: string }[]>`select id from evidence where agent_id = ${id} and kind = 'risk_signoff'`;
  await fixture.superuser.begin(async (sql) => {
    await sql`alter table agents disable trigger agent_stage_gate`;
    // Rita signed; she must not request the promotion herself.
    await sql`update agents set stage = 'live', stage_evidence = ${proof?.id as string}, stage_asked_by = 'rita' where id = ${id}`;
    await sql`alter table agents enable always trigger agent_stage_gate`;
    await sql`update actors set snapshot = jsonb_set(snapshot, '{value,stage}', '"live"') where id = ${id}`;
  });
  const { breaks } = await verifyTrail(fixture.superuser);
  expect(breaks.filter(({ agentId }) => agentId === id)).toMatchObject([
    { part: 'gate', detail: expect.stringMatching(/opens the gate from limited_live by the word of rita, who is not independent of it/) },
  ]);
});
