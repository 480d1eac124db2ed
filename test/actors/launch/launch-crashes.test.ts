// A process dies between any two steps of a launch: another continues, and there is one token, paid for once.
import { address } from '@solana/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sandboxKey } from '../../../src/sandbox/solana/keys.ts';
import { crashPoints, dyingProcess, unlessKilled } from '../../harness/dying-process.ts';
import { type LaunchFixture, launchFixture, ORG, signedBy } from './launch-fixture.ts';

let fixture: LaunchFixture;
beforeAll(async () => {
  fixture = await launchFixture();
});
afterAll(() => fixture.close());

test.each(crashPoints(20))('killed at step %i, %s its commit', async (point, when) => {
  const symbol = `CRASH${point}${when === 'before' ? 'B' : 'A'}`;
  const creator = sandboxKey(`creator of ${symbol}`);
  fixture.fund(creator, 'SOL', 10_000_000_000n);
  fixture.chain.finalize();
  const wish = fixture.wish({
    creator: creator.address,
    firstBuy: '1',
    names: { name: `Crash ${point}`, symbol, uri: 'https://example.com/c.json' },
  });
  const victim = dyingProcess(fixture.runtime, point, when);
  const node: typeof fixture.node = { ...fixture.node, broadcast: (bytes) => victim.step(() => fixture.node.broadcast(bytes)) };
  let prepared = await unlessKilled(fixture.portsOn({ runtime: victim.runtime }).commands.prepare(fixture.context(), wish));
  if (prepared === null) prepared = await fixture.commands.prepare(fixture.context(), wish);
  if (!prepared.ok) throw new Error(prepared.refusal.detail);
  const { launch, transactions } = prepared.value;
  const signed = transactions.map((one) => signedBy(creator, one));
  const submitted = await unlessKilled(fixture.portsOn({ runtime: victim.runtime }).commands.submit(fixture.context(), launch.id, signed));
  if (submitted === null) expect((await fixture.commands.submit(fixture.context(), launch.id, signed)).ok).toBe(true);
  for (let round = 0; round < 14 && !victim.isDead(); round++) {
    fixture.clock.advanceTo(fixture.clock.now() + 2_100);
    fixture.chain.advance(6);
    await fixture.work(victim.runtime, node);
  }
  expect(victim.isDead(), `only ${victim.steps()} steps were taken`).toBe(true);
  // Activities of a dead worker are picked up later.
  for (let round = 0; round < 40 && (await fixture.find(launch.id)).state !== 'trading'; round++) await fixture.pass(6_000, 10);
  const found = await fixture.find(launch.id);
  expect(found.state, JSON.stringify([found.reason, found.detail])).toBe('trading');
  const landed = fixture.chain
    .historyOf(address(creator.address))
    .filter(({ transaction }) => transaction.staticKeys[0] === creator.address);
  expect(landed.map(({ signature }) => signature).sort()).toEqual([...found.signatures].sort());
  expect(landed.every(({ run }) => run.error === null)).toBe(true);
  const [listed] = await fixture.sql<{ n: number }[]>`select count(*)::int as n from listed_tokens where symbol = ${symbol}`;
  expect(listed?.n).toBe(1);
  const [trading] = await fixture.sql<
    { n: number }[]
  >`select count(*)::int as n from launches where org_id = ${ORG} and symbol = ${symbol} and state = 'trading'`;
  expect(trading?.n).toBe(1);
});
