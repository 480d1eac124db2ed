/** Reception, clock and remaining requests of each venue. */
import { Type } from 'typebox';
import type { BudgetState, VenueState } from '../../../src/domain/market/market-state.ts';
import { isExecutable, VENUES, type Venue } from '../../../src/domain/market/venue.ts';
import { type EpochMs, isoTime } from '../../../src/domain/values/time.ts';
import { VENUE_STATE_MAX_AGE_MS } from '../../../streams/quality/state-quality.ts';
import { pageBody, pageOfKeyed, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { choice, NullableTime, nullable, objectSchema, pageFields, pageSchema, Time, VenueWord } from '../../shapes.ts';
import { type MarketStateReads, findVenueState } from './state-reads.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly venues: {
      readonly states: MarketStateReads;
      /** Remaining requests of this process, by provider. */
      budgets(): readonly BudgetState[];
    };
  }
}

const HEARINGS = ['live', 'no_trades', 'market_closed', 'carried_forward', 'silent', 'feed_down', 'not_followed'] as const;
const WHEN = 'ISO 8601.';

const BudgetBody = Type.Object({
  name: Type.String(),
  process: choice(['feed', 'api'], 'Process that counts it. A process with both roles counts it once.'),
  limit: Type.Integer({ description: "In the provider's own units, within any window of `windowMs`." }),
  windowMs: Type.Integer(),
  left: Type.Integer(),
  blockedUntil: { ...NullableTime, description: WHEN },
});

const VenueBody = Type.Object(
  {
    venue: VenueWord,
    executable: Type.Boolean(),
    hearing: choice(
      HEARINGS,
      '`no_trades`: connected, nothing changes. `carried_forward`: repeats old prices. `silent`: connected, no message came. `not_followed`: no process subscribes to it.',
    ),
    detail: Type.String(),
    degradedSince: { ...NullableTime, description: WHEN },
    lastMessageAt: { ...NullableTime, description: WHEN },
    lastMessageAgeMs: nullable('integer'),
    providers: Type.Array(
      Type.Object({
        provider: Type.String(),
        connected: nullable('boolean', 'Null until it said so.'),
        epoch: nullable('integer', 'Counts its connections since the start.'),
        lastMessageAt: { ...NullableTime, description: WHEN },
        detail: Type.String(),
      }),
    ),
    clockOffset: Type.Unsafe<unknown>({
      anyOf: [
        Type.Object({
          offsetMs: Type.Integer({ description: 'The median; positive where its clock is ahead of ours.' }),
          method: choice(['server_time', 'event_time'], '`event_time` includes the time that its events take to reach us.'),
          samples: Type.Integer(),
          measuredAt: Time,
        }),
        { type: 'null' },
      ],
      description: 'Null if nothing was measured.',
    }),
    gaps: Type.Integer({ description: 'Lost updates since the start.' }),
    messages: Type.Integer(),
    rejected: Type.Integer({ description: 'Messages that could not be used.' }),
    unknownFields: Type.Array(Type.Object({ source: Type.String(), field: Type.String(), count: Type.Integer() }), {
      description: 'Unknown fields in its messages. Ignored, and counted since the start. At most 50 names per source, then `other`.',
    }),
    requestBudgets: Type.Array(BudgetBody),
    asOf: nullable('string', 'Time of the report, or null if no process follows the venue.'),
  },
  { $id: 'Venue' },
);

function budgetBody(process: 'feed' | 'api') {
  return ({ name, limit, windowMs, left, blockedUntil }: BudgetState) => ({
    name,
    process,
    limit,
    windowMs,
    left,
    blockedUntil: formatTime(blockedUntil),
  });
}

function formatTime(at: EpochMs | null): string | null {
  return at === null ? null : isoTime(at);
}

function venueBody(venue: Venue, state: VenueState | null, own: readonly BudgetState[], at: EpochMs) {
  const executable = isExecutable(venue);
  const followed = state !== null && at - state.receivedAt <= VENUE_STATE_MAX_AGE_MS;
  const offset = state?.clockOffset ?? null;
  return {
    venue,
    executable,
    hearing: followed ? (state.hearing as (typeof HEARINGS)[number]) : ('not_followed' as const),
    detail: followed ? state.detail : 'no process follows it at the moment',
    degradedSince: formatTime(state?.degradedSince ?? null),
    lastMessageAt: formatTime(state?.heardAt ?? null),
    lastMessageAgeMs: state?.heardAt == null ? null : Math.max(0, at - state.heardAt),
    providers: (state?.providers ?? []).map(({ provider, connected, epoch, heardAt, detail }) => ({
      provider,
      connected,
      epoch,
      lastMessageAt: formatTime(heardAt),
      detail,
    })),
    clockOffset:
      offset === null
        ? null
        : { offsetMs: offset.offsetMs, method: offset.method, samples: offset.samples, measuredAt: isoTime(offset.measuredAt) },
    gaps: state?.gaps ?? 0,
    messages: state?.messages ?? 0,
    rejected: state?.rejected ?? 0,
    unknownFields: (state?.unknownFields ?? []).map(({ source, field, count }) => ({ source, field, count })),
    requestBudgets: [
      ...(state?.budgets ?? []).map(budgetBody('feed')),
      ...own.filter((budget) => budget.venue === venue).map(budgetBody('api')),
    ],
    asOf: formatTime(state?.receivedAt ?? null),
  };
}

export const listVenues = defineRoute({
  method: 'GET',
  url: '/v1/venues',
  name: 'listVenues',
  tag: 'market',
  summary: 'State of each venue’s feeds, its clock offset and its remaining request budgets',
  permission: 'market:read',
  cost: 'read',
  schema: { querystring: objectSchema({ ...pageFields }) },
  answers: { 200: { description: 'Every venue.', schema: pageSchema(VenueBody) } },
  refusals: [],
  handle: (ports) => (request) => {
    const page = pageOfQuery(request.query, 'venues', /^[a-z]+$/);
    const at = ports.clock.now();
    const own = ports.venues.budgets();
    return pageBody(
      pageOfKeyed([...VENUES], (venue) => venue, page),
      'venues',
      (venue) => venueBody(venue, findVenueState(ports.venues.states, venue), own, at),
    );
  },
});
