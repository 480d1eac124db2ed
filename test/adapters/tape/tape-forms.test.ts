// Every form of a tape holds the same data and reports where it is damaged.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTape } from '../../../src/adapters/tape/tape-reader.ts';
import { convertTape, createTape } from '../../../src/adapters/tape/tape-writer.ts';
import { QUALITIES, QUALITY_FLAGS } from '../../../src/domain/market/quote.ts';
import { type TapeEvent, tapeLine } from '../../../src/domain/tape/tape.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tape-'));
});
afterAll(() => rm(folder, { recursive: true }));
let files = 0;
const path = (ending: string): string => join(folder, `${files++}${ending}`);

const AT = 1_760_000_000_000;
const decimal = fc.oneof(
  fc.tuple(fc.integer({ min: 0, max: 10_000_000 }), fc.integer({ min: 0, max: 12 })).map(([n, scale]) => {
    const digits = String(n).padStart(scale + 1, '0');
    return scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  }),
  fc.stringMatching(/^-?\d{1,25}(\.\d{1,25})?$/),
  fc.constantFrom('0', '-0', '0.0', '007', '1.50', '-0.25', '999999999999999', '9999999999999999', '0.000000000000001'),
);
const name = fc.oneof(fc.constantFrom('BTCUSDT', 'AAPLx', 'é"\\\n', '\u0000', '😀'), fc.string({ minLength: 1, maxLength: 8 }));
const side = fc.option(decimal);
const flags = fc.oneof(fc.constant([]), fc.subarray([...QUALITY_FLAGS]));
const gapMs = fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.constant(0), fc.integer({ min: 0, max: 10_000_000_000 }));
const quote = fc.record({
  kind: fc.constant('quote'),
  venue: fc.constantFrom('spotexchange', 'spotchain', 'evmvenue', 'prediction'),
  instrument: name,
  source: name,
  observedAt: fc.oneof(fc.nat(), fc.integer({ min: AT - 100_000, max: AT + 100_000 }), fc.constant(8.64e15)),
  receivedAt: gapMs,
  sourceTime: fc.boolean(),
  bid: side,
  ask: side,
  bidSize: side,
  askSize: side,
  sequence: fc.option(fc.oneof(fc.nat(), fc.maxSafeNat())),
  quality: fc.constantFrom(...QUALITIES),
  flags,
});
const other = fc.oneof(
  fc.record({
    kind: fc.constant('reference'),
    venue: fc.constant('reference'),
    instrument: name,
    source: name,
    observedAt: fc.nat(),
    receivedAt: gapMs,
    feedUpdatedAt: fc.nat(),
    referencePrice: decimal,
    confidence: decimal,
    publisherSession: fc.constantFrom(null, 'REGULAR', 'CLOSED'),
    quality: fc.constantFrom(...QUALITIES),
    flags,
  }),
  fc.record({
    kind: fc.constant('perp_context'),
    venue: fc.constant('evmvenue'),
    instrument: name,
    source: name,
    observedAt: fc.nat(),
    receivedAt: gapMs,
    markPrice: decimal,
    oraclePrice: decimal,
    hourlyFunding: decimal,
    openInterest: decimal,
    dayNotional: decimal,
  }),
  fc.record({
    kind: fc.constant('pool_liquidity'),
    venue: fc.constant('spotchain'),
    instrument: name,
    source: name,
    observedAt: fc.nat(),
    receivedAt: gapMs,
    liquidityUsd: decimal,
  }),
  fc.record({
    kind: fc.constant('token_multiplier'),
    venue: fc.constant('spotchain'),
    instrument: name,
    source: name,
    observedAt: fc.nat(),
    receivedAt: gapMs,
    multiplier: decimal,
    previous: fc.option(decimal),
  }),
  fc.record({ kind: fc.constant('heartbeat'), venue: fc.constantFrom('reference', 'evmvenue'), source: name, receivedAt: gapMs }),
  fc.record({
    kind: fc.constant('feed_status'),
    venue: fc.constant('evmvenue'),
    source: name,
    receivedAt: gapMs,
    status: fc.constant('connected'),
    epoch: fc.nat(),
    detail: fc.string(),
  }),
);
/** Events whose generated receivedAt are the gaps between them. */
const events = fc.array(fc.oneof({ weight: 4, arbitrary: quote }, { weight: 2, arbitrary: other }), { maxLength: 60 }).map((list) => {
  let at = AT;
  return list.map((event) => {
    at += event.receivedAt;
    return { ...event, receivedAt: at } as unknown as TapeEvent;
  });
});

async function read(file: string): Promise<{ events: TapeEvent[]; lines: string[]; cut: unknown }> {
  const reader = await openTape(file, { lines: true });
  const found: TapeEvent[] = [];
  const lines: string[] = [];
  for await (const batch of reader.batches()) {
    found.push(...batch.events);
    lines.push(...(batch.lines as string[]));
  }
  return { events: found, lines, cut: reader.cut };
}

test('any tape survives the compact and the compressed form byte for byte', async () => {
  await fc.assert(
    fc.asyncProperty(events, fc.boolean(), async (list, spelledOtherwise) => {
      const lines = list.map((event, index) =>
        spelledOtherwise && index % 3 === 0 ? JSON.stringify(event, null, 1).replaceAll('\n', ' ') : tapeLine(event),
      );
      const original = `{"tape":1,  "source":"é"}\n${lines.map((line) => `${line}\n`).join('')}`;
      const [plain, compact, packed, back] = [path('.tape.ndjson'), path('.tape'), path('.tape.ndjson.gz'), path('.tape.ndjson')];
      await writeFile(plain, original);
      await convertTape(await openTape(plain, { lines: true }), compact);
      await convertTape(await openTape(compact, { lines: true }), packed);
      await convertTape(await openTape(packed, { lines: true }), back);
      expect(await readFile(back, 'utf8')).toBe(original);
      expect((await read(compact)).events).toEqual(JSON.parse(JSON.stringify(list)));
    }),
    { numRuns: 60 },
  );
});

const QUOTES: TapeEvent[] = Array.from({ length: 2_500 }, (_, index) => ({
  kind: 'quote',
  venue: 'spotexchange',
  instrument: index % 3 === 0 ? 'BTCUSDT' : 'ETHUSDT',
  source: 'binance:bookTicker',
  observedAt: AT + index * 7,
  receivedAt: AT + index * 7 + 3,
  sourceTime: true,
  bid: (60_000 + (index % 17) / 100).toFixed(2),
  ask: (60_000.01 + (index % 17) / 100).toFixed(2),
  bidSize: '1.25',
  askSize: '0.5',
  sequence: 1_000 + index,
  quality: 'live',
  flags: [],
}));

async function tapeOf(ending: string, list: readonly TapeEvent[] = QUOTES): Promise<string> {
  const file = path(ending);
  const writer = await createTape(file, { tape: 1 });
  for (let from = 0; from < list.length; from += 700) await writer.write(list.slice(from, from + 700));
  await writer.close();
  return file;
}

describe('a truncated tape yields all complete data, and reports where it ends', () => {
  test('lines: at any byte', async () => {
    const bytes = await readFile(await tapeOf('.tape.ndjson', QUOTES.slice(0, 40)));
    const header = bytes.indexOf(10) + 1;
    for (let end = header; end <= bytes.length; end += 37) {
      const file = path('.tape.ndjson');
      await writeFile(file, bytes.subarray(0, end));
      const found = await read(file);
      // The last line break is optional: a complete line without it counts.
      const whole = bytes
        .subarray(0, end)
        .toString()
        .split('\n')
        .slice(1)
        .filter((line) => line.endsWith('}') && line.includes('"flags":[]}'));
      expect(found.events).toEqual(QUOTES.slice(0, whole.length));
      const torn = bytes[end - 1] !== 10 && !bytes.subarray(0, end).toString().endsWith('"flags":[]}');
      if (torn) expect(found.cut).toMatchObject({ place: `line ${whole.length + 2}` });
      else expect(found.cut).toBeNull();
    }
  });

  test('compact: at any byte, block by block', async () => {
    const bytes = await readFile(await tapeOf('.tape'));
    const counts = new Set<number>();
    for (let end = 40; end < bytes.length; end += 53) {
      const file = path('.tape');
      await writeFile(file, bytes.subarray(0, end));
      const found = await read(file);
      counts.add(found.events.length);
      expect(found.events).toEqual(QUOTES.slice(0, found.events.length));
      expect(found.cut).not.toBeNull();
    }
    expect([...counts]).toEqual([0, 1_024, 2_048, QUOTES.length]);
    const whole = path('.tape');
    await writeFile(whole, bytes);
    expect((await read(whole)).cut).toBeNull();
  });

  test('compressed: what can still be unpacked is read', async () => {
    const bytes = await readFile(await tapeOf('.tape.ndjson.gz'));
    const file = path('.tape.ndjson.gz');
    await writeFile(file, bytes.subarray(0, bytes.length - 400));
    const found = await read(file);
    expect(found.events.length).toBeGreaterThan(100);
    expect(found.events).toEqual(QUOTES.slice(0, found.events.length));
    expect(found.cut).not.toBeNull();
  });
});

describe('a changed or invalid tape is refused with the place', () => {
  const refused = async (bytes: string | Buffer, ending = '.tape.ndjson'): Promise<string> => {
    const file = path(ending);
    await writeFile(file, bytes);
    const error = await read(file).then(
      () => null,
      (reason: Error) => reason,
    );
    expect(error?.name).toBe('TapeError');
    return (error as Error).message;
  };
  const [one, two] = QUOTES.slice(0, 2).map(tapeLine) as [string, string];

  test('any changed byte of the compact form is found', async () => {
    const bytes = await readFile(await tapeOf('.tape', QUOTES.slice(0, 1_500)));
    for (let at = 17; at < bytes.length; at += 211) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ 0x10;
      expect(await refused(changed, '.tape')).toMatch(/header|block \d|byte \d/);
    }
  });

  test.each([
    ['time that runs back', `{"tape":1}\n${two}\n${one}\n`, /line 3: has receivedAt 1760000000003, which is before the 1760000000010/],
    [
      'NaN',
      `{"tape":1}\n${one.replace('"60000.00"', 'NaN')}\n`,
      /line 2: is not JSON \(Unexpected token 'N'.*bid.*NaN.*numbers are finite/,
    ],
    ['an unknown kind', `{"tape":1}\n${one}\n{"kind":"trade","receivedAt":1}\n`, /line 3: has kind "trade"/],
    ['a broken line in the middle', `{"tape":1}\n${one.slice(0, 50)}\n${two}\n`, /line 2: is not JSON/],
    ['an empty line', `{"tape":1}\n\n${one}\n`, /line 2: is empty/],
    ['no header', `${one}\n`, /line 1: is no tape header/],
    ['another version', '{"tape":9}\n', /line 1: says tape version 9/],
    ['an empty file', '', /is empty/],
    ['a byte order mark', '\uFEFF{"tape":1}\n', /line 1: begins with a byte order mark/],
    ['bytes that are no text', Buffer.concat([Buffer.from('{"tape":1}\n'), Buffer.from([0xff, 0xfe, 10])]), /line 2: is no UTF-8/],
    ['a header that is no tape', 'openTime,open\n1,2\n', /line 1: is no tape header.*it is "openTime,open"/],
  ])('%s', async (_, bytes, sentence) => {
    expect(await refused(bytes)).toMatch(sentence);
  });

  test('an error after a thousand good events leaves those readable', async () => {
    const file = path('.tape.ndjson.gz');
    await writeFile(file, gzipSync(`{"tape":1}\n${QUOTES.map(tapeLine).join('\n')}\n{}\n`));
    const seen: TapeEvent[] = [];
    const reader = await openTape(file);
    await expect(
      (async () => {
        for await (const batch of reader.batches()) seen.push(...batch.events);
      })(),
    ).rejects.toThrow('line 2502: has kind nothing');
    expect(seen).toEqual(QUOTES);
  });
});

test('a writer takes no event out of order, replaces no file unasked and leaves no partial file', async () => {
  const file = await tapeOf('.tape');
  await expect(createTape(file, { tape: 1 })).rejects.toThrow('exists already');
  await expect(createTape(path('.csv'), { tape: 1 })).rejects.toThrow('should end in .tape.ndjson, .tape.ndjson.gz or .tape');
  const other = path('.tape');
  const writer = await createTape(other, { tape: 1 });
  await expect(writer.write([QUOTES[1] as TapeEvent, QUOTES[0] as TapeEvent])).rejects.toThrow('event 2: comes at 1760000000003, before');
  await writer.discard();
  await expect(readFile(other)).rejects.toThrow('ENOENT');
  await expect(readFile(`${other}.partial`)).rejects.toThrow('ENOENT');
});

test('the compact form is much smaller', async () => {
  const plain = (await readFile(await tapeOf('.tape.ndjson'))).length;
  const compact = (await readFile(await tapeOf('.tape'))).length;
  expect(compact).toBeLessThan(plain / 15);
});
