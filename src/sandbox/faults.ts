/** Fault switch of a simulator: which faults happen, and how often. */
import { seededRandom } from '../domain/values/seeded-random.ts';
import { DAY_MS } from '../domain/values/time.ts';

export { seededRandom };

/** Faults of a simulator. Probabilities are between 0 and 1. A simulator ignores faults that its wire cannot express. */
export interface FaultSettings {
  /** Keeps connections open and accepts sockets, but sends nothing: no data, no ping, no answer. */
  readonly freeze: boolean;
  /** Probability per frame of a garbage frame before it, and per answer of garbage instead of it. */
  readonly garbage: number;
  /** Probability per frame of its loss, which shows as a gap in numbered streams. */
  readonly gap: number;
  /** Probability per frame of sending it twice. */
  readonly duplicate: number;
  /** Probability per frame of sending it after the next one. */
  readonly reorder: number;
  /** Probability per quote of a bid above the ask. */
  readonly crossed: number;
  /** Probability per quote of a zero bid price with a non-zero size. */
  readonly zeroPrice: number;
  /** Probability per quote of a negative bid price. */
  readonly negativePrice: number;
  /** Probability per quote of the bid price `NaN`. */
  readonly nanPrice: number;
  /** Probability per quote of both prices multiplied by 100. */
  readonly priceJump: number;
  /** Offset of the simulator's clock from true time; negative if it is behind. */
  readonly clockOffsetMs: number;
  /** Probability per request or handshake of a 429 response. */
  readonly status429: number;
  /** Probability per request or handshake of a 503 response. */
  readonly status5xx: number;
  /** Delay of every response to a request or handshake. */
  readonly slowMs: number;
  /** Probability per frame of a 10 MB frame before it, and per answer of 10 MB instead of it. */
  readonly bigFrame: number;
  /** Cuts every connection: sockets right after they open, requests before they are read. */
  readonly disconnectLoop: boolean;
  /** Probability per request of cutting the connection after executing it, so that the client does not know the result. */
  readonly lostAnswer: number;
}

export const NO_FAULTS: FaultSettings = Object.freeze({
  freeze: false,
  garbage: 0,
  gap: 0,
  duplicate: 0,
  reorder: 0,
  crossed: 0,
  zeroPrice: 0,
  negativePrice: 0,
  nanPrice: 0,
  priceJump: 0,
  clockOffsetMs: 0,
  status429: 0,
  status5xx: 0,
  slowMs: 0,
  bigFrame: 0,
  disconnectLoop: false,
  lostAnswer: 0,
});

/** Names of all faults, in the order of `FaultSettings`. */
export const FAULT_NAMES = Object.keys(NO_FAULTS) as (keyof FaultSettings)[];

/** Fault switch of one simulator. Simulators read `settings` each time, so a change takes effect from the next frame or request. */
export type FaultSwitch = ReturnType<typeof createFaultSwitch>;

function checkedSetting(name: string, value: unknown): void {
  if (!Object.hasOwn(NO_FAULTS, name)) throw new RangeError(`unknown fault "${name}"; known are ${FAULT_NAMES.join(', ')}`);
  if (typeof NO_FAULTS[name as keyof FaultSettings] === 'boolean') {
    if (typeof value !== 'boolean') throw new RangeError(`fault "${name}" must be true or false, not ${JSON.stringify(value)}`);
    return;
  }
  const [low, high] = name === 'clockOffsetMs' ? [-3650 * DAY_MS, 3650 * DAY_MS] : name === 'slowMs' ? [0, 600_000] : [0, 1];
  if (typeof value !== 'number' || !(value >= low && value <= high)) {
    throw new RangeError(`fault "${name}" must be a number from ${low} to ${high}, not ${JSON.stringify(value)}`);
  }
}

/** Creates a switch with all faults off. `seed` determines which frames are hit. */
export function createFaultSwitch(seed = 1) {
  /** Returns the next number of the seeded source, 0 <= n < 1. */
  const random = seededRandom(seed);
  let settings = NO_FAULTS;
  return {
    get settings() {
      return settings;
    },
    /**
     * Changes the given settings and keeps the others.
     * @throws RangeError naming the setting, the given value and the allowed ones; nothing has changed then
     */
    set(change: Partial<FaultSettings>) {
      for (const [name, value] of Object.entries(change)) checkedSetting(name, value);
      settings = Object.freeze({ ...settings, ...change });
    },
    /** Switches every fault off. */
    reset() {
      settings = NO_FAULTS;
    },
    /** Returns true with this probability, from the switch's own seeded source. */
    // Draws no number for a fault that is off, so that switching one on does not change the others.
    happens: (probability: number): boolean => probability > 0 && random() < probability,
    random,
  };
}

/** Content of a 10 MB frame, built once because building is slow. */
let bigFrame: string | null = null;

/** Returns a well-formed but meaningless text of 10 MB. */
function bigText(): string {
  bigFrame ??= `{"filler":"${'x'.repeat(10 * 1024 * 1024)}"}`;
  return bigFrame;
}

const GARBAGE = [
  '{"stream":"',
  '\u0000\u0001\u0002',
  '[[[[[[',
  'null',
  '{}',
  '"just a text"',
  '<html>502 Bad Gateway</html>',
  '{"e":1e999,',
];

/** Returns a faulty body (a proxy's error page, or 10 MB), or null if the answer is sent unchanged. */
export function spoiledBody(faults: FaultSwitch): string | null {
  if (faults.happens(faults.settings.garbage)) return '<html><head><title>502 Bad Gateway</title></head></html>';
  return faults.happens(faults.settings.bigFrame) ? bigText() : null;
}

/** True if a price fault is on. Data that is sent only on change is then sent every time. */
export function bendsPrices({ settings }: FaultSwitch): boolean {
  const { crossed, zeroPrice, negativePrice, nanPrice, priceJump } = settings;
  return crossed + zeroPrice + negativePrice + nanPrice + priceJump > 0;
}

/** Formats one price with its faults. A single price cannot be crossed. */
export function bendPrice(faults: FaultSwitch, price: number, write: (price: number) => string): string {
  const { settings } = faults;
  const jumped = faults.happens(settings.priceJump) ? price * 100 : price;
  if (faults.happens(settings.zeroPrice)) return write(0);
  if (faults.happens(settings.negativePrice)) return `-${write(jumped)}`;
  if (faults.happens(settings.nanPrice)) return 'NaN';
  return write(jumped);
}

/** Creates the last step before a socket: it loses, duplicates, reorders and pollutes frames as the switch says. */
export function createFramePipe(faults: FaultSwitch, send: (frame: string) => void): { frame(text: string): void } {
  let held: string | null = null;
  return {
    frame(text) {
      const { settings } = faults;
      if (settings.freeze) return;
      if (faults.happens(settings.gap)) return;
      if (faults.happens(settings.garbage)) send(GARBAGE[Math.floor(faults.random() * GARBAGE.length)] as string);
      if (faults.happens(settings.bigFrame)) send(bigText());
      if (held === null && faults.happens(settings.reorder)) {
        held = text;
        return;
      }
      send(text);
      if (faults.happens(settings.duplicate)) send(text);
      if (held !== null) {
        const late = held;
        held = null;
        send(late);
      }
    },
  };
}

/** Formats bid and ask with their faults. `write` formats a price like the venue. */
export function bendPrices(
  faults: FaultSwitch,
  bid: number,
  ask: number,
  write: (price: number) => string,
): { readonly bid: string; readonly ask: string } {
  const { settings } = faults;
  const factor = faults.happens(settings.priceJump) ? 100 : 1;
  const crossed = faults.happens(settings.crossed);
  const low = (crossed ? ask * 1.001 : bid) * factor;
  const high = (crossed ? bid : ask) * factor;
  if (faults.happens(settings.zeroPrice)) return { bid: write(0), ask: write(high) };
  if (faults.happens(settings.negativePrice)) return { bid: `-${write(low)}`, ask: write(high) };
  if (faults.happens(settings.nanPrice)) return { bid: 'NaN', ask: write(high) };
  return { bid: write(low), ask: write(high) };
}
