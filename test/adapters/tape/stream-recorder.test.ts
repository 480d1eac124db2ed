// A recording never blocks or ends what it records, and a crash costs only what came after the last flush.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Subject } from 'rxjs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordStream } from '../../../src/adapters/tape/stream-recorder.ts';
import { openTape } from '../../../src/adapters/tape/tape-reader.ts';
import type { FeedMessage } from '../../../src/domain/market/market-event.ts';
import { NO_FLAGS } from '../../../src/domain/market/quote.ts';
import type { TapeEvent } from '../../../src/domain/tape/tape.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recorder-'));
});
afterAll(() => rm(folder, { recursive: true }));

const AT = 1_760_000_000_000;
const quote = (index: number, receivedAt = AT + index): FeedMessage => ({
  kind: 'quote',
  venue: 'spotexchange',
  instrument: 'BTCUSDT',
  source: 'binance:bookTicker',
  observedAt: receivedAt,
  receivedAt,
  sourceTime: false,
  bid: `${60_000 + index}.10`,
  ask: `${60_000 + index}.20`,
  bidSize: '1',
  askSize: '1',
  sequence: index,
  quality: 'live',
  flags: NO_FLAGS,
});

async function read(file: string) {
  const reader = await openTape(file);
  const events: TapeEvent[] = [];
  for await (const batch of reader.batches()) events.push(...batch.events);
  return { events, cut: reader.cut, header: reader.header };
}

function begin(name: string, changes: Partial<Parameters<typeof recordStream>[1]> = {}) {
  const stream = new Subject<FeedMessage>();
  const clock = createVirtualClock(AT);
  const problems: string[] = [];
  const recorder = recordStream(stream, {
    file: join(folder, name),
    header: { tape: 1, source: 'a test' },
    clock,
    onProblem: (sentence) => problems.push(sentence),
    ...changes,
  });
  return { stream, clock, problems, recorder, file: join(folder, name) };
}

test.each(['live.tape', 'live.tape.ndjson', 'live.tape.ndjson.gz'])(
  '%s: flushed data survives a crash, the rest is reported as cut off',
  async (name) => {
    const { stream, recorder, file } = begin(name);
    for (let index = 0; index < 3_000; index++) stream.next(quote(index));
    await recorder.flush();
    const crashed = join(folder, `crashed-${name}`);
    const bytes = await readFile(file);
    await writeFile(crashed, bytes);
    const found = await read(crashed);
    expect(found.events).toHaveLength(3_000);
    expect(found.events[2_999]).toEqual(quote(2_999));
    if (name !== 'live.tape.ndjson') expect(found.cut).not.toBeNull();
    await writeFile(crashed, bytes.subarray(0, bytes.length - 3));
    const torn = await read(crashed);
    expect(torn.cut).not.toBeNull();
    expect(torn.events).toEqual(found.events.slice(0, torn.events.length));

    stream.next(quote(3_000));
    stream.next({
      kind: 'rejection',
      venue: 'spotexchange',
      source: 'x',
      receivedAt: AT + 9_999,
      reason: 'not_json',
      detail: '',
      sample: '',
    });
    expect(await recorder.close()).toMatchObject({ files: [file], events: 3_001, lost: 0, movedUp: 0 });
    expect(await read(file)).toMatchObject({ cut: null, header: { source: 'a test' } });
    expect((await read(file)).events).toHaveLength(3_001);
  },
);

test('it writes every second, and clamps earlier times', async () => {
  const { stream, clock, recorder, file } = begin('timed.tape.ndjson');
  stream.next(quote(5));
  stream.next(quote(6, AT + 2));
  clock.advanceTo(AT + 1_000);
  await recorder.flush();
  expect((await read(file)).events).toEqual([quote(5), { ...quote(6, AT + 2), receivedAt: AT + 5 }]);
  expect((await recorder.close()).movedUp).toBe(1);
});

test('it starts a new file when one is full, each readable by itself and naming the previous one', async () => {
  const { stream, clock, recorder } = begin('parts.tape', { rotateMs: 10_000 });
  stream.next(quote(0));
  await recorder.flush();
  clock.advanceTo(AT + 10_000);
  stream.next(quote(1));
  await recorder.flush();
  stream.next(quote(2));
  const { files, events } = await recorder.close();
  expect(events).toBe(3);
  expect(files.map((file) => file.slice(folder.length + 1))).toEqual(['parts.tape', 'parts.2.tape']);
  const parts = await Promise.all(files.map(read));
  expect(parts.map(({ events: found, cut }) => [found.length, cut])).toEqual([
    [2, null],
    [1, null],
  ]);
  expect(parts[1]?.header.continues).toBe('parts.tape');
});

test('an existing file is never touched', async () => {
  await writeFile(join(folder, 'mine.tape'), 'mine');
  const { stream, recorder } = begin('mine.tape');
  stream.next(quote(0));
  const { files } = await recorder.close();
  expect(files).toEqual([join(folder, 'mine.2.tape')]);
  expect(await readFile(join(folder, 'mine.tape'), 'utf8')).toBe('mine');
});

test('a disk that fails or is too slow costs events, which are counted and reported, never the stream', async () => {
  const { stream, recorder, problems } = begin('no/such/folder/x.tape');
  let received = 0;
  const other = stream.subscribe(() => received++);
  stream.next(quote(0));
  await recorder.flush();
  stream.next(quote(1));
  expect(received).toBe(2);
  expect(await recorder.close()).toMatchObject({ lost: 2, events: 0 });
  expect(problems[0]).toMatch(/lost 1 events: ENOENT.*goes on in a new file/);
  other.unsubscribe();

  const slow = begin('slow.tape', { maxWaiting: 10 });
  for (let index = 0; index < 25; index++) slow.stream.next(quote(index));
  expect(await slow.recorder.close()).toMatchObject({ events: 10, lost: 15 });
  expect(slow.problems[0]).toMatch(/lost 15 events: the disk did not keep up/);
});

test('a failing stream ends the recording, and received data is kept', async () => {
  const { stream, recorder, problems, file } = begin('erring.tape');
  stream.next(quote(0));
  stream.error(new Error('boom'));
  await recorder.close();
  expect(problems).toEqual(['the recording ended with its stream: boom']);
  expect((await read(file)).events).toHaveLength(1);
});
