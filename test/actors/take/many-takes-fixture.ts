/** Many armed Takes on a real PostgreSQL, evaluated shard by shard like the workers do. */
import { createDispatchStore } from '../../../src/adapters/store/agents/dispatch-store.ts';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import { readTakeFields } from '../../../src/domain/take/read-take.ts';
import { TAKE_TICK_MS } from '../../../src/domain/values/time.ts';
import { tradingFixture } from '../proposal/trading-fixture.ts';

const READING = { thesis: null, understood: [], assumed: [], notUnderstood: [], open: [] };
/** Number of Takes created and armed at the same time. */
const AT_ONCE = 10;
/** Number of different theses, so that neighbours share no compiled manifest. */
const THRESHOLDS = 50;

/** Price drop per slot in US dollars. */
const STEP_USD = 1_000;

/**
 * Arms Takes, evaluates slots, and checks that each decided once per slot. In every slot the conditions of one Take in
 * `onePassesIn` start to pass (null: of none). Each of those asks risk and makes a proposal.
 * `slowestMs`: wall time of the slowest slot, from its cut to the commit of its last shard, with the shards in sequence.
 */
export async function evaluateTakes({
  takes,
  slots,
  onePassesIn = null,
}: {
  readonly takes: number;
  readonly slots: number;
  readonly onePassesIn?: number | null;
}) {
  const fixture = await tradingFixture({ connections: AT_ONCE });
  try {
    const waitingFor = (price: number) => {
      const read = readTakeFields(
        { symbol: 'BTCUSDT', target: { kind: 'price', direction: 'below', value: String(price) }, allocationUsd: '500' },
        { catalog: CATALOG, now: fixture.clock.now() },
      );
      if (!read.ok) throw new Error(JSON.stringify(read.problems));
      return read.take;
    };
    const drafts = Array.from({ length: THRESHOLDS }, (_, index) => waitingFor(1_000 + index));
    /** Conditions by slot that pass in it but not in the one before. */
    const passing = Array.from({ length: slots }, (_, slot) => waitingFor(60_000 - slot * STEP_USD + STEP_USD / 2));
    const draftOf = (index: number) => {
      const turn = onePassesIn === null ? slots : index % onePassesIn;
      return (turn < slots ? passing[turn] : drafts[index % THRESHOLDS]) as (typeof drafts)[number];
    };
    let made = 0;
    const arming = async (): Promise<void> => {
      while (made < takes) {
        const armed = await fixture.takes.createArmed(fixture.context(), draftOf(made++), READING, 'paper');
        if (!armed.ok) throw new Error(armed.refusal.detail);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, arming));
    let slowestMs = 0;
    for (let slot = 0; slot < slots; slot++) {
      fixture.price(String(60_000 - slot * STEP_USD), String(60_010 - slot * STEP_USD));
      const began = performance.now();
      await fixture.tick('live', TAKE_TICK_MS);
      slowestMs = Math.max(slowestMs, performance.now() - began);
    }
    const owed = await createDispatchStore(fixture.sql).dueShards(TAKE_TICK_MS, fixture.slot);
    if (owed.length > 0) throw new Error(`${owed.length} shards are behind`);
    const missing = await fixture.sql<{ id: string }[]>`
      select a.id from actors a left join decisions d on d.agent_id = a.id where a.kind = 'take' group by a.id having count(*) <> ${slots} limit 1`;
    if (missing.length > 0) throw new Error(`Take ${missing[0]?.id} has not one decision per slot`);
    const [count] = await fixture.sql<{ n: number }[]>`select count(*)::int as n from decisions`;
    const [{ entries } = { entries: 0 }] = await fixture.sql<{ entries: number }[]>`
      select count(*)::int as entries from decisions d where disposition = 'propose_entry' and exists (select 1 from proposals p where p.agent_id = d.agent_id)`;
    return { slowestMs, decisions: count?.n ?? 0, entries };
  } finally {
    await fixture.close();
  }
}
