/**
 * GET /v1/launches/:id/price-history: returns the price of a launched token on its curve over time, and the organization's trades of it.
 */
import { Type } from 'typebox';
import { isoTime } from '../../../src/domain/values/time.ts';
import { memberOf } from '../../caller.ts';
import { idInPath } from '../../identifier.ts';
import { sendRefusal } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { choice, DecimalText, Time } from '../../shapes.ts';
import { curveLaunch } from './curve-launch.ts';
import { curvePriceOf, fillPctOf, PROGRESS, progressOf } from './curve-state.ts';
import { LaunchPath } from './launch-view-body.ts';

/** Maximum price changes in an answer. */
const MOST_POINTS = 2_000;

const PriceHistoryBody = Type.Object(
  {
    points: Type.Array(
      Type.Object({
        at: Time,
        price: Type.String({ description: 'Price of one token, in whole quote tokens.' }),
        fillPct: Type.String({ description: 'Percent of the graduation threshold, 0 to 100.' }),
        progress: choice(PROGRESS),
      }),
      { description: `Ascending: each look at the chain that found another price or progress, the newest ${MOST_POINTS} of them.` },
    ),
    fills: Type.Array(
      Type.Object({
        at: Time,
        side: choice(['buy', 'sell']),
        quantity: DecimalText,
        priceUsd: DecimalText,
        orderId: Type.String(),
      }),
      { description: 'Swaps of the token by the organization, oldest first.' },
    ),
  },
  { $id: 'LaunchPriceHistory' },
);

export const getLaunchPriceHistory = defineRoute({
  method: 'GET',
  url: '/v1/launches/:id/price-history',
  name: 'getLaunchPriceHistory',
  tag: 'launches',
  summary: 'Price history of a launched token',
  description: 'Prices read from the curve until graduation. Later prices are in the candles of its instrument.',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: LaunchPath },
  answers: { 200: { description: "Prices and the organization's swaps.", schema: PriceHistoryBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => async (request, reply) => {
    const { orgId } = memberOf(request);
    const found = await curveLaunch(ports.launches.reads, orgId, idInPath(request.params));
    if (!found.ok) return sendRefusal(reply, found.refusal);
    const launch = found.value;
    const [curveStates, fills] = await Promise.all([
      ports.launches.reads.curveStates(orgId, launch.id, MOST_POINTS),
      ports.launches.reads.fills(orgId, launch.mint),
    ]);
    return {
      points: curveStates.map((curve) => ({
        at: isoTime(curve.at),
        price: curvePriceOf(curve, launch),
        fillPct: fillPctOf(curve),
        progress: progressOf(curve),
      })),
      fills: fills.map(({ at, side, quantity, fillPrice, orderId }) => ({ at: isoTime(at), side, quantity, priceUsd: fillPrice, orderId })),
    };
  },
});
