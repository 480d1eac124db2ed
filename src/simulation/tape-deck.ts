/** Tape deck of a served replay: holds the playing tape and can replace it. */
import type { Clock } from '../../streams/clock/clock.ts';
import { type Outcome, refuse } from '../domain/values/refusal.ts';
import type { ReplayPosition } from '../domain/tape/replay-position.ts';
import { type EpochMs, isoTime } from '../domain/values/time.ts';
import { type InstrumentKey, splitInstrumentKey, type Venue } from '../domain/market/venue.ts';
import type { TapeShelf } from '../adapters/tape/tape-folder.ts';
import type { TapeInfo } from '../adapters/tape/tape-info.ts';
import { TapePlayer } from './tape-player.ts';
import type { MarketSinks } from './tape-walk.ts';

export interface TapeDeckOptions<Sinks extends MarketSinks> {
  readonly shelf: TapeShelf;
  /** Range to play of the first tape. Null means its beginning or end. */
  readonly from: EpochMs | null;
  readonly to: EpochMs | null;
  /** Speed in seconds of the tape per second. */
  readonly speed: number;
  readonly loop: boolean;
  /** Clock that paces the tape's time. */
  readonly pace: Clock;
  readonly sinks: () => Sinks;
  /** Called after a jump in time or after another tape was loaded. */
  readonly onMoved: () => void;
  readonly progress: (done: number, total: number) => void;
  readonly onFailure: (error: unknown) => void;
}

interface LoadedTape<Sinks extends MarketSinks> {
  readonly name: string;
  readonly contents: TapeInfo;
  /** Receipt time of its first event. */
  readonly start: EpochMs;
  readonly instruments: readonly InstrumentKey[];
  readonly player: TapePlayer<Sinks>;
}

export class TapeDeck<Sinks extends MarketSinks> {
  readonly #options: TapeDeckOptions<Sinks>;
  #loaded: LoadedTape<Sinks>;

  /** Opens a tape. @throws Error if the tape cannot be played */
  static async open<Sinks extends MarketSinks>(name: string, options: TapeDeckOptions<Sinks>): Promise<TapeDeck<Sinks>> {
    return new TapeDeck(options, await loadTape(name, options));
  }

  private constructor(options: TapeDeckOptions<Sinks>, loaded: LoadedTape<Sinks>) {
    this.#options = options;
    this.#loaded = loaded;
  }

  get loaded(): LoadedTape<Sinks> {
    return this.#loaded;
  }

  state(): ReplayPosition & { readonly tape: string; readonly instruments: readonly InstrumentKey[] } {
    const { name, instruments, player } = this.#loaded;
    return { ...player.state(), tape: name, instruments };
  }

  play(): Promise<void> {
    return this.#loaded.player.play();
  }

  pause(): Promise<void> {
    return this.#loaded.player.pause();
  }

  step(steps: number): Promise<void> {
    return this.#loaded.player.step(steps);
  }

  seek(at: EpochMs): Promise<void> {
    return this.#loaded.player.seek(at);
  }

  setSpeed(speed: number): Promise<void> {
    return this.#loaded.player.setSpeed(speed);
  }

  tapes() {
    return this.#options.shelf.list();
  }

  /** Loads another tape of the shelf, paused at its beginning. Only listed names are accepted, so a name cannot leave the folder. */
  async load(name: string): Promise<Outcome<void>> {
    const { shelf, onMoved } = this.#options;
    const known = (await shelf.list()).some((tape) => tape.name === name);
    if (!known)
      return refuse('not_found', `the folder of the served tape has no tape ${JSON.stringify(name)}; GET /v1/replay/tapes lists them`);
    let next: LoadedTape<Sinks>;
    try {
      next = await loadTape(name, { ...this.#options, from: null, to: null, progress: () => {} });
    } catch (error) {
      const reason = shelf.reasonOf(error);
      if (reason === null) throw error;
      return refuse('malformed', reason);
    }
    const before = this.#loaded;
    this.#loaded = next;
    onMoved();
    await before.player.close();
    return { ok: true, value: undefined };
  }

  close(): Promise<void> {
    return this.#loaded.player.close();
  }
}

async function loadTape<Sinks extends MarketSinks>(name: string, options: TapeDeckOptions<Sinks>): Promise<LoadedTape<Sinks>> {
  const { shelf, speed, loop, pace, sinks, onMoved, onFailure } = options;
  const contents = await shelf.info(name, options.progress);
  const instruments = Object.keys(contents.instruments) as InstrumentKey[];
  if (contents.from === null || contents.to === null || instruments.length === 0)
    throw shelf.unreadable(name, 'has no price or bar of any instrument, so there is nothing to serve');
  const [start, end] = [Date.parse(contents.from), Date.parse(contents.to)];
  const from = within(options.from ?? start, start, end, '--from');
  const to = within(options.to ?? end, start, end, '--to');
  if (from > to) throw new Error(`--from (${isoTime(from)}) is later than --to (${isoTime(to)})`);
  const venues = [...new Set<Venue>(instruments.map((key) => splitInstrumentKey(key).venue))];
  const player = await TapePlayer.open({
    open: () => shelf.open(name),
    start,
    venues,
    from,
    to,
    speed,
    loop,
    pace,
    sinks,
    onMoved,
    onFailure,
  });
  return { name, contents, start, instruments, player };
}

function within(at: EpochMs, start: EpochMs, end: EpochMs, option: string): EpochMs {
  if (at >= start && at <= end) return at;
  throw new Error(`${option} ${isoTime(at)} is outside the tape, which runs from ${isoTime(start)} to ${isoTime(end)}`);
}
