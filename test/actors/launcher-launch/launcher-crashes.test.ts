// A process that dies between any two steps of a launch by the launcher: another one goes on, and there is one payment and one token.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LauncherClient } from '../../../actors/launcher-launch/commands.ts';
import { crashPoints, dyingProcess, unlessKilled } from '../../harness/dying-process.ts';
import { ORG, signedBy } from '../launch/launch-fixture.ts';
import { type LauncherFixture, launcherFixture } from './launcher-fixture.ts';

let stage: LauncherFixture;
beforeAll(async () => {
  stage = await launcherFixture();
});
afterAll(() => stage.close());

test.each(crashPoints(20))('killed at step %i, %s its commit', async (point, when) => {
  const symbol = `DEATH${point}${when === 'before' ? 'B' : 'A'}`;
  const payer = stage.payer(`payer of ${symbol}`);
  const wish = stage.wishOf(payer, symbol);
  // Long launches have more steps to die at.
  stage.simulator.script.trouble('late');
  const victim = dyingProcess(stage.runtime, point, when);
  const node: typeof stage.node = { ...stage.node, broadcast: (bytes) => victim.step(() => stage.node.broadcast(bytes)) };
  const launcher: Pick<LauncherClient, 'complete' | 'register'> = {
    complete: (...given) => victim.step(() => stage.launcher.complete(...given)),
    register: (...given) => victim.step(() => stage.launcher.register(...given)),
  };
  const { runtime } = victim;
  let quoted = await unlessKilled(stage.commandsOn(runtime, launcher).quote(stage.context(), wish));
  if (quoted === null) quoted = await stage.commands.quote(stage.context(), wish);
  if (!quoted.ok) throw new Error(quoted.refusal.detail);
  const { launch, transaction } = quoted.value;
  const payment = signedBy(payer, transaction);
  const submitted = await unlessKilled(stage.commandsOn(runtime).submit(stage.context(), launch.id, payment));
  if (submitted === null) expect((await stage.commands.submit(stage.context(), launch.id, payment)).ok).toBe(true);
  for (let round = 0; round < 40 && !victim.isDead(); round++) await stage.pass(2_100, runtime, { node, launcher });
  expect(victim.isDead(), `only ${victim.steps()} steps were taken`).toBe(true);
  for (let round = 0; round < 60 && (await stage.find(launch.id)).state !== 'launched'; round++) await stage.pass(6_000);
  const found = await stage.find(launch.id);
  expect(found.state, JSON.stringify([found.reason, found.detail])).toBe('launched');
  expect(stage.paymentsOf(payer).map(({ signature }) => signature)).toEqual(found.signatures);
  expect(await stage.listed(symbol)).toMatchObject([{ mint: found.mint }]);
  const [paid] = await stage.sql<{ n: number }[]>`
      select count(*)::int as n from launches where org_id = ${ORG} and symbol = ${symbol} and cardinality(signatures) > 0`;
  expect(paid?.n).toBe(1);
});
