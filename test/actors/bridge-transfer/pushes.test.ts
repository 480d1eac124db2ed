// A provider's push has its transfer checked at once: real socket, real store, and the rows that a worker watches.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { followPushes } from '../../../actors/bridge-transfer/pushes.ts';
import { followedTransfers } from '../../../src/adapters/store/bridge/bridge-transfer-store.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { type BridgeFixture, openBridgeFixture } from './bridge-fixture.ts';

let fixture: BridgeFixture;
beforeAll(async () => {
  fixture = await openBridgeFixture();
});
afterAll(() => fixture?.close());

test('a push is a step of its own transfer only, and the transfer ends without its timer firing', async () => {
  const { sql, runtime, bridge, world } = fixture;
  const pushes = bridge.outside.providers.relay?.pushes;
  if (pushes === undefined) throw new Error('nothing pushes');
  const followed = () => followedTransfers(sql, 'relay');
  const follow = followPushes({ runtime, pushes, followed, onError: (error) => expect.unreachable(String(error)) });
  const moved = await fixture.submitted('evmvenue', 'relay');
  const still = await fixture.submitted('spotchain', 'relay');
  await fixture.submitted('spotchain', 'cctp');
  expect((await followed()).map(({ id }) => id)).toEqual([still.id, moved.id]);
  expect((await followed()).map(({ reference }) => reference)).toEqual([still.reference, moved.reference]);
  await follow();
  const pushesOf = async (id: string): Promise<number> => {
    const [row] = await sql<
      { n: number }[]
    >`select count(*)::int as n from steps where actor_id = ${id} and event->>'type' = 'provider.moved'`;
    return row?.n ?? 0;
  };
  // The wallet sends the deposit through its own node: the service learns of it from the provider.
  const [row] = await sql<{ signed: string }[]>`select snapshot->'context'->>'signed' as signed from actors where id = ${moved.id}`;
  await world.chains.evmvenue.broadcast(row?.signed as string);
  world.mine(50);
  await waitFor(async () => (await pushesOf(moved.id)) >= 1, { what: 'the deposit to be pushed' });
  world.clock.forward(2_000);
  const before = await pushesOf(moved.id);
  await waitFor(async () => (await pushesOf(moved.id)) > before, { what: 'the payment to be pushed' });
  world.solana.chain.finalize();
  expect(await pushesOf(still.id)).toBe(0);
  const ended = await fixture.followed(moved.id);
  expect(ended.state).toBe('completed');
  expect(await fixture.alertsOf(moved.id)).toEqual(['bridge_transfer_completed']);
  expect((await followed()).map(({ id }) => id)).not.toContain(moved.id);
});
