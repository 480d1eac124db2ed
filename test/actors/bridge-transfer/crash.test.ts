// A process that dies at any of twenty points of a transfer changes nothing of its outcome: one deposit, one payment, one alert, over real stores, chains and providers.

import { VersionedTransaction } from '@solana/web3.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BridgeCommands } from '../../../actors/bridge-transfer/commands.ts';
import { bridgeTransferWorkers } from '../../../actors/bridge-transfer/execution.ts';
import { startActivities } from '../../../actors/runtime/activities.ts';
import { createDirectory } from '../../../actors/runtime/directory.ts';
import { createRuntime, type Runtime } from '../../../actors/runtime/runtime.ts';
import { startTimers } from '../../../actors/runtime/timers.ts';
import { createActorStore } from '../../../src/adapters/store/actors/actor-store.ts';
import { createBridgeTransferStore } from '../../../src/adapters/store/bridge/bridge-transfer-store.ts';
import { createMemberStore } from '../../../src/adapters/store/callers/member-store.ts';
import { openDatabase, type Sql } from '../../../src/adapters/store/database.ts';
import { createProposalStore } from '../../../src/adapters/store/orders/proposal-store.ts';
import { createRiskReads } from '../../../src/adapters/store/risk/risk-reads.ts';
import { openBridge } from '../../../src/boot/bridge.ts';
import { bridgeTransferCapability } from '../../../src/boot/capabilities/bridge-transfer.ts';
import { createRequestBudgets } from '../../../src/boot/outside/index.ts';
import { bookIds } from '../../../src/domain/book.ts';
import { isEnded } from '../../../src/domain/bridge/axes.ts';
import type { BridgeTransferView } from '../../../src/domain/bridge/transfer.ts';
import { transitAccounts } from '../../../src/domain/bridge/transit.ts';
import { EVM_CHAIN_ID, EVM_TOKENS } from '../../../src/domain/evm-chain.ts';
import { uuidV7 } from '../../../src/domain/ids.ts';
import { type BridgeWorld, EVM_WALLET, openBridgeWorld, SOLANA_WALLET, signEvm, wishFrom } from '../../adapters/bridge/bridge-world.ts';
import { testDatabase } from '../../harness/postgres.ts';

const ORG = '00000000-0000-7000-8000-00000000000a';
let world: BridgeWorld;
let sql: Sql;
let bridge: NonNullable<ReturnType<typeof openBridge>>;
let runtime: Runtime;
let commands: BridgeCommands;
let store: ReturnType<typeof createActorStore>;
let made = 0;
const newId = (): string => uuidV7(world.clock.now(), Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, ++made >> 8, made));

beforeAll(async () => {
  world = await openBridgeWorld();
  sql = openDatabase({ url: await testDatabase(), name: 'bridge crash test', connections: 6 });
  await createMemberStore(sql).ensureOrganization(ORG, 'ours');
  store = createActorStore(sql);
  bridge = openBridge({
    addresses: {
      relay: { url: world.relaySimulator.url, key: null },
      cctpUrl: world.cctpSimulator.url,
      evmchain: { url: world.evm.url, chainId: EVM_CHAIN_ID, tokens: EVM_TOKENS },
      spotchain: { url: '', key: null, candlesUrl: '', pools: new Map(), rpcUrl: world.solana.url, makers: [], launchPartner: null },
    },
    budgets: createRequestBudgets(),
    quote: () => null,
    clock: world.clock,
    random: () => 0,
    onFailure: () => {},
    note: () => {},
  }) as NonNullable<typeof bridge>;
  runtime = createRuntime({ store, directory: createDirectory([bridgeTransferCapability.kind]), clock: world.clock });
  commands = bridgeTransferCapability.callers({ sql, runtime, bridge, clock: world.clock, newId } as never).bridge.commands;
}, 60_000);
afterAll(async () => {
  bridge?.close();
  await sql?.end({ timeout: 1 });
  await world?.close();
});

const died = new Error('the process died');

/** A runtime whose process dies at its nth delivery: before the commit, or right after it. */
function dyingAt(nth: number, when: 'before' | 'after'): { readonly runtime: Runtime; readonly isDead: () => boolean } {
  let count = 0;
  let dead = false;
  const dying: Runtime = {
    ...runtime,
    deliver: async (id, event, options) => {
      if (dead) throw died;
      const isIt = ++count === nth;
      if (isIt && when === 'before') {
        dead = true;
        throw died;
      }
      const outcome = await runtime.deliver(id, event, options);
      if (isIt) {
        dead = true;
        throw died;
      }
      return outcome;
    },
  };
  return { runtime: dying, isDead: () => dead };
}

/** One round of a worker process: what is due is carried, then timers are fired. */
async function round(own: Runtime): Promise<void> {
  const deps = {
    runtime: own,
    load: store.load,
    leaseIsHeld: createProposalStore(sql).leaseIsHeld,
    outside: bridge.outside,
    clock: world.clock,
  };
  const quiet = { now: () => world.clock.now(), deadline: () => () => {} };
  const activities = startActivities({ store, runtime: own, workers: bridgeTransferWorkers(deps), clock: quiet, onError: () => {} });
  const timers = startTimers({ store, runtime: own, clock: quiet, onError: () => {} });
  await activities.carryDue();
  await timers.fireDue().catch(() => {});
}

function pass(): void {
  world.solana.chain.advance(6);
  world.mine(8);
  world.clock.forward(4_000);
}

async function submitted(from: 'spotchain' | 'evmvenue', provider: 'relay' | 'cctp'): Promise<BridgeTransferView> {
  const context = { orgId: ORG, subject: 'ann', permissions: ['trade:execute' as const], requestId: `r${made}` };
  const quoted = await commands.quote(context, { ...wishFrom(from, '25'), preference: 'received', provider });
  if (!quoted.ok) throw new Error(quoted.refusal.detail);
  const { id, transaction } = quoted.value;
  let signedTransaction: string;
  if (transaction.kind === 'evm') {
    let nonce = world.ledger.nonce(EVM_WALLET.address);
    if (transaction.approval !== null) world.ledger.submit(await signEvm(transaction.approval, nonce++));
    signedTransaction = await signEvm(transaction, nonce);
  } else {
    const unsigned = VersionedTransaction.deserialize(Buffer.from(transaction.unsignedBase64, 'base64'));
    unsigned.sign([SOLANA_WALLET]);
    signedTransaction = Buffer.from(unsigned.serialize()).toString('base64');
  }
  const taken = await commands.submit(context, id, { signedTransaction });
  if (!taken.ok) throw new Error(taken.refusal.detail);
  return taken.value;
}

const view = async (id: string): Promise<BridgeTransferView> => (await createBridgeTransferStore(sql).find(ORG, id)) as BridgeTransferView;
const dueNow = () => sql`update activities set due_at = 0 where state = 'pending'`;
const leaseOver = () => sql`update execution_leases set held_until = clock_timestamp() - interval '1 millisecond'`;

async function followed(id: string): Promise<BridgeTransferView> {
  for (let look = 0; look < 60; look++) {
    pass();
    await dueNow();
    await leaseOver();
    await round(runtime);
    const found = await view(id);
    if (isEnded(found.state)) return found;
  }
  throw new Error(`it is still ${JSON.stringify(await view(id))}`);
}

const POINTS = Array.from({ length: 20 }, (_, index) => ({
  nth: 1 + Math.floor(index / 2),
  when: index % 2 === 0 ? ('before' as const) : ('after' as const),
  from: index % 4 < 2 ? ('evmvenue' as const) : ('spotchain' as const),
  provider: index % 8 < 4 ? ('relay' as const) : ('cctp' as const),
}));

test.each(POINTS)(
  'a process that dies $when its delivery $nth of a transfer by $provider from $from changes nothing',
  { timeout: 60_000 },
  async ({ nth, when, from, provider }) => {
    const transfer = await submitted(from, provider);
    const doomed = dyingAt(nth, when);
    for (let look = 0; look < 12 && !doomed.isDead(); look++) {
      await dueNow();
      await leaseOver();
      await round(doomed.runtime);
      pass();
    }
    expect(doomed.isDead()).toBe(true);
    const ended = await followed(transfer.id);
    expect(ended.state).toBe('completed');
    expect(ended.hash).toBe(transfer.hash);
    expect(ended.axes.source.state).toBe('final');
    expect(ended.axes.destination).toMatchObject({ state: 'final', amount: transfer.amountOut });
    const alerts = await sql<
      { what: string }[]
    >`select body->>'what' as what from announcements where actor_id = ${transfer.id} and channel = 'alerts'`;
    expect(alerts.map(({ what }) => what).filter((what) => what !== 'bridge_transfer_delayed')).toEqual(['bridge_transfer_completed']);
    const [told] = await sql<
      { n: number }[]
    >`select count(*)::int as n from announcements where actor_id = ${transfer.id} and channel = 'bridge'`;
    expect(told?.n).toBeGreaterThanOrEqual(3);
  },
);

test('an amount in transit binds capital from its submission to its end, and is between the chains only while neither shows it', {
  timeout: 60_000,
}, async () => {
  const reads = createRiskReads(sql);
  const bound = async () => (await reads.waitingOn(ORG, bookIds.manual(ORG, 'live'))).map(({ id, notionalUsd }) => [id, notionalUsd]);
  const between = async () => transitAccounts(await reads.inTransit(ORG)).map(({ place }) => [place.id, place.cashUsd]);
  expect(await bound()).toEqual([]);
  const { id } = await submitted('evmvenue', 'relay');
  const own = [[`bridge:${id}`, '25']];
  expect(await bound()).toEqual(own);
  expect(await reads.waitingOn(ORG, bookIds.manual(ORG, 'paper'))).toEqual([]);
  // No block holds it yet: the sender's wallet still shows the money.
  expect(await between()).toEqual([]);
  const states = new Set<string>();
  for (let look = 0; look < 60 && (await bound()).length > 0; look++) {
    pass();
    await dueNow();
    await leaseOver();
    await round(runtime);
    const { state, axes } = await view(id);
    states.add(state);
    const hasLeft = axes.source.state === 'included' || axes.source.state === 'final';
    expect(await between()).toEqual(!isEnded(state) && hasLeft && axes.destination.state === 'none' ? own : []);
    expect(await bound()).toEqual(isEnded(state) ? [] : own);
  }
  expect([...states].at(-1)).toBe('completed');
});
