/** The fault switch of a simulator: what goes wrong, how often, from now until it is switched off. */
import { seededRandom } from '../domain/values/seeded-random.ts';
import { DAY_MS } from '../domain/values/time.ts';

export { seededRandom };

/** Faults of a simulator. Probabilities lie between 0 and 1. A simulator ignores what its wire cannot express. */
export interface FaultSettings {
  /** Connections stay open, new sockets are still taken, and nothing at all is sent: no data, no ping, no answer. */
  readonly freeze: boolean;
  /** Probability per frame that a frame of garbage goes out before it, and per answer that garbage takes its place. */
  readonly garbage: number;
  /** Probability per frame that it is lost, which numbered streams show as a gap. */
  readonly gap: number;
  /** Probability per frame that it goes out twice. */
  readonly duplicate: number;
  /** Probability per frame that it is held back until after the next one. */
  readonly reorder: number;
  /** Probability per quote that its bid stands above its ask. */
  readonly crossed: number;
  /** Probability per quote that its bid price is zero although its size is not. */
  readonly zeroPrice: number;
  /** Probability per quote that its bid price is negative. */
  readonly negativePrice: number;
  /** Probability per quote that its bid price is the text `NaN`. */
  readonly nanPrice: number;
  /** Probability per quote that both prices are a hundred times what they should be. */
  readonly priceJump: number;
  /** Lead of the simulator's clock over the true one; negative: behind. */
  readonly clockOffsetMs: number;
  /** Probability per request or handshake that it is refused with 429. */
  readonly status429: number;
  /** Probability per request or handshake that it is answered with 503. */
  readonly status5xx: number;
  /** Delay of every answer to a request or handshake. */
  readonly slowMs: number;
  /** Probability per frame that a frame of 10 MB goes out before it, and per answer that 10 MB take its place. */
  readonly bigFrame: number;
  /** Every connection is cut: sockets right after they were opened, requests before they are read. */
  readonly disconnectLoop: boolean;
  /** Probability per request that it is executed and the connection then cut, so that its result is unknown to the client. */
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

/** The names of all faults, in the order of `FaultSettings`. */
export const FAULT_NAMES = Object.keys(NO_FAULTS) as (keyof FaultSettings)[];

/** One simulator's switch. Simulators read `settings` each time, so a change holds from the next frame or request on. */
export interface FaultSwitch {
  readonly settings: FaultSettings;
  /**
   * Changes some settings and leaves the others.
   * @throws RangeError naming the setting, what was given and what would be right; then nothing has changed.
   */
  set(change: Partial<FaultSettings>): void;
  /** Switches every fault off. */
  reset(): void;
  /** True with this probability, from the switch's own seeded source. */
  happens(probability: number): boolean;
  /** The next number of the seeded source, 0 <= n < 1. */
  random(): number;
}

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

/** A switch with every fault off. `seed` decides which frames are hit once a probability is set. */
export function createFaultSwitch(seed = 1): FaultSwitch {
  const random = seededRandom(seed);
  let settings = NO_FAULTS;
  return {
    get settings() {
      return settings;
    },
    set(change) {
      for (const [name, value] of Object.entries(change)) checkedSetting(name, value);
      settings = Object.freeze({ ...settings, ...change });
    },
    reset() {
      settings = NO_FAULTS;
    },
    // No number is drawn for a fault that is off, so switching one on leaves the fate of the others alone.
    happens: (probability) => probability > 0 && random() < probability,
    random,
  };
}

/** Content of a 10 MB frame, built once because it is large. */
let bigFrame: string | null = null;

/** A frame or an answer of 10 MB, well-formed and of no meaning. */
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

/**
 * Returns the replacement of an answer's body for the present faults: the page of a broken intermediary, or 10 MB; null if it goes out
 * unchanged.
 */
export function spoiledBody(faults: FaultSwitch): string | null {
  if (faults.happens(faults.settings.garbage)) return '<html><head><title>502 Bad Gateway</title></head></html>';
  return faults.happens(faults.settings.bigFrame) ? bigText() : null;
}

/** True if the switch bends some prices: what a simulator sends only on change then goes out whole. */
export function bendsPrices({ settings }: FaultSwitch): boolean {
  const { crossed, zeroPrice, negativePrice, nanPrice, priceJump } = settings;
  return crossed + zeroPrice + negativePrice + nanPrice + priceJump > 0;
}

/** One price as text, bent as the switch says: what has no second side cannot be crossed. */
export function bendPrice(faults: FaultSwitch, price: number, write: (price: number) => string): string {
  const { settings } = faults;
  const jumped = faults.happens(settings.priceJump) ? price * 100 : price;
  if (faults.happens(settings.zeroPrice)) return write(0);
  if (faults.happens(settings.negativePrice)) return `-${write(jumped)}`;
  if (faults.happens(settings.nanPrice)) return 'NaN';
  return write(jumped);
}

/** The last step before a socket: loses, doubles, swaps and pollutes frames as the switch says. */
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

/** Bid and ask as text, bent as the switch says. `write` spells a price the way the venue does. */
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
