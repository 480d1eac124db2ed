/** Routes of a replayed tape: its position and its controls. */
import { type Static, type TSchema, Type } from 'typebox';
import { WORK_FIELDS } from '../../../src/core/work-fields.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import { type ReplayPosition, LEAST_SPEED, MOST_SPEED } from '../../../src/domain/tape/replay-position.ts';
import type { Outcome } from '../../../src/domain/values/refusal.ts';
import { type EpochMs, isoTime } from '../../../src/domain/values/time.ts';
import { replayProgress } from '../../../src/domain/values/work-progress.ts';
import { malformed } from '../../http/strict-json.ts';
import { sendRefusal } from '../../problem.ts';
import { defineRoute, type Route, type Tag } from '../../route.ts';
import { choice, EmptyBody, nullable, objectSchema, Time } from '../../shapes.ts';

interface ReplayState extends ReplayPosition {
  /** File name without its folder. */
  readonly tape: string;
  /** Instruments of the tape with a price or a bar. */
  readonly instruments: readonly InstrumentKey[];
}

/** A tape that may be loaded. */
interface TapeFile {
  readonly name: string;
  readonly bytes: number;
}

/** Controls of a replay. Each command answers once its change is effective. */
export interface ReplayControl {
  state(): ReplayState;
  play(): Promise<void>;
  pause(): Promise<void>;
  step(steps: number): Promise<void>;
  seek(at: EpochMs): Promise<void>;
  setSpeed(speed: number): Promise<void>;
  /** Lists the tapes in the folder of the first one, by name. */
  tapes(): Promise<readonly TapeFile[]>;
  /** Loads another tape of the folder at its beginning, paused. */
  load(name: string): Promise<Outcome<void>>;
}

export const REPLAY: Tag = {
  name: 'replay',
  position: 270,
  description:
    'Playback of a recorded tape. Only a service started with a tape has these routes. Play, pause, step or seek; after a jump every feed starts with a new snapshot. A tape holds market data only.',
};

const ReplayBody = Type.Object(
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

function replayBody(state: ReplayState) {
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
      body: objectSchema({ steps: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_STEPS, default: 1 })) }),
      move: ({ steps = 1 }) => replay.step(steps),
    }),
    made({
      name: 'seekReplay',
      url: '/v1/replay/seek',
      summary: 'Jumps to an instant of the tape',
      description:
        'An instant outside of the stretch is its nearest end. After a jump every subscription of `quotes`, `perps` and `candles` is sent a snapshot.',
      body: objectSchema({
        at: Type.String({ maxLength: 40, description: 'ISO 8601 with its offset.', examples: ['2026-03-02T14:31:00Z'] }),
      }),
      move: ({ at }) => replay.seek(parseInstant(at)),
    }),
    made({
      name: 'setReplaySpeed',
      url: '/v1/replay/speed',
      summary: 'Sets the playback speed',
      body: objectSchema({
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
    schema: {
      body: objectSchema({ tape: Type.String({ minLength: 1, maxLength: 255, description: 'As `GET /v1/replay/tapes` names it.' }) }),
    },
    answers: { 200: { description: 'The replay of that tape.', schema: ReplayBody } },
    refusals: ['not_found', 'malformed'],
    handle: () => async (request, reply) => {
      const loaded = await replay.load(request.body.tape);
      return loaded.ok ? replayBody(replay.state()) : sendRefusal(reply, loaded.refusal);
    },
  });
}

function parseInstant(text: string): number {
  const at = ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw malformed('$.at', `got the text ${JSON.stringify(text)}`, 'an ISO 8601 time such as 2026-03-02T14:31:00Z');
  return at;
}
