/** Wire fields for the progress of long work, the same in every record. */
import { Type } from 'typebox';
import { WAIT_CAUSES, type WorkProgress } from '../domain/values/work-progress.ts';

/** Id of the backfill that an evaluation waits for. */
export const WAITS_FOR_WORK = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description: 'Id of the backfill that it waits for (`GET /v1/runtime/work/{id}`), or null.',
});

export const WORK_FIELDS = {
  progress: Type.Unsafe<WorkProgress['progress']>({
    type: ['object', 'null'],
    required: ['done', 'total', 'unit'],
    properties: {
      done: { type: 'number' },
      total: { type: 'number' },
      unit: { type: 'string', description: 'Unit of the count, in the plural.' },
    },
    description: 'Progress, or null if nothing is counted or the work has ended.',
  }),
  remainingMs: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'Estimated time left in milliseconds; null if unknown or after its end.',
  }),
  waitingFor: Type.Unsafe<WorkProgress['waitingFor']>({
    type: ['object', 'null'],
    required: ['cause', 'detail'],
    properties: { cause: { type: 'string', enum: [...WAIT_CAUSES] }, detail: { type: 'string' } },
    description: 'Reason that it waits, in one sentence. Null while it is being worked on and after its end.',
  }),
};
