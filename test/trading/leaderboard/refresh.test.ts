// What the leaderboard shows of a wallet, refresh by refresh: figures, ranks, reasons, and what a refresh costs.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { coverageOf, reasonsOf } from '../../../src/domain/leaderboard/entry.ts';
import { ranksOf } from './ranking.ts';
import { bought, closing, HOUR, moved, NOW, type RefreshFixture, refreshFixture, signature, sold, USDC } from './refresh-fixture.ts';

let stage: RefreshFixture;
beforeEach(async () => {
  stage = await refreshFixture();
});
afterEach(() => stage.close());

describe('a wallet of the primary chain', () => {
  test('is ranked by what it realized: purchases before the window set the basis of sales inside it', async () => {
    const address = await stage.wallet([
      sold(4, NOW - HOUR, 5, 90_000_000),
      sold(3, NOW - 48 * HOUR, 5, 20_000_000),
      bought(2, NOW - 20 * 24 * HOUR, 10, 100_000_000),
    ]);
    await stage.settled();
    expect(await stage.entry(address, '24h')).toMatchObject({
      rank: 1,
      realizedPnlUsd: '40',
      sales: 1,
      matchedSales: 1,
      truncatedAt: null,
    });
    expect(await stage.entry(address, '7d')).toMatchObject({ rank: 1, realizedPnlUsd: '10', sales: 2 });
    const { items } = await stage.reads.sales(address, '7d', NOW, { limit: 10, after: null });
    expect(items).toEqual([
      expect.objectContaining({ profitUsd: '40', costUsd: '50', proceedsUsd: '90', reference: signature(4) }),
      expect.objectContaining({ profitUsd: '-30', costUsd: '50', proceedsUsd: '20', reference: signature(3) }),
    ]);
  });

  test('has no figure where no basis is known, and coverage says how many sales have one', async () => {
    const unknown = await stage.wallet([sold(2, NOW - HOUR, 5, 90_000_000), moved(1, NOW - 2 * HOUR, { A: 5 })]);
    const partly = await stage.wallet([
      sold(9, NOW - HOUR, 5, 90_000_000),
      sold(8, NOW - HOUR, 5, 60_000_000),
      bought(7, NOW - 3 * HOUR, 5, 50_000_000),
    ]);
    await stage.settled();
    const none = await stage.entry(unknown);
    expect(none).toMatchObject({ rank: null, realizedPnlUsd: null, sales: 1, matchedSales: 0 });
    expect(reasonsOf(none, '7d', NOW)).toEqual(['no_known_basis']);
    const half = await stage.entry(partly);
    expect(half).toMatchObject({ rank: 1, realizedPnlUsd: '10', sales: 2, matchedSales: 1 });
    expect([coverageOf(half), coverageOf(none)]).toEqual([50, 0]);
  });

  test('without data stays on the board and says why: nothing read yet, no answer, no sale', async () => {
    const silent = await stage.wallet('the provider is away');
    const idle = await stage.wallet([bought(1, NOW - HOUR, 1, 1)]);
    expect(reasonsOf(await stage.entry(idle), '7d', NOW)).toEqual(['not_read_yet']);
    await stage.settled();
    expect(await stage.entry(silent)).toMatchObject({ rank: null, realizedPnlUsd: null, readAt: null, failure: 'the provider is away' });
    expect(reasonsOf(await stage.entry(silent), '7d', NOW)).toEqual(['provider_unavailable']);
    expect(reasonsOf(await stage.entry(idle), '7d', NOW)).toEqual(['no_sales_in_window']);
    const { items } = await stage.reads.rank(
      '7d',
      { chain: null, search: null, ranked: null, minimumCoveragePct: null },
      { limit: 10, after: null },
    );
    expect(items).toHaveLength(2);
  });

  test('costs what is new of it: the next refresh reads up to the newest known signature, and counts nothing twice', async () => {
    const history = Array.from({ length: 240 }, (_, n) => bought(240 - n, NOW - (n + 2) * HOUR, 10, 1_000_000));
    const address = await stage.wallet(history);
    await stage.settled();
    expect(stage.asked).toHaveLength(3);
    history.unshift(sold(1_000, NOW, 5, 9_000_000));
    stage.clock.advanceTo(NOW + 6 * 60_000);
    await stage.settled();
    expect(stage.asked).toHaveLength(4);
    expect(await stage.entry(address)).toMatchObject({ realizedPnlUsd: '8.5', sales: 1 });
    stage.clock.advanceTo(NOW + 12 * 60_000);
    await stage.settled();
    expect(stage.asked).toHaveLength(5);
    expect(await stage.entry(address)).toMatchObject({ realizedPnlUsd: '8.5', sales: 1 });
    const [row] = await stage.sql`select transactions from leaderboard_wallets where address = ${address}`;
    expect(row).toEqual({ transactions: 241 });
  });

  test('is read for 500 transactions and no more; what is older is not guessed', async () => {
    const history = Array.from({ length: 700 }, (_, n) =>
      n === 0 ? sold(700, NOW - HOUR, 3_000, 9_000_000) : bought(700 - n, NOW - (n + 1) * 60_000, 1, 1_000),
    );
    const address = await stage.wallet(history);
    await stage.settled();
    expect(stage.asked).toHaveLength(5);
    const entry = await stage.entry(address);
    expect(entry).toMatchObject({ rank: null, sales: 1, matchedSales: 0, truncatedAt: history[499]?.at });
    expect(reasonsOf(entry, '7d', NOW)).toEqual(['no_known_basis', 'history_truncated']);
  });

  test('begins anew after a gap that the provider no longer shows', async () => {
    const address = await stage.wallet([bought(1, NOW - HOUR, 100, 100_000_000)]);
    await stage.settled();
    stage.clock.advanceTo(NOW + HOUR);
    const busy = Array.from({ length: 600 }, (_, n) => moved(700 - n, NOW + 60_000 - n * 10, { B: 1 }));
    stage.histories.set(address, [sold(2_000, NOW + 120_000, 100, 300_000_000), ...busy]);
    await stage.settled();
    expect(await stage.entry(address)).toMatchObject({ sales: 1, matchedSales: 0, truncatedAt: expect.any(Number) });
  });

  test('shows nothing of failed transactions, repeats and transfers of dollars', async () => {
    const buy = bought(1, NOW - 3 * HOUR, 10, 100_000_000);
    const sale = sold(5, NOW - HOUR, 10, 150_000_000);
    const address = await stage.wallet(
      [sale, sale, sold(4, NOW - HOUR, 10, 900_000_000), moved(3, NOW - HOUR, { [USDC]: 5 }), buy, buy].map((one) =>
        one.slot === 4 ? { ...one, failed: true } : one,
      ),
    );
    await stage.settled();
    expect(await stage.entry(address)).toMatchObject({ realizedPnlUsd: '50', sales: 1, matchedSales: 1 });
  });
});

describe('a wallet of the perpetuals venue', () => {
  test('adds up closing fills of long and short, each once, and no others', async () => {
    const repeated = closing(NOW - 2 * HOUR, '7');
    const address = await stage.perpWallet([
      closing(NOW - HOUR, '10.5'),
      closing(NOW - HOUR, '-3', { direction: 'Close Short', startPosition: '-1' }),
      closing(NOW - HOUR, '2', { direction: 'Long > Short' }),
      repeated,
      repeated,
      closing(NOW - HOUR, '0.0', { direction: 'Open Long', startPosition: '0.0' }),
      closing(NOW - HOUR, '99', { coin: '@107', direction: 'Sell' }),
      closing(NOW - 90 * HOUR, '1000'),
    ]);
    await stage.settled();
    expect(await stage.reads.find(address.toUpperCase().replace('0X', '0x'), '24h')).not.toBeNull();
    expect(await stage.entry(address, '24h')).toMatchObject({ chain: 'evmvenue', rank: 1, realizedPnlUsd: '16.5', sales: 4 });
    expect(await stage.entry(address, '7d')).toMatchObject({ realizedPnlUsd: '1016.5', sales: 5 });
    expect(coverageOf(await stage.entry(address))).toBeNull();
  });

  test('is asked for what is new since its newest fill, which comes again and counts once', async () => {
    const fills = [closing(NOW - HOUR, '10')];
    const address = await stage.perpWallet(fills);
    await stage.settled();
    fills.unshift(closing(NOW + 1_000, '5'));
    stage.clock.advanceTo(NOW + HOUR);
    await stage.settled();
    expect(await stage.entry(address)).toMatchObject({ realizedPnlUsd: '15', sales: 2 });
  });

  test('whose 2,000 fills do not reach back through the window says so', async () => {
    const address = await stage.perpWallet(Array.from({ length: 2_000 }, (_, n) => closing(NOW - n * 60_000, '1')));
    await stage.settled();
    const entry = await stage.entry(address);
    expect(entry).toMatchObject({ rank: 1, realizedPnlUsd: '2000' });
    expect([reasonsOf(entry, '7d', NOW), reasonsOf(entry, '24h', NOW)]).toEqual([['history_truncated'], []]);
  });
});

describe('the refresh', () => {
  test('takes twenty wallets a round, oldest first, and says how far behind it is', async () => {
    const addresses: string[] = [];
    for (let n = 0; n < 45; n++) addresses.push(await stage.wallet([bought(1, NOW - HOUR, 1, 1)]));
    stage.clock.advanceTo(NOW + 60_000);
    expect(await stage.run()).toMatchObject({ refreshed: 20, waiting: 25, behindMs: 60_000 });
    expect(stage.asked.map(({ address }) => address)).toEqual(addresses.slice(0, 20));
    expect(await stage.run()).toMatchObject({ refreshed: 20, waiting: 5 });
    expect(await stage.run()).toMatchObject({ refreshed: 5, waiting: 0, behindMs: 0 });
    expect(await stage.reads.progress()).toEqual({ at: NOW + 60_000, waiting: 0, behindMs: 0 });
    // Nothing is stale for five minutes.
    expect(await stage.run()).toMatchObject({ refreshed: 0 });
    stage.clock.advanceTo(NOW + 60_000 + 5 * 60_000 + 1);
    expect(await stage.run()).toMatchObject({ refreshed: 20, waiting: 25 });
    expect(stage.asked.slice(45).map(({ address }) => address)).toEqual(addresses.slice(0, 20));
  });

  test('ends where the budget is spent, and goes on with the same wallet; the other venue is asked all the same', async () => {
    const [first, second] = [await stage.wallet([bought(1, NOW - HOUR, 1, 1)]), await stage.wallet([bought(2, NOW - HOUR, 1, 1)])];
    const perps = await stage.perpWallet([closing(NOW - HOUR, '1')]);
    stage.limit(1);
    expect(await stage.run()).toMatchObject({ refreshed: 2, spent: true, waiting: 1 });
    expect((await stage.entry(first)).readAt).toBe(NOW);
    expect(await stage.entry(second)).toMatchObject({ readAt: null, failure: null });
    expect((await stage.entry(perps)).rank).toBe(1);
    stage.limit(10);
    expect(await stage.run()).toMatchObject({ refreshed: 1, spent: false, waiting: 0 });
  });

  test('gives each wallet a page in turn, and goes on where a long history was left: none waits behind it, and no page is read twice', async () => {
    const long = await stage.wallet(Array.from({ length: 460 }, (_, n) => bought(460 - n, NOW - (n + 2) * HOUR, 10, 1_000_000)));
    const others = [await stage.wallet([bought(1, NOW - HOUR, 1, 1)]), await stage.wallet([bought(2, NOW - HOUR, 1, 1)])];
    // A budget of one request a round, the least that a provider may leave.
    const asked: string[] = [];
    for (let round = 0; round < 7; round++) {
      stage.limit(1);
      await stage.run();
      asked.push(...stage.asked.slice(asked.length).map(({ address }) => address));
    }
    expect(asked).toEqual([long, ...others, long, long, long, long]);
    const pages = stage.asked.filter(({ address }) => address === long).map(({ before }) => before);
    expect(new Set(pages).size).toBe(5);
    expect(await stage.entry(long)).toMatchObject({ readAt: NOW });
    const [row] = await stage.sql`select transactions from leaderboard_wallets where address = ${long}`;
    expect(row).toEqual({ transactions: 460 });
    expect(await stage.run()).toMatchObject({ waiting: 0 });
  });

  test('goes on with the others if one wallet meets a defect, and reports it', async () => {
    const broken = await stage.wallet([{ ...bought(1, NOW - HOUR, 1, 1), tokens: null as never }]);
    const sound = await stage.wallet([sold(2, NOW - HOUR, 1, 2_000_000), bought(1, NOW - 2 * HOUR, 1, 1_000_000)]);
    expect(await stage.run()).toMatchObject({ refreshed: 1, failed: 1 });
    expect(stage.defects).toEqual([expect.any(TypeError)]);
    expect(await stage.entry(broken)).toMatchObject({ rank: null, failure: 'an error of this service' });
    expect(await stage.entry(sound)).toMatchObject({ rank: 1, realizedPnlUsd: '1' });
  });

  test('is fair to both chains: where one budget is spent, wallets of the other one do not wait behind it', async () => {
    for (let n = 0; n < 25; n++) await stage.wallet([bought(1, NOW - HOUR, 1, 1)]);
    const perps = await stage.perpWallet([closing(NOW - HOUR, '1')]);
    stage.limit(0);
    expect(await stage.run()).toMatchObject({ refreshed: 1, spent: true, waiting: 25 });
    expect((await stage.entry(perps)).rank).toBe(1);
  });

  test('lets sales leave their windows without asking anybody, and takes the rank of what was not read for a day', async () => {
    const address = await stage.wallet([sold(2, NOW - 23 * HOUR, 1, 2_000_000), bought(1, NOW - 30 * HOUR, 1, 1_000_000)]);
    await stage.settled();
    expect(await stage.entry(address, '24h')).toMatchObject({ rank: 1, realizedPnlUsd: '1' });
    stage.histories.set(address, 'away');
    stage.clock.advanceTo(NOW + 2 * HOUR);
    await stage.settled();
    expect(await stage.entry(address, '24h')).toMatchObject({ rank: null, realizedPnlUsd: null, sales: 0 });
    expect(await stage.entry(address, '7d')).toMatchObject({ rank: 1, failure: 'away' });
    stage.clock.advanceTo(NOW + 25 * HOUR);
    await stage.settled();
    const outdated = await stage.entry(address, '7d');
    expect(outdated).toMatchObject({ rank: null, realizedPnlUsd: '1' });
    expect(reasonsOf(outdated, '7d', NOW + 25 * HOUR)).toEqual(['refresh_failed', 'outdated']);
  });

  test('ranks equal figures alike, the higher ones before, and pages in that order', async () => {
    const profits = [5, 9, 5, -2];
    for (const profit of profits)
      await stage.wallet([sold(2, NOW - HOUR, 1, 10_000_000 + profit * 1_000_000), bought(1, NOW - 2 * HOUR, 1, 10_000_000)]);
    await stage.wallet([]);
    await stage.settled();
    const filter = { chain: null, search: null, ranked: null, minimumCoveragePct: null };
    const seen: [number | null, string | null][] = [];
    for (let after: string | null = null; ; ) {
      const page = await stage.reads.rank('7d', filter, { limit: 2, after });
      seen.push(...page.items.map(({ rank, realizedPnlUsd }): [number | null, string | null] => [rank, realizedPnlUsd]));
      after = page.next;
      if (after === null) break;
    }
    expect(seen).toEqual([
      [1, '9'],
      [2, '5'],
      [2, '5'],
      [4, '-2'],
      [null, null],
    ]);
    expect((await stage.reads.rank('7d', { ...filter, ranked: false }, { limit: 9, after: null })).items).toHaveLength(1);
    expect((await stage.reads.rank('7d', { ...filter, chain: 'evmvenue' }, { limit: 9, after: null })).items).toHaveLength(0);
  });

  test('answers from its projection: without a sale to read the ranking is the same', async () => {
    await ranksOf(stage, { wallets: 300, salesPerWallet: 4, questions: 30 });
    const filter = { chain: null, search: null, ranked: null, minimumCoveragePct: null };
    const before = await stage.reads.rank('7d', filter, { limit: 200, after: null });
    expect(before.items.some(({ rank }) => rank !== null)).toBe(true);
    await stage.sql`delete from leaderboard_sales`;
    expect(await stage.reads.rank('7d', filter, { limit: 200, after: null })).toEqual(before);
  });
});
