// Leaderboard entries of a wallet, refresh by refresh: figures, ranks, reasons, and the cost of a refresh.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { computeCoverage, listRankReasons } from '../../../src/domain/leaderboard/leaderboard-entry.ts';
import { ranksOf } from './ranking.ts';
import { bought, closing, HOUR, moved, NOW, type RefreshFixture, refreshFixture, signature, sold, USDC } from './refresh-fixture.ts';

let fixture: RefreshFixture;
beforeEach(async () => {
  fixture = await refreshFixture();
});
afterEach(() => fixture.close());

describe('a wallet of the primary chain', () => {
  test('is ranked by realized profit: purchases before the window set the basis of sales inside it', async () => {
    const address = await fixture.wallet([
      sold(4, NOW - HOUR, 5, 90_000_000),
      sold(3, NOW - 48 * HOUR, 5, 20_000_000),
      bought(2, NOW - 20 * 24 * HOUR, 10, 100_000_000),
    ]);
    await fixture.settled();
    expect(await fixture.entry(address, '24h')).toMatchObject({
      rank: 1,
      realizedPnlUsd: '40',
      sales: 1,
      matchedSales: 1,
      truncatedAt: null,
    });
    expect(await fixture.entry(address, '7d')).toMatchObject({ rank: 1, realizedPnlUsd: '10', sales: 2 });
    const { items } = await fixture.reads.sales(address, '7d', NOW, { limit: 10, after: null });
    expect(items).toEqual([
      expect.objectContaining({ profitUsd: '40', costUsd: '50', proceedsUsd: '90', reference: signature(4) }),
      expect.objectContaining({ profitUsd: '-30', costUsd: '50', proceedsUsd: '20', reference: signature(3) }),
    ]);
  });

  test('has no figure without a known basis, and coverage says how many sales have one', async () => {
    const unknown = await fixture.wallet([sold(2, NOW - HOUR, 5, 90_000_000), moved(1, NOW - 2 * HOUR, { A: 5 })]);
    const partly = await fixture.wallet([
      sold(9, NOW - HOUR, 5, 90_000_000),
      sold(8, NOW - HOUR, 5, 60_000_000),
      bought(7, NOW - 3 * HOUR, 5, 50_000_000),
    ]);
    await fixture.settled();
    const none = await fixture.entry(unknown);
    expect(none).toMatchObject({ rank: null, realizedPnlUsd: null, sales: 1, matchedSales: 0 });
    expect(listRankReasons(none, '7d', NOW)).toEqual(['no_known_basis']);
    const half = await fixture.entry(partly);
    expect(half).toMatchObject({ rank: 1, realizedPnlUsd: '10', sales: 2, matchedSales: 1 });
    expect([computeCoverage(half), computeCoverage(none)]).toEqual([50, 0]);
  });

  test('without data stays on the board with the reason: not read yet, no answer, no sale', async () => {
    const silent = await fixture.wallet('the provider is away');
    const idle = await fixture.wallet([bought(1, NOW - HOUR, 1, 1)]);
    expect(listRankReasons(await fixture.entry(idle), '7d', NOW)).toEqual(['not_read_yet']);
    await fixture.settled();
    expect(await fixture.entry(silent)).toMatchObject({ rank: null, realizedPnlUsd: null, readAt: null, failure: 'the provider is away' });
    expect(listRankReasons(await fixture.entry(silent), '7d', NOW)).toEqual(['provider_unavailable']);
    expect(listRankReasons(await fixture.entry(idle), '7d', NOW)).toEqual(['no_sales_in_window']);
    const { items } = await fixture.reads.rank(
      '7d',
      { chain: null, search: null, ranked: null, minimumCoveragePct: null },
      { limit: 10, after: null },
    );
    expect(items).toHaveLength(2);
  });

  test('costs only its new transactions: the next refresh reads up to the newest known signature, and counts nothing twice', async () => {
    const history = Array.from({ length: 240 }, (_, n) => bought(240 - n, NOW - (n + 2) * HOUR, 10, 1_000_000));
    const address = await fixture.wallet(history);
    await fixture.settled();
    expect(fixture.asked).toHaveLength(3);
    history.unshift(sold(1_000, NOW, 5, 9_000_000));
    fixture.clock.advanceTo(NOW + 6 * 60_000);
    await fixture.settled();
    expect(fixture.asked).toHaveLength(4);
    expect(await fixture.entry(address)).toMatchObject({ realizedPnlUsd: '8.5', sales: 1 });
    fixture.clock.advanceTo(NOW + 12 * 60_000);
    await fixture.settled();
    expect(fixture.asked).toHaveLength(5);
    expect(await fixture.entry(address)).toMatchObject({ realizedPnlUsd: '8.5', sales: 1 });
    const [row] = await fixture.sql`select transactions from leaderboard_wallets where address = ${address}`;
    expect(row).toEqual({ transactions: 241 });
  });

  test('is read for at most 500 transactions; older ones are not guessed', async () => {
    const history = Array.from({ length: 700 }, (_, n) =>
      n === 0 ? sold(700, NOW - HOUR, 3_000, 9_000_000) : bought(700 - n, NOW - (n + 1) * 60_000, 1, 1_000),
    );
    const address = await fixture.wallet(history);
    await fixture.settled();
    expect(fixture.asked).toHaveLength(5);
    const entry = await fixture.entry(address);
    expect(entry).toMatchObject({ rank: null, sales: 1, matchedSales: 0, truncatedAt: history[499]?.at });
    expect(listRankReasons(entry, '7d', NOW)).toEqual(['no_known_basis', 'history_truncated']);
  });

  test('restarts after a gap that the provider no longer shows', async () => {
    const address = await fixture.wallet([bought(1, NOW - HOUR, 100, 100_000_000)]);
    await fixture.settled();
    fixture.clock.advanceTo(NOW + HOUR);
    const busy = Array.from({ length: 600 }, (_, n) => moved(700 - n, NOW + 60_000 - n * 10, { B: 1 }));
    fixture.histories.set(address, [sold(2_000, NOW + 120_000, 100, 300_000_000), ...busy]);
    await fixture.settled();
    expect(await fixture.entry(address)).toMatchObject({ sales: 1, matchedSales: 0, truncatedAt: expect.any(Number) });
  });

  test('does not take a purchase from before a gap as the basis of a sale after it, not even when it folds everything again', async () => {
    const address = await fixture.wallet([bought(1, NOW - HOUR, 100, 100_000_000)]);
    await fixture.settled();
    fixture.clock.advanceTo(NOW + HOUR);
    const busy = Array.from({ length: 600 }, (_, n) => moved(700 - n, NOW + 60_000 - n * 10, { B: 1 }, { failed: true }));
    const afterGap = [sold(2_000, NOW + 120_000, 100, 300_000_000), ...busy];
    fixture.histories.set(address, afterGap);
    await fixture.settled();
    const cut = await fixture.entry(address);
    expect(cut).toMatchObject({ sales: 1, matchedSales: 0, truncatedAt: expect.any(Number) });
    fixture.clock.advanceTo(NOW + 2 * HOUR);
    // The provider tells this one late: its slot is before that of the sale.
    fixture.histories.set(address, [bought(1_900, NOW + 110_000, 10, 20_000_000), ...afterGap]);
    await fixture.settled();
    expect(await fixture.entry(address)).toMatchObject({ sales: 1, matchedSales: 0, truncatedAt: cut.truncatedAt });
  });

  test('ignores failed transactions, repeats and transfers of dollars', async () => {
    const buy = bought(1, NOW - 3 * HOUR, 10, 100_000_000);
    const sale = sold(5, NOW - HOUR, 10, 150_000_000);
    const address = await fixture.wallet(
      [sale, sale, sold(4, NOW - HOUR, 10, 900_000_000), moved(3, NOW - HOUR, { [USDC]: 5 }), buy, buy].map((one) =>
        one.slot === 4 ? { ...one, failed: true } : one,
      ),
    );
    await fixture.settled();
    expect(await fixture.entry(address)).toMatchObject({ realizedPnlUsd: '50', sales: 1, matchedSales: 1 });
  });
});

describe('a wallet of the perpetuals venue', () => {
  test('adds up closing fills of long and short, each once, and no others', async () => {
    const repeated = closing(NOW - 2 * HOUR, '7');
    const address = await fixture.perpWallet([
      closing(NOW - HOUR, '10.5'),
      closing(NOW - HOUR, '-3', { direction: 'Close Short', startPosition: '-1' }),
      closing(NOW - HOUR, '2', { direction: 'Long > Short' }),
      repeated,
      repeated,
      closing(NOW - HOUR, '0.0', { direction: 'Open Long', startPosition: '0.0' }),
      closing(NOW - HOUR, '99', { coin: '@107', direction: 'Sell' }),
      closing(NOW - 90 * HOUR, '1000'),
    ]);
    await fixture.settled();
    expect(await fixture.reads.find(address.toUpperCase().replace('0X', '0x'), '24h')).not.toBeNull();
    expect(await fixture.entry(address, '24h')).toMatchObject({ chain: 'evmvenue', rank: 1, realizedPnlUsd: '16.5', sales: 4 });
    expect(await fixture.entry(address, '7d')).toMatchObject({ realizedPnlUsd: '1016.5', sales: 5 });
    expect(computeCoverage(await fixture.entry(address))).toBeNull();
  });

  test('is read from its newest fill, which comes again and counts once', async () => {
    const fills = [closing(NOW - HOUR, '10')];
    const address = await fixture.perpWallet(fills);
    await fixture.settled();
    fills.unshift(closing(NOW + 1_000, '5'));
    fixture.clock.advanceTo(NOW + HOUR);
    await fixture.settled();
    expect(await fixture.entry(address)).toMatchObject({ realizedPnlUsd: '15', sales: 2 });
  });

  test('whose 2,000 fills do not reach back through the window says so', async () => {
    const address = await fixture.perpWallet(Array.from({ length: 2_000 }, (_, n) => closing(NOW - n * 60_000, '1')));
    await fixture.settled();
    const entry = await fixture.entry(address);
    expect(entry).toMatchObject({ rank: 1, realizedPnlUsd: '2000' });
    expect([listRankReasons(entry, '7d', NOW), listRankReasons(entry, '24h', NOW)]).toEqual([['history_truncated'], []]);
  });
});

describe('the refresh', () => {
  test('takes twenty wallets a round, oldest first, and reports its delay', async () => {
    const addresses: string[] = [];
    for (let n = 0; n < 45; n++) addresses.push(await fixture.wallet([bought(1, NOW - HOUR, 1, 1)]));
    fixture.clock.advanceTo(NOW + 60_000);
    expect(await fixture.run()).toMatchObject({ refreshed: 20, waiting: 25, behindMs: 60_000 });
    expect(fixture.asked.map(({ address }) => address)).toEqual(addresses.slice(0, 20));
    expect(await fixture.run()).toMatchObject({ refreshed: 20, waiting: 5 });
    expect(await fixture.run()).toMatchObject({ refreshed: 5, waiting: 0, behindMs: 0 });
    expect(await fixture.reads.progress()).toEqual({ at: NOW + 60_000, waiting: 0, behindMs: 0 });
    // Nothing is stale for five minutes.
    expect(await fixture.run()).toMatchObject({ refreshed: 0 });
    fixture.clock.advanceTo(NOW + 60_000 + 5 * 60_000 + 1);
    expect(await fixture.run()).toMatchObject({ refreshed: 20, waiting: 25 });
    expect(fixture.asked.slice(45).map(({ address }) => address)).toEqual(addresses.slice(0, 20));
  });

  test('ends when the budget is used up, and continues with the same wallet; the other venue is still read', async () => {
    const [first, second] = [await fixture.wallet([bought(1, NOW - HOUR, 1, 1)]), await fixture.wallet([bought(2, NOW - HOUR, 1, 1)])];
    const perps = await fixture.perpWallet([closing(NOW - HOUR, '1')]);
    fixture.limit(1);
    expect(await fixture.run()).toMatchObject({ refreshed: 2, spent: true, waiting: 1 });
    expect((await fixture.entry(first)).readAt).toBe(NOW);
    expect(await fixture.entry(second)).toMatchObject({ readAt: null, failure: null });
    expect((await fixture.entry(perps)).rank).toBe(1);
    fixture.limit(10);
    expect(await fixture.run()).toMatchObject({ refreshed: 1, spent: false, waiting: 0 });
  });

  test('gives each wallet a page in turn, and resumes long histories: none waits behind one, and no page is read twice', async () => {
    const long = await fixture.wallet(Array.from({ length: 460 }, (_, n) => bought(460 - n, NOW - (n + 2) * HOUR, 10, 1_000_000)));
    const others = [await fixture.wallet([bought(1, NOW - HOUR, 1, 1)]), await fixture.wallet([bought(2, NOW - HOUR, 1, 1)])];
    // A budget of one request per round, the minimum of a provider.
    const asked: string[] = [];
    for (let round = 0; round < 7; round++) {
      fixture.limit(1);
      await fixture.run();
      asked.push(...fixture.asked.slice(asked.length).map(({ address }) => address));
    }
    expect(asked).toEqual([long, ...others, long, long, long, long]);
    const pages = fixture.asked.filter(({ address }) => address === long).map(({ before }) => before);
    expect(new Set(pages).size).toBe(5);
    expect(await fixture.entry(long)).toMatchObject({ readAt: NOW });
    const [row] = await fixture.sql`select transactions from leaderboard_wallets where address = ${long}`;
    expect(row).toEqual({ transactions: 460 });
    expect(await fixture.run()).toMatchObject({ waiting: 0 });
  });

  test('continues with the others if one wallet meets a defect, and reports it', async () => {
    const broken = await fixture.wallet([{ ...bought(1, NOW - HOUR, 1, 1), tokens: null as never }]);
    const sound = await fixture.wallet([sold(2, NOW - HOUR, 1, 2_000_000), bought(1, NOW - 2 * HOUR, 1, 1_000_000)]);
    expect(await fixture.run()).toMatchObject({ refreshed: 1, failed: 1 });
    expect(fixture.defects).toEqual([expect.any(TypeError)]);
    expect(await fixture.entry(broken)).toMatchObject({ rank: null, failure: 'an error of this service' });
    expect(await fixture.entry(sound)).toMatchObject({ rank: 1, realizedPnlUsd: '1' });
  });

  test('is fair to both chains: an exhausted budget of one does not delay wallets of the other', async () => {
    for (let n = 0; n < 25; n++) await fixture.wallet([bought(1, NOW - HOUR, 1, 1)]);
    const perps = await fixture.perpWallet([closing(NOW - HOUR, '1')]);
    fixture.limit(0);
    expect(await fixture.run()).toMatchObject({ refreshed: 1, spent: true, waiting: 25 });
    expect((await fixture.entry(perps)).rank).toBe(1);
  });

  test('lets sales leave their windows without a request, and removes the rank of wallets unread for a day', async () => {
    const address = await fixture.wallet([sold(2, NOW - 23 * HOUR, 1, 2_000_000), bought(1, NOW - 30 * HOUR, 1, 1_000_000)]);
    await fixture.settled();
    expect(await fixture.entry(address, '24h')).toMatchObject({ rank: 1, realizedPnlUsd: '1' });
    fixture.histories.set(address, 'away');
    fixture.clock.advanceTo(NOW + 2 * HOUR);
    await fixture.settled();
    expect(await fixture.entry(address, '24h')).toMatchObject({ rank: null, realizedPnlUsd: null, sales: 0 });
    expect(await fixture.entry(address, '7d')).toMatchObject({ rank: 1, failure: 'away' });
    fixture.clock.advanceTo(NOW + 25 * HOUR);
    await fixture.settled();
    const outdated = await fixture.entry(address, '7d');
    expect(outdated).toMatchObject({ rank: null, realizedPnlUsd: '1' });
    expect(listRankReasons(outdated, '7d', NOW + 25 * HOUR)).toEqual(['refresh_failed', 'outdated']);
  });

  test('ranks equal figures alike, higher ones first, and pages in that order', async () => {
    const profits = [5, 9, 5, -2];
    for (const profit of profits)
      await fixture.wallet([sold(2, NOW - HOUR, 1, 10_000_000 + profit * 1_000_000), bought(1, NOW - 2 * HOUR, 1, 10_000_000)]);
    await fixture.wallet([]);
    await fixture.settled();
    const filter = { chain: null, search: null, ranked: null, minimumCoveragePct: null };
    const seen: [number | null, string | null][] = [];
    for (let after: string | null = null; ; ) {
      const page = await fixture.reads.rank('7d', filter, { limit: 2, after });
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
    expect((await fixture.reads.rank('7d', { ...filter, ranked: false }, { limit: 9, after: null })).items).toHaveLength(1);
    expect((await fixture.reads.rank('7d', { ...filter, chain: 'evmvenue' }, { limit: 9, after: null })).items).toHaveLength(0);
  });

  test('answers from its projection: without a sale to read the ranking is the same', async () => {
    await ranksOf(fixture, { wallets: 300, salesPerWallet: 4, questions: 30 });
    const filter = { chain: null, search: null, ranked: null, minimumCoveragePct: null };
    const before = await fixture.reads.rank('7d', filter, { limit: 200, after: null });
    expect(before.items.some(({ rank }) => rank !== null)).toBe(true);
    await fixture.sql`delete from leaderboard_sales`;
    expect(await fixture.reads.rank('7d', filter, { limit: 200, after: null })).toEqual(before);
  });
});
