// Inputs of a tick are recorded as they were read, on real PostgreSQL: a recording that continues from them repeats the ticks.
import { beforeEach, expect, test } from 'vitest';
import { NO_INPUTS } from '../../../src/domain/tape/tick-inputs.ts';
import { type TradingFixture, tradingFixture } from './trading-fixture.ts';

let fixture: TradingFixture;
beforeEach(async () => {
  fixture = await tradingFixture();
  return () => fixture.close();
});

const notes = async (id: string) =>
  (await fixture.sql<{ body: string }[]>`select body from tick_inputs where agent_id = ${id} order by slot`).map(
    ({ body }) => JSON.parse(body) as { book: { openProposals: unknown[] } | null; risk: unknown },
  );

/** Creates an agent with a pending proposal that a tick has seen. */
async function waiting(): Promise<{ agentId: string; id: string }> {
  const agentId = await fixture.agent('confirm');
  fixture.price('60000', '60010');
  await fixture.tick();
  await fixture.tick();
  const [proposal] = await fixture.list();
  expect((await notes(agentId)).at(-1)?.book?.openProposals).toHaveLength(1);
  return { agentId, id: proposal?.id as string };
}

test.each([false, true])(
  'after a proposal ended unfilled the next tick records that nothing is pending (another worker: %s)',
  async (another) => {
    const { agentId, id } = await waiting();
    await fixture.orders.decline(fixture.context(), id, 'no');
    // Without a price the tick does not reach the risk check.
    fixture.quotes.clear();
    if (another) fixture.freshWorker();
    await fixture.tick();
    const noted = (await notes(agentId)).at(-1);
    expect(noted?.book).toBe(null);
    const count = (await notes(agentId)).length;
    await fixture.tick();
    expect(await notes(agentId)).toHaveLength(count);
  },
);

test('an agent without reads records nothing, however many workers tick it', async () => {
  const agentId = await fixture.agent('confirm');
  await fixture.tick();
  fixture.freshWorker();
  await fixture.tick();
  expect(await notes(agentId)).toEqual([]);
  expect(JSON.parse(NO_INPUTS)).toEqual({ book: null, risk: null });
});
