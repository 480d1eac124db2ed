/** GET /v1/runtime: returns the state of the runtime in figures. */
import { isoTime } from '../../../src/domain/values/time.ts';
import { memberOf } from '../../caller.ts';
import { defineRoute } from '../../route.ts';
import { RuntimeBody } from './runtime-body.ts';

export const getRuntime = defineRoute({
  method: 'GET',
  url: '/v1/runtime',
  name: 'getRuntime',
  tag: 'runtime',
  summary: 'Actors, activities, timers, incidents and queues in numbers',
  permission: 'agent:read',
  cost: 'costly',
  schema: {},
  answers: { 200: { description: 'The runtime.', schema: RuntimeBody } },
  refusals: [],
  handle: (ports) => async (request) => {
    const [counts, queues] = await Promise.all([ports.runtime.reads.counts(memberOf(request).orgId), ports.runtime.queues()]);
    const { actors, activities, timers, incidents } = counts;
    return {
      at: isoTime(ports.clock.now()),
      actors,
      activities: activities.map(({ firstDueAt, ...one }) => ({ ...one, firstDueAt: isoTime(firstDueAt) })),
      timers: { ...timers, nextDueAt: timers.nextDueAt === null ? null : isoTime(timers.nextDueAt) },
      incidents: incidents.map(({ lastAt, ...one }) => ({ ...one, lastAt: isoTime(lastAt) })),
      queues: {
        ticks: queues.ticks.map(({ lastSlot, ...one }) => ({ ...one, lastSlot: isoTime(lastSlot) })),
        recurring: queues.recurring.map(({ lastSlot, ...one }) => ({ ...one, lastSlot: lastSlot === null ? null : isoTime(lastSlot) })),
      },
    };
  },
});
