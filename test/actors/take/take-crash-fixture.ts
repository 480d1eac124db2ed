/**
 * Life of a Take in which a worker dies before or after one write and another continues: one evaluation per slot, one fill each way,
 * nothing lost.
 */
import { expect } from 'vitest';
import { verifyTrail } from '../../../src/adapters/store/trail-verifier.ts';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import { readTakeFields } from '../../../src/domain/take/read-take.ts';
import { TAKE_TICK_MS } from '../../../src/domain/values/time.ts';
import { ORG, tradingFixture } from '../proposal/trading-fixture.ts';

class Killed extends Error {}

/** Counts writes. The given one dies before its commit, or after it without an acknowledgement. */
function killer(at: number, when: 'before' | 'after') {
  let writes = 0;
  return {
    get writes() {
      return writes;
    },
    armed: false,
    guard<Args extends unknown[], Value>(write: (...args: Args) => Promise<Value>): (...args: Args) => Promise<Value> {
      return async (...args) => {
        const dies = this.armed && ++writes === at;
        if (dies && when === 'before') throw new Killed(`before write ${at}`);
        const value = await write(...args);
        if (dies) throw new Killed(`after write ${at}`);
        return value;
      };
    },
  };
}

const HALF = [
  ['61000', 'armed'],
  ['59000', 'filled'],
  ['59500', 'filled'],
  ['66000', 'closed'],
] as const;

/** Runs a whole life: armed, waiting, filled, held and sold. No write has number 0. Returns the number of writes. */
export async function takeLife(at: number, when: 'before' | 'after'): Promise<number> {
  const death = killer(at, when);
  const fixture = await tradingFixture({
    connections: 4,
    actorStore: (store) => ({ ...store, commit: death.guard(store.commit), takeActivities: death.guard(store.takeActivities) }),
  });
  const surviving = async (work: () => Promise<unknown>): Promise<void> => {
    await work().catch((error: unknown) => {
      if (!(error instanceof Killed)) throw error;
    });
  };
  try {
    fixture.useTicker({ commit: death.guard(fixture.tickStore.commit) });
    const read = readTakeFields(
      {
        symbol: 'BTCUSDT',
        target: { kind: 'price', direction: 'below', value: '60000' },
        conditions: { exit: [{ type: 'price_above', price: '65000' }] },
        allocationUsd: '1000',
      },
      { catalog: CATALOG, now: fixture.clock.now() },
    );
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    const reading = { thesis: null, understood: [], assumed: [], notUnderstood: [], open: [] };
    const created = await fixture.takes.create(fixture.context(), read.take, reading);
    if (!created.ok) throw new Error(created.refusal.detail);
    const { id } = created.value;
    await fixture.takes.arm(fixture.context(), id, 'paper', []);
    death.armed = true;
    for (const [bid, state] of HALF) {
      fixture.price(bid, String(Number(bid) + 10));
      await surviving(() => fixture.tick('live', TAKE_TICK_MS));
      // A worker without memory takes over; it finds timers and activities in the database.
      fixture.freshWorker();
      await fixture.tickAgain(TAKE_TICK_MS);
      fixture.useTicker({ commit: death.guard(fixture.tickStore.commit) });
      for (let round = 0; round < 12 && (round < 2 || (await fixture.takeReads.find(ORG, id))?.state !== state); round++) {
        await surviving(() => fixture.timers.fireDue());
        fixture.clock.advanceTo(fixture.clock.now() + 2);
        await surviving(() => fixture.carry());
        await surviving(() => fixture.timers.fireDue());
        // An unanswered activity is due again after its retry. Leases end by the database's clock,
        // which the test cannot move: the same time is subtracted from them.
        if (round > 2) {
          fixture.clock.advanceTo(fixture.clock.now() + 2_000);
          await fixture.sql`update execution_leases set held_until = held_until - interval '2 seconds'`;
        }
        fixture.price(bid, String(Number(bid) + 10));
      }
      expect([at, when, bid, (await fixture.takeReads.find(ORG, id))?.state]).toEqual([at, when, bid, state]);
    }
    death.armed = false;
    expect(await fixture.sql`select side, count(*)::int as n from fills group by side order by side`).toEqual([
      { side: 'buy', n: 1 },
      { side: 'sell', n: 1 },
    ]);
    expect((await fixture.list()).map(({ side, state }) => [side, state])).toEqual([
      ['exit', 'filled'],
      ['entry', 'filled'],
    ]);
    const steps = await fixture.sql<{ to: string }[]>`
      select coalesce(to_value #>> '{life,on_duty}', to_value ->> 'life') as to from steps where actor_id = ${id} order by version`;
    // It may learn of a fill before the order that led to it.
    const received = steps.map(({ to }) => to).filter((to) => to !== 'triggered' && to !== 'proposed');
    // A step within a state is not a new state.
    const stood = received.filter((to, index) => to !== received[index - 1]);
    expect(stood).toEqual(['draft', 'armed', 'filled', 'closed']);
    expect(await fixture.sql`select slot, count(*)::int as n from decisions group by slot having count(*) <> 1`).toEqual([]);
    expect(await fixture.decisions(id)).toHaveLength(HALF.length);
    expect(await verifyTrail(fixture.sql)).toMatchObject({ whole: true, breaks: [] });
    expect(fixture.errors.filter((error) => !(error instanceof Killed))).toEqual([]);
    return death.writes;
  } finally {
    await fixture.close();
  }
}
