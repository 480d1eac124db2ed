// Proposals executed in parts, in memory and on a virtual clock. The test provides the venue.
import { proposalContext, proposalKind, proposalState } from '../../../actors/proposal/effects.ts';
import { createOrderLook, type ExecutionDeps, executionWorkers } from '../../../actors/proposal/execution.ts';
import { shownExecution } from '../../../actors/proposal/parts.ts';
import type { ProposalInput } from '../../../actors/proposal/protocol.ts';
import { startActivities } from '../../../actors/runtime/activities.ts';
import { createDirectory } from '../../../actors/runtime/directory.ts';
import { createMemoryStore } from '../../../actors/runtime/memory-store.ts';
import { createRuntime } from '../../../actors/runtime/runtime.ts';
import { startTimers } from '../../../actors/runtime/timers.ts';
import type { Fill } from '../../../src/domain/books/book.ts';
import { Decimal, plainDecimal } from '../../../src/domain/values/decimal.ts';
import { planExecution } from '../../../src/domain/orders/execution-plan.ts';
import type { ExecutionAlgorithm, Urgency } from '../../../src/domain/manifest/manifest.ts';
import { type ExecutionMode, type OrderSide, completeOrder } from '../../../src/domain/orders/order.ts';
import type { Quote } from '../../../src/domain/market/quote.ts';
import type { FlowTrade } from '../../../src/domain/orders/resting-fill.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { SLOT } from '../agent/sample.ts';
import { quoteOf } from './trading-fixture.ts';
import { eachRow } from '../../../actors/runtime/containment.ts';

const BTC: InstrumentKey = 'spotexchange:BTCUSDT';
const ORG = '00000000-0000-7000-8000-000000000001';
const ID = '5b1f6a0e-93c4-8d21-9a7e-2f1c40d6b8aa';

/** Options of a test. */
export interface PartsOptions {
  readonly algorithm: ExecutionAlgorithm;
  readonly urgency?: Urgency;
  readonly mode?: ExecutionMode;
  readonly side?: OrderSide;
  readonly quantity?: string;
  readonly limitPrice?: string;
  readonly isProtective?: boolean;
  readonly clients?: ExecutionDeps['clients'];
}

export type PartsFixture = Awaited<ReturnType<typeof partsFixture>>;

/** Creates a proposal at its approval. Risk passes everything with a live quote. */
export async function partsFixture(options: PartsOptions) {
  const { algorithm, urgency = 'medium', mode = 'paper', side = 'buy', quantity = '0.01' } = options;
  const clock = createVirtualClock(SLOT);
  const store = createMemoryStore();
  const runtime = createRuntime({ store, directory: createDirectory([proposalKind]), clock });
  const limitPrice = options.limitPrice ?? (side === 'buy' ? '60300' : '59700');
  const order = completeOrder({
    id: ID,
    origin: 'proposal',
    mode,
    bookId: 'b',
    instrument: BTC,
    side,
    quantity,
    limitPrice,
    maxSlippageBps: 50,
  });
  const trades: FlowTrade[] = [];
  const market: { quote: Quote | null } = { quote: quoteOf(BTC, SLOT, '60000', '60010') };
  const asked: string[] = [];
  const errors: unknown[] = [];
  const input: ProposalInput & { readonly createdAt: number } = {
    agentId: '019a5b1e-7c00-7000-8000-000000000001',
    decisionId: '1c2e4f60-7788-8abc-9def-001122334455',
    slot: SLOT,
    side: side === 'buy' ? 'entry' : 'exit',
    manifestVersion: 1,
    manifestHash: 'a'.repeat(64),
    autonomy: 'policy_auto',
    epoch: 0,
    order,
    execution: planExecution({ algorithm, urgency }, order, options.isProtective ?? false),
    decisionPrice: side === 'buy' ? '60010' : '60000',
    readsReference: false,
    risk: { verdict: 'passed', rejections: [] },
    begins: 'approved',
    reason: null,
    approvalMs: 600_000,
    createdAt: SLOT,
  };
  const means: ExecutionDeps = {
    runtime,
    load: store.load,
    preTrade: {
      // Only risk gives the brand; this tests only the execution.
      assess: async (_, proposal) => {
        asked.push(proposal.order.quantity);
        const { quote } = market;
        if (quote?.quality === 'live')
          return { ok: true, approved: proposal.order as never, risk: input.risk, market: { quote, depth: null, liquidityUsd: null } };
        const rejections = [{ code: 'quote_not_live', limit: null, before: null, after: null, suggestion: null }];
        return { ok: false, risk: { verdict: 'blocked', rejections } };
      },
    },
    leaseIsHeld: async () => row().state.value === 'executing' && clock.now() < (proposalContext(row().state).leaseUntil ?? 0),
    clients: options.clients ?? {},
    flows: {
      between: async (_, from, to) => ({
        venue: 'spotexchange',
        source: 'test:trades',
        trades: trades.filter(({ at }) => at >= from && at <= to),
        tops: [],
      }),
    },
    clock,
  };
  const workers = executionWorkers(means);
  const look = createOrderLook(means);
  const idle = { now: () => clock.now(), deadline: () => () => {} };
  const activities = startActivities({
    contained: eachRow((error) => errors.push(error)),
    store,
    runtime,
    workers,
    clock: idle,
    onError: (error) => errors.push(error),
  });
  const timers = startTimers({
    contained: eachRow((error) => errors.push(error)),
    store,
    runtime,
    clock: idle,
    onError: (error) => errors.push(error),
  });
  await runtime.start('proposal', ID, ORG, input as never, { cause: 'test' });

  const row = () => {
    const found = store.actors.get(ID);
    if (found === undefined) throw new Error('there is no proposal');
    return found;
  };
  return {
    clock,
    store,
    runtime,
    trades,
    market,
    asked,
    errors,
    /** Present state of the chart. */
    value: () => row().state.value as string,
    state: () => proposalState(row().state),
    context: () => proposalContext(row().state),
    execution: () => shownExecution(proposalContext(row().state), row().state.value as string),
    isDone: () => row().state.status === 'done',
    fills: () => store.records.filter(({ type }) => type === 'fill').map((record) => record['fill'] as Fill),
    filled: () =>
      plainDecimal(
        store.records
          .filter(({ type }) => type === 'fill')
          .reduce((sum, record) => sum.plus((record['fill'] as Fill).quantity), new Decimal(0)),
      ),
    tell: (event: { readonly type: string; readonly [key: string]: unknown }) => runtime.deliver(ID, event, { cause: 'test' }),
    /** Trades on the venue. */
    trade(price: string, traded: string): void {
      trades.push({ price, quantity: traded, at: clock.now() });
    },
    /** Returns the result of a look-up of the resting order. */
    look: () => look(ID, SLOT),
    /** Returns the events taken, in order. */
    steps: () => store.steps.map(({ event }) => (event as { readonly type: string }).type),
    carry: () => activities.carryDue(),
    /** Advances time and runs what is due. */
    async pass(ms: number, quality: Quote['quality'] = 'live'): Promise<void> {
      clock.advanceTo(clock.now() + ms);
      if (market.quote !== null) market.quote = { ...market.quote, observedAt: clock.now(), receivedAt: clock.now(), quality };
      await timers.fireDue();
      await activities.carryDue();
    },
  };
}
