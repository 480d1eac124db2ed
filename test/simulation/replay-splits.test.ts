// A split on a tape: what a replayed book holds is worth what it was, so that no stop fires and the exit sells all of it.
import { expect, test } from 'vitest';
import type { MarketEvent } from '../../src/domain/market/market-event.ts';
import { Decimal } from '../../src/domain/values/decimal.ts';
import { replayAgent } from '../../src/simulation/replay/replay-agent.ts';
import type { ReplayedFill } from '../../src/simulation/replay/replay-books.ts';
import { replayTape } from '../../src/simulation/replay/replay.ts';
import { condition, sampleManifest } from '../actors/agent/sample.ts';

const MINUTE = 60_000;
const FROM = Date.UTC(2026, 5, 1, 15, 0);
const SPLIT_AT = FROM + 30 * MINUTE + 1_000;

const told = (at: number) =>
  ({ venue: 'spotchain', instrument: 'AAPLx', source: 'jupiter:quote', observedAt: at, receivedAt: at }) as const;

function quote(at: number): MarketEvent {
  const price = at < SPLIT_AT ? 1000 : 200;
  const unsettled = Math.abs(at - SPLIT_AT) < 2 * MINUTE;
  return {
    ...told(at),
    kind: 'quote',
    sourceTime: false,
    bid: String(price),
    ask: String(price * 1.001),
    bidSize: '1000',
    askSize: '1000',
    sequence: null,
    quality: unsettled ? 'degraded' : 'live',
    flags: unsettled ? ['wide_confidence'] : [],
  };
}

const EVENTS: readonly MarketEvent[] = Array.from({ length: 12 * 100 }, (_, n): MarketEvent[] => {
  const at = FROM + n * 5_000 + 1_000;
  const pool: MarketEvent = { ...told(at), kind: 'pool_liquidity', liquidityUsd: '50000000' };
  const split: MarketEvent = { ...told(at), kind: 'token_multiplier', multiplier: '5', previous: '1' };
  return [...(at === SPLIT_AT ? [split] : []), pool, quote(at)];
}).flat();

const MANIFEST = sampleManifest({
  name: 'an hour long',
  universe: [{ key: 'spotchain:AAPLx', kind: 'tokenized_equity' }],
  entry: [condition('price_above', { price: '900' })],
  exit: [condition('held_longer_than', { hours: 1 })],
  maxTradeNotionalUsd: '900',
  maxSlippageBps: 200,
  stopLossPct: 10,
  takeProfitPct: 0,
});

test('the position of before is sold whole at the price of after, and has earned nothing by the split', async () => {
  const fills: ReplayedFill[] = [];
  await replayTape({
    tapes: [
      {
        file: 'memory',
        header: { tape: 1 },
        cut: null,
        async *batches() {
          yield { events: EVENTS };
        },
      },
    ],
    agents: [replayAgent(MANIFEST, 0, 'policy_auto')],
    onDecisions: () => {},
    onFill: (fill) => fills.push(fill),
  });
  const [bought, sold, ...more] = fills.map(({ fill }) => fill);
  expect(more).toEqual([]);
  expect(sold?.side).toBe('sell');
  expect((sold?.at ?? 0) - (bought?.at ?? 0)).toBeGreaterThan(60 * MINUTE);
  expect(sold?.quantity).toBe(new Decimal(bought?.quantity ?? 0).times(5).toFixed());
  expect(new Decimal(sold?.notionalUsd ?? 0).div(bought?.notionalUsd ?? 1).toNumber()).toBeCloseTo(1, 2);
  expect(fills.at(-1)?.book.holdings).toEqual([]);
});
