// Seeded transfers under faults: what the two chains will show is decided first, and the actor has to end there with every alert told once.
import { transferContext, transferState } from '../../../actors/bridge-transfer/commands.ts';
import { bridgeTransferKind } from '../../../actors/bridge-transfer/effects.ts';
import { bridgeTransferWorkers } from '../../../actors/bridge-transfer/execution.ts';
import type { TransferChain } from '../../../actors/bridge-transfer/ports.ts';
import { startActivities } from '../../../actors/runtime/activities.ts';
import { createDirectory } from '../../../actors/runtime/directory.ts';
import { createMemoryStore } from '../../../actors/runtime/memory-store.ts';
import { createRuntime, type Runtime } from '../../../actors/runtime/runtime.ts';
import { startTimers } from '../../../actors/runtime/timers.ts';
import { type ArrivalAxis, delayAfterMs, isEnded, NO_ARRIVAL, type SourceSighting } from '../../../src/domain/bridge/axes.ts';
import type { ProviderWord } from '../../../src/domain/bridge/transfer.ts';
import { seededRandom } from '../../../src/sandbox/faults.ts';
import { NOW, ORG, QUOTED, submission, TRANSFER } from './sample.ts';

export const COURSES = [
  'plain',
  'late',
  'reorganized',
  'reverted',
  'never_lands',
  'fails_then_refunds',
  'fails_then_fills',
  'refund_fails',
  'claims_payment',
  'names_failed_payment',
  'pays_part',
  'provider_deaf',
  'payment_reorganized',
] as const;
export type Course = (typeof COURSES)[number];

/** Where each course ends, by the chains alone. */
const ENDS: Readonly<Record<Course, string>> = {
  plain: 'completed',
  late: 'completed',
  reorganized: 'completed',
  reverted: 'failed',
  never_lands: 'failed',
  fails_then_refunds: 'refunded',
  fails_then_fills: 'completed',
  refund_fails: 'refunding',
  claims_payment: 'completed',
  names_failed_payment: 'completed',
  pays_part: 'completed',
  provider_deaf: 'source_final',
  payment_reorganized: 'completed',
};

const SECOND = 1_000;
const WORD: ProviderWord = { state: 'unseen', said: null, reason: null, fillHash: null, refundHash: null };

/** What is true of one transfer at every moment, decided before anybody looks. Times are milliseconds after the submission. */
function truthOf(course: Course, random: () => number) {
  const between = (low: number, high: number): number => Math.floor(low + random() * (high - low)) * SECOND;
  const included = between(1, 40);
  const gone = course === 'reorganized' ? { from: included + between(4, 20), until: included + between(25, 90) } : null;
  const final = Math.max(included, gone?.until ?? 0) + between(5, 60);
  const word = Math.max(included, gone?.until ?? 0) + between(1, 30);
  const fill = word + (course === 'late' ? between(200, 2_000) : between(1, 60));
  const payment = fill + (course === 'claims_payment' || course === 'names_failed_payment' ? between(30, 600) : 0);
  const paymentGone = course === 'payment_reorganized' ? { from: payment + between(3, 9), until: payment + between(10, 60) } : null;
  const paymentFinal = Math.max(payment, paymentGone?.until ?? 0) + between(5, 60);
  const refund = fill + between(20, 400);
  const never = between(60, 200);
  const isGone = (span: { from: number; until: number } | null, at: number): boolean => span !== null && at >= span.from && at < span.until;

  function source(at: number): SourceSighting {
    const unseen: SourceSighting = { state: 'unseen', confirmations: 0, detail: null };
    if (course === 'never_lands') return at < never ? unseen : { ...unseen, state: 'expired' };
    if (at < included || isGone(gone, at)) return unseen;
    if (course === 'reverted' && at >= final) return { state: 'failed', confirmations: 40, detail: 'it was reverted' };
    return { state: at >= final ? 'final' : 'included', confirmations: Math.floor((at - included) / SECOND), detail: null };
  }

  function provider(at: number): ProviderWord {
    if (course === 'never_lands' || course === 'reverted' || course === 'provider_deaf' || at < word) return WORD;
    if (at < fill) return { ...WORD, state: 'pending' };
    if (course === 'fails_then_refunds')
      return at < refund ? { ...WORD, state: 'failing' } : { ...WORD, state: 'refunded', refundHash: 'R' };
    if (course === 'refund_fails')
      return at < refund ? { ...WORD, state: 'failing' } : { ...WORD, state: 'refund_failed', reason: 'AMOUNT_TOO_LOW_TO_REFUND' };
    if (course === 'fails_then_fills' && at < fill + 30 * SECOND) return { ...WORD, state: 'failing' };
    if (course === 'claims_payment' && at < payment) return { ...WORD, state: 'filled', fillHash: 'NOTHING' };
    if (course === 'names_failed_payment' && at < payment) return { ...WORD, state: 'filled', fillHash: 'FAILED' };
    return { ...WORD, state: 'filled', fillHash: 'F' };
  }

  function arrival(hash: string, at: number): ArrivalAxis {
    if (hash === 'FAILED') return { state: at >= fill ? 'failed' : 'none', hash, amount: null };
    if (hash === 'R')
      return at < refund
        ? { ...NO_ARRIVAL, hash }
        : { state: at >= refund + 20 * SECOND ? 'final' : 'included', hash, amount: QUOTED.amountIn };
    if (hash !== 'F' || at < payment || isGone(paymentGone, at)) return { ...NO_ARRIVAL, hash };
    const amount = course === 'pays_part' ? '1' : QUOTED.amountOut;
    return { state: at >= paymentFinal ? 'final' : 'included', hash, amount };
  }
  return { source, provider, arrival };
}

export interface SimulatedTransfer {
  readonly seed: number;
  readonly course: Course;
  readonly state: string;
  readonly expected: string;
  readonly alerts: readonly string[];
  /** What is wrong with the alerts, in words; null where nothing is. */
  readonly wrong: string | null;
}

/** Lets one transfer run for three hours under faults of every kind: silence, lost answers, lost commits' acknowledgements, crashed workers. */
export async function simulateTransfer(seed: number): Promise<SimulatedTransfer> {
  const random = seededRandom(seed);
  const course = COURSES[seed % COURSES.length] as Course;
  const truth = truthOf(course, random);
  const faulty = 0.02 + random() * 0.25;
  let now = NOW;
  const clock = { now: () => now, deadline: () => () => {} };
  const store = createMemoryStore();
  const plain = createRuntime({ store, directory: createDirectory([bridgeTransferKind]), clock });
  const at = (): number => now - NOW - SECOND;
  const fails = (part = 1): boolean => random() < faulty * part;
  const silent = <Value>(answer: () => Value): Promise<Value> =>
    fails() ? Promise.reject(new Error('nobody answers')) : Promise.resolve(answer());
  const chain = (name: 'spotchain' | 'evmvenue'): TransferChain => ({
    chain: name,
    broadcast: async () => (fails() ? { outcome: 'unknown', detail: 'lost' } : { outcome: 'sent' }),
    source: () => silent(() => truth.source(at())),
    arrival: (hash) => silent(() => truth.arrival(hash, at())),
  });
  /** The step is committed and nobody hears of it: whoever asked does it again. */
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
    outside: {
      providers: {
        relay: {
          name: 'relay',
          offer: async () => Promise.reject(new Error('no quotes here')),
          word: () => silent(() => truth.provider(at())),
        },
      },
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
  const timers = startTimers({ store, runtime, clock, onError: () => {} });
  const activities = startActivities({ store, runtime, workers: crashing, clock, onError: () => {} });
  await plain.start('bridge_transfer', TRANSFER, ORG, { ...QUOTED, expiresAt: NOW + 3_600_000 } as never, { cause: 'test' });
  await plain.deliver(TRANSFER, submission(NOW + SECOND), { cause: 'test' });
  const end = NOW + 3 * 3_600 * SECOND;
  // Pushes come when they like, also for nothing: more than one at once, and of a transfer that has just ended.
  const pushes = seededRandom(seed ^ 0x9e3779b9);
  while (now < end) {
    now += now < NOW + 600 * SECOND ? 3 * SECOND : 30 * SECOND;
    for (let push = pushes(); push < 0.15; push = pushes()) await plain.deliver(TRANSFER, { type: 'provider.moved' }, { cause: 'push' });
    await activities.carryDue();
    await timers.fireDue();
    const row = store.actors.get(TRANSFER);
    if (row !== undefined && isEnded(transferState(row.state))) break;
  }
  const { state } = store.actors.get(TRANSFER) as { state: Parameters<typeof transferState>[0] & Parameters<typeof transferContext>[0] };
  const alerts = store.announcements.filter(({ channel }) => channel === 'alerts').map(({ body }) => String(body['what']));
  const wrong =
    store.incidents.length > 0
      ? `incident: ${store.incidents[0]?.detail}`
      : wrongAlerts(transferState(state), alerts, now - NOW - SECOND, transferContext(state).delayedAt !== null);
  return { seed, course, state: transferState(state), expected: ENDS[course], alerts, wrong };
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
  // A timer that fires late still tells, as long as the transfer has not ended before.
  if (tookMs > due + 120_000 && delays !== 1) return `after ${tookMs} ms a delay was told ${delays} times`;
  if (tookMs < due && delays !== 0) return `after ${tookMs} ms a delay was told`;
  if (isDelayed && isEnded(state as never) && alerts.indexOf('bridge_transfer_delayed') > alerts.indexOf(`bridge_transfer_${state}`))
    return 'the delay was told after the end';
  return null;
}
