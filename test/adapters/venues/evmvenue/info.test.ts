/** Answers of the perpetuals venue are for the requested coin, or an error. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createPerpCandles } from '../../../../src/adapters/venues/evmvenue/candles.ts';
import { createPerpInfo } from '../../../../src/adapters/venues/evmvenue/info.ts';
import { createUnknownFields, type NoteUnknownField } from '../../../../streams/feed-counters.ts';
import { createLiveClock } from '../../../../streams/clock/live-clock.ts';
import { NOON } from '../spotexchange/tiny-world.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

async function answering(answers: Readonly<Record<string, unknown>>, note: NoteUnknownField = () => {}) {
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
  const info = createPerpInfo({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, clock, random: () => 0.5, note });
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

test('unknown members change nothing and are counted', async () => {
  const unknown = createUnknownFields();
  const { info } = await answering(
    {
      l2Book: { coin: 'ETH', time: NOON, levels: [[{ ...level, zz: 1 }], [level]], epoch: 3 },
      metaAndAssetCtxs: [
        { universe: [{ name: 'ETH', szDecimals: 4, maxLeverage: 25, newRule: true }] },
        [{ markPx: '3150', premium2: '0' }],
      ],
      userFills: [],
    },
    unknown.note,
  );
  expect(await info.orderBook('ETH')).toMatchObject({ bids: [['3150.0', '1.0']] });
  expect(await info.marketContexts()).toMatchObject([{ market: { coin: 'ETH' } }]);
  expect(await info.walletFills(`0x${'1'.repeat(40)}`)).toEqual([]);
  expect(unknown.rows().map(({ source, field, count }) => `${source} ${field} ${count}`)).toEqual([
    'hyperliquid:info.l2Book levels.zz 1',
    'hyperliquid:info.l2Book epoch 1',
    'hyperliquid:metaAndAssetCtxs universe.newRule 1',
    'hyperliquid:metaAndAssetCtxs premium2 1',
  ]);
});

test('an unknown word is refused, and never taken for the likely one', async () => {
  const wallet = `0x${'1'.repeat(40)}`;
  const fill = {
    coin: 'BTC',
    px: '1',
    sz: '1',
    side: 'A',
    time: NOON,
    startPosition: '0',
    dir: 'Buy',
    closedPnl: '0',
    hash: '0x',
    oid: 1,
    crossed: true,
  };
  const margin = { accountValue: '1', totalNtlPos: '1', totalMarginUsed: '1' };
  const position = {
    coin: 'BTC',
    szi: '1',
    leverage: { type: 'cross', value: 2 },
    positionValue: '1',
    unrealizedPnl: '0',
    marginUsed: '1',
  };
  const answers = (side: string, type: string) => ({
    userFills: [{ ...fill, side }],
    clearinghouseState: {
      marginSummary: margin,
      withdrawable: '0',
      assetPositions: [{ position: { ...position, leverage: { ...position.leverage, type } } }],
    },
  });
  const known = (await answering(answers('A', 'isolated'))).info;
  expect(await known.walletFills(wallet)).toMatchObject([{ side: 'sell' }]);
  expect(await known.walletState(wallet)).toMatchObject({ positions: [{ marginMode: 'isolated' }] });
  const strange = (await answering(answers('S', 'portfolio'))).info;
  await expect(strange.walletFills(wallet)).rejects.toMatchObject({ code: 'bad_answer', message: expect.stringContaining('side is S') });
  await expect(strange.walletState(wallet)).rejects.toMatchObject({ code: 'bad_answer', message: expect.stringContaining('portfolio') });
});

test('a flag that is neither true nor false is refused, and a missing one is false', async () => {
  const wallet = `0x${'1'.repeat(40)}`;
  const market = { name: 'BTC', szDecimals: 5, maxLeverage: 40 };
  const fill = { coin: 'BTC', px: '1', sz: '1', side: 'A', time: NOON, startPosition: '0', dir: 'Buy', closedPnl: '0', hash: '0x', oid: 1 };
  const told = async (flags: object, crossed: object) => {
    const universe = [{ ...market, ...flags }];
    return (await answering({ meta: { universe }, metaAndAssetCtxs: [{ universe }, [{}]], userFills: [{ ...fill, ...crossed }] })).info;
  };
  for (const silence of [{}, { onlyIsolated: null, isDelisted: null }, { onlyIsolated: false, isDelisted: false }]) {
    const silent = await told(silence, { crossed: false });
    expect(await silent.markets()).toMatchObject([{ onlyIsolated: false, delisted: false }]);
    expect(await silent.walletFills(wallet)).toMatchObject([{ taker: false }]);
  }
  // The taker's side is required.
  for (const crossed of [{}, { crossed: null }])
    await expect((await told({}, crossed)).walletFills(wallet)).rejects.toMatchObject({ code: 'bad_answer' });
  const sound = await told({ onlyIsolated: true, isDelisted: true }, { crossed: true });
  expect(await sound.markets()).toMatchObject([{ onlyIsolated: true, delisted: true }]);
  expect(await sound.walletFills(wallet)).toMatchObject([{ taker: true }]);
  for (const strange of ['true', 1, 0, '', {}, []]) {
    for (const name of ['onlyIsolated', 'isDelisted']) {
      const info = await told({ [name]: strange }, { crossed: strange });
      const refusal = { code: 'bad_answer', message: expect.stringContaining(`${name} is neither true nor false`) };
      await expect(info.markets()).rejects.toMatchObject(refusal);
      await expect(info.marketContexts()).rejects.toMatchObject(refusal);
      await expect(info.walletFills(wallet)).rejects.toMatchObject({ code: 'bad_answer', message: expect.stringContaining('crossed') });
    }
  }
});

test('bars of another interval are refused', async () => {
  const { candles } = await answering({ candleSnapshot: [{ ...bar, s: 'BTC', i: '1h' }] });
  await expect(candles.fetchCandles('BTC', '1m', NOON, NOON + 60_000)).rejects.toMatchObject({ code: 'bad_answer' });
});
