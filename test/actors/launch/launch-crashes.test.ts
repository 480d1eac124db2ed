// A process that dies between any two steps of a launch: another one goes on, and there is one token, paid for once.
import { address } from '@solana/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Runtime } from '../../../actors/runtime/runtime.ts';
import { sandboxKey } from '../../../src/sandbox/solana/keys.ts';
import { rounds } from '../../harness/rounds.ts';
import { type LaunchFixture, launchFixture, ORG, signedBy } from './launch-fixture.ts';

let stage: LaunchFixture;
beforeAll(async () => {
  stage = await launchFixture();
});
afterAll(() => stage.close());

class Killed extends Error {}

/** A process that dies at its `at`th step: before what it does is committed, or after that and before it hears of it. */
function dying(at: number, when: 'before' | 'after') {
  let steps = 0;
  let isDead = false;
  async function step<Value>(work: () => Promise<Value>): Promise<Value> {
    if (isDead) throw new Killed('the process is dead');
    const isLast = steps++ === at;
    if (isLast && when === 'before') {
      isDead = true;
      throw new Killed('killed before the commit');
    }
    const value = await work();
    if (isLast) {
      isDead = true;
      throw new Killed('killed after the commit');
    }
    return value;
  }
  const runtime: Runtime = {
    ...stage.runtime,
    start: (...given) => step(() => stage.runtime.start(...given)),
    deliver: (...given) => step(() => stage.runtime.deliver(...given)),
  };
  const node: typeof stage.node = { ...stage.node, broadcast: (bytes) => step(() => stage.node.broadcast(bytes)) };
  return { runtime, node, isDead: () => isDead, steps: () => steps };
}

const unlessKilled = async <Value>(work: Promise<Value>): Promise<Value | null> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Killed) return null;
    throw error;
  }
};

/** Every step dies before its commit and after it in the proof; in the suite each dies once. */
const MOMENTS = ['before', 'after'] as const;
const POINTS = Array.from({ length: 20 }, (_, point) => point).flatMap((point) =>
  MOMENTS.filter((_, which) => rounds({ suite: point % 2, proof: which }) === which).map((when) => [point, when] as const),
);

test.each(POINTS)('killed at step %i, %s its commit', async (point, when) => {
  const symbol = `CRASH${point}${when === 'before' ? 'B' : 'A'}`;
  const creator = sandboxKey(`creator of ${symbol}`);
  stage.fund(creator, 'SOL', 10_000_000_000n);
  stage.chain.finalize();
  const wish = stage.wish({
    creator: creator.address,
    firstBuy: '1',
    names: { name: `Crash ${point}`, symbol, uri: 'https://example.com/c.json' },
  });
  const victim = dying(point, when);
  let prepared = await unlessKilled(stage.portsOn({ runtime: victim.runtime }).commands.prepare(stage.context(), wish));
  if (prepared === null) prepared = await stage.commands.prepare(stage.context(), wish);
  if (!prepared.ok) throw new Error(prepared.refusal.detail);
  const { launch, transactions } = prepared.value;
  const signed = transactions.map((one) => signedBy(creator, one));
  const submitted = await unlessKilled(stage.portsOn({ runtime: victim.runtime }).commands.submit(stage.context(), launch.id, signed));
  if (submitted === null) expect((await stage.commands.submit(stage.context(), launch.id, signed)).ok).toBe(true);
  for (let round = 0; round < 14 && !victim.isDead(); round++) {
    stage.clock.advanceTo(stage.clock.now() + 2_100);
    stage.chain.advance(6);
    await stage.work(victim.runtime, victim.node);
  }
  expect(victim.isDead(), `only ${victim.steps()} steps were taken`).toBe(true);
  // What an activity held when its worker died is taken up again later.
  for (let round = 0; round < 40 && (await stage.find(launch.id)).state !== 'trading'; round++) await stage.pass(6_000, 10);
  const found = await stage.find(launch.id);
  expect(found.state, JSON.stringify([found.reason, found.detail])).toBe('trading');
  const landed = stage.chain.historyOf(address(creator.address)).filter(({ transaction }) => transaction.staticKeys[0] === creator.address);
  expect(landed.map(({ signature }) => signature).sort()).toEqual([...found.signatures].sort());
  expect(landed.every(({ run }) => run.error === null)).toBe(true);
  const [listed] = await stage.sql<{ n: number }[]>`select count(*)::int as n from listed_tokens where symbol = ${symbol}`;
  expect(listed?.n).toBe(1);
  const [trading] = await stage.sql<
    { n: number }[]
  >`select count(*)::int as n from launches where org_id = ${ORG} and symbol = ${symbol} and state = 'trading'`;
  expect(trading?.n).toBe(1);
});
