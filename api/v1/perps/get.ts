/** GET /v1/perps/{instrument}: one perpetual with its recent funding. */
import { Type } from 'typebox';
import { isoTime } from '../../../src/domain/values/time.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { DecimalText, NullableTime, nullable, objectOf, Time } from '../../shapes.ts';
import { knownInstrument, NO_INSTRUMENT } from '../instrument.ts';
import { venueStateOf } from '../state-reads.ts';
import { perpBody, perpFields } from './perp-body.ts';

const DEFAULT_HOURS = 24;

const PerpDetailBody = Type.Object(
  {
    ...perpFields,
    funding: Type.Object({
      items: Type.Array(Type.Object({ at: Time, hourlyFunding: DecimalText }), {
        description: 'Funding rates that were paid, newest first.',
      }),
      hours: Type.Integer({ description: 'Start of the requested period.' }),
      fetchedAt: { ...NullableTime, description: "Time of the venue's answer, or null without one." },
      ageMs: nullable('integer'),
      problem: nullable('string', 'Reason the history is unavailable, or null.'),
    }),
  },
  { $id: 'PerpDetail' },
);

export const getPerp = defineRoute({
  method: 'GET',
  url: '/v1/perps/:instrument',
  name: 'getPerp',
  tag: 'market',
  summary: 'One perpetual, with its recent funding',
  permission: 'market:read',
  cost: 'read',
  schema: {
    params: objectOf({ instrument: Type.String({ minLength: 1, maxLength: 64 }) }),
    querystring: objectOf({
      hours: Type.Optional(Type.Integer({ minimum: 1, maximum: 720, default: DEFAULT_HOURS, description: 'Hours of funding history.' })),
    }),
  },
  answers: { 200: { description: 'The perpetual.', schema: PerpDetailBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const { instrument } = request.params;
    const hours = request.query.hours ?? DEFAULT_HOURS;
    if (!knownInstrument(ports.catalog.entries, 'evmvenue', instrument)) return sendProblem(reply, 'not_found', NO_INSTRUMENT);
    const context = ports.venues.states.latest(`perp_context evmvenue:${instrument}`);
    if (context?.kind !== 'perp_context') return sendProblem(reply, 'unavailable', `nothing was received of ${instrument} on evmvenue yet`);
    const history = await ports.funding.recent(instrument, hours);
    const at = ports.clock.now();
    const [quote = null] = ports.quotes.latest({ venue: 'evmvenue', instrument });
    return {
      ...perpBody(context, quote, venueStateOf(ports.venues.states, 'evmvenue'), at),
      funding: history.ok
        ? {
            items: history.value.rates.map((rate) => ({ at: isoTime(rate.at), hourlyFunding: rate.hourlyFunding })).reverse(),
            hours,
            fetchedAt: isoTime(history.value.fetchedAt),
            ageMs: Math.max(0, at - history.value.fetchedAt),
            problem: null,
          }
        : { items: [], hours, fetchedAt: null, ageMs: null, problem: history.refusal.detail },
    };
  },
});
