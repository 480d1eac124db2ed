/** Serves a recorded tape on loopback, without a database: the feed and the reads of the API over replayed time. */
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { buildReplayApi } from '../../api/replay.ts';
import { createRateLimits } from '../../api/rate-limits.ts';
import type { ReplayControl } from '../../api/v1/replay/ports.ts';
import type { Clock } from '../../streams/clock.ts';
import { readConsoleFiles } from '../adapters/console-files.ts';
import { listeningUrl, listenRefusal } from '../adapters/listen-refusal.ts';
import { createMetrics } from '../adapters/metrics.ts';
import { createNewIds } from '../adapters/new-ids.ts';
import { TapeError } from '../adapters/tape/tape-error.ts';
import { type TapeInfo, tapeInfo } from '../adapters/tape/tape-info.ts';
import { openTape } from '../adapters/tape/tape-reader.ts';
import { refuse } from '../domain/refusal.ts';
import { type EpochMs, isoTime } from '../domain/time.ts';
import { type InstrumentKey, splitInstrumentKey, type Venue } from '../domain/venue.ts';
import { TapePlayer } from '../simulation/tape-player.ts';
import { createReplayedMarket, type LoadedTape, openSinks } from './replayed-market.ts';

export interface TapeServerOptions {
  /** The tape to begin with; others of its folder may be loaded. */
  readonly file: string;
  /** The stretch of it that is played; null for its beginning and its end. */
  readonly from: EpochMs | null;
  readonly to: EpochMs | null;
  /** Seconds of the tape per second. */
  readonly speed: number;
  readonly loop: boolean;
  /** Stands still at the beginning until somebody lets it run. */
  readonly paused: boolean;
  /** On loopback; 0 takes any free one. */
  readonly port: number;
  readonly version: string;
  readonly clock: Clock;
  readonly progress: (done: number, total: number) => void;
  readonly onFailure: (error: unknown) => void;
}

export interface TapeServer {
  readonly url: string;
  readonly info: TapeInfo;
  readonly from: EpochMs;
  readonly to: EpochMs;
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
const TAPE_NAME = /\.tape(\.ndjson(\.gz)?)?$/;

/** @throws Error in one sentence where the tape cannot be played or the port cannot be listened on. */
export async function startTapeServer(options: TapeServerOptions): Promise<TapeServer> {
  const { clock, onFailure } = options;
  const folder = dirname(options.file);
  let onMoved = (): void => {};
  let loaded = await loadTape(options.file, options, () => onMoved());
  const market = createReplayedMarket(() => loaded, clock);
  const metrics = createMetrics();
  const server = await buildReplayApi(
    {
      ...market,
      access: { limits: createRateLimits() },
      operation: {
        newRequestId: createNewIds(clock),
        readiness: async () => ({ ready: true, parts: [] }),
        metrics,
        isUnavailable: () => false,
        reportDefect: onFailure,
      },
      replay: replayControl(
        folder,
        () => loaded,
        async (file) => {
          const next = await loadTape(file, { ...options, from: null, to: null, progress: () => {} }, () => onMoved());
          const before = loaded;
          loaded = next;
          onMoved();
          await before.player.close();
        },
      ),
      feed: { ...market.feed, reportDefect: onFailure },
    },
    { version: options.version, console: readConsoleFiles() },
  );
  onMoved = () => {
    market.follow();
    server.renew();
  };
  if (!options.paused) await loaded.player.play();
  try {
    await server.app.listen({ host: HOST, port: options.port });
  } catch (error) {
    await loaded.player.close();
    await server.app.close();
    throw listenRefusal(error, HOST, options.port, 'PORT');
  }
  const { from, to } = loaded.player.state();
  return {
    url: listeningUrl(server.app.server, HOST, options.port),
    info: loaded.info,
    from,
    to,
    async stop() {
      await server.app.close();
      await loaded.player.close();
    },
  };
}

/** Reads the whole tape once, so that what is wrong with it is told before anybody relies on it. */
async function loadTape(
  file: string,
  options: Pick<TapeServerOptions, 'from' | 'to' | 'speed' | 'loop' | 'clock' | 'progress' | 'onFailure'>,
  onMoved: () => void,
): Promise<LoadedTape> {
  const info = await tapeInfo(file, options.progress);
  const instruments = Object.keys(info.instruments) as InstrumentKey[];
  if (info.from === null || info.to === null || instruments.length === 0)
    throw new TapeError(file, '', 'has no price or bar of any instrument, so there is nothing to serve');
  const [start, end] = [Date.parse(info.from), Date.parse(info.to)];
  const from = within(options.from ?? start, start, end, '--from');
  const to = within(options.to ?? end, start, end, '--to');
  if (from > to) throw new Error(`--from (${isoTime(from)}) is later than --to (${isoTime(to)})`);
  const player = await TapePlayer.open({
    open: () => openTape(file),
    start,
    venues: [...new Set<Venue>(instruments.map((key) => splitInstrumentKey(key).venue))],
    from,
    to,
    speed: options.speed,
    loop: options.loop,
    pace: options.clock,
    sinks: () => openSinks(options.clock),
    onMoved,
    onFailure: options.onFailure,
  });
  return { info, instruments, player };
}

function within(at: EpochMs, start: EpochMs, end: EpochMs, option: string): EpochMs {
  if (at >= start && at <= end) return at;
  throw new Error(`${option} ${isoTime(at)} lies outside of the tape, which goes from ${isoTime(start)} to ${isoTime(end)}`);
}

function replayControl(folder: string, loaded: () => LoadedTape, load: (file: string) => Promise<void>): ReplayControl {
  return {
    state() {
      const { info, instruments, player } = loaded();
      return { ...player.state(), tape: basename(info.file), instruments };
    },
    play: () => loaded().player.play(),
    pause: () => loaded().player.pause(),
    step: (steps) => loaded().player.step(steps),
    seek: (at) => loaded().player.seek(at),
    setSpeed: (speed) => loaded().player.setSpeed(speed),
    tapes: () => tapesIn(folder),
    async load(name) {
      // Only what is listed: a name never leads out of the folder.
      const known = (await tapesIn(folder)).some((tape) => tape.name === name);
      if (!known)
        return refuse('not_found', `the folder of the served tape has no tape ${JSON.stringify(name)}; GET /v1/replay/tapes lists them`);
      try {
        await load(join(folder, name));
        return { ok: true, value: undefined };
      } catch (error) {
        if (error instanceof TapeError) return refuse('malformed', error.message);
        throw error;
      }
    },
  };
}

async function tapesIn(folder: string) {
  const names = (await readdir(folder)).filter((name) => TAPE_NAME.test(name)).sort();
  return Promise.all(names.map(async (name) => ({ name, bytes: (await stat(join(folder, name))).size })));
}
