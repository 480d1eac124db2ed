/** The scan of the hot path never reads a frame differently from JSON.parse. */
import { expect, test } from 'vitest';
import { mapParsedSpotFrame, mapSpotFrame, streamSymbols } from '../../../../src/adapters/venues/spotexchange/map.ts';
import { scanSpotFrame } from '../../../../src/adapters/venues/spotexchange/scan-frames.ts';
import { seededRandom } from '../../../../src/sandbox/faults.ts';
import { rounds } from '../../../harness/rounds.ts';

const FRAMES = rounds({ suite: 30_000, proof: 1_000_000 });
const SYMBOLS = streamSymbols(['BTCUSDT', 'ETHUSDT', 'BTC', 'BNBBTC']);
const FRAME =
  '{"stream":"btcusdt@bookTicker","data":{"u":400900217,"s":"BTCUSDT","b":"25.35190000","B":"31.21000000","a":"25.36520000","A":"40.66000000"}}';

test('the layout of the venue is read without JSON.parse', () => {
  expect(scanSpotFrame(Buffer.from(FRAME), 5, SYMBOLS)).toMatchObject({
    instrument: 'BTCUSDT',
    sequence: 400900217,
    bid: '25.35190000',
    bidSize: '31.21000000',
    ask: '25.36520000',
    askSize: '40.66000000',
  });
});

test.each([
  ['another order of the members', FRAME.replace('"u":400900217,"s":"BTCUSDT"', '"s":"BTCUSDT","u":400900217')],
  ['a blank', FRAME.replace('"data":', '"data": ')],
  ['an escape', FRAME.replace('"BTCUSDT"', '"\\u0042TCUSDT"')],
  ['one more member', FRAME.replace('"40.66000000"', '"40.66000000","T":1')],
  ['something behind the end', `${FRAME} `],
  ['an id that a double cannot hold', FRAME.replace('400900217', '9007199254740993')],
  ['an instrument that is not followed', FRAME.replaceAll('btcusdt', 'xrpusdt').replaceAll('BTCUSDT', 'XRPUSDT')],
  ['an instrument that is not the stream’s', FRAME.replace('"BTCUSDT"', '"ETHUSDT"')],
  ['a cut frame', FRAME.slice(0, -1)],
  ['a side on which nobody stands', FRAME.replace('"40.66000000"', '"0.00000000"')],
])('%s is left to JSON.parse', (_what, frame) => {
  expect(scanSpotFrame(Buffer.from(frame), 5, SYMBOLS)).toBeNull();
});

/** Returns one frame in the venue's layout, mutated or not. */
function fuzzedFrame(random: () => number): Buffer {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const symbol = pick(['BTCUSDT', 'ETHUSDT', 'BTC', 'BNBBTC', 'XRPUSDT', '']);
  const decimal = () =>
    pick([
      () => (random() * 1e5).toFixed(8),
      () => '0.00000000',
      () => `-${(random() * 10).toFixed(2)}`,
      () => String(Math.floor(random() * 1e6)),
      () => pick(['NaN', '', '1e5', '.5', '5.', '00.5', '1.2.3', '-', '-0', '1'.repeat(41), '1'.repeat(40), ' 1']),
    ])();
  // As in the venue's stream, most numbers repeat those of the message before; some differ only in length.
  const price = () => (random() < 0.7 ? pick(['25.35190000', '25.3519000', '125.35190000', '7']) : (random() * 1e5).toFixed(8));
  const id = pick([
    '0',
    '1',
    '01',
    '-1',
    '1.0',
    '1e3',
    '400900217',
    '9007199254740991',
    '9007199254740992',
    '99999999999999999999',
    '"5"',
    'null',
  ]);
  const plain = random() < 0.5;
  const members: [string, string][] = [
    ['u', plain ? String(Math.floor(random() * 1e12)) : id],
    ['s', JSON.stringify(plain ? symbol : pick([symbol, 'BTCUSDT', 'btcusdt', 'É']))],
    ['b', JSON.stringify(plain ? price() : decimal())],
    ['B', JSON.stringify(plain ? price() : decimal())],
    ['a', JSON.stringify(plain ? price() : decimal())],
    ['A', plain ? JSON.stringify(price()) : pick([JSON.stringify(decimal()), '5', 'true', '[]', 'null'])],
  ];
  if (random() < 0.1) members.reverse();
  if (random() < 0.05) members.splice(Math.floor(random() * 6), 1);
  if (random() < 0.05)
    members.push(
      pick<[string, string]>([
        ['E', '1'],
        ['u', '7'],
        ['e', '"bookTicker"'],
        ['s', '"ETHUSDT"'],
      ]),
    );
  const gap = random() < 0.1 ? ' ' : '';
  const data = `{${members.map(([name, value]) => `"${name}":${gap}${value}`).join(',')}}`;
  const stream = `${symbol.toLowerCase()}@${random() < 0.95 ? 'bookTicker' : pick(['depth@100ms', 'bookticker', 'kline_1m', ''])}`;
  const frame = Buffer.from(random() < 0.95 ? `{"stream":"${stream}","data":${data}}` : `{"data":${data},"stream":"${stream}"}`);
  if (random() < 0.4) {
    const edits = 1 + Math.floor(random() * 3);
    for (let edit = 0; edit < edits; edit++)
      frame[Math.floor(random() * frame.length)] =
        random() < 0.7 ? pick([...Buffer.from('0123456789.,:"\\{}[]-eE@ bBaAusd')]) : Math.floor(random() * 256);
  }
  if (random() < 0.03) return frame.subarray(0, Math.floor(random() * frame.length));
  return frame;
}

test(`${FRAMES} mutated frames mean the same with and without the scan`, () => {
  const seed = 20261120;
  const random = seededRandom(seed);
  let scanned = 0;
  const outcomes = new Set<string>();
  for (let index = 0; index < FRAMES; index++) {
    const frame = fuzzedFrame(random);
    if (scanSpotFrame(frame, 5, SYMBOLS) !== null) scanned++;
    const fast = JSON.stringify(mapSpotFrame(frame, 5, SYMBOLS));
    const slow = JSON.stringify(mapParsedSpotFrame(frame, 5, SYMBOLS));
    if (fast !== slow) expect.fail(`seed ${seed}, frame ${index}: ${frame.toString('latin1')}\nscan: ${fast}\nparse: ${slow}`);
    outcomes.add(/"(?:reason|quality)":"(\w+)"/.exec(slow)?.[1] ?? slow.slice(0, 20));
  }
  // Both branches must have been covered, and every reason to refuse a frame.
  expect(scanned).toBeGreaterThan(FRAMES / 10);
  expect(scanned).toBeLessThan(0.9 * FRAMES);
  for (const outcome of [
    'live',
    'degraded',
    'not_json',
    'bad_number',
    'missing_field',
    'non_positive_price',
    'unknown_instrument',
    'unknown_shape',
  ])
    expect(outcomes).toContain(outcome);
});
