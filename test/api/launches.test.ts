// Launches over HTTP: presets, and previews for every quote with its real limits.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CATALOG, USDC_MINT } from '../../src/domain/catalog/catalog.ts';
import { NATIVE_MINT } from '../../src/domain/launch/quote-tokens.ts';
import { type ApiUnderTest, apiUnderTest, NOW } from './api-under-test.ts';

let api: ApiUnderTest;
let token: string;
beforeAll(async () => {
  api = await apiUnderTest();
  token = await api.token(['market:read']);
});
afterAll(() => api.close());

const preview = (body: object) => api.call('POST', '/v1/launches/dbc/preview', { token, body });
const PLAIN = { preset: 'reference_anchored', quoteMint: NATIVE_MINT, startingFdv: '30' };

test('the presets are listed with every column', async () => {
  const { status, body } = await api.call('GET', '/v1/launches/dbc/presets', { token });
  expect(status).toBe(200);
  expect(body.items).toEqual([
    {
      key: 'reference_anchored',
      graduationMultiple: 4,
      antiSniperFee: { startBps: 500, endBps: 100, decay: 'exponential', durationSeconds: 1_800, periods: 30 },
      creatorFeeSharePct: 50,
      lockedVesting: { supplyPct: 0, durationSeconds: 0 },
      migratedPool: { feeBps: 30, dynamicFee: true },
    },
    {
      key: 'price_discovery',
      graduationMultiple: 25,
      antiSniperFee: { startBps: 300, endBps: 100, decay: 'linear', durationSeconds: 3_600, periods: 20 },
      creatorFeeSharePct: 50,
      lockedVesting: { supplyPct: 0, durationSeconds: 0 },
      migratedPool: { feeBps: 100, dynamicFee: true },
    },
    {
      key: 'agent_treasury',
      graduationMultiple: 10,
      antiSniperFee: { startBps: 400, endBps: 100, decay: 'exponential', durationSeconds: 2_400, periods: 24 },
      creatorFeeSharePct: 75,
      lockedVesting: { supplyPct: 10, durationSeconds: 180 * 86_400 },
      migratedPool: { feeBps: 30, dynamicFee: true },
    },
  ]);
});

describe('a preview', () => {
  test('gives the curve in quote tokens, and in dollars once the quote token has a live price', async () => {
    const silent = await preview(PLAIN);
    expect(silent.status).toBe(200);
    expect(silent.body.dollars).toEqual({ startingPrice: null, graduationThreshold: null, pricedBy: null, at: null });
    api.market.set('spotexchange:SOLUSDT', {
      kind: 'quote',
      venue: 'spotexchange',
      instrument: 'SOLUSDT',
      source: 'test',
      observedAt: NOW - 100,
      receivedAt: NOW - 100,
      sourceTime: false,
      bid: '149',
      ask: '151',
      bidSize: '1',
      askSize: '1',
      sequence: 1,
      quality: 'live',
      flags: [],
    });
    const { body } = await preview(PLAIN);
    expect(body.ladder).toHaveLength(10);
    expect(body.ladder[9].fillPct).toBe(100);
    expect(Number(body.ladder[9].price) / Number(body.startingPrice)).toBeCloseTo(4, 4);
    expect(Number(body.graduationThreshold)).toBeCloseTo(40, 6);
    expect(body.dollars.pricedBy).toBe('spotexchange:SOLUSDT');
    expect(Number(body.dollars.graduationThreshold)).toBeCloseTo(6_000, 3);
    expect(body.fees[15]).toMatchObject({ at: 900, bps: '223.72811' });
    expect(body.vesting).toBeNull();
  });

  test('is made for the stablecoin, every tokenized share and every pre-IPO token, each with its own limits', async () => {
    const { body } = await preview({ ...PLAIN, quoteMint: USDC_MINT, preset: 'agent_treasury', startingFdv: '5000' });
    expect(body).toMatchObject({ quote: { symbol: 'USDC', needsBadge: false, refusedBecause: null }, vesting: { cliff: '100' } });
    expect(Number(body.dollars.startingPrice)).toBeCloseTo(5_000 / 1e9, 11);
    const tokens = CATALOG.entries.filter(({ kind }) => kind === 'tokenized_equity' || kind === 'pre_ipo');
    expect(tokens.length).toBeGreaterThan(12);
    for (const { kind, token: facts, instrument } of tokens) {
      const answer = await preview({ ...PLAIN, quoteMint: facts?.mint });
      expect(answer.status, instrument).toBe(200);
      expect(answer.body.quote).toMatchObject({ symbol: instrument, needsBadge: true, programError: kind === 'pre_ipo' ? 6081 : null });
    }
  });

  test.each([
    ['a mint that is no quote', { quoteMint: 'FxGaRfgpn9ewUPw7HECFQqwyXCUXcHYfEPtHrf77LBwx' }, 422, 'launch_refused'],
    ['a preset that there is not', { preset: 'moon' }, 400, 'malformed'],
    ['a value with too many digits', { startingFdv: '123456789012345.123456789' }, 400, 'malformed'],
    ['a value of nothing', { startingFdv: '0' }, 400, 'malformed'],
    ['a supply beyond 64 bits', { totalSupply: '99999999999999', decimals: 9 }, 400, 'malformed'],
    ['five decimals', { decimals: 5 }, 400, 'malformed'],
    ['a value that no curve can price', { startingFdv: '0.000000001', quoteMint: USDC_MINT }, 422, 'launch_refused'],
  ])('is refused for %s', async (_, change, status, code) => {
    const answer = await preview({ ...PLAIN, ...change });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });
});

test('without a chain node launches cannot be prepared, and a foreign id answers like a missing one', async () => {
  const trader = await api.token(['market:read', 'agent:read', 'trade:execute']);
  const body = {
    ...PLAIN,
    name: 'Harbor',
    symbol: 'HARBOR',
    uri: 'https://example.com/h.json',
    creator: 'FxGaRfgpn9ewUPw7HECFQqwyXCUXcHYfEPtHrf77LBwx',
  };
  const prepared = await api.call('POST', '/v1/launches/dbc/prepare', { token: trader, body });
  expect([prepared.status, prepared.body.code]).toEqual([422, 'feature_disabled']);
  expect((await api.call('GET', '/v1/launches', { token: trader })).body).toEqual({ items: [], nextCursor: null });
  const id = '019a5b1e-7c00-7000-8000-00000000ffff';
  for (const path of [`/v1/launches/${id}`, `/v1/launches/${id}/monitor`])
    expect((await api.call('GET', path, { token: trader })).status).toBe(404);
  const submitted = await api.call('POST', `/v1/launches/${id}/submit`, { token: trader, body: { transactions: ['AAAA'] } });
  expect(submitted.status).toBe(404);
  for (const body of [{}, { transactions: ['AAAA'], payment: 'AAAA' }])
    expect((await api.call('POST', `/v1/launches/${id}/submit`, { token: trader, body })).status).toBe(400);
  expect((await api.call('POST', `/v1/launches/${id}/submit`, { token: trader, body: { payment: 'AAAA' } })).status).toBe(404);
  expect((await api.call('POST', `/v1/launches/${id}/claims`, { token: trader, body: {} })).status).toBe(404);
  const claim = `/v1/launches/${id}/claims/${id}`;
  expect((await api.call('GET', claim, { token: trader })).status).toBe(404);
  expect((await api.call('POST', `${claim}/submit`, { token: trader, body: { signedTransaction: 'AAAA' } })).status).toBe(404);
  const pairs = await api.call('GET', '/v1/agentlaunch/pairs', { token: trader });
  expect([pairs.status, pairs.body.code]).toEqual([422, 'feature_disabled']);
});
