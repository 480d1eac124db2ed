/** Fields of a trade proposal. */
import { Type } from 'typebox';
import { AttributionBody, FillBody } from '../../src/core/order-shapes.ts';
import { held, resource, type ViewOf } from '../../src/core/resource.ts';
import {
  AutonomyWord,
  asStored,
  choice,
  DecimalText,
  HashText,
  IdText,
  NullableDecimalText,
  nullable,
  Time,
} from '../../src/core/shapes.ts';
import type { Fill } from '../../src/domain/books/book.ts';
import type { RiskAttribution } from '../../src/domain/agents/decision.ts';
import { PROPOSAL_STATES } from '../../src/domain/orders/execution.ts';
import { FALLBACK_REASONS } from '../../src/domain/orders/execution-plan.ts';
import { EXECUTION_ALGORITHMS, URGENCIES } from '../../src/domain/manifest/manifest.ts';
import { EXECUTION_MODES, ORDER_SIDES, type Order } from '../../src/domain/orders/order.ts';
import { PREPARED_TRANSACTION_STATES } from '../../src/domain/solana/lifecycle.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import type { PreparedTransaction } from '../prepared-transaction/resource.ts';
import type { ShownExecution } from './parts.ts';

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

export const proposal = resource('proposals', {
  id: { wire: IdText, column: 'uuid' },
  agentId: { wire: IdText, column: 'uuid' },
  decisionId: { wire: nullable('string', 'Null if no decision asked for it: a kill switch closes a position.'), column: 'uuid' },
  slot: { wire: Time, column: 'bigint', instant: true },
  side: { wire: choice(['entry', 'exit']), column: 'text' },
  state: { wire: choice(PROPOSAL_STATES, 'State of the proposal.'), column: 'text', changes: true },
  reason: { wire: nullable('string', 'Reason of its end; null if the state needs none.'), column: 'text', changes: true },
  mode: { wire: choice(EXECUTION_MODES, 'Paper until the agent is at limited_live.'), column: 'text' },
  bookId: { wire: Type.String(), column: 'text' },
  instrument: { wire: Type.Unsafe<InstrumentKey>(Type.String({ description: '`<venue>:<symbol>`' })), column: 'text' },
  order: {
    holds: held<Order>(),
    wire: Type.Object({
      side: choice(ORDER_SIDES),
      reduceOnly: Type.Boolean(),
      quantity: DecimalText,
      limitPrice: Type.String({ description: 'Limit price.' }),
      notionalUsd: DecimalText,
      maxSlippageBps: Type.Number(),
    }),
    column: 'jsonb',
    name: 'order_body',
  },
  /** Notional in US dollars that the remaining quantity reserves. */
  notionalUsd: { holds: held<string>(), column: 'numeric', changes: true },
  /** Execution plan and the result of each part. Null for proposals from before orders had parts. */
  execution: {
    holds: held<ShownExecution | null>(),
    wire: Type.Union([ExecutionBody, Type.Null()], {
      description: 'Execution of the order. Null for proposals made before orders were executed in parts.',
    }),
    column: 'jsonb',
    changes: true,
  },
  decisionPrice: { wire: Type.String({ description: 'The executable price that the decision was made on.' }), column: 'numeric' },
  /** True if the rules behind it use the reference price. */
  readsReference: { holds: held<boolean>(), column: 'boolean' },
  risk: { wire: asStored<RiskAttribution>(AttributionBody), column: 'jsonb', changes: true },
  /** Autonomy level at which it was proposed. */
  autonomy: { wire: AutonomyWord, column: 'text' },
  manifestVersion: { wire: Type.Integer(), column: 'int' },
  manifestHash: { wire: HashText, column: 'text' },
  /** Control epoch of the organization at the decision. A halt ends it. */
  epoch: { holds: held<number>(), column: 'bigint' },
  decidedBy: { wire: nullable('string', 'Member who approved or declined it.'), column: 'text', changes: true },
  filledQuantity: { wire: DecimalText, column: 'numeric', changes: true },
  filledNotionalUsd: { wire: DecimalText, column: 'numeric', changes: true },
  averageFillPrice: { wire: NullableDecimalText, computed: true },
  fills: { wire: Type.Array(FillBody), computed: true },
  transaction: {
    wire: Type.Union(
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
    computed: true,
  },
  createdAt: { wire: Time, column: 'bigint', instant: true },
  expiresAt: { wire: Time, column: 'bigint', instant: true },
  changedAt: { wire: Time, column: 'bigint', changes: true, instant: true },
});

export type Proposal = ViewOf<typeof proposal>;
/** Transaction that carries an order out on the primary chain. */
export type ProposalTransaction = Pick<PreparedTransaction, 'id' | 'state' | 'wallet' | 'executor'>;

/** A proposal with its fills, each with the quotes it was made on. */
export interface ProposalView extends Proposal {
  readonly fills: readonly Fill[];
  /** Prepared transaction of a live order on the primary chain. Null elsewhere, and before there is one. */
  readonly transaction: ProposalTransaction | null;
}
