// Data of the venues on a whole service: routes, channels, wallets and the commands for bars.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isConfig, readConfig } from '../../src/boot/config.ts';
import { sandboxPast } from '../../src/boot/sandbox/sandbox-past.ts';
import { waitFor } from '../harness/wait-for.ts';
import { type FeedSocket, openSocket, readEvents } from './feed-clients.ts';
import { sevengate } from './running-service.ts';
import { joinService, type SharedService } from './shared-service.ts';

const HOUR = 3_600_000;
const WALLET = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
let service: SharedService;
let folder: string;
let socket: FeedSocket;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'venue-supplies-'));
  service = await joinService('venue-supplies');
  socket = await openSocket(service.url, service.token('viewer'));
  await waitFor(async () => (await service.get('/v1/tickers')).body.items.length > 0, { what: 'a day ticker' });
});
afterAll(async () => {
  await socket?.close();
  await service?.leave();
  rmSync(folder, { recursive: true, force: true });
});

const command = (...args: string[]) => sevengate(['candles', ...args], { SEVENGATE_HOME: service.home });

describe('routes', () => {
  test('years of history for backtests equal those of the simulators', async () => {
    const config = readConfig({});
    const past = isConfig(config) ? sandboxPast({ config, runs: () => true, clock: { now: () => Date.now() } }) : null;
    const from = Math.floor((Date.now() - 20 * HOUR) / HOUR) * HOUR;
    for (const [venue, instrument] of [
      ['spotexchange', 'ETHUSDT'],
      ['evmvenue', 'BTC'],
      ['spotchain', 'TSLAx'],
    ] as const) {
      const { body } = await service.get(
        `/v1/candles?venue=${venue}&instrument=${instrument}&timeframe=1h&from=${from}&to=${from + 5 * HOUR}`,
      );
      const told = (body.items as { openTime: string; open: string; high: string; low: string; close: string }[]).map((bar) =>
        [Date.parse(bar.openTime), ...[bar.open, bar.high, bar.low, bar.close].map(Number)].map((value) => Number(value.toPrecision(9))),
      );
      const known = (await past?.histories({})[venue]?.fetchCandles(instrument, '1h', from, from + 5 * HOUR)) ?? [];
      expect(told.length, venue).toBe(5);
      expect(
        known.map((bar) =>
          [bar.openTime, ...[bar.open, bar.high, bar.low, bar.close].map(Number)].map((value) => Number(value.toPrecision(9))),
        ),
      ).toEqual(told);
    }
  });

  test('day statistics are consistent, paged and filtered', async () => {
    const { body } = await service.get('/v1/tickers?instrument=BTCUSDT');
    const [ticker] = body.items;
    expect(ticker).toMatchObject({
      venue: 'spotexchange',
      instrument: 'BTCUSDT',
      source: 'binance:24hrTicker',
      quality: 'live',
      flags: [],
    });
    expect(Number(ticker.highPrice)).toBeGreaterThanOrEqual(Number(ticker.lastPrice));
    expect(Number(ticker.lowPrice)).toBeLessThanOrEqual(Number(ticker.openPrice));
    expect(Number(ticker.priceChange)).toBeCloseTo(Number(ticker.lastPrice) - Number(ticker.openPrice), 6);
    expect(Date.parse(ticker.windowTo) - Date.parse(ticker.windowFrom)).toBe(24 * HOUR);
    expect(ticker.ageMs).toBeLessThan(25_000);
    const first = await service.get('/v1/tickers?limit=1');
    const second = await service.get(`/v1/tickers?limit=1&cursor=${first.body.nextCursor}`);
    expect(first.body.items[0].instrument < second.body.items[0].instrument).toBe(true);
    expect((await service.get('/v1/tickers?venue=evmvenue')).status).toBe(400);
  });

  test('a perpetual shows only its own venue’s numbers, and the funding paid', async () => {
    const { body } = await service.get('/v1/perps/BTC?hours=5');
    expect(body).toMatchObject({
      venue: 'evmvenue',
      instrument: 'BTC',
      quality: 'live',
      top: { quality: 'live' },
      funding: { hours: 5, problem: null },
    });
    expect(body.top.source).toMatch(/^hyperliquid:/);
    expect(Number(body.basisPct)).toBeCloseTo((Number(body.markPrice) / Number(body.oraclePrice) - 1) * 100, 5);
    expect(Number(body.annualFundingPct)).toBeCloseTo(Number(body.hourlyFunding) * 876_000, 4);
    expect(body.funding.items).toHaveLength(5);
    expect(body.funding.items[0].at > body.funding.items[4].at).toBe(true);
    expect((await service.get('/v1/perps')).body.items.map((item: { instrument: string }) => item.instrument)).toContain('ETH');
    expect(await service.get('/v1/perps/NOPE')).toMatchObject({ status: 404, body: { code: 'not_found' } });
    // Traded on the spot exchange, but not a perpetual.
    expect((await service.get('/v1/perps/BTCUSDT')).status).toBe(404);
  });

  test('every venue shows its connection, clock and remaining budget', async () => {
    const spot = await waitFor(
      async () => {
        const { body } = await service.get('/v1/venues');
        return body.items.find((one: { venue: string; clockOffset: unknown }) => one.venue === 'spotexchange' && one.clockOffset !== null);
      },
      { what: 'an offset of the spot exchange' },
    );
    expect(spot).toMatchObject({ executable: true, hearing: 'live', degradedSince: null, clockOffset: { method: 'server_time' } });
    expect(Math.abs(spot.clockOffset.offsetMs)).toBeLessThan(10_000);
    expect(spot.providers[0]).toMatchObject({ provider: 'binance', connected: true, epoch: 1 });
    // If Redis is slow on a busy machine, each process uses a share of the budget for two seconds.
    const budget = await waitFor(
      async () => {
        const { body } = await service.get('/v1/venues?limit=200');
        const state = body.items.find((one: { venue: string }) => one.venue === 'spotexchange');
        return state.requestBudgets.find((one: { process: string; limit: number }) => one.process === 'feed' && one.limit === 6_000);
      },
      { what: 'the whole budget' },
    );
    expect(budget).toMatchObject({ name: 'spotexchange', windowMs: 60_000, blockedUntil: null });
    expect(budget.left).toBeLessThan(6_000);
    const { body } = await service.get('/v1/venues?limit=200');
    expect(body.items.map((one: { venue: string }) => one.venue).sort()).toEqual([
      'evmvenue',
      'prediction',
      'reference',
      'spotchain',
      'spotexchange',
    ]);
    expect(body.items.find((one: { venue: string }) => one.venue === 'evmvenue').clockOffset.method).toBe('event_time');
  });

  test('any address of the perpetuals venue can be read, labelled by its kind', async () => {
    // Pages of other journeys use the same service, and may together spend the venue's wallet budget of a minute.
    // Retries when the answer says, no sooner: each request counts against this organization's limit.
    const walletOf = (address: string) => {
      let askAt = 0;
      return waitFor(
        async () => {
          if (performance.now() < askAt) return null;
          const answer = await service.get(`/v1/public-wallet/${address}`);
          if (answer.status === 200) return answer;
          expect(answer.body.detail).toContain('budget_exhausted');
          askAt = performance.now() + 1_000 * Number(answer.headers.get('retry-after'));
          expect(askAt).toBeGreaterThan(0);
          return null;
        },
        { what: `the wallet ${address}`, deadlineMs: 120_000 },
      );
    };
    const { body } = await walletOf(WALLET.toLowerCase());
    expect(body).toMatchObject({ address: WALLET, label: 'reported/partial', coverage: { label: 'reported/partial', cap: 2_000 } });
    expect(body.positions.length).toBeGreaterThan(0);
    expect(body.coverage.counted).toBeGreaterThan(0);
    const sum = body.closed.byCoin.reduce((total: number, one: { grossPnl: string }) => total + Number(one.grossPnl), 0);
    expect(Number(body.closed.grossPnl)).toBeCloseTo(sum, 6);
    expect(Number(body.closed.netPnl)).toBeCloseTo(Number(body.closed.grossPnl) - Number(body.closed.fees), 6);
    expect(Number(body.closed.long.grossPnl) + Number(body.closed.short.grossPnl)).toBeCloseTo(sum, 6);
    // Answers are cached for some seconds with their age.
    const again = await service.get(`/v1/public-wallet/${WALLET}`);
    expect(again.body.fetchedAt).toBe(body.fetchedAt);
    // The venue's cap is shown.
    const busy = await walletOf(`0x${'5f'.repeat(20)}`);
    expect(busy.body.coverage).toMatchObject({ fills: 2_000, truncated: true });
    const nobody = await walletOf(`0x${'50'.repeat(20)}`);
    expect(nobody.body).toMatchObject({ positions: [], closed: { grossPnl: '0' }, coverage: { fills: 0, truncated: false, from: null } });
  });

  test.each([['0x123'], ['5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'], [`0x${'g'.repeat(40)}`], [WALLET.replace('5aA', '5AA')]])(
    'the address %s is refused by both wallets',
    async (address) => {
      for (const path of ['public-wallet', 'wallets/evmvenue'])
        expect((await service.get(`/v1/${path}/${address}`)).body).toMatchObject({ status: 400, code: 'malformed' });
    },
  );

  test('a wallet of the EVM chain has its balances at one block', async () => {
    const { body } = await service.get(`/v1/wallets/evmvenue/${WALLET}`);
    expect(body).toMatchObject({ address: WALLET, chainId: 42_161, kind: 'account', unread: [], native: { symbol: 'ETH', decimals: 18 } });
    expect(body.tokens.map(({ symbol }: { symbol: string }) => symbol)).toEqual(['USDC', 'USDC.e', 'USDT', 'WETH']);
    expect(body.block.ageMs).toBeLessThan(150_000);
  });
});

describe('channels', () => {
  const subscribe = (id: number, channel: string, params: object) => socket.send({ op: 'subscribe', id, channel, params });

  test('a book comes complete at the requested depth, and again as it changes', async () => {
    subscribe(1, 'order_book', { venue: 'spotexchange', instrument: 'BTCUSDT', depth: 7 });
    const snapshot = await socket.frame('a book', ({ channel, type }) => channel === 'order_book' && type === 'snapshot');
    expect(snapshot.data).toHaveLength(1);
    const [before] = snapshot.data;
    const update = await socket.frame(
      'a change',
      ({ channel, type, data }) => channel === 'order_book' && type === 'update' && data.sequence > before.sequence,
    );
    expect(update).toMatchObject({
      cursor: null,
      data: { venue: 'spotexchange', instrument: 'BTCUSDT', quality: 'live', resyncing: false },
    });
    expect(update.data.bids).toHaveLength(7);
    expect(Number(update.data.bids[0].price)).toBeLessThan(Number(update.data.asks[0].price));
    expect(Number(update.data.bids[0].price)).toBeGreaterThan(Number(update.data.bids[6].price));
    expect(before.bids).toHaveLength(7);
  });

  test('tickers and perpetuals: a snapshot, then changes', async () => {
    subscribe(2, 'tickers', {});
    subscribe(3, 'perps', { instrument: 'ETH' });
    const tickers = await socket.frame('tickers', ({ channel, type }) => channel === 'tickers' && type === 'snapshot');
    expect(tickers.data.length).toBeGreaterThan(1);
    const perp = await socket.frame('a perpetual', ({ channel, type }) => channel === 'perps' && type === 'update');
    expect(perp.data).toMatchObject({ instrument: 'ETH', venue: 'evmvenue', quality: 'live' });
    await socket.frame('a ticker', ({ channel, type }) => channel === 'tickers' && type === 'update');
  });

  test('bars: the last closed ones, including the newest', async () => {
    subscribe(4, 'candles', { venue: 'spotexchange', instrument: 'BTCUSDT', timeframe: '1m' });
    const { data } = await socket.frame('bars', ({ channel, type }) => channel === 'candles' && type === 'snapshot');
    expect(data).toHaveLength(100);
    const opens = data.map((bar: { openTime: string }) => Date.parse(bar.openTime));
    expect(opens).toEqual(opens.map((_: number, index: number) => opens[0] + index * 60_000));
    expect(data[99].closeTime <= new Date().toISOString()).toBe(true);
  });

  test('an unknown name is refused with the known ones', async () => {
    subscribe(5, 'candles', { venue: 'spotexchange', instrument: 'NOPE', timeframe: '1m' });
    expect(await socket.frame('a refusal', ({ id }) => id === 5)).toMatchObject({ type: 'error', code: 'invalid_params' });
    subscribe(6, 'order_book', { venue: 'spotchain', instrument: 'AAPLx' });
    expect(await socket.frame('a refusal', ({ id }) => id === 6)).toMatchObject({ type: 'error', code: 'invalid_params' });
  });

  test('the same over server-sent events, with numbers in the query', async () => {
    const query = 'channel=order_book&venue=evmvenue&instrument=BTC&depth=3';
    const reader = await readEvents(service.url, query, service.token('viewer'));
    const frame = await reader.event('a book', ({ type }) => type === 'update');
    expect(frame.data.asks).toHaveLength(3);
    reader.close();
  });
});

describe('commands', () => {
  test('import, coverage and backfill work beside the running service, on its database and its venues', async () => {
    const T0 = Math.floor(Date.now() / HOUR) * HOUR - 400 * HOUR;
    const row = (hour: number): string => `${T0 + hour * HOUR},10,12,9,11.5,3`;
    const good = join(folder, 'a.csv');
    writeFileSync(good, `openTime,open,high,low,close,volume\n${[0, 1, 2, 5].map(row).join('\n')}\n`);
    writeFileSync(join(folder, 'b.csv'), `openTime,open,high,low,close,volume\n${row(6)}\n${row(6)}\n`);
    const series = ['--venue', 'spotexchange', '--instrument', 'MADEUSDT', '--timeframe', '1h'];

    const trial = JSON.parse((await command('import', good, ...series, '--dry-run', '--json')).stdout);
    expect(trial).toMatchObject({ dryRun: true, bars: 4, inserted: 4 });
    const refused = await command('import', folder, ...series);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^sevengate: \S+b\.csv: line 3, column "openTime": the bar before opens at the same time \(duplicate/);
    const skipping = JSON.parse((await command('import', folder, ...series, '--skip-bad', '--json')).stdout);
    // The valid file was imported before the other one was refused.
    expect(
      skipping.files.map((file: { inserted: number; same: number; skipped: object }) => [file.inserted, file.same, file.skipped]),
    ).toEqual([
      [0, 4, {}],
      [1, 0, { duplicate: 1 }],
    ]);
    const { series: found } = JSON.parse((await command('coverage', '--instrument', 'MADEUSDT', '--json')).stdout);
    expect(found).toMatchObject([{ bars: 5, missing: { not_in_file: 2 }, sources: ['import:a.csv', 'import:b.csv'] }]);

    const btc = [
      '--venue',
      'spotexchange',
      '--instrument',
      'BTCUSDT',
      '--timeframe',
      '1h',
      '--from',
      new Date(T0).toISOString().slice(0, 10),
    ];
    // Other journeys of this service may have fetched some of these bars.
    const stored = JSON.parse((await command('coverage', '--instrument', 'BTCUSDT', '--json')).stdout).series as {
      timeframe: string;
      bars: number;
    }[];
    const known = stored.find(({ timeframe }) => timeframe === '1h')?.bars ?? 0;
    const filled = JSON.parse((await command('backfill', ...btc, '--json')).stdout);
    expect(filled.stopped).toBeNull();
    expect(known + filled.fetched).toBeGreaterThanOrEqual(400);
    // Stored bars are not requested again.
    const again = JSON.parse((await command('backfill', ...btc, '--json')).stdout);
    expect(again.fetched).toBeLessThanOrEqual(2);
    const page = await service.get(`/v1/candles?venue=spotexchange&instrument=BTCUSDT&timeframe=1h&from=${T0}&limit=200`);
    expect(page.body.coverage).toMatchObject({ complete: true, gaps: [] });

    // A dry run stores nothing, and neither does this.
    const { items } = (await service.get('/v1/candles/work')).body as { items: Record<string, unknown>[] };
    const works = items.filter(({ instrument, source }) => instrument === 'MADEUSDT' || source === 'spotexchange').slice(0, 4);
    expect(works.map(({ kind, source, state }) => [kind, source, state])).toEqual([
      ['backfill', 'spotexchange', 'done'],
      ['backfill', 'spotexchange', 'done'],
      ['import', 'a.csv and 1 more', 'done'],
      ['import', 'a.csv and 1 more', 'failed'],
    ]);
    expect(works[3]).toMatchObject({ progress: null, error: expect.stringMatching(/^b\.csv: line 3, column "openTime"/) });
  });

  test('wrong words end in one sentence', async () => {
    const of = async (...args: string[]) => (await command(...args)).stderr;
    const series = ['--venue', 'spotexchange', '--instrument', 'BTCUSDT'];
    const [missing, days, near, when] = await Promise.all([
      of('import', join(folder, 'none.csv'), ...series, '--timeframe', '1h'),
      of('import', folder, ...series, '--timeframe', '1d'),
      of('backfill', '--venue', 'spotexchange', '--instrument', 'BTCUSD', '--timeframe', '1h', '--from', '2024-01-01'),
      of('backfill', ...series, '--timeframe', '1h', '--from', 'yesterday'),
    ]);
    expect(missing).toMatch(/none\.csv: there is no such file or folder\n$/);
    expect(days).toContain('"1d" is not a timeframe');
    expect(near).toContain('did you mean BTCUSDT?');
    expect(when).toContain('--from: "yesterday" is not a time');
  });
});
