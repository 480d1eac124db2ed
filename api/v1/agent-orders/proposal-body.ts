/** A trade proposal on the wire. */
import { Type } from 'typebox';
import type { ProposalView } from '../../../actors/proposal/commands.ts';
import { AttributionBody, FillBody } from '../../../src/core/order-shapes.ts';
import type { Fill } from '../../../src/domain/book.ts';
import { Decimal, plainDecimal } from '../../../src/domain/decimal.ts';
import { PROPOSAL_STATES } from '../../../src/domain/execution.ts';
import { FALLBACK_REASONS } from '../../../src/domain/execution-plan.ts';
import { EXECUTION_ALGORITHMS, URGENCIES } from '../../../src/domain/manifest/manifest.ts';
import { EXECUTION_MODES, ORDER_SIDES } from '../../../src/domain/order.ts';
import { PREPARED_TRANSACTION_STATES } from '../../../src/domain/solana/lifecycle.ts';
import { type EpochMs, isoTime } from '../../../src/domain/time.ts';
import { proposalProgress } from '../../../src/domain/work-progress.ts';
import { WORK_FIELDS } from '../../work-fields.ts';
import {
  asStored,
  AutonomyWord,
  choice,
  DecimalText,
  HashText,
  IdText,
  NullableDecimalText,
  nullable,
  objectOf,
  Time,
} from '../../shapes.ts';

export const ProposalStateWord = choice(PROPOSAL_STATES, 'State of the proposal.');

const ExecutionBody = Type.Object({
  asked: choice(EXECUTION_ALGORITHMS, 'Algorithm that the manifest asks for.'),
  algorithm: choice(EXECUTION_ALGORITHMS, 'Algorithm that is executed.'),
  urgency: choice(URGENCIES, 'Resting time of the order and interval between slices.'),
  fallback: Type.Union([choice(FALLBACK_REASONS), Type.Null()], {
    description: 'Reason for another algorithm than the manifest asks for, or null.',
  }),
  phase: choice(['waiting', 'working', 'resting', 'withdrawing', 'ended']),
  restingAt: NullableDecimalText,
  left: { ...DecimalText, description: 'Base units that may still be executed.' },
  parts: Type.Array(
    Type.Object({
      number: Type.Integer(),
      kind: choice(['take', 'rest']),
      quantity: DecimalText,
      dueAt: Type.Union([Time, Type.Null()], { description: 'Time at which the slice was due, or null if it left at once.' }),
      executedQuantity: DecimalText,
      reason: nullable('string', 'Reason it was not filled completely.'),
    }),
    { description: 'The parts that have ended, in their order.' },
  ),
});

export const ProposalBody = Type.Object(
  {
    id: IdText,
    agentId: IdText,
    decisionId: nullable('string', 'Null if no decision asked for it: a kill switch closes a position.'),
    slot: Time,
    side: choice(['entry', 'exit']),
    state: ProposalStateWord,
    reason: nullable('string', 'Reason of its end; null if the state needs none.'),
    mode: choice(EXECUTION_MODES, 'Paper until the agent is at limited_live.'),
    bookId: Type.String(),
    instrument: Type.String({ description: '`<venue>:<symbol>`' }),
    order: Type.Object({
      side: choice(ORDER_SIDES),
      reduceOnly: Type.Boolean(),
      quantity: DecimalText,
      limitPrice: Type.String({ description: 'Limit price.' }),
      notionalUsd: DecimalText,
      maxSlippageBps: Type.Number(),
    }),
    execution: Type.Union([ExecutionBody, Type.Null()], {
      description: 'Execution of the order. Null for proposals made before orders were executed in parts.',
    }),
    decisionPrice: Type.String({ description: 'The executable price that the decision was made on.' }),
    risk: asStored<object>(AttributionBody),
    autonomy: AutonomyWord,
    manifestVersion: Type.Integer(),
    manifestHash: HashText,
    decidedBy: nullable('string', 'Member who approved or declined it.'),
    filledQuantity: DecimalText,
    filledNotionalUsd: DecimalText,
    averageFillPrice: NullableDecimalText,
    fills: Type.Array(FillBody),
    transaction: Type.Union(
      [
        Type.Object({
          id: { ...IdText, description: 'GET /v1/spotchain/orders/:id shows its bytes; POST …/execute takes them signed.' },
          state: choice(PREPARED_TRANSACTION_STATES),
          wallet: Type.String({ description: 'Wallet whose signature it needs.' }),
          signedBy: choice(['owner', 'delegated_signer']),
        }),
        Type.Null(),
      ],
      { description: 'The transaction of a live order on the primary chain: while it is `prepared` it waits for its signature.' },
    ),
    createdAt: Time,
    expiresAt: Time,
    changedAt: Time,
    ...WORK_FIELDS,
  },
  {
    $id: 'Proposal',
    examples: [
      {
        id: '5b1f6a0e-93c4-8d21-9a7e-2f1c40d6b8aa',
        agentId: '019a5b1e-7c00-7000-8000-000000000001',
        decisionId: '1c2e4f60-7788-8abc-9def-001122334455',
        slot: '2026-03-02T14:31:00.000Z',
        side: 'entry',
        state: 'pending_approval',
        reason: null,
        mode: 'paper',
        bookId: 'agent:019a5b1e-7c00-7000-8000-000000000001:paper:1',
        instrument: 'spotchain:NVDAx',
        order: { side: 'buy', reduceOnly: false, quantity: '5.31', limitPrice: '188.2', notionalUsd: '999.342', maxSlippageBps: 50 },
        execution: {
          asked: 'smart_order_routing_maker_first',
          algorithm: 'taker_immediate',
          urgency: 'medium',
          fallback: 'no_resting_orders',
          phase: 'waiting',
          restingAt: null,
          left: '5.31',
          parts: [],
        },
        decisionPrice: '187.4',
        risk: { verdict: 'passed', rejections: [] },
        autonomy: 'confirm',
        manifestVersion: 1,
        manifestHash: 'c5f5a7f1f5d0f3a6f8f5e3b8a1f0c2d4e6f8a0b2c4d6e8f0a1b2c3d4e5f60718',
        decidedBy: null,
        filledQuantity: '0',
        filledNotionalUsd: '0',
        averageFillPrice: null,
        fills: [],
        transaction: null,
        createdAt: '2026-03-02T14:31:00.412Z',
        expiresAt: '2026-03-02T14:41:00.412Z',
        changedAt: '2026-03-02T14:31:00.412Z',
        progress: null,
        remainingMs: 600_000,
        waitingFor: { cause: 'approval', detail: 'a member approves or declines it before it expires' },
      },
    ],
  },
);

export function proposalBody(view: ProposalView, at: EpochMs) {
  const { order } = view;
  return {
    id: view.id,
    agentId: view.agentId,
    decisionId: view.decisionId,
    slot: isoTime(view.slot),
    side: view.side,
    state: view.state,
    reason: view.reason,
    mode: order.mode,
    bookId: order.bookId,
    instrument: order.instrument,
    order: {
      side: order.side,
      reduceOnly: order.reduceOnly,
      quantity: order.quantity,
      limitPrice: order.limitPrice,
      notionalUsd: order.notionalUsd,
      maxSlippageBps: order.maxSlippageBps,
    },
    execution: executionBody(view.execution),
    decisionPrice: view.decisionPrice,
    risk: view.risk,
    autonomy: view.autonomy,
    manifestVersion: view.manifestVersion,
    manifestHash: view.manifestHash,
    decidedBy: view.decidedBy,
    filledQuantity: view.filledQuantity,
    filledNotionalUsd: view.filledNotionalUsd,
    averageFillPrice: averageOf(view),
    fills: view.fills.map(fillBody),
    transaction: transactionBody(view.transaction),
    createdAt: isoTime(view.createdAt),
    expiresAt: isoTime(view.expiresAt),
    changedAt: isoTime(view.changedAt),
    ...proposalProgress(view, at),
  };
}

function executionBody(execution: ProposalView['execution']) {
  if (execution === null) return null;
  const { asked, algorithm, urgency, fallback, phase, restingAt, left, parts } = execution;
  return {
    asked,
    algorithm,
    urgency,
    fallback,
    phase,
    restingAt,
    left,
    parts: parts.map(({ number, kind, quantity, dueAt, executedQuantity, reason }) => ({
      number,
      kind,
      quantity,
      dueAt: dueAt === null ? null : isoTime(dueAt),
      executedQuantity,
      reason,
    })),
  };
}

function transactionBody(transaction: ProposalView['transaction']) {
  if (transaction === null) return null;
  const { id, state, wallet, executor } = transaction;
  return { id, state, wallet, signedBy: executor === 'user' ? ('owner' as const) : ('delegated_signer' as const) };
}

function averageOf({ filledQuantity, filledNotionalUsd }: ProposalView): string | null {
  const quantity = new Decimal(filledQuantity);
  return quantity.isZero() ? null : plainDecimal(new Decimal(filledNotionalUsd).div(quantity).toSignificantDigits(18));
}

export function fillBody(fill: Fill) {
  return {
    id: fill.id,
    side: fill.side,
    quantity: fill.quantity,
    fillPrice: fill.fillPrice,
    notionalUsd: fill.notionalUsd,
    feeUsd: fill.feeUsd,
    slippageBps: fill.slippageBps,
    at: isoTime(fill.at),
    quotes: fill.quotes.map(({ source, observedAt, bid, ask }) => ({ source, observedAt: isoTime(observedAt), bid, ask })),
  };
}

/** The one sentence for missing and foreign proposals alike. */
export const NO_PROPOSAL = 'there is no proposal with this id';

export const ProposalPath = objectOf({ id: IdText });
