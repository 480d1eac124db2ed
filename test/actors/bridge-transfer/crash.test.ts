// A process that dies at any point of a transfer changes nothing of its outcome: one deposit, one payment, every alert once, over real stores, chains and providers.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Runtime } from '../../../actors/runtime/runtime.ts';
import { createRiskReads } from '../../../src/adapters/store/risk/risk-reads.ts';
import type { ActorEvent } from '../../../src/domain/agents/actor-step.ts';
import { bookIds } from '../../../src/domain/books/book.ts';
import { isEnded } from '../../../src/domain/bridge/axes.ts';
import { transitAccounts } from '../../../src/domain/bridge/transit.ts';
import { crashPoints } from '../../harness/dying-process.ts';
import { type BridgeFixture, ORG, openBridgeFixture } from './bridge-fixture.ts';

let fixture: BridgeFixture;
beforeAll(async () => {
  fixture = await openBridgeFixture();
});
afterEach(() => fixture.world.relaySimulator.script.trouble(null));
afterAll(() => fixture?.close());

const died = new Error('the process died');

/** Creates a runtime whose process dies at the first delivery for which `isIt` is true, before or right after the commit. */
function dyingAt(isIt: (count: number, event: ActorEvent) => boolean, when: 'before' | 'after') {
  let count = 0;
  let dead = false;
  const runtime: Runtime = {
    ...fixture.runtime,
    deliver: async (id, event, options) => {
      if (dead) throw died;
      dead = isIt(++count, event);
      if (dead && when === 'before') throw died;
      const outcome = await fixture.runtime.deliver(id, event, options);
      if (dead) throw died;
      return outcome;
    },
  };
  return { runtime, isDead: () => dead };
}

const POINTS = crashPoints(10).map(([point, when], index) => ({
  nth: point + 1,
  when,
  from: index % 4 < 2 ? ('evmvenue' as const) : ('spotchain' as const),
  provider: index % 2 === 0 ? ('relay' as const) : ('cctp' as const),
}));

test.each(POINTS)(
  'a process that dies $when its delivery $nth of a transfer by $provider from $from changes nothing',
  async ({ nth, when, from, provider }) => {
    const transfer = await fixture.submitted(from, provider);
    const doomed = dyingAt((count) => count === nth, when);
    for (let look = 0; look < 12 && !doomed.isDead(); look++) {
      await fixture.round(doomed.runtime);
      fixture.pass();
    }
    expect(doomed.isDead()).toBe(true);
    const ended = await fixture.followed(transfer.id);
    expect(ended.state).toBe('completed');
    expect(ended.hash).toBe(transfer.hash);
    expect(ended.axes.source.state).toBe('final');
    expect(ended.axes.destination).toMatchObject({ state: 'final', amount: transfer.amountOut });
    const alerts = await fixture.alertsOf(transfer.id);
    expect(alerts.filter((what) => what !== 'bridge_transfer_delayed')).toEqual(['bridge_transfer_completed']);
    const [told] = await fixture.sql<
      { n: number }[]
    >`select count(*)::int as n from announcements where actor_id = ${transfer.id} and channel = 'bridge'`;
    expect(told?.n).toBeGreaterThanOrEqual(3);
  },
);

test.each(['before', 'after'] as const)(
  'a process that dies %s it reports a delay: the delay is reported once, and the completion once after it',
  async (when) => {
    fixture.world.relaySimulator.script.trouble('holds');
    const { id } = await fixture.submitted('evmvenue', 'relay');
    const doomed = dyingAt((_, { type }) => type.includes('delayAfter'), when);
    for (let look = 0; look < 60 && !doomed.isDead(); look++) {
      fixture.pass();
      await fixture.round(doomed.runtime);
    }
    expect(doomed.isDead()).toBe(true);
    fixture.world.relaySimulator.script.release();
    expect(await fixture.followed(id)).toMatchObject({ state: 'completed', delayedAt: expect.any(Number) });
    expect(await fixture.alertsOf(id)).toEqual(['bridge_transfer_delayed', 'bridge_transfer_completed']);
  },
);

test.each([
  ['fails_then_refunds', 'refunded', 'refunded', ['bridge_transfer_refunded']],
  ['fails_then_fills', 'completed', 'completed', ['bridge_transfer_completed']],
  ['pays_part', null, 'unknown', ['bridge_partial_fill']],
  ['names_older_payment', null, 'unknown', ['bridge_fill_older_than_quote']],
  ['names_failed_payment', null, 'filling', ['bridge_fill_failed_on_chain']],
] as const)(
  'a transfer that %s is reported as if no process had died, though each dies right after its commit',
  async (how, end, state, told) => {
    fixture.world.relaySimulator.script.trouble(how);
    const { id } = await fixture.submitted('evmvenue', 'relay');
    const mortal: Runtime = {
      ...fixture.runtime,
      deliver: async (id, event, options) => {
        const outcome = await fixture.runtime.deliver(id, event, options);
        // A process that dies between lease and sending never sends; that is tested elsewhere.
        if (!outcome.ok || event.type === 'execution.begun') return outcome;
        throw died;
      },
    };
    if (end === null) {
      for (let look = 0; look < 12; look++) {
        fixture.pass();
        await fixture.round(mortal);
      }
      expect((await fixture.view(id)).state).toBe(state);
    } else expect((await fixture.followed(id, mortal)).state).toBe(end);
    expect((await fixture.alertsOf(id)).filter((what) => what !== 'bridge_transfer_delayed')).toEqual(told);
  },
);

test('an amount in transit reserves capital from its submission to its end, and is in transit only while on neither chain', async () => {
  const reads = createRiskReads(fixture.sql);
  const { id } = await fixture.submitted('evmvenue', 'relay');
  const place = `bridge:${id}`;
  const bound = async () =>
    (await reads.waitingOn(ORG, bookIds.manual(ORG, 'live'))).filter((one) => one.id === place).map(({ notionalUsd }) => notionalUsd);
  const between = async () =>
    transitAccounts(await reads.inTransit(ORG))
      .filter((one) => one.place.id === place)
      .map((one) => one.place.cashUsd);
  expect(await bound()).toEqual(['25']);
  expect(await reads.waitingOn(ORG, bookIds.manual(ORG, 'paper'))).toEqual([]);
  // No block holds it yet: the wallet still has the money.
  expect(await between()).toEqual([]);
  const states = new Set<string>();
  for (let look = 0; look < 60 && (await bound()).length > 0; look++) {
    fixture.pass();
    await fixture.round();
    const { state, axes } = await fixture.view(id);
    states.add(state);
    const hasLeft = axes.source.state === 'included' || axes.source.state === 'final';
    expect(await between()).toEqual(!isEnded(state) && hasLeft && axes.destination.state === 'none' ? ['25'] : []);
    expect(await bound()).toEqual(isEnded(state) ? [] : ['25']);
  }
  expect([...states].at(-1)).toBe('completed');
});
