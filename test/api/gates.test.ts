// The seven gates over HTTP: promotions and refusals, sign-off, evidence, versions and their differences.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { STAGES } from '../../src/domain/agents/agent.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import { createGateFixture, type GateFixture } from '../adapters/store/gates/gate-fixture.ts';
import { testDatabase } from '../harness/postgres.ts';
import { rounds } from '../harness/rounds.ts';
import { actorsOn } from '../world/actor-world.ts';
import { type ApiUnderTest, apiUnderTest, createdAgent, OURS, payload, THEIRS } from './api-under-test.ts';

let api: ApiUnderTest;
let fixture: GateFixture;
/** Members: one creates and requests, one signs off, one reads, one belongs to another organization. */
let trader: string;
let risk: string;
let both: string;
let reader: string;
let theirs: string;
beforeAll(async () => {
  const url = await testDatabase();
  fixture = await createGateFixture(url);
  api = await apiUnderTest(undefined, {}, url);
  for (const [id, name] of [
    [OURS, 'us'],
    [THEIRS, 'them'],
  ] as const)
    await fixture.app`insert into organizations (id, name) values (${id}, ${name})`;
  trader = await api.token(['agent:read', 'trade:execute']);
  risk = await api.token(['agent:read', 'risk:manage']);
  both = await api.token(['agent:read', 'trade:execute', 'risk:manage']);
  reader = await api.token(['agent:read']);
  theirs = await api.token(['agent:read', 'trade:execute', 'risk:manage'], THEIRS);
});
afterAll(async () => {
  await api.close();
  await fixture.close();
});

const promote = (id: string, token = trader, headers: Record<string, string> = {}) =>
  api.call('POST', `/v1/agents/${id}/promote`, { token, headers });
const gatesOf = async (id: string) => (await api.call('GET', `/v1/agents/${id}/gates`, { token: reader })).body;

async function adopted(id: string): Promise<string> {
  const { body } = await api.call('GET', `/v1/agents/${id}`, { token: reader });
  fixture.adopt(id, body.manifest as Manifest, body.manifestVersion, OURS);
  return id;
}
const made = async (over: Record<string, unknown> = {}, token = trader): Promise<string> => adopted(await createdAgent(api, token, over));

/** Produces the evidence of a stage's gate: runs, trading, a member's sign-off. */
async function earn(id: string, at: (typeof STAGES)[number], passing = true): Promise<void> {
  if (at === 'backtest' || at === 'stress_test') await fixture.pass(id, at, undefined, passing);
  if (at === 'paper' || at === 'shadow') await fixture.traded(id, at, passing);
  if (at === 'limited_live') {
    const reply = await api.call('POST', `/v1/agents/${id}/sign-off`, {
      token: risk,
      body: { approved: passing, comment: 'looked at the fills' },
    });
    expect(reply.status, reply.text).toBe(201);
  }
}

async function climbed(id: string, to: (typeof STAGES)[number]): Promise<string> {
  const { body } = await api.call('GET', `/v1/agents/${id}`, { token: reader });
  for (let place = STAGES.indexOf(body.stage); place < STAGES.indexOf(to); place++) {
    await earn(id, STAGES[place] as (typeof STAGES)[number]);
    const reply = await promote(id);
    expect(reply.body, reply.text).toMatchObject({ stage: STAGES[place + 1] });
    await fixture.advance(1_000);
  }
  return id;
}

test('an agent at paper shows its day, its trades, its next step and why there are none', async () => {
  const id = await climbed(await made(), 'paper');
  const waiting = await gatesOf(id);
  expect(Object.keys(waiting).slice(0, 4)).toEqual(['stage', 'progress', 'next', 'whyNoTrades']);
  expect(waiting).toMatchObject({
    progress: expect.stringMatching(/^day 1 of 14, .*0 of 5 closed trades$/),
    next: expect.stringContaining('keep it running'),
    whyNoTrades: ['No decisions yet. A running agent decides at each full minute.'],
  });
  await earn(id, 'paper');
  expect(await gatesOf(id)).toMatchObject({ next: 'POST /v1/agents/:id/promote', whyNoTrades: [] });
});

test.each(['draft', 'paper'] as const)(
  'of many promotions of an agent from %s at once one opens the gate, and the others get its present stage',
  async (at) => {
    const id = await climbed(await made(), at);
    await earn(id, at);
    const replies = await Promise.all(Array.from({ length: 12 }, () => promote(id)));
    const next = STAGES[STAGES.indexOf(at) + 1] as (typeof STAGES)[number];
    const opened = replies.filter(({ status }) => status === 200);
    expect(opened.map(({ body }) => body.stage)).toEqual([next]);
    for (const { status, body } of replies.filter((reply) => !opened.includes(reply))) {
      // Later requests ask for the next gate, and get its missing conditions.
      expect([status, ['state_conflict', 'evidence_missing', 'gate_failed'].includes(body.code)], JSON.stringify(body)).toEqual([
        409,
        true,
      ]);
      expect(body.detail).toContain(next);
    }
    expect((await api.call('GET', `/v1/agents/${id}`, { token: reader })).body.stage).toBe(next);
    await fixture.advance(1_000);
  },
);

test('an agent earns its capital through seven gates; each names missing evidence, or the failed condition', async () => {
  const id = await made();
  for (const [place, at] of STAGES.slice(0, -1).entries()) {
    if (at !== 'draft') {
      const missing = await promote(id);
      expect(missing.status).toBe(409);
      expect(missing.body.code).toBe(at === 'paper' || at === 'shadow' ? 'gate_failed' : 'evidence_missing');
      expect(missing.body.detail).toContain(at);
      await earn(id, at, false);
      const failed = await promote(id);
      expect(failed.body).toMatchObject({ code: 'gate_failed', status: 409 });
      const broken = (failed.body.checks as { passed: boolean; observed: number | null; limit: number; rule: string }[]).filter(
        ({ passed }) => !passed,
      );
      expect(broken.length).toBeGreaterThan(0);
      for (const { observed, limit, rule } of broken) {
        expect(rule).toMatch(/^(above|below|at_least|at_most)$/);
        expect([typeof observed, typeof limit]).toEqual(['number', 'number']);
      }
      expect((await api.call('GET', `/v1/agents/${id}`, { token: reader })).body.stage).toBe(at);
      // Trading goes on, and the loss is earned back.
      if (at === 'paper') for (let n = 0; n < 3; n++) await earn(id, at);
      if (at === 'shadow') for (let n = 0; n < 7; n++) await earn(id, at);
      if (at !== 'paper' && at !== 'shadow') await earn(id, at);
    }
    const opened = await promote(id);
    expect(opened.status, opened.text).toBe(200);
    expect(opened.body).toMatchObject({ id, stage: STAGES[place + 1], state: STAGES[place + 1], manifestVersion: 1 });
    await fixture.advance(1_000);
  }
  expect((await promote(id)).body).toMatchObject({ code: 'state_conflict', detail: expect.stringContaining('live') });

  const { body } = await api.call('GET', `/v1/agents/${id}/evidence?limit=200`, { token: reader });
  const passed = (body.items as { kind: string; passed: boolean; stage: string }[]).filter((row) => row.passed).map(({ kind }) => kind);
  expect(passed.reverse()).toEqual(expect.arrayContaining(['manifest', 'backtest', 'stress_test', 'paper', 'shadow', 'risk_signoff']));
  const changes =
    await fixture.app`select from_stage, to_stage, evidence_id is not null as proven, asked_by from stage_changes where agent_id = ${id} order by seq`;
  expect(changes.map(({ to_stage }) => to_stage)).toEqual([...STAGES]);
  expect(changes.slice(1).every(({ proven, asked_by }) => proven && asked_by === 'subject-1')).toBe(true);
  expect((await gatesOf(id)).gates.map(({ state, passed: open }: { state: string; passed: boolean }) => [state, open])).toEqual(
    Array(6).fill(['behind', true]),
  );
});

describe('the sign-off', () => {
  test('comes from a person with risk:manage who is neither the creator nor the requester, and the newest counts', async () => {
    const id = await climbed(await made({}, both), 'limited_live');
    const sign = (token: string, approved = true) => api.call('POST', `/v1/agents/${id}/sign-off`, { token, body: { approved } });
    expect((await sign(both)).body).toMatchObject({ code: 'sign_off_refused', status: 403 });
    expect((await sign(trader)).status).toBe(403);
    expect((await sign(theirs)).status).toBe(404);
    expect((await sign(risk)).body).toMatchObject({ kind: 'risk_signoff', stage: 'limited_live', passed: true });
    expect((await sign(risk, false)).body).toMatchObject({ passed: false });
    expect((await promote(id)).body).toMatchObject({ code: 'gate_failed', checks: [{ name: 'approved', observed: 0, passed: false }] });
    const second = await api.token(['agent:read', 'trade:execute', 'risk:manage']);
    expect((await sign(second)).status).toBe(201);
    expect((await promote(id, second)).body).toMatchObject({ code: 'sign_off_refused' });
    expect((await promote(id, both)).body).toMatchObject({ stage: 'live' });
  });

  test('is for the step to live only', async () => {
    const id = await made();
    expect((await api.call('POST', `/v1/agents/${id}/sign-off`, { token: risk, body: { approved: true } })).body).toMatchObject({
      code: 'state_conflict',
    });
    expect((await api.call('POST', `/v1/agents/${id}/sign-off`, { token: risk, body: { approved: 'yes' } })).status).toBe(400);
  });
});

const QUIET = { type: 'no_negative_event', minSeverity: 'high', lookbackHours: 24, includeRumors: false };

test('a changed manifest restarts at draft, and its old evidence opens nothing', async () => {
  const id = await climbed(await made(), 'paper');
  const changed = await api.call('POST', `/v1/agents/${id}/versions`, {
    token: trader,
    body: payload({ stopLossPct: 5, entryConditions: [QUIET] }),
  });
  expect(changed.body).toMatchObject({ stage: 'draft', manifestVersion: 2 });
  expect((await gatesOf(id)).gates.map(({ passed }: { passed: boolean }) => passed)).toEqual([true, false, false, false, false, false]);
  await adopted(id);
  // Its event rule could not be evaluated in a backtest, and that is said without waiting for one.
  const named = (await gatesOf(id)).missingHistory;
  expect(named).toHaveLength(4);
  expect(named[0]).toMatchObject({ conditions: ['no_negative_event'], source: 'news:wire', missingPct: 100 });
  expect(named[0].text).toContain(named[0].command);
  const told = (await promote(id)).body;
  expect(told).toMatchObject({ stage: 'backtest' });
  expect(told.missingHistory).toEqual(named);
  expect((await promote(id)).body).toMatchObject({ code: 'evidence_missing' });
});

test('a manifest that can never trade live is told so at draft, by the gates and by the promotion', async () => {
  const id = await made({ universe: ['BTC', 'xyz:AAPL'], entryConditions: [QUIET] });
  const told = (await gatesOf(id)).liveLimit;
  expect(told).toMatch(/^no instrument of the agent can be traded live \(evmvenue:BTC, evmvenue:xyz:AAPL\)/);
  expect((await promote(id)).body).toMatchObject({ stage: 'backtest', liveLimit: told });
  const mixed = await made({ universe: ['BTC', 'BTCUSDT'] });
  expect((await gatesOf(mixed)).liveLimit).toMatch(/^evmvenue:BTC cannot be traded live/);
  expect((await gatesOf(await made())).liveLimit).toBeNull();
});

test('the gates show how a manifest’s orders execute on each venue of its universe, and the fees', async () => {
  const { execution } = await gatesOf(await made({ universe: ['BTCUSDT', 'AAPLx'], urgency: 'low' }));
  expect(execution).toEqual([
    'Orders on spotexchange rest at the best price of their own side for 45 s, at a maker fee of 10 bps. They fill when the market trades through that price. The rest then executes immediately up to the limit price, at a taker fee of 10 bps.',
    expect.stringMatching(/^Orders on spotchain execute immediately .* bps: the venue has no resting orders \(no_resting_orders\)\.$/),
    'Orders of a stop-loss, a closing or a kill switch execute immediately.',
  ]);
  const sliced = await gatesOf(await made({ universe: ['BTC', 'ETH'], algorithm: 'twap', urgency: 'high' }));
  expect(sliced.execution[0]).toMatch(
    /^Orders on evmvenue are split into at most 3 equal slices, one every 10 s\. Slices execute immediately/,
  );
  expect(sliced.execution).toHaveLength(2);
});

test('a manifest that cannot be evaluated stays at draft, with every reason', async () => {
  const id = await made({ stopLossPct: 0, maxDailyDrawdownPct: 0, universe: [] });
  const reply = await promote(id);
  expect(reply.body).toMatchObject({ code: 'gate_failed', status: 409 });
  const failed = (reply.body.checks as { name: string; passed: boolean }[]).filter(({ passed }) => !passed).map(({ name }) => name);
  expect(failed).toEqual(['universe', 'stop_loss', 'daily_drawdown']);
});

test('a paused agent is not promoted, an unauthorized caller neither, and a foreign agent answers as a missing one', async () => {
  const id = await made();
  await api.call('POST', `/v1/agents/${id}/pause`, { token: trader });
  expect((await promote(id)).body).toMatchObject({ code: 'state_conflict', detail: expect.stringContaining('paused') });
  expect((await promote(id, reader)).status).toBe(403);
  const missing = '019a5b1e-7c00-7000-8000-00000000dead';
  for (const [method, path] of [
    ['POST', 'promote'],
    ['GET', 'gates'],
    ['GET', 'versions'],
    ['GET', 'evidence'],
  ] as const) {
    const [foreign, absent] = await Promise.all([id, missing].map((of) => api.call(method, `/v1/agents/${of}/${path}`, { token: theirs })));
    const plain = (text: string | undefined) => text?.replace(/"requestId":"[^"]+"/, '');
    expect(plain(foreign?.text)).toBe(plain(absent?.text));
    expect(foreign?.status).toBe(404);
  }
});

test('the same promotion twice under one key opens one gate', async () => {
  const id = await made();
  const [first, second] = [
    await promote(id, trader, { 'idempotency-key': 'once' }),
    await promote(id, trader, { 'idempotency-key': 'once' }),
  ];
  expect([first.status, first.body.stage, second.body.stage, second.headers['idempotency-replayed']]).toEqual([
    200,
    'backtest',
    'backtest',
    'true',
  ]);
});

test('two concurrent requests open one gate', async () => {
  const id = await made();
  await climbed(id, 'backtest');
  await earn(id, 'backtest');
  const replies = await Promise.all([1, 2, 3, 4].map(() => promote(id)));
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  for (const { status, body } of replies.filter((reply) => reply.status !== 200))
    expect([status, ['state_conflict', 'evidence_missing'].includes(body.code)]).toEqual([409, true]);
  expect((await api.call('GET', `/v1/agents/${id}`, { token: reader })).body.stage).toBe('stress_test');
});

describe('versions', () => {
  test('list the changes of each: fields by path, conditions added and removed, and any two compared', async () => {
    const id = await made();
    await api.call('POST', `/v1/agents/${id}/versions`, { token: trader, body: payload({ stopLossPct: 5, universe: ['AAPLx'] }) });
    const conditions = [
      { type: 'premium_below', pct: -2 },
      { type: 'rsi_below', period: 14, value: 35 },
    ];
    await api.call('POST', `/v1/agents/${id}/versions`, {
      token: trader,
      body: payload({ stopLossPct: 6, universe: ['AAPLx'], entryConditions: conditions }),
    });
    const all = (await api.call('GET', `/v1/agents/${id}/versions`, { token: reader })).body;
    expect(all.items.map(({ version }: { version: number }) => version)).toEqual([3, 2, 1]);
    expect(all.comparison).toBe(null);
    expect(all.items[2]).toMatchObject({ changes: [], conditionsAdded: [], conditionsRemoved: [] });
    expect(all.items[1].changes.map(({ path }: { path: string }) => path)).toEqual(['$.stopLossPct', '$.universe']);
    expect(all.items[1].changes[0]).toEqual({ path: '$.stopLossPct', before: 4, after: 5 });
    expect(all.items[0]).toMatchObject({
      changes: [{ path: '$.stopLossPct', before: 5, after: 6 }],
      conditionsAdded: [{ side: 'entry', condition: { type: 'premium_below', pct: -2 } }],
      conditionsRemoved: [{ side: 'entry', condition: { type: 'premium_below', pct: -1.5 } }],
    });
    const compared = (await api.call('GET', `/v1/agents/${id}/versions?from=1&to=3&limit=1`, { token: reader })).body;
    expect(compared.items).toHaveLength(1);
    expect(compared.comparison).toMatchObject({
      from: 1,
      to: 3,
      changes: [{ path: '$.stopLossPct', before: 4, after: 6 }, { path: '$.universe' }],
    });
    const backwards = (await api.call('GET', `/v1/agents/${id}/versions?from=3&to=1`, { token: reader })).body;
    expect(backwards.comparison.changes[0]).toEqual({ path: '$.stopLossPct', before: 6, after: 4 });
    const next = (await api.call('GET', `/v1/agents/${id}/versions?limit=1&cursor=${compared.nextCursor}`, { token: reader })).body;
    expect(next.items[0].version).toBe(2);
    expect((await api.call('GET', `/v1/agents/${id}/versions?from=1&to=9`, { token: reader })).status).toBe(404);
    expect((await api.call('GET', `/v1/agents/${id}/versions?from=0`, { token: reader })).status).toBe(400);
    // Against a version of another agent, only the agent's own is listed.
    const copied = await made();
    const against = (await api.call('GET', `/v1/agents/${id}/versions?from=2&to=1&against=${copied}`, { token: reader })).body;
    expect(against.items.map(({ version }: { version: number }) => version)).toEqual([2]);
    expect(against.comparison.changes[0]).toEqual({ path: '$.stopLossPct', before: 5, after: 4 });
    const missing = await api.call('GET', `/v1/agents/${id}/versions?from=2&to=2&against=${copied}`, { token: reader });
    expect([missing.status, missing.body.detail]).toEqual([404, 'the other agent has no version 2 of its manifest']);
    const nobodys = '019a5b1e-7c00-7000-8000-00000000ffff';
    expect((await api.call('GET', `/v1/agents/${id}/versions?from=2&to=1&against=${nobodys}`, { token: reader })).status).toBe(404);
  });
});

test('no random sequence of requests, breakers, new versions and raw statements reaches a stage without its evidence', async () => {
  const { runtime } = actorsOn(fixture.app, api.clock);
  const KINDS = ['manifest', 'backtest', 'stress_test', 'paper', 'shadow', 'risk_signoff'] as const;
  const anyStep = fc.oneof(
    { weight: 5, arbitrary: fc.constant({ do: 'earn' as const }) },
    { weight: 7, arbitrary: fc.constant({ do: 'promote' as const }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('evaluate' as const),
        kind: fc.constantFrom('backtest' as const, 'stress_test' as const),
        passing: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('jump' as const), by: fc.integer({ min: 1, max: 6 }) }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        { do: 'new version' as const },
        { do: 'pause' as const },
        { do: 'resume' as const },
        { do: 'breaker' as const },
      ),
    },
  );
  const CLIMB = Array.from({ length: 4 }, () => [{ do: 'earn' as const }, { do: 'promote' as const }]).flat();
  let highest = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 10, maxLength: 26 }), async (steps) => {
      const id = await made();
      let at = 0;
      let paused = false;
      let version = 1;
      /** Valid recorded evidence by kind: true if the newest has passed. */
      let counts = new Map<string, boolean>([['manifest', true]]);
      const restart = (place: number): void => {
        at = place;
        counts = new Map([['manifest', true]]);
      };
      for (const step of steps) {
        const here = STAGES[at] as (typeof STAGES)[number];
        if (step.do === 'earn' && at > 0 && at < 6) {
          await earn(id, here);
          counts.set(KINDS[at] as string, true);
        } else if (step.do === 'evaluate') {
          await fixture.pass(id, step.kind, undefined, step.passing);
          counts.set(step.kind, step.passing);
        } else if (step.do === 'promote') {
          const opens = !paused && at < 6 && counts.get(KINDS[at] as string) === true;
          const reply = await promote(id);
          expect([reply.status, opens], reply.text).toEqual([opens ? 200 : 409, opens]);
          if (opens) {
            at++;
            for (const kind of ['paper', 'shadow', 'risk_signoff']) if (KINDS[at] === kind) counts.delete(kind);
            await fixture.advance(1_000);
          }
        } else if (step.do === 'jump' && at + step.by < STAGES.length) {
          const to = STAGES[at + step.by] as string;
          const [any] = await fixture.app<{ id: string }[]>`select id from evidence where agent_id = ${id} order by random() limit 1`;
          if (step.by > 1 || counts.get(KINDS[at] as string) !== true)
            await expect(
              fixture.app`update agents set stage = ${to}, stage_evidence = ${any?.id ?? null}, stage_asked_by = 'tina' where id = ${id}`,
            ).rejects.toThrow(/gate/);
        } else if (step.do === 'new version') {
          const reply = await api.call('POST', `/v1/agents/${id}/versions`, {
            token: trader,
            body: payload({ stopLossPct: 5 + version++ }),
          });
          expect(reply.status, reply.text).toBe(201);
          await adopted(id);
          restart(0);
        } else if (step.do === 'pause' || step.do === 'resume') {
          await api.call('POST', `/v1/agents/${id}/${step.do}`, { token: step.do === 'pause' ? trader : risk });
          paused = step.do === 'pause';
        } else if (step.do === 'breaker') {
          await runtime.deliver(
            id,
            { type: 'breaker.tripped', breaker: 'slippage', at: api.clock.now(), observed: 9, limit: 3 },
            { cause: 'test' },
          );
          if (at >= 5) restart(3);
        }
        const [row] = await fixture.app<{ stage: string; value: { stage: string } }[]>`
          select g.stage, a.snapshot -> 'value' as value from agents g join actors a on a.id = g.id where g.id = ${id}`;
        expect([row?.stage, row?.value.stage]).toEqual([STAGES[at], STAGES[at]]);
        highest = Math.max(highest, at);
      }
    }),
    { numRuns: rounds({ suite: 4, proof: 24 }), examples: [[CLIMB]] },
  );
  expect(highest).toBeGreaterThan(2);
});
