// Twenty agents trade on paper for thirty days and are backtested over the same days: the costs of the same trades are compared.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CalibratedFill, COST_GROUPS, type CostFigures, costFigures, costsBy } from '../../../src/domain/agents/calibration.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { type Lived, openLived } from './lived-stretch.ts';
import { LIVED_MANIFESTS } from './manifests.ts';
import { type Paired, paired } from './pairs.ts';

const DAY = 86_400_000;
/** `LIVED_DAYS` shortens it. */
const DAYS = Number(process.env['LIVED_DAYS'] ?? 30);
const SEED = 20;
/** In the future, because a database's time only moves forward. */
const FROM = Date.UTC(2027, 0, 4);
/** Time by which backtests start earlier, so that their averages are as long as those of running agents. */
const WARM = 45 * DAY;
const MOST_BPS = 3;
/** Number of pairs below which a comparison is meaningless. */
const LEAST_PAIRS = 10;
/** Probability below which an imbalance of more and less expensive sides is not chance. */
const NO_CHANCE = 0.001;

let lived: Lived;
beforeAll(async () => {
  lived = await openLived(await testDatabase(), SEED, FROM, LIVED_MANIFESTS);
});
afterAll(() => lived.close());

const shown = (value: number | null): string => (value === null ? '–' : value.toFixed(2));
const line = (name: string, { fills, expectedBps, realizedBps, biasBps, biasErrorBps, dearer, cheaper, signP }: CostFigures): string =>
  `| ${name} | ${fills} | ${shown(expectedBps)} | ${shown(realizedBps)} | ${shown(biasBps)} ± ${shown(biasErrorBps)} | ${dearer} / ${cheaper} | ${signP?.toPrecision(2)} |`;

function report(of: readonly Paired[]): readonly CalibratedFill[] {
  const pairs = of.flatMap((one) => one.pairs);
  const sum = (field: 'paperAlone' | 'backtestAlone'): number => of.reduce((total, one) => total + one[field], 0);
  console.log(
    [
      `${pairs.length} pairs, ${sum('paperAlone')} sides on paper alone, ${sum('backtestAlone')} in the backtest alone`,
      '| | sides | backtest | paper | difference | dearer / cheaper | p |',
      line('all', costFigures(pairs)),
      ...COST_GROUPS.flatMap((group) => costsBy(group, pairs).map((figures) => line(`${group} ${figures.key}`, figures))),
    ].join('\n'),
  );
  return pairs;
}

test('the same trades cost the same on paper and in the backtest', async () => {
  const began = performance.now();
  await lived.live(DAYS * 24, (done) => {
    if (done % 24 === 0) console.log(`day ${done / 24}: ${Math.round((performance.now() - began) / 1000)} s`);
  });
  const to = FROM + DAYS * DAY;
  const each: Paired[] = [];
  for (const [n, manifest] of LIVED_MANIFESTS.entries()) {
    const sides = await lived.sides(lived.agents[n] as string);
    const run = await lived.backtest(manifest, { from: FROM - WARM, to, timeframe: manifest.timeframe });
    each.push(paired(lived, sides, run, FROM));
  }
  const pairs = report(each);
  const all = costFigures(pairs);
  expect(Math.abs(all.biasBps as number)).toBeLessThan(MOST_BPS);
  expect(all.signP).toBeGreaterThan(NO_CHANCE);
  for (const group of COST_GROUPS)
    for (const { key, fills, biasBps, signP } of costsBy(group, pairs)) {
      if (fills < LEAST_PAIRS) continue;
      expect(Math.abs(biasBps as number), `${group} ${key}`).toBeLessThan(MOST_BPS);
      expect(signP, `${group} ${key}`).toBeGreaterThan(NO_CHANCE);
    }
});
