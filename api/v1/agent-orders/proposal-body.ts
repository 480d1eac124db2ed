/** A trade proposal on the wire. */
import { Type } from 'typebox';
import { type ProposalView, proposal } from '../../../actors/proposal/resource.ts';
import type { Fill } from '../../../src/domain/books/book.ts';
import { Decimal, plainDecimal } from '../../../src/domain/values/decimal.ts';
import { type EpochMs, isoTime } from '../../../src/domain/values/time.ts';
import { proposalProgress } from '../../../src/domain/values/work-progress.ts';
import { IdText, objectOf } from '../../shapes.ts';
import { WORK_FIELDS } from '../../../src/core/work-fields.ts';

export const ProposalStateWord = proposal.wire.state;

export const ProposalBody = Type.Object(
  { ...proposal.wire, ...WORK_FIELDS },
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
  const { side, reduceOnly, quantity, limitPrice, notionalUsd, maxSlippageBps } = view.order;
  return {
    ...proposal.body(view, {
      order: { side, reduceOnly, quantity, limitPrice, notionalUsd, maxSlippageBps },
      execution: executionBody(view.execution),
      averageFillPrice: averageOf(view),
      fills: view.fills.map(fillBody),
      transaction: transactionBody(view.transaction),
    }),
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

/** Message for a proposal that does not exist or belongs to another organization. */
export const NO_PROPOSAL = 'there is no proposal with this id';

export const ProposalPath = objectOf({ id: IdText });
