// Perpetuals in a replay: hourly funding from the tape, compared with integer sums, and liquidation at the maintenance margin.
import { expect, test } from 'vitest';
import type { MarketEvent } from '../../src/domain/market/market-event.ts';
import { replayAgent } from '../../src/simulation/replay/replay-agent.ts';
import type { ReplayedFill } from '../../src/simulation/replay/replay-books.ts';
import { type ReplayTape, replayTape } from '../../src/simulation/replay/replay.ts';
import { condition, sampleManifest } from '../actors/agent/sample.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const FROM = Date.UTC(2026, 5, 1, 7, 20);
const HOURS = 12;
/** Hour without a context from the venue. */
const SILENT_HOUR = Date.UTC(2026, 5, 1, 14);

/** Returns the price of a minute in whole dollars. */
const priceAt = (minute: number): number => 60_000 + ((minute * 37) % 211);
/** Returns the hourly rate of a minute in billionths, sometimes with a changed sign. */
const rateAt = (minute: number): number => ((minute * 7919) % 40_000) - 12_000;

const toldAt = (at: number) => ({ venue: 'evmvenue', instrument: 'BTC', observedAt: at, receivedAt: at }) as const;

const quoteOf = (at: number, bid: number): MarketEvent => ({
  ...toldAt(at),
  kind: 'quote',
  source: 'evmvenue:bbo',
  sourceTime: true,
  bid: String(bid),
  ask: String(bid + 1),
  bidSize: '50',
  askSize: '50',
  sequence: null,
  quality: 'live',
  flags: [],
});

const EVENTS: readonly MarketEvent[] = Array.from({ length: HOURS * 60 }, (_, minute): MarketEvent[] => {
  const at = FROM + minute * MINUTE + 59_000;
  const told = toldAt(at);
  const quote = quoteOf(at, priceAt(minute));
  if (at > SILENT_HOUR - HOUR && at < SILENT_HOUR) return [quote];
  const context: MarketEvent = {
    ...told,
    kind: 'perp_context',
    source: 'evmvenue:context',
    markPrice: String(priceAt(minute)),
    oraclePrice: '1',
    hourlyFunding: (rateAt(minute) / 1e9).toFixed(9),
    openInterest: '1',
    dayNotional: '1',
  };
  return [quote, context];
}).flat();

const tapeOf = (events: readonly MarketEvent[]): ReplayTape => ({
  file: 'memory',
  header: { tape: 1 },
  cut: null,
  async *batches() {
    yield { events };
  },
});

/** Manifest that buys at once, sells after some hours, and buys again. */
const MANIFEST = sampleManifest({
  name: 'in and out',
  universe: [{ key: 'evmvenue:BTC', kind: 'perp' }],
  entry: [condition('price_above', { price: '1' })],
  exit: [condition('held_longer_than', { hours: 3 })],
  maxTradeNotionalUsd: '9000',
  maxSlippageBps: 200,
  stopLossPct: 50,
  takeProfitPct: 0,
});

/** Returns the funding paid on the fills by a time in millionths of a dollar, each hour rounded up. */
function paidMicros(fills: readonly ReplayedFill[], until: number): bigint {
  let sum = 0n;
  for (let hour = Math.ceil(FROM / HOUR) * HOUR; hour <= until; hour += HOUR) {
    if (hour === SILENT_HOUR) continue;
    let held = 0n;
    for (const { fill } of fills)
      if (fill.at < hour) held += (fill.side === 'buy' ? 1n : -1n) * BigInt(Math.round(Number(fill.quantity) * 1e5));
    const minute = (hour - FROM) / MINUTE - 1;
    // In hundred-thousandths of a coin, dollars and billionths: 10^-14 of a dollar each.
    const exact = held * BigInt(priceAt(minute)) * BigInt(rateAt(minute));
    sum += exact > 0n ? (exact + 99_999_999n) / 100_000_000n : exact / 100_000_000n;
  }
  return sum;
}

test('a replayed book pays the funding of every held hour once, at the tape’s last rate', async () => {
  const fills: ReplayedFill[] = [];
  const { counts } = await replayTape({
    tapes: [tapeOf(EVENTS)],
    agents: [replayAgent(MANIFEST, 0, 'policy_auto')],
    onDecisions: () => {},
    onFill: (fill) => fills.push(fill),
  });
  expect(fills.map(({ fill }) => fill.side)).toEqual(['buy', 'sell', 'buy', 'sell', 'buy', 'sell', 'buy']);
  for (const [n, { fill, book }] of fills.entries()) {
    const paid = paidMicros(fills.slice(0, n + 1), fill.at);
    expect(BigInt(Math.round(Number(book.fundingUsd) * 1e6)), `fill ${n}`).toBe(paid);
    const moved = fills
      .slice(0, n + 1)
      .reduce(
        (cash, { fill: { side, notionalUsd, feeUsd } }) => cash + (side === 'buy' ? -1 : 1) * Number(notionalUsd) - Number(feeUsd),
        10_000,
      );
    expect(Number(book.cashUsd)).toBeCloseTo(moved - Number(paid) / 1e6, 6);
  }
  expect(Number(fills.at(-1)?.book.fundingUsd)).not.toBe(0);
  // Every hour except those without a position at their end; one of them has no rate, which is not zero.
  expect(counts.trading.funding.unknown).toBe(1);
  expect(counts.trading.funding.paid + counts.trading.funding.unknown).toBe(
    Array.from({ length: HOURS }, (_, n) => Math.ceil(FROM / HOUR) * HOUR + n * HOUR).filter(
      (hour) => fills.filter(({ fill }) => fill.at < hour).length % 2 === 1 && hour < FROM + HOURS * HOUR,
    ).length,
  );
});

test('a replayed perpetual is liquidated at the first minute at its maintenance margin, and not before', async () => {
  // Five times leverage: 48,000 of 60,001 dollars are borrowed.
  const fall = [60_000, 60_000, 60_000, 57_000, 53_000, 50_000, 48_700, 48_500, 45_000];
  const fills: ReplayedFill[] = [];
  const { counts } = await replayTape({
    tapes: [tapeOf(fall.map((bid, minute) => quoteOf(FROM + minute * MINUTE + 59_000, bid)))],
    agents: [replayAgent({ ...MANIFEST, maxLeverage: '5', exit: [] }, 0, 'policy_auto')],
    onDecisions: () => {},
    onFill: (fill) => fills.push(fill),
  });
  const [bought, ended] = fills.map(({ fill }) => fill);
  expect(bought).toMatchObject({ side: 'buy', fillPrice: '60001' });
  // At 48,700 the equity per coin is 699.2, more than an eightieth of the value, 608.75; at 48,500 it is 499.2, less than 606.25 and
  // more than two thirds of it: the venue sells it in the book, at its fee.
  expect(ended).toMatchObject({ side: 'sell', quantity: bought?.quantity, fillPrice: '48500', at: FROM + 8 * MINUTE });
  expect(Number(ended?.feeUsd)).toBeCloseTo(Number(ended?.notionalUsd) * 0.00045, 5);
  expect(counts.trading.liquidations).toBe(1);
  expect(fills[1]?.book.holdings).toEqual([]);
});
