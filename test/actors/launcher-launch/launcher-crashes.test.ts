// A process dies between any two steps of a launch by the launcher: another continues, with one payment and one token.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LauncherClient } from '../../../actors/launcher-launch/commands.ts';
import { crashPoints, dyingProcess, unlessKilled } from '../../harness/dying-process.ts';
import { ORG, signedBy } from '../launch/launch-fixture.ts';
import { type LauncherFixture, launcherFixture } from './launcher-fixture.ts';

let fixture: LauncherFixture;
beforeAll(async () => {
  fixture = await launcherFixture();
});
afterAll(() => fixture.close());

test.each(crashPoints(20))('killed at step %i, %s its commit', async (point, when) => {
  const symbol = `DEATH${point}${when === 'before' ? 'B' : 'A'}`;
  const payer = fixture.payer(`payer of ${symbol}`);
  const wish = fixture.wishOf(payer, symbol);
  // A slow launch has more steps to die at.
  fixture.simulator.script.trouble('late');
  const victim = dyingProcess(fixture.runtime, point, when);
  const node: typeof fixture.node = { ...fixture.node, broadcast: (bytes) => victim.step(() => fixture.node.broadcast(bytes)) };
  const launcher: Pick<LauncherClient, 'complete' | 'register'> = {
    complete: (...given) => victim.step(() => fixture.launcher.complete(...given)),
    register: (...given) => victim.step(() => fixture.launcher.register(...given)),
  };
  const { runtime } = victim;
  let quoted = await unlessKilled(fixture.commandsOn(runtime, launcher).quote(fixture.context(), wish));
  if (quoted === null) quoted = await fixture.commands.quote(fixture.context(), wish);
  if (!quoted.ok) throw new Error(quoted.refusal.detail);
  const { launch, transaction } = quoted.value;
  const payment = signedBy(payer, transaction);
  const submitted = await unlessKilled(fixture.commandsOn(runtime).submit(fixture.context(), launch.id, payment));
  if (submitted === null) expect((await fixture.commands.submit(fixture.context(), launch.id, payment)).ok).toBe(true);
  for (let round = 0; round < 40 && !victim.isDead(); round++) await fixture.pass(2_100, runtime, { node, launcher });
  expect(victim.isDead(), `only ${victim.steps()} steps were taken`).toBe(true);
  for (let round = 0; round < 60 && (await fixture.find(launch.id)).state !== 'launched'; round++) await fixture.pass(6_000);
  const found = await fixture.find(launch.id);
  expect(found.state, JSON.stringify([found.reason, found.detail])).toBe('launched');
  expect(fixture.paymentsOf(payer).map(({ signature }) => signature)).toEqual(found.signatures);
  expect(await fixture.listed(symbol)).toMatchObject([{ mint: found.mint }]);
  const [paid] = await fixture.sql<{ n: number }[]>`
      select count(*)::int as n from launches where org_id = ${ORG} and symbol = ${symbol} and cardinality(signatures) > 0`;
  expect(paid?.n).toBe(1);
});
