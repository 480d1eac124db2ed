/** A catalog file is read completely or refused by line. Its consequences for real sources are reported before the start. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { problemText } from '../../src/adapters/catalog-file.ts';
import { checkedSources as checkedBy, pollingCapacity as capacityOf } from '../../src/adapters/venues/source-checks.ts';
import { readCatalogFile, useCatalog } from '../../src/boot/used-catalog.ts';
import { type Config, isConfig, readConfig } from '../../src/boot/config.ts';
import { readAddresses, createRequestBudgets, createVenues, SIMULATORS, statedBudgets } from '../../src/boot/outside/index.ts';
import { BUILT_IN_SOURCE, CATALOG, resolveUniverseEntry } from '../../src/domain/catalog/catalog.ts';
import { catalogDocument } from '../../src/domain/catalog/catalog-document.ts';
import { listEventSources } from '../../src/domain/intelligence/listening.ts';
import { underlyingIn } from '../../src/domain/prediction/question.ts';
import { createSeededMarket } from '../../src/sandbox/market/seeded-market.ts';
import { createCandleKeeper } from '../../streams/candle-keeper.ts';
import { createIndicatorBoard } from '../../streams/indicator-board.ts';
import { aheadOfSystem, createLiveClock } from '../../streams/clock/live-clock.ts';
import { qualityLimits } from '../../streams/quality/quality-limits.ts';

const folder = mkdtempSync(join(tmpdir(), 'catalog-'));
const cleanups: (() => void)[] = [() => rmSync(folder, { recursive: true, force: true })];
afterEach(() => {
  CATALOG.use(BUILT_IN_SOURCE);
  for (const cleanup of cleanups.splice(1)) cleanup();
});

type Document = Record<string, never> & { shares: Record<string, unknown>[]; preIpo: unknown[]; crypto: unknown[] };
const builtIn = (): Document => structuredClone(catalogDocument(BUILT_IN_SOURCE)) as Document;
const POOL = 'So11111111111111111111111111111111111111112';
const APPLE_POOL = 'SoLEao8wTzSfqhuou8rcYsVoLjthVmiXuEjzdNPMnCz';
const RIVIAN = {
  underlying: 'RIVN',
  name: 'Rivian xStock',
  sector: 'consumer_discretionary',
  mint: 'XsP7xzNPvEHS1m6qfanPUGjNmdnmsLKEoNAnHjdxxyY',
  pool: POOL,
  feed: { id: 'ab'.repeat(32), source: 'published' },
  issuer: { cik: '1874178', names: ['Rivian Automotive'], distinctive: ['Rivian'] },
};

function write(document: unknown, name = 'desk.json'): string {
  const file = join(folder, name);
  writeFileSync(file, typeof document === 'string' ? document : JSON.stringify(document, null, 2));
  return file;
}

function settings(env: Record<string, string>): Config {
  const read = readConfig({ SEVENGATE_HOME: folder, ...env });
  if (!isConfig(read)) throw new Error(read.map(({ sentence }) => sentence).join('\n'));
  return read;
}

const checkedSources = (config: Config): string[] => checkedBy(config, statedBudgets(config));
const pollingCapacity = (config: Config) => capacityOf(statedBudgets(config));

/** Returns the problems of a file, one sentence each. */
function refusals(document: unknown): string[] {
  const file = write(document);
  const read = readCatalogFile(file);
  return read.ok ? [] : read.problems.map((problem) => problemText('desk.json', problem));
}

test('an export reads back as the same catalog', () => {
  const read = readCatalogFile(write(builtIn()));
  expect(read).toEqual({ ok: true, source: BUILT_IN_SOURCE });
});

test('every problem of a file is reported at once, with its line, its path and what would be right', () => {
  const document = builtIn();
  const [apple = {}, tesla = {}, nvidia = {}] = document.shares;
  Object.assign(apple, { mint: 'not base58!', colour: 'red' });
  Object.assign(tesla, { feed: { id: '12', source: 'guessed' }, decimals: 99 });
  Object.assign(nvidia, { validTo: 'tomorrow' });
  const told = refusals({ ...document, budgets: { agregator: 30, pools: 0 }, limits: { venues: { spotchain: { maxAgeMs: -1 } } } });
  const at = (path: string) => told.find((sentence) => sentence.includes(` ${path}: `)) ?? `${path} is not told`;
  // The first share starts in the fourth line, and its mint is its fourth member.
  expect(at('$.shares[0].mint')).toBe(
    'desk.json:8 $.shares[0].mint: the text "not base58!" is not an address; allowed: an address of the primary chain: 32 bytes in base58',
  );
  expect(at('$.shares[0].colour')).toContain('unknown field');
  expect(at('$.shares[1].feed.id')).toContain('64 hexadecimal digits');
  expect(at('$.shares[1].feed.source')).toContain('one of published, sandbox');
  expect(at('$.shares[1].decimals')).toContain('a whole number from 0 to 12');
  expect(at('$.shares[2].validTo')).toContain('an instant in UTC');
  expect(at('$.budgets.agregator')).toContain('did you mean aggregator?');
  expect(at('$.budgets.pools')).toContain('a whole number of requests');
  expect(at('$.limits.venues.spotchain.maxAgeMs')).toContain('from 100');
  expect(told).toHaveLength(9);
});

test('names, mints, pools and feeds are unique, and a malformed file is refused where it breaks', () => {
  const document = builtIn();
  const [apple = {}] = document.shares;
  expect(refusals({ ...document, shares: [...document.shares, { ...apple, underlying: 'AAPLE' }] }).join()).toMatch(
    /mint .* is listed twice/,
  );
  expect(refusals({ ...document, preIpo: [...document.preIpo, { ...(document.preIpo[0] as object), underlying: 'BTC' }] }).join()).toMatch(
    /underlying BTC is listed twice|mint .* is listed twice/,
  );
  expect(refusals('{\n  "format": "sevengate-catalog/1",\n  oops\n}')[0]).toMatch(/this is not JSON/);
  expect(refusals({ ...document, format: 'sevengate-catalog/9' })[0]).toContain('sevengate-catalog/1');
  expect(refusals([])[0]).toContain('not an object');
});

test('a share of a file is an instrument, a name in the news and a price in the sandbox, with its limits', () => {
  const limits = { venues: { spotchain: { maxAgeMs: 45_000 } }, issuerMarkMaxAgeMs: 3_600_000 };
  const file = write({ ...builtIn(), shares: [...builtIn().shares, RIVIAN], limits });
  expect(resolveUniverseEntry('RIVNx').ok).toBe(false);
  expect(useCatalog(settings({ CATALOG_FILE: file }))).toBe(file);
  expect(resolveUniverseEntry('RIVNx')).toMatchObject({ ok: true, entry: { key: 'spotchain:RIVNx', kind: 'tokenized_equity' } });
  expect(CATALOG.feeds.find(({ instrument }) => instrument === 'RIVN')?.feedId).toBe('ab'.repeat(32));
  expect(listEventSources('RIVN')).toContain('news:filings');
  expect(underlyingIn('Will Rivian xStock close above $20?')).toBe('RIVN');
  expect(createSeededMarket({ seed: 1 }).value('RIVN', Date.UTC(2026, 5, 1))).toBeGreaterThan(0);
  expect(qualityLimits().venues.spotchain.maxAgeMs).toBe(45_000);
  expect(qualityLimits().venues.spotexchange.maxAgeMs).toBe(5_000);
  expect(qualityLimits().issuerMarkMaxAgeMs).toBe(3_600_000);
});

/** Starts a host of pool histories that knows one pool, and answers like the provider, newest first. */
async function poolHistory(pool: string): Promise<string> {
  const server = http.createServer((request, response) => {
    const isIts = request.url?.startsWith(`/api/v2/networks/solana/pools/${pool}/ohlcv/hour?`) === true;
    const before = Number(new URL(request.url ?? '', 'http://host').searchParams.get('before_timestamp'));
    const from = Date.UTC(2026, 5, 1) / 1_000;
    const rows = [...Array(30).keys()].map((hour) => [from + hour * 3_600, 20, 22, 19, 20 + (hour % 3), 1_000]);
    response.statusCode = isIts ? 200 : 404;
    response.setHeader('content-type', 'application/json');
    const list = rows.filter(([at = 0]) => at < before).reverse();
    response.end(
      JSON.stringify(isIts ? { data: { id: '1', type: 'ohlcv_request_response', attributes: { ohlcv_list: list } } } : { errors: [] }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('bars of a token come from its pool in the catalog; a token without one is reported', async () => {
  const url = await poolHistory(POOL);
  const config = settings({ CATALOG_FILE: write({ ...builtIn(), shares: [...builtIn().shares, RIVIAN] }), SPOTCHAIN_CANDLES_URL: url });
  expect(() => checkedSources(config)).toThrow(/names the pool of no token/);
  useCatalog(config);
  expect(checkedSources(config)).toEqual([expect.stringMatching(/^no pool is named of AAPLx, .*indicators of these stay unknown/)]);
  const urls = Object.fromEntries(SIMULATORS.map((name) => [name, 'http://127.0.0.1:9'])) as never;
  const reach = { addresses: readAddresses(config, { urls }), budgets: createRequestBudgets(statedBudgets(config)) };
  const venues = createVenues({ ...reach, clock: createLiveClock(), random: Math.random, note: () => {} });
  const [from, to] = [Date.UTC(2026, 5, 1), Date.UTC(2026, 5, 2)];
  const bars = await venues.histories.spotchain?.fetchCandles('RIVNx', '1h', from, to);
  expect(bars).toHaveLength(24);
  expect(bars?.[1]).toMatchObject({ openTime: from + 3_600_000, close: '21' });
  await expect(venues.histories.spotchain?.fetchCandles('AAPLx', '1h', from, to)).rejects.toThrow(/no pool is known of "AAPLx".*RIVNx/);
});

test('the RSI of a real share is known once the catalog names its pool', async () => {
  const [apple = {}, ...others] = builtIn().shares;
  const url = await poolHistory(APPLE_POOL);
  const shares = [{ ...apple, pool: APPLE_POOL }, ...others];
  const config = settings({ CATALOG_FILE: write({ ...builtIn(), shares }), SPOTCHAIN_CANDLES_URL: url });
  useCatalog(config);
  const urls = Object.fromEntries(SIMULATORS.map((name) => [name, 'http://127.0.0.1:9'])) as never;
  const reach = { addresses: readAddresses(config, { urls }), budgets: createRequestBudgets(statedBudgets(config)) };
  const { histories } = createVenues({ ...reach, clock: createLiveClock(), random: Math.random, note: () => {} });
  const rsi = { instrument: 'spotchain:AAPLx', name: 'rsi', timeframe: '1h', period: 14 } as const;
  const slot = Date.UTC(2026, 5, 2);
  const aheadMs = slot + 10_000 - Date.now();
  const clock = createLiveClock(aheadOfSystem(() => aheadMs));
  const board = createIndicatorBoard();
  await new Promise<void>((known, failed) => {
    const keeper = createCandleKeeper({
      clock,
      histories,
      needs: () => [rsi],
      random: () => 0,
      emit: (message) => {
        keeper.stop();
        if (message.kind === 'rejection') return failed(new Error(message.detail));
        board.apply(message);
        known();
      },
    });
    keeper.start();
  });
  // Closes 20, 21 and 22 in turn for 24 hours, by Wilder's smoothing over 14, computed without this code.
  expect(board.valueAt(rsi, slot + 60_000).value).toBeCloseTo(54.198688075, 9);
});

test('the budget of an aggregator without a key is compared with the age limit', () => {
  const aggregator = { SPOTCHAIN_URL: 'https://aggregator.example' };
  const keyless = settings(aggregator);
  // 30 requests a minute, 24 of them for polling: six in 15 s, two for each token and one for the prices of all.
  expect(pollingCapacity(keyless)).toMatchObject({ perMinute: 30, maxAgeMs: 15_000, listed: 19, fits: 2 });
  expect(checkedSources(keyless)).toEqual([expect.stringMatching(/30 times a minute without a key: 2 of the 19 tokens.*15 s.*98 s/)]);
  expect(checkedSources(settings({ ...aggregator, SPOTCHAIN_KEY: 'key' }))).toEqual([]);
  expect(checkedSources(settings({}))).toEqual([]);
  CATALOG.use({ ...BUILT_IN_SOURCE, budgets: { aggregator: 5 } });
  expect(() => checkedSources(keyless)).toThrow(/0 of the 19 tokens.*every quote would be stale/);
  expect(createRequestBudgets(statedBudgets(keyless)).aggregator.state(0).limit).toBe(5);
});

test('an invented feed id is for the sandbox only', () => {
  const invented = { ...RIVIAN, feed: { ...RIVIAN.feed, source: 'sandbox' } };
  const CATALOG_FILE = write({ ...builtIn(), shares: [...builtIn().shares, invented] });
  useCatalog(settings({ CATALOG_FILE }));
  expect(checkedSources(settings({}))).toEqual([]);
  expect(() => checkedSources(settings({ REFERENCE_URL: 'https://oracle.example' }))).toThrow(/feed ids of RIVN are the sandbox's/);
});

test('the command line checks, imports and exports; it removes nothing unasked', async () => {
  const home = join(folder, 'home');
  const sevengate = async (...words: string[]) => {
    // Settings of the test run must not reach the product.
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], SEVENGATE_HOME: home };
    return promisify(execFile)(process.execPath, ['src/boot/sevengate.mjs', ...words], { env }).catch(
      (error) => error as never,
    ) as Promise<{
      stdout: string;
      stderr: string;
    }>;
  };
  const fewer = write({ ...builtIn(), shares: builtIn().shares.slice(1) }, 'fewer.json');
  const more = write({ ...builtIn(), shares: [...builtIn().shares, RIVIAN] }, 'more.json');
  const broken = write({ ...builtIn(), crypto: [{ symbol: 'BTC' }] }, 'broken.json');
  const [removal, imported, checked] = [
    await sevengate('catalog', 'import', fewer),
    await sevengate('catalog', 'import', more, '--json'),
    await sevengate('catalog', 'check', broken, '--json'),
  ];
  expect(removal.stderr).toMatch(/leaves out AAPLx, xyz:AAPL: positions and agents may hold these/);
  expect(JSON.parse(imported.stdout)).toMatchObject({ file: join(home, 'catalog.json'), added: ['RIVNx'], changed: [], removed: [] });
  expect(JSON.parse(checked.stdout)).toMatchObject({ ok: false, problems: [{ path: '$.crypto[0].name', line: expect.any(Number) }] });
  const exported = await sevengate('catalog', 'export');
  expect(JSON.parse(exported.stdout)).toEqual(JSON.parse(readFileSync(join(home, 'catalog.json'), 'utf8')));
});
