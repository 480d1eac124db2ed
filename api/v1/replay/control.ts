/** Controls of a replay: play, pause, step, seek, speed and load. Each answers with the new state. */
import { type Static, type TSchema, Type } from 'typebox';
import { LEAST_SPEED, MOST_SPEED } from '../../../src/domain/tape/replay-speed.ts';
import { malformed } from '../../http/strict-json.ts';
import { sendRefusal } from '../../problem.ts';
import { defineRoute, type Route } from '../../route.ts';
import { EmptyBody, objectOf } from '../../shapes.ts';
import type { ReplayControl } from './replay-control.ts';
import { ReplayBody, replayBody } from './state.ts';

const MOST_STEPS = 10_000;
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

interface Move<Body extends TSchema> {
  readonly name: string;
  readonly url: `/v1/replay/${string}`;
  readonly summary: string;
  readonly description?: string;
  readonly body: Body;
  /** True if the whole body may be omitted. */
  readonly optional?: true;
  move(body: Static<Body>): Promise<void>;
}

export function replayMoves(replay: ReplayControl): readonly Route[] {
  const made = <Body extends TSchema>(move: Move<Body>) => moveRoute(replay, move);
  return [
    made({
      name: 'playReplay',
      url: '/v1/replay/play',
      summary: 'Plays the tape',
      description: 'Restarts from the beginning if the tape had ended.',
      body: EmptyBody,
      optional: true,
      move: () => replay.play(),
    }),
    made({
      name: 'pauseReplay',
      url: '/v1/replay/pause',
      summary: 'Pauses the tape',
      body: EmptyBody,
      optional: true,
      move: () => replay.pause(),
    }),
    made({
      name: 'stepReplay',
      url: '/v1/replay/step',
      summary: 'Pauses the tape and steps to the next price, or over a number of prices',
      optional: true,
      body: objectOf({ steps: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_STEPS, default: 1 })) }),
      move: ({ steps = 1 }) => replay.step(steps),
    }),
    made({
      name: 'seekReplay',
      url: '/v1/replay/seek',
      summary: 'Jumps to an instant of the tape',
      description:
        'An instant outside of the stretch is its nearest end. After a jump every subscription of `quotes`, `perps` and `candles` is sent a snapshot.',
      body: objectOf({ at: Type.String({ maxLength: 40, description: 'ISO 8601 with its offset.', examples: ['2026-03-02T14:31:00Z'] }) }),
      move: ({ at }) => replay.seek(instantOf(at)),
    }),
    made({
      name: 'setReplaySpeed',
      url: '/v1/replay/speed',
      summary: 'Sets the playback speed',
      body: objectOf({
        speed: Type.Number({ minimum: LEAST_SPEED, maximum: MOST_SPEED, description: 'Seconds of the tape per second.' }),
      }),
      move: ({ speed }) => replay.setSpeed(speed),
    }),
  ];
}

function moveRoute<Body extends TSchema>(replay: ReplayControl, { name, url, summary, description, body, optional, move }: Move<Body>) {
  return defineRoute({
    method: 'POST',
    url,
    name,
    tag: 'replay',
    summary,
    ...(description === undefined ? {} : { description }),
    permission: 'public',
    cost: 'read',
    ...(optional === undefined ? {} : { bodyRule: 'optional' as const }),
    schema: { body },
    answers: { 200: { description: 'The replay as it stands now.', schema: ReplayBody } },
    refusals: [],
    handle: () => async (request) => {
      await move((request.body ?? {}) as Static<Body>);
      return replayBody(replay.state());
    },
  });
}

/** Loads another tape. */
export function loadTape(replay: ReplayControl) {
  return defineRoute({
    method: 'POST',
    url: '/v1/replay/load',
    name: 'loadTape',
    tag: 'replay',
    summary: 'Replays another tape of the folder from its beginning, paused',
    permission: 'public',
    cost: 'read',
    schema: { body: objectOf({ tape: Type.String({ minLength: 1, maxLength: 255, description: 'As `GET /v1/replay/tapes` names it.' }) }) },
    answers: { 200: { description: 'The replay of that tape.', schema: ReplayBody } },
    refusals: ['not_found', 'malformed'],
    handle: () => async (request, reply) => {
      const loaded = await replay.load(request.body.tape);
      return loaded.ok ? replayBody(replay.state()) : sendRefusal(reply, loaded.refusal);
    },
  });
}

function instantOf(text: string): number {
  const at = ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw malformed('$.at', `got the text ${JSON.stringify(text)}`, 'an ISO 8601 time such as 2026-03-02T14:31:00Z');
  return at;
}
