/**
 * Cost of signing per tick: the same shard of 500 agents on two databases of one server, with and without signing writers.
 */
import { createTradingTicker } from '../actors/ticking/trading-decisions.ts';
import { openWriterKeys } from '../src/adapters/signing-keys/writer-keys.ts';
import { writeCut } from '../src/adapters/store/agents/cut-store.ts';
import { createDispatchStore } from '../src/adapters/store/agents/dispatch-store.ts';
import { openDatabase } from '../src/adapters/store/database.ts';
import { migrate } from '../src/adapters/store/migrate.ts';
import type { BatchSigner } from '../src/adapters/store/trail/batch-seal.ts';
import { registerWriters } from '../src/adapters/store/trail/writer-registry.ts';
import { createVirtualClock } from '../streams/clock/virtual-clock.ts';
import { SLOT, sampleCut, sampleManifest } from '../test/actors/agent/sample.ts';
import { actorsOn } from '../test/world/actor-world.ts';
import { type OwnDatabase, withDatabase } from './database.ts';
import { bench, type Contender } from './harness.ts';
import { costWithServer } from './server-cost.ts';

const AGENTS = 499;
const PERIOD = 60_000;
const SLOTS = 30;
const ORG = '00000000-0000-7000-8000-000000000001';

await withDatabase(async (own) => {
  const { home, server, ends } = own;
  const admin = openDatabase({ url: server.url, role: null, name: 'bench', connections: 1 });
  ends.push(() => admin.end());
  const keys = openWriterKeys(home, ['worker']);
  const urlOf = async (name: string): Promise<string> => {
    await admin`create database ${admin(name)}`;
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    await migrate(url.href);
    return url.href;
  };
  const signedUrl = await urlOf('signed');
  await registerWriters(signedUrl, [keys.worker]);
  const signed = await ticking('signed', signedUrl, keys.worker, own);
  const unsigned = await ticking('unsigned', await urlOf('unsigned'), null, own);
  await bench({
    title: `a tick of ${AGENTS} agents on one instrument, committed: with and without signatures`,
    rounds: 9,
    contenders: [signed, unsigned],
    comparisons: [{ what: 'signed ticks per second against unsigned ones', ours: 'signed', reference: 'unsigned', goal: 0.98 }],
    notes: [
      process.platform === 'linux'
        ? "rates are per second of processor time, ours and the server's together"
        : 'rates are per second of wall time',
      'signing costs about a millisecond of processor time per transaction, whatever is in it: the ratio falls as ticks become cheaper',
      'signed: the digest of the decisions in tick_batches, the batch of the transaction with its Merkle root and one Ed25519 signature',
    ],
  });
});

/** Contender that ticks its own database, slot after slot. */
async function ticking(name: string, url: string, writer: BatchSigner | null, { server, ends }: OwnDatabase): Promise<Contender> {
  const sql = openDatabase({ url, name: `bench ${name}`, connections: 6, ...(writer === null ? {} : { writer }) });
  ends.push(() => sql.end());
  await sql.begin((transaction) => transaction`insert into organizations (id, name) values (${ORG}, 'bench')`);
  const clock = createVirtualClock(SLOT + 1_000);
  const { commands, tickStore } = actorsOn(sql, clock);
  for (let agent = 0; agent < AGENTS; agent++) {
    const outcome = await commands.create(
      { orgId: ORG, subject: 'ann', permissions: [], requestId: 'r' },
      sampleManifest({ name: `agent ${agent}` }),
    );
    if (!outcome.ok) throw new Error(outcome.refusal.detail);
  }
  const ticker = createTradingTicker({
    store: tickStore,
    now: async () => clock.now(),
    clock,
    pause: async () => {},
  });
  let slot = SLOT;
  const store = createDispatchStore(sql);
  return {
    name,
    async round() {
      // Writing the feed's cuts is no part of the tick's cost: each is written once for all shards.
      const slots = Array.from({ length: SLOTS }, (_, index) => slot + (index + 1) * PERIOD);
      for (const at of slots) await writeCut(sql, sampleCut(at, { premiumPct: 1, rsi: 50 }), 'streams');
      slot = slots.at(-1) as number;
      return costWithServer(server.pid, SLOTS, async () => {
        for (const at of slots) {
          clock.advanceTo(at + 500);
          await store.dueShards(PERIOD, at);
          const { decisions } = await ticker.tick(PERIOD, 0, at);
          if (decisions !== AGENTS) throw new Error(`${decisions} decisions of ${AGENTS} agents`);
        }
      });
    },
  };
}
