// A process that dies between any two steps of a launch: another one goes on, and there is one token, paid for once.
import { address } from '@solana/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sandboxKey } from '../../../src/sandbox/solana/keys.ts';
import { crashPoints, dyingProcess, unlessKilled } from '../../harness/dying-process.ts';
import { type LaunchFixture, launchFixture, ORG, signedBy } from './launch-fixture.ts';

let stage: LaunchFixture;
beforeAll(async () => {
  stage = await launchFixture();
});
afterAll(() => stage.close());

test.each(crashPoints(20))('killed at step %i, %s its commit', async (point, when) => {
  const symbol = `CRASH${point}${when === 'before' ? 'B' : 'A'}`;
  const creator = sandboxKey(`creator of ${symbol}`);
  stage.fund(creator, 'SOL', 10_000_000_000n);
  stage.chain.finalize();
  const wish = stage.wish({
    creator: creator.address,
    firstBuy: '1',
    names: { name: `Crash ${point}`, symbol, uri: 'https://example.com/c.json' },
  });
  const victim = dyingProcess(stage.runtime, point, when);
  const node: typeof stage.node = { ...stage.node, broadcast: (bytes) => victim.step(() => stage.node.broadcast(bytes)) };
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
    await stage.work(victim.runtime, node);
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
