// A process that dies between any two steps of a launch by the launcher: another one goes on, and there is one payment and one token.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LauncherClient } from '../../../actors/launcher-launch/commands.ts';
import type { Runtime } from '../../../actors/runtime/runtime.ts';
import { ORG, signedBy } from '../launch/launch-fixture.ts';
import { type LauncherFixture, launcherFixture } from './launcher-fixture.ts';

let stage: LauncherFixture;
beforeAll(async () => {
  stage = await launcherFixture();
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
  const launcher: Pick<LauncherClient, 'complete' | 'register'> = {
    complete: (...given) => step(() => stage.launcher.complete(...given)),
    register: (...given) => step(() => stage.launcher.register(...given)),
  };
  return { runtime, node, launcher, isDead: () => isDead, steps: () => steps };
}

const unlessKilled = async <Value>(work: Promise<Value>): Promise<Value | null> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Killed) return null;
    throw error;
  }
};

const POINTS = Array.from({ length: 20 }, (_, point) => [point, point % 2 === 0 ? ('before' as const) : ('after' as const)] as const);

test.each(POINTS)(
  'killed at step %i, %s its commit',
  async (point, when) => {
    const payer = stage.payer(`payer of ${point}`);
    const wish = stage.wishOf(payer, `DEATH${point}`);
    // Long launches have more steps to die at.
    stage.simulator.script.trouble('late');
    const victim = dying(point, when);
    const { runtime, node, launcher } = victim;
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
    expect(await stage.listed(`DEATH${point}`)).toMatchObject([{ mint: found.mint }]);
    const [paid] = await stage.sql<{ n: number }[]>`
      select count(*)::int as n from launches where org_id = ${ORG} and symbol = ${`DEATH${point}`} and cardinality(signatures) > 0`;
    expect(paid?.n).toBe(1);
  },
  120_000,
);
