// Closed profit and loss from the venue's fills: gross, signed fees, and only perpetuals.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sumClosedPnl, FILLS_CAP, type ReportedFill } from '../../src/domain/identity/wallet.ts';

let ids = 0;
const fill = (over: Partial<ReportedFill>): ReportedFill => ({
  coin: 'ETH',
  at: 1_000 + ids,
  direction: 'Close Long',
  startPosition: '1',
  closedPnl: '0',
  fee: '0',
  feeToken: 'USDC',
  tradeId: ++ids,
  orderId: ids,
  hash: '0x',
  ...over,
});

test('long and short trades are summed by the closed position, with signed fees deducted at the end', () => {
  const { pnl, coverage } = sumClosedPnl([
    fill({ closedPnl: '4.9862', fee: '0.072565', startPosition: '0.214' }),
    fill({ closedPnl: '-1.5', fee: '-0.01', direction: 'Close Short', startPosition: '-3' }),
    // A flip closes the existing part.
    fill({ closedPnl: '2', direction: 'Long > Short', startPosition: '5', coin: 'BTC', fee: '0.3' }),
    fill({ direction: 'Open Short', startPosition: '0', fee: '0.1' }),
    // An unknown direction still closed something.
    fill({ closedPnl: '7', direction: 'Auto-Deleveraging', startPosition: '-2' }),
  ]);
  expect(pnl).toEqual({
    grossPnl: '12.4862',
    closingFills: 4,
    wins: 3,
    losses: 1,
    fees: '0.462565',
    netPnl: '12.023635',
    long: { grossPnl: '6.9862', closingFills: 2, wins: 2, losses: 0 },
    short: { grossPnl: '5.5', closingFills: 2, wins: 1, losses: 1 },
    byCoin: [
      { coin: 'BTC', grossPnl: '2', closingFills: 1, wins: 1, losses: 0, fees: '0.3' },
      { coin: 'ETH', grossPnl: '10.4862', closingFills: 3, wins: 2, losses: 1, fees: '0.162565' },
    ],
  });
  expect(coverage).toMatchObject({ label: 'reported/partial', fills: 5, counted: 5, excluded: 0, truncated: false });
});

test('spot fills, conversions and repeated rows do not count; fees in other tokens are in no sum', () => {
  const twice = fill({ closedPnl: '1' });
  const { pnl, coverage } = sumClosedPnl([
    twice,
    { ...twice },
    fill({ coin: '@107', direction: 'Sell', closedPnl: '100' }),
    fill({ coin: 'PURR/USDC', direction: 'Buy', closedPnl: '100' }),
    fill({ coin: '#250', direction: 'Settlement', closedPnl: '100' }),
    fill({ direction: 'Spot Dust Conversion', closedPnl: '100' }),
    fill({ coin: 'xyz:TSLA', feeToken: 'HYPE', fee: '9', closedPnl: '2' }),
  ]);
  expect(pnl).toMatchObject({ grossPnl: '3', fees: '0', closingFills: 2, netPnl: null });
  expect(coverage).toMatchObject({ fills: 7, counted: 2, excluded: 5, feesInOtherTokens: 1 });
});

test.each(['USDC', 'USDH', 'USDT0', 'USDE'])('a fee in %s is a fee in dollars: it is deducted from a closing fill', (feeToken) => {
  const { pnl, coverage } = sumClosedPnl([fill({ coin: 'xyz:TSLA', closedPnl: '100', fee: '50', feeToken })]);
  expect(pnl).toMatchObject({ grossPnl: '100', fees: '50', netPnl: '50' });
  expect(coverage.feesInOtherTokens).toBe(0);
});

test('at the cap the rest is unknown, and no fills at all are reported', () => {
  const many = Array.from({ length: FILLS_CAP }, () => fill({}));
  expect(sumClosedPnl(many).coverage).toMatchObject({ truncated: true, cap: 2_000, from: many[0]?.at, to: many.at(-1)?.at });
  expect(sumClosedPnl([])).toMatchObject({
    pnl: { grossPnl: '0', netPnl: '0', byCoin: [] },
    coverage: { from: null, to: null, truncated: false },
  });
});

const RECORDED = fileURLToPath(new URL('../../../shared/data/fixtures/hyperliquid/rec_get_user_fills.json', import.meta.url));
test.skipIf(!existsSync(RECORDED))('a recorded answer adds up to what its own numbers add up to', () => {
  const found: unknown[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === 'string' && value.startsWith('[{')) return collect(JSON.parse(value));
    if (typeof value !== 'object' || value === null) return;
    if ('closedPnl' in value) found.push(value);
    else for (const one of Object.values(value)) collect(one);
  };
  collect(JSON.parse(readFileSync(RECORDED, 'utf8')));
  const rows = found as {
    coin: string;
    time: number;
    dir: string;
    startPosition: string;
    closedPnl: string;
    tid?: number;
    oid: number;
    hash: string;
  }[];
  const fills = rows.map((row) =>
    fill({
      coin: row.coin,
      at: row.time,
      direction: row.dir,
      startPosition: row.startPosition,
      closedPnl: row.closedPnl,
      tradeId: row.tid ?? 0,
      orderId: row.oid,
      hash: row.hash,
    }),
  );
  const { pnl, coverage } = sumClosedPnl(fills);
  expect(Number(pnl.grossPnl)).toBeCloseTo(
    rows.reduce((sum, row) => sum + Number(row.closedPnl), 0),
    6,
  );
  expect(coverage).toMatchObject({ fills: 500, counted: 500, excluded: 0 });
});
