// Analytics of agent tokens: holders, wash-resistant volume, risk score, vesting, and performance against the share.
import { describe, expect, test } from 'vitest';
import {
  analyzeToken,
  countedVolume,
  duplicatedExposure,
  pairedPerformance,
  rankTokens,
  type TokenLook,
  vestingState,
  volumeStability,
} from '../../../src/domain/agent-market/analysis.ts';
import { type HolderReading, holderKind, measureConcentration, type TokenHolding } from '../../../src/domain/agent-market/holders.ts';
import { computeRiskScore, RISK_TERMS, RISK_WEIGHTS, type RiskInputs } from '../../../src/domain/agent-market/risk-score.ts';
import type { Candle } from '../../../src/domain/candles/candle.ts';
import { agentTokenEntry } from '../../../src/domain/catalog/listed-token.ts';
import { vestingTotal } from '../../../src/domain/launch/curve/curve-config.ts';
import { POOL_AUTHORITY, SUCCESSOR_AUTHORITY } from '../../../src/domain/launch/curve/program.ts';
import { CURVE_PROGRAM, LOCKER_PROGRAM } from '../../../src/domain/solana/programs.ts';
import { seededRandom } from '../../../src/domain/values/seeded-random.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 2, 2, 14);
const SYSTEM = '11111111111111111111111111111111';
const INCINERATOR = '1nc1nerator11111111111111111111111111111111';

const held = (owner: string, amount: bigint, ownerProgram: string | null = SYSTEM): TokenHolding => ({
  account: `account of ${owner}`,
  owner,
  ownerProgram,
  amount,
});
const reading = (holdings: readonly TokenHolding[], supply = 1_000n): HolderReading => ({
  slot: 7,
  supply,
  decimals: 0,
  holdings,
  asked: 20,
});

describe('holders', () => {
  test('of curves, pools, lockers and burn addresses are separate from wallets, and an unknown owner is a wallet', () => {
    expect(holderKind(held(POOL_AUTHORITY, 1n, null))).toBe('curve');
    expect(holderKind(held(SUCCESSOR_AUTHORITY, 1n, null))).toBe('pool');
    expect(holderKind(held('escrow', 1n, LOCKER_PROGRAM))).toBe('locker');
    expect(holderKind(held('a curve', 1n, CURVE_PROGRAM))).toBe('curve');
    expect(holderKind(held(INCINERATOR, 1n))).toBe('burned');
    expect(holderKind(held('maker', 1n), new Set(['maker']))).toBe('pool');
    expect(holderKind(held('a program that nobody knows', 1n, 'Stranger11111111111111111111111111111111111'))).toBe('wallet');
  });

  test('are counted in percent of what circulates, each owner once', () => {
    const found = measureConcentration(
      reading([
        held(POOL_AUTHORITY, 500n, null),
        held('ann', 120n),
        held('escrow', 100n, LOCKER_PROGRAM),
        held('ann', 40n),
        held('bob', 40n),
        held(INCINERATOR, 0n),
      ]),
    );
    expect(found.circulating).toBe(400n);
    expect(found.excluded).toEqual([
      { kind: 'curve', amount: 500n, pctOfSupply: 50 },
      { kind: 'locker', amount: 100n, pctOfSupply: 10 },
    ]);
    expect(found.wallets).toEqual([
      { owner: 'ann', amount: 160n, pct: 40 },
      { owner: 'bob', amount: 40n, pct: 10 },
    ]);
    expect([found.top1Pct, found.top10Pct, found.isComplete]).toEqual([40, 50, true]);
  });

  test('report missing holders, and an empty circulation', () => {
    const many = Array.from({ length: 20 }, (_, at) => held(`holder ${at}`, 10n));
    expect(measureConcentration(reading(many))).toMatchObject({ isComplete: false, top10Pct: 10 });
    expect(measureConcentration(reading([held(POOL_AUTHORITY, 1_000n, null)]))).toMatchObject({
      circulating: 0n,
      top1Pct: null,
      top10Pct: null,
    });
  });

  test('never hold more than there is: wallets and what is apart stay within the supply (200 random readings)', () => {
    const random = seededRandom(5);
    for (let round = 0; round < 200; round++) {
      const list = Array.from({ length: 1 + Math.floor(random() * 19) }, (_, at) =>
        held(random() < 0.3 ? POOL_AUTHORITY : `holder ${at % 7}`, BigInt(Math.floor(random() * 1_000)), null),
      );
      const supply = list.reduce((sum, { amount }) => sum + amount, 0n) + BigInt(Math.floor(random() * 100));
      const { wallets, circulating, top1Pct, top10Pct } = measureConcentration(reading(list, supply));
      expect(wallets.reduce((sum, { amount }) => sum + amount, 0n)).toBeLessThanOrEqual(circulating);
      if (top1Pct !== null && top10Pct !== null) {
        expect(top1Pct).toBeLessThanOrEqual(top10Pct);
        expect(top10Pct).toBeLessThanOrEqual(100);
      }
    }
  });
});

const bar = (openTime: number, over: Partial<Candle> = {}): Candle => ({
  openTime,
  open: '1',
  high: '1.02',
  low: '1',
  close: '1',
  volume: '100',
  ...over,
});
const hours = (count: number, of: (at: number) => Partial<Candle> = () => ({})): Candle[] =>
  Array.from({ length: count }, (_, back) => bar(NOW - (count - back) * HOUR, of(back)));

describe('volume', () => {
  test('of circular trades hardly counts: only the cost of price moves counts', () => {
    const depth = 10_000;
    // From the lowest to the highest price is sqrt(1.02) - 1 of ten thousand dollars.
    const way = 10_000 * (Math.sqrt(1.02) - 1);
    expect(countedVolume(bar(NOW), depth)).toBe(100);
    expect(countedVolume(bar(NOW, { volume: '1000000' }), depth)).toBeCloseTo(4 * way, 6);
    expect(countedVolume(bar(NOW, { volume: '1000000', high: '1' }), depth)).toBe(0);
    expect(countedVolume(bar(NOW, { low: '0' }), depth)).toBe(0);
  });

  test('that is even has no variation; a wash trader adds to the reported but not to the counted volume', () => {
    const even = volumeStability(hours(7 * 24), '10000', NOW);
    expect(even).toMatchObject({ days: 7, reportedUsd: '16800', countedUsd: '16800', washedPct: 0, variation: 0 });
    const washed = volumeStability(
      hours(7 * 24, (at) => (at % 24 === 3 ? { volume: '50000', high: '1' } : {})),
      '10000',
      NOW,
    );
    expect(Number(washed?.reportedUsd)).toBe(7 * (23 * 100 + 50_000));
    expect(washed?.countedUsd).toBe('16100');
    expect(washed?.washedPct).toBeGreaterThan(95);
  });

  test('varies by the sample deviation of its days', () => {
    const found = volumeStability(
      hours(3 * 24, (at) => ({ volume: at < 24 ? '1' : at < 48 ? '2' : '3' })),
      '1000000',
      NOW,
    );
    // Days of 24, 48 and 72: mean 48, sample deviation 24.
    expect(found).toMatchObject({ days: 3, variation: 0.5 });
  });

  test('of two days is unknown, and of no traders is as unstable as possible', () => {
    expect(volumeStability(hours(48), '10000', NOW)).toBeNull();
    expect(
      volumeStability(
        hours(7 * 24, () => ({ volume: '0' })),
        '10000',
        NOW,
      ),
    ).toMatchObject({ variation: 2.645751, washedPct: 0 });
  });
});

describe('the risk score', () => {
  const SAFE: RiskInputs = {
    depthUsd: 1_000_000,
    top10Pct: 0,
    creator: { freePct: 0, lockedPct: 0 },
    ageDays: 90,
    volume: { variation: 0, washedPct: 0 },
  };

  test('is 0 if every input is best, and maximal if everything is unknown', () => {
    expect(computeRiskScore(SAFE)).toMatchObject({ score: 0, unknown: [] });
    const unknown = computeRiskScore({ depthUsd: null, top10Pct: null, creator: null, ageDays: 0, volume: null });
    expect(unknown.score).toBe(100);
    expect(unknown.unknown).toEqual(RISK_TERMS.filter((name) => name !== 'token_age'));
  });

  test('is the sum of its terms, each with input, points and weight; the weights sum to 1', () => {
    expect(RISK_TERMS.reduce((sum, name) => sum + RISK_WEIGHTS[name], 0)).toBeCloseTo(1, 12);
    const found = computeRiskScore({
      depthUsd: 10_000,
      top10Pct: 40,
      creator: { freePct: 5, lockedPct: 10 },
      ageDays: 45,
      volume: { variation: 0.4, washedPct: 30 },
    });
    expect(found.terms.map(({ name, points }) => [name, Math.round(points * 100) / 100])).toEqual([
      ['liquidity_depth', 66.67],
      ['top_wallet_concentration', 50],
      ['creator_allocation', 25],
      ['token_age', 50],
      ['volume_stability', 30],
    ]);
    expect(found.score).toBeCloseTo(66.6667 * 0.3 + 50 * 0.25 + 25 * 0.2 + 50 * 0.1 + 30 * 0.15, 3);
    expect(found.terms[2]?.input).toEqual({ freePct: 5, lockedPct: 10 });
  });

  test('never falls if one input gets worse (500 random inputs)', () => {
    const random = seededRandom(9);
    for (let round = 0; round < 500; round++) {
      const base: RiskInputs = {
        depthUsd: random() * 2_000_000,
        top10Pct: random() * 100,
        creator: { freePct: random() * 30, lockedPct: random() * 30 },
        ageDays: random() * 120,
        volume: { variation: random() * 3, washedPct: random() * 100 },
      };
      const { score } = computeRiskScore(base);
      const worse: readonly RiskInputs[] = [
        { ...base, depthUsd: (base.depthUsd as number) * random() },
        { ...base, depthUsd: null },
        { ...base, top10Pct: (base.top10Pct as number) + random() * 10 },
        { ...base, creator: { freePct: 30 + random(), lockedPct: 30 } },
        { ...base, creator: null },
        { ...base, ageDays: base.ageDays * random() },
        { ...base, volume: null },
      ];
      for (const one of worse) expect(computeRiskScore(one).score).toBeGreaterThanOrEqual(score);
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(100);
    }
  });
});

describe('vesting', () => {
  const vesting = {
    amountPerPeriod: 10n,
    cliffDurationFromMigrationTime: 100n,
    frequency: 50n,
    numberOfPeriods: 4n,
    cliffUnlockAmount: 3n,
  };

  test('runs from the completion of the curve: the cliff, then period by period', () => {
    const at = (now: bigint) => vestingState(vesting, 1_000n, now).unlocked;
    expect([1_000n, 1_099n, 1_100n, 1_149n, 1_150n, 1_299n, 1_300n, 9_999n].map(at)).toEqual([0n, 0n, 3n, 3n, 13n, 33n, 43n, 43n]);
    expect(vestingState(vesting, 1_000n, 1_300n)).toMatchObject({ state: 'unlocked', total: vestingTotal(vesting), endsAt: 1_300n });
    expect(vestingState(vesting, 0n, 9_999n)).toMatchObject({ state: 'waiting', unlocked: 0n, endsAt: null });
    expect(vestingState({ ...vesting, amountPerPeriod: 0n, cliffUnlockAmount: 0n }, 0n, 0n).state).toBe('none');
  });
});

describe('performance against the share', () => {
  test('is the return of the token measured in the share, over windows that end now', () => {
    const token = hours(31 * 24, (at) => ({ close: at >= 31 * 24 - 24 ? '2' : '1' }));
    const stock = hours(31 * 24, (at) => ({ close: at >= 31 * 24 - 24 ? '125' : '100' }));
    const [day] = pairedPerformance(token, stock, NOW);
    expect(day).toEqual({ window: '24h', tokenPct: 100, stockPct: 25, relativePct: 60 });
  });

  test('is unknown if a bar of that time is missing, on either side', () => {
    const found = pairedPerformance(hours(48), hours(10 * 24), NOW);
    expect(found.map(({ window, tokenPct, stockPct, relativePct }) => [window, tokenPct, stockPct, relativePct])).toEqual([
      ['24h', 0, 0, 0],
      ['7d', null, 0, null],
      ['30d', null, null, null],
    ]);
    expect(pairedPerformance(hours(48).slice(0, 20), hours(48), NOW)[0]).toMatchObject({ tokenPct: null });
  });
});

describe('an analysis', () => {
  const entry = agentTokenEntry({
    mint: 'AgtRchd1111111111111111111111111111111111111',
    program: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    symbol: 'ORCHARD',
    name: 'Orchard Keeper',
    decimals: 0,
    pairedStock: 'spotchain:AAPLx',
    launcher: 'dbc',
    listedAt: NOW - 9 * DAY,
    delistedAt: null,
  });
  const LOOK: TokenLook = {
    at: NOW,
    holders: reading([held(POOL_AUTHORITY, 600n, null), held('ann', 100n), held('creator', 50n)]),
    creator: { address: 'creator', held: 50n, vesting: { state: 'waiting', total: 200n, unlocked: 0n, endsAt: null } },
    depth: { source: 'curve', depthUsd: '10000', at: NOW },
    price: null,
    bars: hours(8 * 24),
    stockBars: hours(8 * 24),
  };

  test('combines its parts', () => {
    const found = analyzeToken(entry, LOOK);
    expect(found.ageDays).toBe(9);
    expect(found.creator).toMatchObject({ freePct: 5, lockedPct: 20 });
    expect(found.risk.unknown).toEqual([]);
    expect(found.performance?.[1]).toEqual({ window: '7d', tokenPct: 0, stockPct: 0, relativePct: 0 });
  });

  test('of a token without data is unknown and not ranked', () => {
    const silent = analyzeToken(entry, { ...LOOK, holders: null, creator: null, depth: null, bars: [], stockBars: [] });
    expect(silent.risk.unknown).toHaveLength(4);
    const ranked = rankTokens([silent, analyzeToken({ ...entry, key: 'spotchain:OTHER' }, LOOK)], 'lowest_risk');
    expect(ranked.map(({ rank, reasons, analysis }) => [rank, reasons, analysis.entry.key])).toEqual([
      [1, [], 'spotchain:OTHER'],
      [null, ['risk_unknown'], 'spotchain:ORCHARD'],
    ]);
  });

  test('is ranked the right way round in every mode', () => {
    const other = { ...entry, key: 'spotchain:OTHER' as const };
    const better = analyzeToken(other, {
      ...LOOK,
      depth: { source: 'curve', depthUsd: '500000', at: NOW },
      holders: reading([held(POOL_AUTHORITY, 600n, null), held('ann', 10n)]),
      creator: { address: 'creator', held: 0n, vesting: null },
      bars: hours(8 * 24, (at) => ({ close: at > 7 * 24 ? '2' : '1' })),
    });
    const plain = analyzeToken(entry, LOOK);
    for (const mode of ['lowest_risk', 'liquidity', 'dispersion', 'relative_performance'] as const)
      expect(
        rankTokens([plain, better], mode).map(({ analysis }) => analysis.entry.key),
        mode,
      ).toEqual(['spotchain:OTHER', 'spotchain:ORCHARD']);
  });

  test('flags holders of both the token and the share', () => {
    expect(duplicatedExposure(entry, new Set([entry.key, 'spotchain:AAPLx' as const]))).toEqual({
      flagged: true,
      holdsToken: true,
      holdsStock: true,
    });
    expect(duplicatedExposure(entry, new Set([entry.key])).flagged).toBe(false);
    expect(duplicatedExposure({ ...entry, pairedStock: null }, new Set([entry.key])).flagged).toBe(false);
  });
});
