/** Holds the tape that is played and lets another one take its place: what a served replay is controlled by. */
import type { Clock } from '../../streams/clock/clock.ts';
import { type Outcome, refuse } from '../domain/values/refusal.ts';
import type { ReplayPosition } from '../domain/tape/replay-position.ts';
import { type EpochMs, isoTime } from '../domain/values/time.ts';
import { type InstrumentKey, splitInstrumentKey, type Venue } from '../domain/market/venue.ts';
import { TapePlayer } from './tape-player.ts';
import type { MarketSinks, WalkedTape } from './tape-walk.ts';

/** Contents of a whole tape. */
export interface TapeContents {
  /** ISO 8601; null if the tape holds no event. */
  readonly from: string | null;
  readonly to: string | null;
  readonly events: number;
  /** Prices and bars by instrument. */
  readonly instruments: Readonly<Record<string, number>>;
}

/** Folder of tapes, by name. */
export interface TapeShelf {
  list(): Promise<readonly { readonly name: string; readonly bytes: number }[]>;
  /** Reads the whole tape once, so that what is wrong with it is told before anybody relies on it. */
  info(name: string, progress: (done: number, total: number) => void): Promise<TapeContents>;
  open(name: string): Promise<WalkedTape>;
  /** The error that says why a tape cannot be played. */
  unreadable(name: string, reason: string): Error;
  /** The sentence of an error that is a tape's fault; null of any other. */
  reasonOf(error: unknown): string | null;
}

export interface TapeDeckOptions<Sinks extends MarketSinks> {
  readonly shelf: TapeShelf;
  /** The stretch that is played of the first tape; null for its beginning and its end. */
  readonly from: EpochMs | null;
  readonly to: EpochMs | null;
  /** Seconds of the tape per second. */
  readonly speed: number;
  readonly loop: boolean;
  /** The clock by which the tape's time is paced. */
  readonly pace: Clock;
  readonly sinks: () => Sinks;
  /** Time has jumped, or another tape was loaded. */
  readonly onMoved: () => void;
  readonly progress: (done: number, total: number) => void;
  readonly onFailure: (error: unknown) => void;
}

/** A tape with what plays it. */
export interface LoadedTape<Sinks extends MarketSinks> {
  readonly name: string;
  readonly contents: TapeContents;
  /** Time at which its first event was received. */
  readonly start: EpochMs;
  readonly instruments: readonly InstrumentKey[];
  readonly player: TapePlayer<Sinks>;
}

export class TapeDeck<Sinks extends MarketSinks> {
  readonly #options: TapeDeckOptions<Sinks>;
  #loaded: LoadedTape<Sinks>;

  /** @throws Error in one sentence if the tape cannot be played. */
  static async open<Sinks extends MarketSinks>(name: string, options: TapeDeckOptions<Sinks>): Promise<TapeDeck<Sinks>> {
    return new TapeDeck(options, await loadTape(name, options));
  }

  private constructor(options: TapeDeckOptions<Sinks>, loaded: LoadedTape<Sinks>) {
    this.#options = options;
    this.#loaded = loaded;
  }

  /** The tape of the moment. */
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

  /** Plays another tape of the shelf from its beginning, paused. Only what is listed: a name never leads out of it. */
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
