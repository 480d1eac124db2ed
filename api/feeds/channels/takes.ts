/** The `takes` channel: every change of a Take. */
import { Type } from 'typebox';
import { EXECUTION_MODES } from '../../../src/domain/orders/order.ts';
import { TAKE_STATES } from '../../../src/domain/take/take.ts';
import { choice, HashText, IdText, nullable, nullableChoice, Time } from '../../shapes.ts';
import { announcementChannel } from './channel.ts';

/** Status of a Take, shared by its changes and alerts. */
export const takeStatus = {
  takeId: IdText,
  state: choice(TAKE_STATES),
  onDuty: Type.Boolean({ description: 'True while it is evaluated every half minute.' }),
  symbol: Type.String(),
  hash: HashText,
  mode: nullableChoice(EXECUTION_MODES, 'Null before it was armed.'),
  side: nullableChoice(['entry', 'exit'], 'Side whose conditions held; null in all other states.'),
  proposalId: nullable('string'),
  decisionId: nullable('string'),
  reason: nullable('string', 'Reason it was disarmed; null while it is armed.'),
  published: Type.Boolean(),
  expiresAt: Time,
  at: Time,
};

export const takesChannel = announcementChannel({
  name: 'takes',
  about: 'Every change of a Take.',
  actorParam: 'takeId',
  item: Type.Object(
    { what: choice(TAKE_STATES, 'The state that it came to.'), ...takeStatus },
    { $id: 'TakeChange', additionalProperties: false },
  ),
});
