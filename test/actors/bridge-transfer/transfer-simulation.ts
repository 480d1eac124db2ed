// Seeded transfers of both providers in both directions under faults. The chains' outcome is decided first, and the actor must reach it
// with each alert once.
import { transferContext, transferState, bridgeTransferKind } from '../../../actors/bridge-transfer/effects.ts';
import { bridgeTransferWorkers } from '../../../actors/bridge-transfer/execution.ts';
import type { TransferChain } from '../../../actors/bridge-transfer/ports.ts';
import type { BridgeTransferInput } from '../../../actors/bridge-transfer/machine.ts';
import { startActivities } from '../../../actors/runtime/activities.ts';
import { createDirectory } from '../../../actors/runtime/directory.ts';
import { createMemoryStore, type MemoryStore } from '../../../actors/runtime/memory-store.ts';
import { createRuntime, type Runtime } from '../../../actors/runtime/runtime.ts';
import { startTimers } from '../../../actors/runtime/timers.ts';
import { createCctpProvider } from '../../../src/adapters/bridge/cctp/provider.ts';
import { createRelayProvider } from '../../../src/adapters/bridge/relay/provider.ts';
import { VenueError } from '../../../src/adapters/venues/venue-feed.ts';
import type { ActorRecord, ActorRow } from '../../../src/domain/agents/actor-step.ts';
import { delayAfterMs, isEnded } from '../../../src/domain/bridge/axes.ts';
import type { BridgeChain, BridgeWish } from '../../../src/domain/bridge/quote.ts';
import { USDC_MINT } from '../../../src/domain/catalog/catalog.ts';
import { EVM_CHAIN_ID, EVM_TOKENS } from '../../../src/domain/identity/evm-chain.ts';
import { seededRandom } from '../../../src/sandbox/faults.ts';
import { NOW, ORG, QUOTED, submission, TRANSFER } from './sample.ts';
import { type Course, endOf, named, PLANS, type Plan, truthOf, type WireWord } from './transfer-truth.ts';
import { eachRow } from '../../../actors/runtime/containment.ts';

const SECOND = 1_000;
const ON_EVM = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const ON_SOLANA = '3h1zGmCwsRJnVk5BuRNMLsPaQu1y2aqXqXDWYCgrp5UG';
const OTHER_TRANSFER = TRANSFER.replace(/aa$/, 'bb');

export interface SimulatedTransfer {
  readonly seed: number;
  readonly plan: Plan;
  readonly course: Course;
  readonly state: string;
  readonly expected: string;
  readonly alerts: readonly string[];
  /** Problem with the alerts or arrivals, or null. */
  readonly wrong: string | null;
}

function wishOf({ from }: Plan): BridgeWish {
  const outward = from === 'spotchain';
  const [sender, recipient] = outward ? [ON_SOLANA, ON_EVM] : [ON_EVM, ON_SOLANA];
  return { from, to: outward ? 'evmvenue' : 'spotchain', token: 'USDC', amount: '100', sender, recipient };
}

/** Creates both adapters over simulated wires, so that they parse answers as from the real services. */
function providersOver(ask: () => Promise<ReturnType<WireWord>>) {
  const get = async (): Promise<unknown> => {
    const answer = await ask();
    if (answer === null) throw new VenueError('evmvenue', 404, 'NOT_FOUND', 'Not found');
    return answer;
  };
  const nobody = async (): Promise<never> => Promise.reject(new Error('nothing is quoted here'));
  const token = EVM_TOKENS[0]?.contract as string;
  const http = { get: get as never, post: nobody };
  const shared = { http, chainId: EVM_CHAIN_ID, mint: USDC_MINT, token, allowance: nobody, clock: { now: () => NOW } };
  return {
    relay: createRelayProvider(shared),
    cctp: createCctpProvider({ ...shared, hasTokenAccount: nobody, gasPrice: nobody, coinUsd: () => null }),
  };
}

const arrivalOf = (row: ActorRecord): string => `${String(row['chain'])} ${String(row['hash'])}`;

/** Adds to the in-memory store the one database rule it lacks: an arrival counts for one transfer. */
function settling(store: MemoryStore, settled: Map<string, string>): MemoryStore {
  let before: Promise<unknown> = Promise.resolve();
  const commit: MemoryStore['commit'] = async (commits) => {
    const rows = commits.flatMap(({ plan }) => plan.records.filter(({ type }) => type === 'bridge_arrival'));
    const isTaken = rows.some((row) => (settled.get(arrivalOf(row)) ?? row['transferId']) !== row['transferId']);
    if (isTaken) throw new Error('the arrival has settled another transfer');
    const stale = await store.commit(commits);
    for (const row of rows) if (!stale.has(row['transferId'] as string)) settled.set(arrivalOf(row), row['transferId'] as string);
    return stale;
  };
  // Sequential, like transactions that conflict on a key.
  return {
    ...store,
    commit(commits) {
      const done = before.then(() => commit(commits));
      before = done.catch(() => {});
      return done;
    },
  };
}

function inputOf({ provider }: Plan, wish: BridgeWish): BridgeTransferInput {
  const kind = provider === 'relay' ? 'intent' : 'canonical';
  const reference = provider === 'relay' ? `0x${'ab'.repeat(32)}` : null;
  return { ...QUOTED, wish, provider, kind, reference, expiresAt: NOW + 3_600_000 };
}

/** Runs a transfer for three hours under faults of every kind: silence, lost answers, lost commit acknowledgements, crashed workers. */
export async function simulateTransfer(seed: number): Promise<SimulatedTransfer> {
  const random = seededRandom(seed);
  const plan = PLANS[seed % PLANS.length] as Plan;
  const { course } = plan;
  const wish = wishOf(plan);
  const truth = truthOf(plan, wish, random);
  const faulty = 0.02 + random() * 0.25;
  let now = NOW;
  const clock = { now: () => now, elapsed: () => now, deadline: () => () => {} };
  const settled = new Map<string, string>([[`${wish.to} ${truth.used}`, 'long ago']]);
  const store = settling(createMemoryStore(), settled);
  const plain = createRuntime({ store, directory: createDirectory([bridgeTransferKind]), clock });
  const at = (): number => now - NOW - SECOND;
  const fails = (part = 1): boolean => random() < faulty * part;
  const silent = <Value>(answer: () => Value): Promise<Value> =>
    fails() ? Promise.reject(new Error('nobody answers')) : Promise.resolve(answer());
  const chain = (name: BridgeChain): TransferChain => ({
    chain: name,
    broadcast: async () => (fails() ? { outcome: 'unknown', detail: 'lost' } : { outcome: 'sent' }),
    source: () => silent(() => truth.source(at())),
    arrival: (hash) => silent(() => truth.arrival(hash, at())),
    head: async () => Promise.reject(new Error('nothing is quoted here')),
  });
  /** The step is committed but the acknowledgement is lost: the caller repeats it. */
  const runtime: Runtime = {
    ...plain,
    deliver: async (id, event, options) => {
      const outcome = await plain.deliver(id, event, options);
      if (fails(0.3)) throw new Error('the process died after its commit');
      return outcome;
    },
  };
  const workers = bridgeTransferWorkers({
    runtime,
    load: store.load,
    leaseIsHeld: async () => false,
    arrivals: { settledBy: async (on, hash) => settled.get(`${on} ${hash}`) ?? null },
    outside: {
      providers: providersOver(() => silent(() => truth.wire(at()))),
      chains: { spotchain: chain('spotchain'), evmvenue: chain('evmvenue') },
      onSilence: () => {},
    },
    clock,
  });
  const crashing = Object.fromEntries(
    Object.entries(workers).map(([kind, work]) => [
      kind,
      async (payload: Parameters<typeof work>[0], key: string) => {
        if (fails(0.4)) throw new Error('the worker died before it began');
        const answer = await work(payload, key);
        if (fails(0.4)) throw new Error('the worker died before it answered');
        return answer;
      },
    ]),
  );
  const timers = startTimers({ contained: eachRow(() => {}), store, runtime, clock, onError: () => {} });
  const activities = startActivities({ contained: eachRow(() => {}), store, runtime, workers: crashing, clock, onError: () => {} });
  // A provider that names one payment for two transfers is tested with both.
  const ids = course === 'shared_payment' ? [TRANSFER, OTHER_TRANSFER] : [TRANSFER];
  for (const id of ids) {
    await plain.start('bridge_transfer', id, ORG, inputOf(plan, wish) as never, { cause: 'test' });
    const event = { ...submission(NOW + SECOND), hash: named(plan.from, `source of ${id}`) };
    await plain.deliver(id, event, { cause: 'test' });
  }
  const isOver = (id: string): boolean => isEnded(transferState((store.actors.get(id) as ActorRow).state));
  const end = NOW + 3 * 3_600 * SECOND;
  // Pushes come at any time, also without a cause: several at once, or for a transfer that has just ended.
  const pushes = seededRandom(seed ^ 0x9e3779b9);
  const endedAt = new Map<string, number>();
  while (now < end && endedAt.size < ids.length) {
    now += now < NOW + 600 * SECOND ? 3 * SECOND : 30 * SECOND;
    for (let push = pushes(); push < 0.15; push = pushes()) await plain.deliver(TRANSFER, { type: 'provider.moved' }, { cause: 'push' });
    await activities.carryDue();
    await timers.fireDue();
    for (const id of ids) if (isOver(id) && !endedAt.has(id)) endedAt.set(id, now);
  }
  return outcomeOf(seed, plan, store, settled, ids, (id) => (endedAt.get(id) ?? now) - NOW - SECOND);
}

function outcomeOf(
  seed: number,
  plan: Plan,
  store: MemoryStore,
  settled: ReadonlyMap<string, string>,
  ids: readonly string[],
  tookMs: (id: string) => number,
): SimulatedTransfer {
  const found = ids.map((id) => {
    const { state } = store.actors.get(id) as ActorRow;
    const alerts = store.announcements
      .filter(({ channel, actorId }) => channel === 'alerts' && actorId === id)
      .map(({ body }) => String(body['what']));
    const word = transferState(state);
    const { axes, delayedAt, wish } = transferContext(state);
    const wrong = wrongAlerts(word, alerts, tookMs(id), delayedAt !== null) ?? wrongArrival(word, wish, axes, settled, id);
    return { word, alerts, wrong };
  });
  const incident = store.incidents[0];
  return {
    seed,
    plan,
    course: plan.course,
    state: found
      .map(({ word }) => word)
      .sort()
      .join(' and '),
    expected: endOf(plan.course),
    alerts: found.flatMap(({ alerts }) => alerts),
    wrong: incident === undefined ? (found.find(({ wrong }) => wrong !== null)?.wrong ?? null) : `incident: ${incident.detail}`,
  };
}

/** Checks that a transfer that ended with money settled exactly the arrival that it shows. */
function wrongArrival(
  word: string,
  wish: BridgeWish,
  axes: ReturnType<typeof transferContext>['axes'],
  settled: ReadonlyMap<string, string>,
  id: string,
): string | null {
  const by = (on: BridgeChain, arrival: string | null) => settled.get(`${on} ${arrival}`) ?? null;
  if (word === 'completed' && by(wish.to, axes.destination.hash) !== id) return 'it is completed by a payment that is not its own';
  if (word === 'refunded' && by(wish.from, axes.refund.hash) !== id) return 'it is refunded by a refund that is not its own';
  return null;
}

function wrongAlerts(state: string, alerts: readonly string[], tookMs: number, isDelayed: boolean): string | null {
  const count = (what: string): number => alerts.filter((one) => one === what).length;
  const twice = alerts.find((what) => count(what) > 1);
  if (twice !== undefined) return `${twice} was told ${count(twice)} times`;
  for (const end of ['completed', 'refunded', 'failed'])
    if (count(`bridge_transfer_${end}`) !== (state === end ? 1 : 0))
      return `${end} was told ${count(`bridge_transfer_${end}`)} times of a transfer that is ${state}`;
  const due = delayAfterMs(QUOTED.estimatedSeconds);
  const delays = count('bridge_transfer_delayed');
  if ((delays === 1) !== isDelayed) return `a delay was told ${delays} times, and the transfer says ${isDelayed}`;
  // A late timer still alerts, unless the transfer ended before.
  if (tookMs > due + 120_000 && delays !== 1) return `after ${tookMs} ms a delay was told ${delays} times`;
  if (tookMs < due && delays !== 0) return `after ${tookMs} ms a delay was told`;
  if (isDelayed && isEnded(state as never) && alerts.indexOf('bridge_transfer_delayed') > alerts.indexOf(`bridge_transfer_${state}`))
    return 'the delay was told after the end';
  return null;
}
