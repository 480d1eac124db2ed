/** GET /v1/bridge/transfers/:id/timeline: returns states and amounts of a transfer over time. */
import { Type } from 'typebox';
import { NO_TRANSFER } from '../../../actors/bridge-transfer/commands.ts';
import { TransferStateWord } from '../../../actors/bridge-transfer/resource.ts';
import { ARRIVAL_STATES, PROVIDER_STATES, SOURCE_STATES } from '../../../src/domain/bridge/axes.ts';
import { transferCourse } from '../../../src/domain/bridge/course.ts';
import { usdOf } from '../../../src/domain/bridge/quote.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { memberOf } from '../../caller.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { choice, IdText, NullableDecimalText, objectOf, Time } from '../../shapes.ts';

const TransferPointBody = Type.Object(
  {
    at: Time,
    state: TransferStateWord,
    provider: choice(PROVIDER_STATES, 'Status by the provider.'),
    source: choice(SOURCE_STATES, 'Status on the source chain.'),
    destination: choice(ARRIVAL_STATES, 'Status on the destination chain.'),
    arrivedUsd: NullableDecimalText,
    refundedUsd: NullableDecimalText,
  },
  { $id: 'BridgeTransferPoint' },
);

export const getBridgeTransferTimeline = defineRoute({
  method: 'GET',
  url: '/v1/bridge/transfers/:id/timeline',
  name: 'getBridgeTransferTimeline',
  tag: 'bridge',
  summary: 'Timeline of a transfer',
  description: 'Ascending: one point for each committed step that changed the state, a chain or an amount.',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: objectOf({ id: IdText }) },
  answers: { 200: { description: 'The points.', schema: Type.Object({ items: Type.Array(TransferPointBody) }) } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const { orgId } = memberOf(request);
    const id = idInPath(request.params);
    const transfer = id === null ? null : await ports.bridge.reads.find(orgId, id);
    if (transfer === null) return sendProblem(reply, 'not_found', NO_TRANSFER);
    const steps = await ports.bridge.reads.steps(orgId, transfer.id);
    const usd = (amount: string | null) => (amount === null ? null : usdOf(amount));
    return {
      items: transferCourse(transfer.createdAt, steps).map(({ at, arrived, refunded, ...point }) => ({
        at: isoTime(at),
        ...point,
        arrivedUsd: usd(arrived),
        refundedUsd: usd(refunded),
      })),
    };
  },
});
