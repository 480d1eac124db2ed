/** Frames of the spot exchange's best bid and ask, in the layout of its combined stream. Seeded. */

export const FRAMES = 8_192;
const SYMBOLS = 64;
/**
 * Share of changed sides with a new price. Counted in cryptofeed's raw tapes of Binance (30 %: 24 of 81 messages) and Binance.US (81 %: 100
 * of 124), 7 instruments in all, 2021-10-12. None of the 205 differs from the one before it on both sides, and 203 have another size.
 */
const PRICE_MOVES = 124 / 205;

/** Instruments of both streams. */
export const INSTRUMENTS: readonly string[] = Array.from({ length: SYMBOLS }, (_, index) => `COIN${String(index).padStart(2, '0')}USDT`);

function seeded(): () => number {
  let state = 20_260_302;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Middle of a book in ticks. */
interface Level {
  readonly middle: number;
  readonly digits: number;
  readonly characters: number;
}

const LEVELS: readonly Level[] = [
  { middle: 3_525, digits: 4, characters: 10 },
  { middle: 137_795, digits: 4, characters: 11 },
  { middle: 29_689, digits: 2, characters: 12 },
  { middle: 6_001_234, digits: 2, characters: 14 },
];

interface Top {
  readonly bid: string;
  readonly bidSize: string;
  readonly ask: string;
  readonly askSize: string;
}

function frame(index: number, { bid, bidSize, ask, askSize }: Top): Buffer {
  const symbol = INSTRUMENTS[index % SYMBOLS] as string;
  return Buffer.from(
    `{"stream":"${symbol.toLowerCase()}@bookTicker","data":{"u":${60_000_000_000 + index},"s":"${symbol}","b":"${bid}","B":"${bidSize}","a":"${ask}","A":"${askSize}"}}`,
  );
}

/** Makes frames of every symbol in turn. All four numbers change in every frame, to the last digit, and some books are crossed. */
export function changingFrames(): Buffer[] {
  const random = seeded();
  return Array.from({ length: FRAMES }, (_, index) => {
    const bid = 60_000 + random() * 100;
    const ask = index % 997 === 0 ? bid - 1 : bid + 0.01 + random();
    const size = (): string => (random() * 40).toFixed(8);
    return frame(index, { bid: bid.toFixed(8), bidSize: size(), ask: ask.toFixed(8), askSize: size() });
  });
}

/**
 * Makes frames like a real stream, every symbol in turn: a frame changes one side of its symbol's last frame, always the size, and the
 * price as often as in the tapes. Prices range from a third of a dollar to sixty thousand.
 */
export function recordedFrames(): Buffer[] {
  const random = seeded();
  const size = (): string => `${(random() * 900).toFixed(5)}000`;
  /** Returns a distance from the middle other than the last one, so that the price changes. */
  const away = (before: number): number => 1 + ((before + Math.floor(random() * 19)) % 20);
  const tops = INSTRUMENTS.map((_, at) => ({
    ...(LEVELS[at % LEVELS.length] as Level),
    below: 1,
    above: 1,
    bidSize: size(),
    askSize: size(),
  }));
  return Array.from({ length: FRAMES }, (_, index) => {
    const top = tops[index % SYMBOLS] as (typeof tops)[number];
    const priceMoves = random() < PRICE_MOVES;
    if (random() < 0.5) {
      top.bidSize = size();
      if (priceMoves) top.below = away(top.below);
    } else {
      top.askSize = size();
      if (priceMoves) top.above = away(top.above);
    }
    const price = (ticks: number): string => (ticks / 10 ** top.digits).toFixed(top.digits).padEnd(top.characters, '0');
    const { middle, below, above, bidSize, askSize } = top;
    return frame(index, { bid: price(middle - below), bidSize, ask: price(middle + above), askSize });
  });
}

/** Measures the shares of frames that change one side, the size or the price, among those with an earlier frame of their symbol. */
export function changesOf(frames: readonly Buffer[]): { readonly oneSided: number; readonly size: number; readonly price: number } {
  const last = new Map<string, Record<string, string>>();
  const counted = { compared: 0, oneSided: 0, size: 0, price: 0 };
  for (const bytes of frames) {
    const { data } = JSON.parse(bytes.toString('utf8')) as { data: Record<string, string> };
    const before = last.get(data['s'] as string);
    last.set(data['s'] as string, data);
    if (before === undefined) continue;
    const differs = (...members: readonly string[]): boolean => members.some((member) => before[member] !== data[member]);
    counted.compared++;
    if (differs('b', 'B') !== differs('a', 'A')) counted.oneSided++;
    if (differs('B', 'A')) counted.size++;
    if (differs('b', 'a')) counted.price++;
  }
  return { oneSided: counted.oneSided / counted.compared, size: counted.size / counted.compared, price: counted.price / counted.compared };
}
