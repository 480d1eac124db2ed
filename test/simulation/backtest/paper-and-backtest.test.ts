// Cost of trades in a backtest compared with the same orders on paper, in the same seeded market, trade by trade.
import { beforeAll, describe, expect, test } from 'vitest';
import { rounds } from '../../harness/rounds.ts';
import { MANIFESTS, type SidePair, seededPairs } from './paper-and-backtest.ts';

const FROM = Date.UTC(2026, 9, 1);
/** Difference in basis points without significance: ticks of books and wide quotes, whose mid lies above the pool's price, cause it. */
const TIE_BPS = 1;
/** Permitted standard deviations of a fair coin from a half. */
const FAIR = 4;

const difference = ({ backtestBps, paperBps }: SidePair): number => backtestBps - paperBps;

function grouped(pairs: readonly SidePair[], nameOf: (pair: SidePair) => string): ReadonlyMap<string, readonly SidePair[]> {
  const groups = new Map<string, SidePair[]>();
  for (const pair of pairs) groups.set(nameOf(pair), [...(groups.get(nameOf(pair)) ?? []), pair]);
  return groups;
}

const mean = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;

describe('on recorded spreads and depths', () => {
  let pairs: readonly SidePair[];
  beforeAll(() => {
    pairs = seededPairs({ seed: 7, from: FROM, days: rounds({ suite: 6, proof: 30 }), recorded: true });
  });

  test.each<[string, (pair: SidePair) => string]>([
    ['venue', ({ key }) => key.slice(0, key.indexOf(':'))],
    ['size', ({ notionalUsd }) => (notionalUsd < 700 ? 'below $700' : notionalUsd < 1_700 ? '$700 to $1,700' : 'above $1,700')],
    ['hour', ({ at }) => `${Math.floor(((at / 3_600_000) % 24) / 6) * 6} UTC and five more hours`],
    ['side', ({ side }) => side],
  ])('a trade costs the same in both, by %s: within 3 bps on average, and neither is more expensive more often', (_, nameOf) => {
    expect(MANIFESTS.length).toBe(20);
    for (const [name, group] of grouped(pairs, nameOf)) {
      expect(group.length, name).toBeGreaterThan(50);
      expect(Math.abs(mean(group.map(difference))), name).toBeLessThan(1);
      const dearer = group.filter((pair) => difference(pair) > TIE_BPS).length;
      const cheaper = group.filter((pair) => difference(pair) < -TIE_BPS).length;
      // A tie counts half for either side.
      expect(Math.abs(dearer - cheaper) / 2, `${name}: ${dearer} and ${cheaper} of ${group.length}`).toBeLessThanOrEqual(
        (FAIR * Math.sqrt(group.length)) / 2,
      );
    }
  });

  test('both pay the fee that mints of pre-IPO tokens take of each transfer', () => {
    const taxed = pairs.filter(({ key }) => key === 'spotchain:SPACEX');
    expect(taxed.length).toBeGreaterThan(0);
    for (const { backtestBps, paperBps } of taxed) expect(Math.min(backtestBps, paperBps)).toBeGreaterThan(100);
  });

  test('an order in a thinly traded token is as large as on paper, where its pools limit it', () => {
    // Its two manifests order 600 and 2,500 dollars, at a limit of 1.5 % beyond the best price.
    const bought = pairs.filter(({ key, side }) => key === 'spotchain:SPACEX' && side === 'buy');
    expect(bought.length).toBeGreaterThan(0);
    for (const { notionalUsd } of bought)
      expect([600, 2_500].some((asked) => notionalUsd > 0.95 * asked && notionalUsd <= asked)).toBe(true);
  });

  test('every trade says that it was priced on observed data', () => {
    for (const { inputs, key } of pairs)
      expect(inputs).toEqual(
        key.startsWith('spotchain:') ? { observed: ['spread', 'depth'], assumed: [] } : { observed: ['spread'], assumed: ['depth'] },
      );
  });
});

test('without recorded data the assumed market is more expensive, and every trade says so', () => {
  const pairs = seededPairs({ seed: 7, from: FROM, days: 4, recorded: false });
  for (const [venue, group] of grouped(pairs, ({ key }) => key.slice(0, key.indexOf(':')))) {
    expect(mean(group.map(difference)), venue).toBeGreaterThan(0);
    expect(group.filter((pair) => difference(pair) > 0).length / group.length, venue).toBeGreaterThan(0.9);
    for (const { inputs } of group) expect(inputs).toEqual({ observed: [], assumed: ['spread', 'depth'] });
  }
});
