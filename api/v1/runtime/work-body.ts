/** Long work on the wire. */
import { Type } from 'typebox';
import type { LongWork } from '../../../src/domain/values/long-work.ts';
import { WORK_KINDS } from '../../../src/domain/values/long-work.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { LONG_WORK_STATES, longWorkProgress, longWorkState } from '../../../src/domain/values/work-progress.ts';
import { choice, nullable, NullableTime, Time } from '../../shapes.ts';
import { WORK_FIELDS } from '../../../src/core/work-fields.ts';

/** Wire fields of every kind of long work, including candle work. */
export const WORK_RECORD = {
  id: Type.String({ description: 'Id for `GET /v1/runtime/work/{id}`.' }),
  source: Type.String({ description: 'Names of the files, or the venue that is asked.' }),
  workedOnBy: Type.String({ description: 'The command or the part of the service that works, and its process.' }),
  state: choice(LONG_WORK_STATES, '`silent`: no progress report for 30 seconds, so its worker is gone.'),
  begunAt: Time,
  seenAt: { ...Time, description: 'Time of the last progress report.' },
  endedAt: NullableTime,
  error: nullable('string', 'Reason it ended early, or null.'),
  ...WORK_FIELDS,
};

export const LongWorkBody = Type.Object(
  {
    kind: choice(
      WORK_KINDS,
      '`import`: of candles from files. `backfill`: candles that a venue is asked for. `event_import`, `fact_import`: events, marks or liquidity from files. `archive_move`: old history moves to archive files. `sandbox_advance`: the time of a sandbox is moved on.',
    ),
    subject: Type.String({ description: 'Subject of the work, in a few words.' }),
    ...WORK_RECORD,
  },
  { $id: 'LongWork' },
);

/** Returns the wire record of long work at the time it was read. */
export function workRecord(work: LongWork) {
  return {
    id: String(work.number),
    source: work.source,
    workedOnBy: work.workedOnBy,
    state: longWorkState(work, work.at),
    begunAt: isoTime(work.begunAt),
    seenAt: isoTime(work.seenAt),
    endedAt: work.endedAt === null ? null : isoTime(work.endedAt),
    error: work.error,
    ...longWorkProgress(work, work.at),
  };
}

export function longWorkBody(work: LongWork) {
  return { kind: work.kind, subject: work.subject, ...workRecord(work) };
}
