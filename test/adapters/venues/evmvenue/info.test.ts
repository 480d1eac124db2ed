/** The perpetuals venue's answers are those of the coin that was asked for, or an error. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createPerpCandles } from '../../../../src/adapters/venues/evmvenue/candles.ts';
import { createPerpInfo } from '../../../../src/adapters/venues/evmvenue/info.ts';
import { createLiveClock } from '../../../../streams/live-clock.ts';
import { NOON } from '../spotexchange/tiny-world.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

async function answering(answers: Readonly<Record<string, unknown>>) {
  const server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => response.end(JSON.stringify(answers[(JSON.parse(body) as { type: string }).type])));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const clock = createLiveClock();
  const info = createPerpInfo({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, clock, random: () => 0.5 });
  cleanups.push(() => {
    info.http.close();
    server.closeAllConnections();
    server.close();
  });
  return { info, candles: createPerpCandles(info.http, clock) };
}

const level = { px: '3150.0', sz: '1.0', n: 1 };
const bar = { t: NOON, T: NOON + 59_999, s: 'ETH', i: '1m', o: '1', h: '1', l: '1', c: '1', v: '1', n: 1 };

test("another coin's book, funding or bars are refused", async () => {
  const { info, candles } = await answering({
    l2Book: { coin: 'ETH', time: NOON, levels: [[level], [level]] },
    fundingHistory: [{ coin: 'ETH', time: NOON, fundingRate: '0.0001', premium: '0' }],
    candleSnapshot: [bar],
  });
  await expect(info.orderBook('BTC')).rejects.toMatchObject({ code: 'bad_answer', message: expect.stringContaining('ETH') });
  await expect(info.fundingHistory('BTC', NOON, NOON + 1)).rejects.toMatchObject({ code: 'bad_answer' });
  await expect(candles.fetchCandles('BTC', '1m', NOON, NOON + 60_000)).rejects.toMatchObject({ code: 'bad_answer' });
  expect(await info.orderBook('ETH')).toMatchObject({ instrument: 'ETH' });
  expect(await info.fundingHistory('ETH', NOON, NOON + 1)).toHaveLength(1);
});

test('bars of another interval are refused', async () => {
  const { candles } = await answering({ candleSnapshot: [{ ...bar, s: 'BTC', i: '1h' }] });
  await expect(candles.fetchCandles('BTC', '1m', NOON, NOON + 60_000)).rejects.toMatchObject({ code: 'bad_answer' });
});
