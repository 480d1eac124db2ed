// A halt races everything that leads to an order on real PostgreSQL: after its answer nothing starts.
import { expect, test } from 'vitest';
import type { ExecutionClient } from '../../../actors/proposal/execution-client.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { rounds } from '../../harness/rounds.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { ORG, tradingFixture } from './trading-fixture.ts';

const ROUNDS = rounds({ suite: 6, proof: 300 });
const CONFIRMING = 2;
const AUTOMATIC = 2;

test(`${ROUNDS} halts race approvals, ticks and automatic executions: no order begins after the answer`, async () => {
  const fixture = await tradingFixture({ connections: 24 });
  try {
    const live = createLiveClock();
    const after = (ms: number) => new Promise((resolve) => void live.deadline(live.now() + ms, () => resolve(null)));
    let commitAfterMs = 0;
    let dialMs = 0;
    fixture.useTicker({
      commit: async (tick) => {
        await after(commitAfterMs);
        return fixture.tickStore.commit(tick);
      },
    });
    let answeredAt = Number.POSITIVE_INFINITY;
    let late = 0;
    let begun = 0;
    // A slow venue and slow commits widen the windows of the race.
    const client: ExecutionClient<'spotexchange'> = {
      async submit(_, { key }) {
        await after(dialMs);
        begun++;
        if (performance.now() > answeredAt) late++;
        return { outcome: 'rejected', reason: 'not_filled', detail: key };
      },
      lookUp: async () => ({ outcome: 'rejected', reason: 'not_found', detail: '' }),
    };
    const ids: string[] = [];
    for (let i = 0; i < CONFIRMING + AUTOMATIC; i++) {
      const id = await fixture.agent(i < CONFIRMING ? 'confirm' : 'policy_auto');
      await fixture.atStage(id, 'live');
      await fixture.fund(id, '100000');
      ids.push(id);
    }
    const workers = fixture.workersOf({ clients: { spotexchange: client }, clock: live });
    const carrying = fixture.carrying(workers);
    let cancelled = 0;
    let approved = 0;
    // The race is meaningful only if both sides won often. A slow side takes more rounds.
    const often = (won: number): boolean => won > ROUNDS / 4;
    let round = 0;
    for (; round < ROUNDS || (round < 5 * ROUNDS && ![begun, cancelled, approved].every(often)); round++) {
      answeredAt = Number.POSITIVE_INFINITY;
      // The first tick's proposals wait for approval, or are being executed.
      commitAfterMs = 0;
      fixture.price('60000', '60010');
      const began = performance.now();
      await fixture.tick();
      // The halt's delay is scaled by this machine's tick time: on a slow one it would win every race.
      const stepMs = Math.max(8, (performance.now() - began) / 4);
      commitAfterMs = (round % 4) * 40;
      dialMs = (round % 3) * 60;
      const pending = await fixture.list({ state: 'pending_approval' });
      const wobble = (n: number) => after((round * 7 + n * 5) % 12);
      let haltAnswered = false;
      const carryUntilHalted = async (n: number): Promise<void> => {
        await wobble(n);
        while (!haltAnswered) if ((await carrying.carryDue()) === 0) await after(2);
        // Postponed activities are due at once: their worker must see that they are superseded.
        await fixture.sql`update activities set due_at = 0 where state = 'pending'`;
        await carrying.carryDue();
      };
      const work = [
        ...pending.map(async ({ id }, n) => {
          await wobble(n);
          const outcome = await fixture.orders.approve(fixture.context(), id);
          if (outcome.ok) approved++;
        }),
        carryUntilHalted(1),
        carryUntilHalted(2),
        (async () => {
          await wobble(3);
          fixture.price('60000', '60010');
          await fixture.tick();
        })(),
        (async () => {
          // From before the first of the others until after the last.
          await after((round % 8) * stepMs);
          const halt = await fixture.commands.emergencyHalt(fixture.context());
          answeredAt = performance.now();
          haltAnswered = true;
          if (!halt.ok) throw new Error(halt.refusal.detail);
        })(),
      ];
      await Promise.all(work);
      // Once the halt has paused everything, nothing can start and nothing is pending.
      await waitFor(async () => (await fixture.sql`select 1 from control where swept_epoch = epoch`).length > 0, {
        what: 'the halt to be over',
      });
      await carrying.carryDue();
      const [ended] = await fixture.sql<{ cancelled: number }[]>`
        select count(*)::int as cancelled from proposals where state = 'cancelled' and reason = 'halted'`;
      cancelled = ended?.cancelled ?? 0;
      const open =
        await fixture.sql`select id, state from proposals where state in ('pending_approval', 'approved', 'executing', 'unknown')`;
      expect(open.filter(({ state }) => state === 'pending_approval')).toEqual([]);
      await fixture.sql`update activities set due_at = 0 where state = 'pending'`;
      await carrying.carryDue();
      expect(late, `round ${round}`).toBe(0);
      for (const id of ids)
        await fixture.runtime.deliver(id, { type: 'resume', subject: 'b', createdBy: 'a', at: fixture.clock.now() }, { cause: 'test' });
    }
    await carrying.stop();
    expect([begun, cancelled, approved].map(often), `${begun} begun, ${cancelled} cancelled, ${approved} approved`).toEqual([
      true,
      true,
      true,
    ]);
    const [epoch] = await fixture.sql<{ epoch: number }[]>`select epoch from control where org_id = ${ORG}`;
    expect(epoch?.epoch).toBe(round);
  } finally {
    await fixture.close();
  }
});
