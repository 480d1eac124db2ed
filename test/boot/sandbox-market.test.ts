// A recorded tape replaces the seeded market: its prices are played from now on, and history leads up to them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sandboxMarket } from '../../src/boot/sandbox/sandbox.ts';
import { createSeededMarket } from '../../src/sandbox/market/seeded-market.ts';

const folder = mkdtempSync(join(tmpdir(), 'sevengate-tape-market-'));
afterAll(() => rmSync(folder, { recursive: true }));

const RECORDED = Date.UTC(2021, 9, 12, 0, 28, 32);
const NOW = Date.UTC(2026, 10, 20, 15, 0, 10);
const MINUTE = 60_000;
const quote = (at: number, bid: string, ask: string) =>
  JSON.stringify({
    kind: 'quote',
    venue: 'spotexchange',
    instrument: 'BTCUSDT',
    source: 'binance:bookTicker',
    observedAt: at,
    receivedAt: at,
    sourceTime: false,
    bid,
    ask,
    bidSize: '1',
    askSize: '1',
    sequence: null,
    quality: 'live',
    flags: [],
  });

function tape(name: string, lines: readonly string[]): string {
  const file = join(folder, name);
  writeFileSync(file, `${[JSON.stringify({ tape: 1 }), ...lines].join('\n')}\n`);
  return file;
}

test('the market has the recorded prices, minute by minute from now on, and everything else stays seeded', async () => {
  const file = tape('btc.tape.ndjson', [
    quote(RECORDED, '57000', '57002'),
    quote(RECORDED + 20_000, '57100', '57102'),
    quote(RECORDED + MINUTE, '57200', '57202'),
    quote(RECORDED + 2 * MINUTE, '56900', '56902'),
  ]);
  const market = await sandboxMarket(1, file, NOW);
  const start = Math.ceil((NOW - Math.floor(RECORDED / MINUTE) * MINUTE) / MINUTE) * MINUTE + Math.floor(RECORDED / MINUTE) * MINUTE;
  expect(start - NOW).toBeLessThan(MINUTE);
  expect(market.spot('BTC', start)).toBe(57_001);
  expect(market.spot('BTC', start + MINUTE)).toBe(57_201);
  expect(market.spot('BTC', start + 3 * MINUTE)).toBe(56_901);
  const seeded = createSeededMarket({ seed: 1 });
  expect(market.spot('ETH', start)).toBe(seeded.spot('ETH', start));
  expect(market.assets.map(({ symbol }) => symbol).sort()).toEqual(seeded.assets.map(({ symbol }) => symbol).sort());

  // Six years of history that the tape continues: no step at the seam larger than the seeded market's own.
  const hours = market.candles('spot', 'BTC', 3_600_000, start - 6 * 365 * 86_400_000, start + 3_600_000);
  expect(hours.length).toBeGreaterThan(6 * 365 * 24 - 2);
  const bars = market.candles('spot', 'BTC', MINUTE, start - 10 * MINUTE, start + 3 * MINUTE);
  expect(bars.map(({ openTime }) => openTime)).toEqual(Array.from({ length: 13 }, (_, n) => start + (n - 10) * MINUTE));
  expect(Math.abs(Number(bars[9]?.close) / 57_001 - 1)).toBeLessThan(0.01);
});

test('a tape without a price of any instrument here is refused in one sentence', async () => {
  const file = tape('empty.tape.ndjson', []);
  await expect(sandboxMarket(1, file, NOW)).rejects.toThrow(/has no prices for instruments of the sandbox/);
  await expect(sandboxMarket(1, join(folder, 'missing.tape'), NOW)).rejects.toThrow(/missing\.tape/);
});
