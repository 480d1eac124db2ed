/** GET /v1/replay: returns the tape's position. GET /v1/replay/tapes: lists the tapes that can be loaded. */
import { Type } from 'typebox';
import { WORK_FIELDS } from '../../../src/core/work-fields.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { replayProgress } from '../../../src/domain/values/work-progress.ts';
import { defineRoute, type Tag } from '../../route.ts';
import { choice, nullable, Time } from '../../shapes.ts';
import type { ReplayControl, ReplayState } from './replay-control.ts';

export const REPLAY: Tag = {
  name: 'replay',
  position: 270,
  description:
    'Playback of a recorded tape. Only a service started with a tape has these routes. Play, pause, step or seek; after a jump every feed starts with a new snapshot. A tape holds market data only.',
};

export const ReplayBody = Type.Object(
  {
    tape: Type.String({ description: 'The name of the file.' }),
    mode: choice(['playing', 'paused', 'ended', 'failed'], '`failed`: the tape cannot be read on; `failure` says why.'),
    at: { ...Time, description: 'The replayed time.' },
    from: { ...Time, description: 'The stretch that is played begins here.' },
    to: { ...Time, description: 'And ends here.' },
    speed: Type.Number({ description: 'Seconds of the tape per second.' }),
    loop: Type.Boolean({ description: 'Begins again where it ends.' }),
    events: Type.Integer({ description: 'Received from the beginning of the tape up to here.' }),
    moves: Type.Integer({ description: 'Count of time jumps. When it changes, discard everything shown before.' }),
    failure: nullable('string'),
    instruments: Type.Array(Type.String(), { description: 'Everything that the tape has a price or a bar of.' }),
    ...WORK_FIELDS,
  },
  { $id: 'Replay' },
);

export function replayBody(state: ReplayState) {
  const { at, from, to, ...rest } = state;
  return { ...rest, instruments: [...rest.instruments], at: isoTime(at), from: isoTime(from), to: isoTime(to), ...replayProgress(state) };
}

/** Returns the routes that read a replay. */
export function replayReads(replay: ReplayControl) {
  const state = defineRoute({
    method: 'GET',
    url: '/v1/replay',
    name: 'getReplay',
    tag: 'replay',
    summary: 'The tape that is replayed, and where it stands',
    permission: 'public',
    cost: 'read',
    schema: {},
    answers: { 200: { description: 'The replay.', schema: ReplayBody } },
    refusals: [],
    handle: () => () => replayBody(replay.state()),
  });
  const tapes = defineRoute({
    method: 'GET',
    url: '/v1/replay/tapes',
    name: 'listTapes',
    tag: 'replay',
    summary: 'The tapes in the folder of the one that was named at the start',
    permission: 'public',
    cost: 'read',
    schema: {},
    answers: {
      200: {
        description: 'All of them, by name.',
        schema: Type.Object({
          items: Type.Array(Type.Object({ name: Type.String(), bytes: Type.Integer() })),
          nextCursor: Type.Null(),
        }),
      },
    },
    refusals: [],
    handle: () => async () => ({ items: [...(await replay.tapes())], nextCursor: null }),
  });
  return { state, tapes };
}
