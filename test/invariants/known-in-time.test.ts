// No bar, event or outcome is visible before its source could have published it.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readSubmissions } from '../../src/adapters/intelligence/filings.ts';
import { readAlpacaArticle } from '../../src/adapters/intelligence/news-providers.ts';
import { readWireItem } from '../../src/adapters/intelligence/newswire.ts';
import { CANDLE_CSV } from '../../src/adapters/tape/import/candle-csv.ts';
import { LEAN } from '../../src/adapters/tape/import/lean.ts';
import { ImportCounts, type Importer } from '../../src/adapters/tape/importer.ts';
import { mapMarket } from '../../src/adapters/venues/prediction/kalshi/map.ts';
import { mapGammaMarket } from '../../src/adapters/venues/prediction/polymarket/map.ts';
import { mapSpotFrame, streamSymbols } from '../../src/adapters/venues/spotexchange/map.ts';
import { CATALOG } from '../../src/domain/catalog/catalog.ts';
import { indexEntityNames } from '../../src/domain/intelligence/entities.ts';
import { newYorkOffsetMs, tradingDay } from '../../src/domain/market/session.ts';
import { timeframeMs } from '../../src/domain/values/time.ts';
import type { TapeEvent } from '../../src/domain/tape/tape.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const NOW = Date.UTC(2025, 11, 1);
const names = indexEntityNames(CATALOG);

async function eventsOf(
  importer: Importer,
  file: string,
  rows: readonly (readonly string[])[],
  venue: 'reference' | 'spotexchange',
): Promise<TapeEvent[]> {
  const source = {
    file,
    // biome-ignore lint/suspicious/useAwait: an async iterable of what is in memory
    async *records() {
      for (const [index, fields] of rows.entries()) yield { line: index + 1, fields };
    },
  };
  const events: TapeEvent[] = [];
  const target = { venue, instrument: null, timeframe: null, date: null };
  for await (const event of importer.read(source as never, target, new ImportCounts())) events.push(event);
  return events;
}

test('a bar of a recording is received at its end, and not before', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('1m', '5m', '1h', '24h'),
      fc.array(fc.integer({ min: 0, max: 3_000_000 }), { minLength: 1, maxLength: 8 }),
      fc.constantFrom('second', 'minute'),
      async (timeframe, minutes, resolution) => {
        const rows = minutes.map((minute) => [String(Date.UTC(2020, 0, 1) + minute * 60_000), '1', '2', '1', '2', '3']);
        const bars = await eventsOf(CANDLE_CSV, `BTCUSDT_${timeframe}_x.csv`, [['h'], ...rows], 'spotexchange');
        const millis = minutes.map((minute) => String((minute * 1_000) % DAY));
        const path = `lean/equity/usa/${resolution}/spy/20230803_trade.csv`;
        const lean = await eventsOf(
          LEAN,
          path,
          millis.map((at) => [at, '10000', '20000', '10000', '20000', '3']),
          'reference',
        );
        expect(lean).toHaveLength(millis.length);
        for (const event of [...bars, ...lean]) {
          if (event.kind !== 'candles') continue;
          const barMs = timeframeMs(event.timeframe) as number;
          for (const { openTime } of event.candles) expect(event.receivedAt).toBeGreaterThanOrEqual(openTime + barMs);
        }
        // A price of a second is known once the second has ended. New York's midnight was at 04:00 UTC.
        if (resolution === 'second')
          for (const [index, { receivedAt }] of lean.entries())
            expect(receivedAt).toBe(Date.UTC(2023, 7, 3, 4) + Number(millis[index]) + 1_000);
      },
    ),
    { numRuns: 60 },
  );
});

/** Filings as EDGAR accepts them, with their dates. */
const filing = fc
  .record({
    day: fc.integer({ min: 0, max: 300 }),
    second: fc.integer({ min: 6 * 3_600, max: 22 * 3_600 - 1 }),
    form: fc.constantFrom('8-K', '8-K', '10-Q', '4', 'SC 13D'),
  })
  .map(({ day, second, form }) => {
    let midnight = Date.UTC(2025, 0, 2) + day * DAY;
    const date = (): string => new Date(midnight).toISOString().slice(0, 10);
    while (tradingDay(date()) === null) midnight += DAY;
    const wall = midnight + second * 1_000;
    const at = wall - newYorkOffsetMs(midnight + 17 * HOUR);
    const isNextDay = form !== '4' && second >= 17.5 * 3_600 + 60;
    do midnight += isNextDay ? DAY : 0;
    while (tradingDay(date()) === null);
    return { at, wall, form, filingDate: date() };
  });

test('a filing is never published before EDGAR accepted it, whichever clock its time is written in', () => {
  let [exact, all] = [0, 0];
  fc.assert(
    fc.property(fc.array(filing, { minLength: 1, maxLength: 40 }), fc.boolean(), (filings, onWallClock) => {
      const rows = filings.map((one, index) => ({ ...one, accession: `0000320193-25-${String(index).padStart(6, '0')}` }));
      const { reports } = readSubmissions(
        {
          cik: '320193',
          name: 'Apple Inc.',
          filings: {
            recent: {
              accessionNumber: rows.map(({ accession }) => accession),
              form: rows.map(({ form }) => form),
              acceptanceDateTime: rows.map(({ at, wall }) => new Date(onWallClock ? wall : at).toISOString()),
              filingDate: rows.map(({ filingDate }) => filingDate),
            },
          },
        },
        { names, receivedAt: NOW, since: 0, archiveUrl: null },
      );
      const accepted = new Map(rows.map(({ accession, at }) => [`sec:${accession}`, at]));
      for (const { id, publishedAt } of reports) {
        const at = accepted.get(id) as number;
        expect(publishedAt).toBeGreaterThanOrEqual(at);
        all++;
        if (publishedAt === at) exact++;
        else expect(publishedAt - at).toBeLessThanOrEqual(5 * HOUR);
      }
    }),
    { numRuns: 200 },
  );
  // A later time than the true one is the exception.
  expect(exact / all).toBeGreaterThan(0.9);
});

test('news and posts without an offset are refused, not read in the time zone of this machine', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 365 * 1_440 }), fc.constantFrom('Z', '+00:00', '-0500', ' GMT', '', 'T'), (minute, zone) => {
      const at = Date.UTC(2025, 0, 1) + minute * 60_000;
      const wall = new Date(at - (zone === '-0500' ? 5 * HOUR : 0)).toISOString().slice(0, 19);
      const text = zone === 'T' ? wall.slice(0, 10) : `${wall}${zone}`;
      const article = readAlpacaArticle({
        id: 1,
        created_at: text,
        updated_at: text,
        headline: 'x',
        symbols: ['AAPL'],
        source: 'benzinga',
      });
      const item = readWireItem(
        { id: '1', publishedAt: text, headline: 'x', source: { family: 'a', name: 'b' }, symbols: ['AAPL'] },
        names,
        NOW,
      );
      if (zone === '' || zone === 'T') expect([typeof article, typeof item]).toEqual(['string', 'string']);
      else if (typeof article !== 'string') expect(article.publishedAt).toBe(at);
    }),
    { numRuns: 100 },
  );
});

test('a market pays nothing before the provider has said that its outcome is final', () => {
  const text = (values: readonly string[]): string => JSON.stringify(values);
  fc.assert(
    fc.property(
      fc.record({
        active: fc.boolean(),
        closed: fc.boolean(),
        acceptingOrders: fc.option(fc.boolean(), { nil: undefined }),
        umaResolutionStatus: fc.constantFrom('proposed', 'challenged', 'disputed', 'reproposed', 'resolved', 'settling', undefined),
        outcomePrices: fc.constantFrom(text(['1', '0']), text(['0', '1']), text(['0.5', '0.5']), text(['0', '0']), text(['0.99', '0.01'])),
      }),
      fc.constantFrom('initialized', 'active', 'inactive', 'closed', 'determined', 'disputed', 'amended', 'finalized', 'reviewing'),
      fc.constantFrom('yes', 'no', '', undefined),
      (gamma, status, result) => {
        const base = { conditionId: '0x1', question: 'Will it?', outcomes: text(['Yes', 'No']), clobTokenIds: text(['1', '2']) };
        const polymarket = mapGammaMarket({ ...base, ...gamma }, null, NOW);
        const kalshi = mapMarket(
          { ticker: 'K', event_ticker: 'E', title: 'Will it?', status, result, settlement_value_dollars: '1.00' },
          { event: null, series: null },
          NOW,
        );
        if ('reason' in polymarket || 'reason' in kalshi) throw new Error(JSON.stringify([polymarket, kalshi]));
        const said = gamma.umaResolutionStatus;
        const isFinal = [gamma.closed && (said === 'resolved' || said === undefined), status === 'finalized'];
        for (const [index, market] of [polymarket, kalshi].entries()) {
          const paid = market.outcomes.some(({ payout }) => payout !== null) || market.resolution.result !== null;
          if (paid || market.status === 'resolved') expect([market.provider, isFinal[index]]).toEqual([market.provider, true]);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('the forming bar is not used as a bar of the exchange until it is closed', () => {
  const symbols = streamSymbols(['BTCUSDT']);
  fc.assert(
    fc.property(fc.boolean(), fc.integer({ min: 0, max: 59_999 }), (closed, into) => {
      const openTime = NOW;
      const kline = {
        t: openTime,
        T: openTime + 59_999,
        s: 'BTCUSDT',
        i: '1m',
        f: 1,
        L: 2,
        o: '1',
        c: '2',
        h: '2',
        l: '1',
        v: '3',
        n: 1,
        x: closed,
        q: '1',
        V: '1',
        Q: '1',
        B: '0',
      };
      const frame = { stream: 'btcusdt@kline_1m', data: { e: 'kline', E: openTime + into, s: 'BTCUSDT', k: kline } };
      const messages = mapSpotFrame(Buffer.from(JSON.stringify(frame)), openTime + into, symbols);
      expect(messages.filter(({ kind }) => kind === 'candles').length).toBe(closed ? 1 : 0);
    }),
    { numRuns: 40 },
  );
});
