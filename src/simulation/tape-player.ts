/** Tape player: replays a tape as if it were received now. Its time can run at any speed, pause, step and jump. */
import type { Clock } from '../../streams/clock/clock.ts';
import type { ReplayMode, ReplayPosition } from '../domain/tape/replay-position.ts';
import type { EpochMs } from '../domain/values/time.ts';
import { errorText } from '../domain/values/value-text.ts';
import type { Venue } from '../domain/market/venue.ts';
import type { TapeBars } from './tape-bars.ts';
import { type MarketSinks, TapeWalk, type WalkedTape } from './tape-walk.ts';

interface TapePlayerOptions<Sinks extends MarketSinks> {
  /** Opens the tape again. A jump back replays it from its beginning. */
  readonly open: () => Promise<WalkedTape>;
  /** Receipt time of the tape's first event. */
  readonly start: EpochMs;
  readonly venues: readonly Venue[];
  /** Range to play, both ends inclusive. */
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** Speed in milliseconds of the tape per millisecond. */
  readonly speed: number;
  /** True if playing restarts at `from` when the range ends. */
  readonly loop: boolean;
  /** Clock that paces the tape's time. */
  readonly pace: Clock;
  /** Creates the sinks of a walk. */
  readonly sinks: () => Sinks;
  /** Called when another walk takes over and everything must be shown again. */
  readonly onMoved: () => void;
  readonly onFailure: (error: unknown) => void;
}

/** Interval at which the tape's time advances. */
const TICK_MS = 20;
/** Maximum advance after the process was delayed. */
const MOST_LEAP_MS = 1_000;

/** Player whose commands run one after the other. Each resolves when it has taken effect. */
export class TapePlayer<Sinks extends MarketSinks> {
  /** Clock of the replayed time. A jump back discards deadlines. */
  readonly clock: Pick<Clock, 'now' | 'deadline'> = {
    now: () => this.#walk.clock.now(),
    deadline: (at, call) => this.#walk.clock.deadline(at, call),
  };
  readonly #options: TapePlayerOptions<Sinks>;
  #walk: TapeWalk<Sinks>;
  #mode: ReplayMode = 'paused';
  #speed: number;
  #moves = 0;
  #failure: string | null = null;
  /** Position with fractions of a millisecond, which slow replays accumulate. */
  #position: number;
  #tickedAt: EpochMs;
  #cancelTick = (): void => {};
  #line: Promise<unknown> = Promise.resolve();
  /** Number of waiting commands, which end a long tick early. */
  #waiting = 0;
  #isClosed = false;

  /** Opens the tape, paused at `from`. @throws TapeError if the tape cannot be read up to there */
  static async open<Sinks extends MarketSinks>(options: TapePlayerOptions<Sinks>): Promise<TapePlayer<Sinks>> {
    return new TapePlayer(options, await walkTo(options, options.from));
  }

  private constructor(options: TapePlayerOptions<Sinks>, walk: TapeWalk<Sinks>) {
    this.#options = options;
    this.#walk = walk;
    this.#speed = options.speed;
    this.#position = options.from;
    this.#tickedAt = options.pace.now();
  }

  get sinks(): Sinks {
    return this.#walk.sinks;
  }

  get bars(): TapeBars {
    return this.#walk.bars;
  }

  state(): ReplayPosition {
    const { from, to, loop } = this.#options;
    const { clock, events } = this.#walk;
    return { mode: this.#mode, at: clock.now(), from, to, speed: this.#speed, loop, events, moves: this.#moves, failure: this.#failure };
  }

  /** Continues, or restarts at the beginning of the range if it had ended. */
  play(): Promise<void> {
    return this.#inLine(async () => {
      if (this.#mode === 'playing' || this.#mode === 'failed') return;
      if (this.#mode === 'ended') await this.#jump(this.#options.from);
      this.#mode = 'playing';
      this.#arm();
    });
  }

  pause(): Promise<void> {
    return this.#inLine(async () => {
      if (this.#mode === 'playing') this.#mode = 'paused';
    });
  }

  /** Pauses and advances to the next price, this many times. */
  step(steps: number): Promise<void> {
    return this.#inLine(async () => {
      if (this.#mode === 'failed' || this.#mode === 'ended') return;
      this.#mode = 'paused';
      const { to } = this.#options;
      await this.#reading(async () => {
        for (let stepped = 0; stepped < steps; stepped++) await this.#walk.step(to);
      });
      if (this.#mode === 'paused' && this.clock.now() >= to) this.#mode = 'ended';
    });
  }

  /** Jumps to an instant, limited to the range. */
  seek(at: EpochMs): Promise<void> {
    return this.#inLine(async () => {
      if (this.#mode === 'failed' && at >= this.clock.now()) return;
      if (this.#mode !== 'playing') this.#mode = 'paused';
      this.#failure = null;
      await this.#jump(Math.min(this.#options.to, Math.max(this.#options.from, at)));
      if (this.#mode === 'playing') this.#arm();
    });
  }

  setSpeed(speed: number): Promise<void> {
    return this.#inLine(async () => {
      this.#speed = speed;
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTick();
    await this.#line;
    await this.#walk.close();
  }

  #inLine(work: () => Promise<void>): Promise<void> {
    this.#waiting++;
    const done = this.#line.then(async () => {
      this.#waiting--;
      if (!this.#isClosed) await work();
    });
    this.#line = done.catch(() => {});
    return done;
  }

  #arm(): void {
    const { pace } = this.#options;
    this.#cancelTick();
    this.#tickedAt = pace.now();
    this.#cancelTick = pace.deadline(this.#tickedAt + TICK_MS, () => void this.#inLine(() => this.#tick()));
  }

  async #tick(): Promise<void> {
    if (this.#mode !== 'playing') return;
    const { pace, to, from, loop } = this.#options;
    const now = pace.now();
    const target = Math.min(to, this.#position + Math.min(MOST_LEAP_MS, now - this.#tickedAt) * this.#speed);
    this.#tickedAt = now;
    await this.#reading(() => this.#walk.advanceTo(Math.floor(target), () => this.#waiting === 0 && !this.#isClosed));
    // If a command interrupted the tick, the position stays, because the command sets another one.
    if (this.clock.now() >= Math.floor(target)) this.#position = target;
    if (this.#mode === 'playing' && this.clock.now() >= to) {
      if (loop && to > from) await this.#jump(from);
      else this.#mode = 'ended';
    }
    if (this.#mode === 'playing') this.#arm();
  }

  async #jump(at: EpochMs): Promise<void> {
    await this.#reading(async () => {
      if (at >= this.clock.now()) await this.#walk.advanceTo(at);
      else {
        const before = this.#walk;
        this.#walk = await walkTo(this.#options, at);
        await before.close();
      }
      this.#moves++;
      this.#options.onMoved();
    });
  }

  /** Runs work that reads the tape. If reading fails, playing stops and the reason is reported. */
  async #reading(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#mode = 'failed';
      this.#failure = errorText(error);
      this.#options.onFailure(error);
    }
    this.#position = this.clock.now();
  }
}

async function walkTo<Sinks extends MarketSinks>(options: TapePlayerOptions<Sinks>, at: EpochMs): Promise<TapeWalk<Sinks>> {
  const walk = new TapeWalk({ ...options, tape: await options.open(), sinks: options.sinks() });
  try {
    await walk.advanceTo(at);
    return walk;
  } catch (error) {
    await walk.close();
    throw error;
  }
}
