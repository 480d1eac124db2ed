/** The `proposals` channel: trade proposals and their results. */
import { Type } from 'typebox';
import { EXECUTION_MODES } from '../../../src/domain/orders/order.ts';
import { choice, DecimalText, IdText, nullable, Time } from '../../shapes.ts';
import { ProposalStateWord } from '../../v1/agent-orders.ts';
import { announcementChannel } from './channel.ts';

const traded = {
  agentId: IdText,
  side: choice(['entry', 'exit']),
  mode: choice(EXECUTION_MODES),
  instrument: Type.String({ description: '`<venue>:<symbol>`' }),
  quantity: DecimalText,
  limitPrice: Type.String({ description: 'Limit price.' }),
  notionalUsd: DecimalText,
};

/** Status of a proposal, shared by its changes and alerts. */
export const proposalStatus = {
  proposalId: IdText,
  decisionId: nullable('string', 'Null if no decision asked for it: a kill switch closes a position.'),
  state: ProposalStateWord,
  reason: nullable('string', 'Reason of its end; null if the state needs none.'),
  ...traded,
  filledQuantity: DecimalText,
  filledNotionalUsd: DecimalText,
  transactionId: Type.Optional(Type.String({ description: "The transaction that waits for the owner's wallet." })),
  expiresAt: Time,
};

const ProposalChange = Type.Object(
  {
    what: choice([
      'proposed',
      'approved',
      'executing',
      'awaiting_signature',
      'unknown',
      'filled',
      'partially_filled',
      'failed',
      'expired',
      'cancelled',
      'declined',
      'blocked_by_risk',
    ]),
    ...proposalStatus,
  },
  { $id: 'ProposalChange', additionalProperties: false },
);

const Recommended = Type.Object(
  { what: choice(['recommended']), decisionId: IdText, ...traded },
  {
    $id: 'TradeRecommended',
    additionalProperties: false,
    description: 'Trade that an agent at `suggest` would make. No proposal is created.',
  },
);

export const proposalsChannel = announcementChannel({
  name: 'proposals',
  about: 'Trade proposals and their outcomes.',
  actorParam: 'agentId',
  item: Type.Union([ProposalChange, Recommended]),
});
