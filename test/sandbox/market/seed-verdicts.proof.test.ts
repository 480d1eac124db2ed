// Twenty seeds that the market was not tuned on: a thoughtful agent passes the gate of the backtest on most, naive ones on hardly any.
import { expect, test } from 'vitest';
import type { Manifest } from '../../../src/domain/manifest/manifest.ts';
import { readManifest } from '../../../src/domain/manifest/reader.ts';
import { EXAMPLE } from '../../../src/sandbox/example-organization.ts';
import { sandboxBacktests } from '../../boot/sandbox-backtests.ts';
import { NAIVE_MANIFESTS } from './naive-manifests.ts';

const SEEDS = Array.from({ length: 20 }, (_, n) => 101 + n);

function manifestOf(authored: unknown): Manifest {
  const read = readManifest(authored);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.manifest;
}

test('of twenty seeds most let the discount hunter pass with a Sharpe ratio of 1.9 to 3, and at most two let a naive agent pass', async () => {
  expect(NAIVE_MANIFESTS).toHaveLength(10);
  const believable: number[] = [];
  const naive: string[] = [];
  for (const seed of SEEDS) {
    const { backtest } = sandboxBacktests(seed);
    const { summary } = await backtest(manifestOf(EXAMPLE.agents[0]?.manifest));
    const [sharpe, hitRate] = [Number(summary['sharpe']), Number(summary['hitRatePct'])];
    console.log(
      `seed ${seed}: discount hunter ${sharpe.toFixed(2)}, ${hitRate.toFixed(0)} % of its trades earn, ${String(summary['verdict'])}`,
    );
    if (summary['passed'] === true && sharpe >= 1.9 && sharpe <= 3 && hitRate < 70) believable.push(seed);
    for (const authored of NAIVE_MANIFESTS) {
      const manifest = manifestOf(authored);
      const ended = await backtest(manifest);
      if (ended.summary['passed'] === true) naive.push(`${seed} ${manifest.name}`);
    }
  }
  expect(believable.length, String(believable)).toBeGreaterThanOrEqual(12);
  expect(new Set(naive.map((one) => one.split(' ')[0])).size, String(naive)).toBeLessThanOrEqual(2);
});
