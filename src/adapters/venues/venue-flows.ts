/** Trades of venues in a period, requested from the venue: those of an instrument while an order rested. */
import type { VenueFlows } from '../../../actors/proposal/execution.ts';
import type { FlowTrade } from '../../domain/orders/resting-fill.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import { type ExecutableVenue, splitInstrumentKey } from '../../domain/market/venue.ts';

export interface AskedTrades {
  readonly trades: readonly FlowTrade[];
  /** Time up to which no trade is missing: the period's end, unless it has more trades than one read returns. */
  readonly upTo: EpochMs;
}

/** Requests a venue's trades between two instants. @throws VenueError */
export interface AskTrades {
  readonly source: string;
  between(instrument: string, from: EpochMs, to: EpochMs): Promise<AskedTrades>;
}

/**
 * Creates the requests. `venues` are those that publish trades. Periods that are requested while a venue is answering share the next
 * request.
 */
export function createVenueFlows(venues: Readonly<Partial<Record<string, AskTrades>>>): VenueFlows {
  const lines = new Map<string, TradeLine>();
  return {
    async between(key, from, to) {
      const { venue, instrument } = splitInstrumentKey(key);
      const asked = venues[venue];
      if (asked === undefined) throw new Error(`${venue} does not publish its trades`);
      const line = lines.get(key) ?? new TradeLine((since, until) => asked.between(instrument, since, until));
      lines.set(key, line);
      return { venue: venue as ExecutableVenue, source: asked.source, trades: await line.between(from, to), tops: [] };
    },
  };
}

/** Maximum length in milliseconds of a shared period; longer ones are requested separately. */
const TOGETHER_MS = 600_000;

interface Wanted {
  readonly from: EpochMs;
  readonly to: EpochMs;
  resolve(trades: readonly FlowTrade[] | Promise<readonly FlowTrade[]>): void;
  reject(error: unknown): void;
}

/** Requests of one instrument: one at a time, for all periods that wait. */
class TradeLine {
  readonly #ask: (from: EpochMs, to: EpochMs) => Promise<AskedTrades>;
  #wanted: Wanted[] = [];
  #isAsking = false;

  constructor(ask: (from: EpochMs, to: EpochMs) => Promise<AskedTrades>) {
    this.#ask = ask;
  }

  between(from: EpochMs, to: EpochMs): Promise<readonly FlowTrade[]> {
    return new Promise((resolve, reject) => {
      this.#wanted.push({ from, to, resolve, reject });
      if (!this.#isAsking) void this.#askAll();
    });
  }

  async #askAll(): Promise<void> {
    this.#isAsking = true;
    // Requests of this turn share the first one.
    await Promise.resolve();
    while (this.#wanted.length > 0) {
      const all = this.#wanted;
      this.#wanted = [];
      await this.#answer(all);
    }
    this.#isAsking = false;
  }

  async #answer(wanted: readonly Wanted[]): Promise<void> {
    const to = wanted.reduce((last, window) => Math.max(last, window.to), 0);
    const all = wanted.filter(({ from }) => to - from <= TOGETHER_MS);
    for (const long of wanted) if (!all.includes(long)) this.#answerAlone(long);
    if (all.length === 0) return;
    const from = all.reduce((first, window) => Math.min(first, window.from), to);
    try {
      const { trades, upTo } = await this.#ask(from, to);
      for (const window of all) {
        // The combined period exceeds one read; this period alone may not.
        if (window.to > upTo && all.length > 1) this.#answerAlone(window);
        else window.resolve(trades.filter(({ at }) => at >= window.from && at <= window.to));
      }
    } catch (error) {
      for (const window of all) window.reject(error);
    }
  }

  #answerAlone({ from, to, resolve }: Wanted): void {
    resolve(this.#ask(from, to).then(({ trades }) => trades));
  }
}
