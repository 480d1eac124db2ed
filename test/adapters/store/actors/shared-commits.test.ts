// Steps that share a transaction fail independently, and write what each alone would have written.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { shareCommits } from '../../../../src/adapters/store/actors/shared-commits.ts';
import { verifyTrail } from '../../../../src/adapters/store/trail-verifier.ts';
import { eagerManifest, ORG, type TradingFixture, tradingFixture } from '../../../actors/proposal/trading-fixture.ts';

const AGENTS = 8;
let fixture: TradingFixture;
beforeEach(async () => {
  fixture = await tradingFixture({ actorStore: shareCommits, connections: 6 });
});
afterEach(() => fixture.close());

/** Makes agents propose a paper order in one slot. Returns their ids. */
async function proposing(): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < AGENTS; index++) ids.push(await fixture.agent('policy_auto', eagerManifest({ name: `agent ${index}` })));
  fixture.price('60000', '60010', 'live', undefined, '1000');
  await fixture.tick();
  return ids;
}

/** Returns the states of the agents' proposals, by agent. */
const states = async (): Promise<Record<string, string>> =>
  Object.fromEntries((await fixture.list()).map(({ agentId, state, reason }) => [agentId, reason === null ? state : `${state} ${reason}`]));

const transactionsOf = async (event: string) =>
  (await fixture.sql`select distinct xmin::text from steps where event->>'type' = ${event}`).length;

test('executions of one moment share transactions, and every agent has its one fill in its own book', async () => {
  const ids = await proposing();
  await fixture.carry();
  expect(await states()).toEqual(Object.fromEntries(ids.map((id) => [id, 'filled'])));
  expect(await transactionsOf('activity.done')).toBeLessThan(AGENTS / 2);
  const books = await fixture.sql<{ agent_id: string; fills: number }[]>`select agent_id, fills from books order by agent_id`;
  expect(books).toEqual([...ids].sort().map((agent_id) => ({ agent_id, fills: 1 })));
  expect((await verifyTrail(fixture.sql)).breaks).toEqual([]);
});

test('an agent that lost its permit is cancelled alone; those sharing its transaction are filled', async () => {
  const ids = await proposing();
  const [paused] = ids as [string];
  // Paused without its actor, so that only the permit knows.
  await fixture.sql`update agents set pause_cause = 'operator' where id = ${paused}`;
  const assessing = fixture.preTrade;
  await fixture.carry({
    preTrade: {
      // Assessed as before the pause.
      assess: async (orgId, proposal) => {
        if (proposal.agentId !== paused) return assessing.assess(orgId, proposal);
        await fixture.sql`update agents set pause_cause = null where id = ${paused}`;
        const verdict = await assessing.assess(orgId, proposal);
        await fixture.sql`update agents set pause_cause = 'operator' where id = ${paused}`;
        return verdict;
      },
    },
  });
  expect(await states()).toEqual(Object.fromEntries(ids.map((id) => [id, id === paused ? 'cancelled paused' : 'filled'])));
  expect((await verifyTrail(fixture.sql)).breaks).toEqual([]);
});

test('a halt at any moment: an order unfilled before its answer is never filled', async () => {
  for (let round = 0; round < 4; round++) {
    const before = (await fixture.sql`select 1 from fills`).length;
    if (round === 0) await proposing();
    else {
      fixture.price(round % 2 === 1 ? '71000' : '60000', round % 2 === 1 ? '71010' : '60010', 'live', undefined, '1000');
      await fixture.tick();
    }
    const carrying = fixture.carry();
    for (let turn = 0; turn < round * 3; turn++) await new Promise((done) => setImmediate(done));
    const halt = await fixture.commands.emergencyHalt(fixture.context());
    if (!halt.ok) throw new Error(halt.refusal.detail);
    const [answered] = await fixture.sql<{ n: number }[]>`select count(*)::int as n from fills`;
    await carrying;
    await fixture.sql`update activities set due_at = 0 where state = 'pending'`;
    await fixture.carry();
    const after = (await fixture.sql`select 1 from fills`).length;
    expect(after, `round ${round}, ${before} fills before`).toBe(answered?.n);
    const open = await fixture.sql`select 1 from proposals where org_id = ${ORG} and state in ('approved', 'executing')`;
    expect(open).toEqual([]);
    for (const { id } of await fixture.sql<{ id: string }[]>`select id from agents where pause_cause is not null`)
      await fixture.runtime.deliver(id, { type: 'resume', subject: 'b', createdBy: 'a', at: fixture.clock.now() }, { cause: 'test' });
  }
});

test('two turns of one actor at once are never one transaction, and one is told that the other came first', async () => {
  await proposing();
  const [{ id } = { id: '' }] = await fixture.list();
  const cancel = () => fixture.runtime.deliver(id, { type: 'cancel', reason: 'tried' }, { cause: 'test' });
  const outcomes = await Promise.all([cancel(), cancel(), cancel()]);
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
  const [steps] = await fixture.sql<{ n: number }[]>`select count(*)::int as n from steps where actor_id = ${id}`;
  expect(steps?.n).toBe(2);
});
