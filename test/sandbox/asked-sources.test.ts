// Polled sources and clients under every fault of an answer: what is reported, what is counted, and how soon it heals.
// In the suite each fault meets a third of them; `npm run proof` runs the whole tables.
import { readFileSync } from 'node:fs';
import { concat, EMPTY, NEVER } from 'rxjs';
import { afterEach, describe, expect, test } from 'vitest';
import { withFallback } from '../../src/adapters/venues/reference/fallback.ts';
import { FINNHUB } from '../../src/adapters/venues/reference/share-quotes.ts';
import type { ReferencePrice } from '../../src/domain/market/quote.ts';
import { createFaultSwitch, type FaultSettings } from '../../src/sandbox/faults.ts';
import { createSeededMarket } from '../../src/sandbox/market/seeded-market.ts';
import { createShareQuotesSimulator } from '../../src/sandbox/reference/share-quotes.ts';
import { COUNTED } from '../../streams/feed-counters.ts';
import { createMarketPipeline } from '../../streams/market-pipeline.ts';
import { isMet } from '../harness/rounds.ts';
import { CLIENTS } from './asked-sources-clients.ts';
import { SOURCES } from './asked-sources-feeds.ts';
import { sourceFixture } from './asked-sources-fixture.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Faults of polled sources. Lost, repeated or swapped frames, and prices, are tested elsewhere. */
const FAULTS: readonly { readonly name: string; readonly settings: Partial<FaultSettings> }[] = [
  { name: 'freeze with open socket', settings: { freeze: true } },
  { name: 'garbage answer', settings: { garbage: 1 } },
  { name: '10 MB answer', settings: { bigFrame: 1 } },
  { name: '429', settings: { status429: 1 } },
  { name: '503', settings: { status5xx: 1 } },
  { name: 'lost answer', settings: { lostAnswer: 1 } },
  { name: 'answers after 5 s', settings: { slowMs: 5_000 } },
  { name: 'answers after 20 s', settings: { slowMs: 20_000 } },
  { name: 'disconnect loop', settings: { disconnectLoop: true } },
];

interface Row {
  readonly source: string;
  readonly fault: string;
  readonly cells: readonly [told: string, counted: string, heals: string];
}
const random = (): number => 0.5;
const WRITTEN = new URL('../../docs/source-faults.md', import.meta.url);
const BOUNDS_S = [1, 5, 15, 30, 60, 120];
const rows: Row[] = [];
/**
 * Returns the time of healing. The place in its round at the end of a fault decides how soon a source is polled again: `leastMs` is a
 * whole round.
 */
function healed(ms: number, leastMs = 30_000): string {
  const bound = BOUNDS_S.find((seconds) => Math.max(leastMs, ms) <= seconds * 1_000);
  expect(bound, `healed after ${ms} ms`).toBeDefined();
  return `≤ ${bound} s`;
}
const sorted = (words: Iterable<string>): string => [...new Set(words)].sort().join(', ');

/** Faults that only prices can have. */
const PRICE_FAULTS: typeof FAULTS = [
  { name: 'zero price', settings: { zeroPrice: 1 } },
  { name: 'negative price', settings: { negativePrice: 1 } },
  { name: 'NaN price', settings: { nanPrice: 1 } },
  { name: 'price × 100', settings: { priceJump: 1 } },
  { name: 'price × 100, three in ten', settings: { priceJump: 0.3 } },
  { name: 'clock + 1 h', settings: { clockOffsetMs: 3_600_000 } },
  { name: 'clock − 1 h', settings: { clockOffsetMs: -3_600_000 } },
];
const FALLBACK = 'fallback';
/** Rows of the tables: the sources, the second source of prices, and the clients used on demand. */
const ALL = [...Object.keys(SOURCES), FALLBACK, ...Object.keys(CLIENTS)];
/** True if this run has the source under the fault. */
const isInTable = (source: string, fault: string): boolean =>
  isMet(
    ALL.indexOf(source),
    [...FAULTS, ...PRICE_FAULTS].findIndex(({ name }) => name === fault),
    3,
  );

/** Runs the second source of share prices under a fault, received through the streams, while the first is silent. */
async function fallbackRow({ name: fault, settings }: (typeof FAULTS)[number]): Promise<Row> {
  const run = sourceFixture(cleanups);
  const { clock } = run;
  const market = createSeededMarket({ seed: 21 });
  const faults = createFaultSwitch(4);
  const simulator = await createShareQuotesSimulator({ market, clock, symbols: ['AAPL'], apiKey: 'right', faults, port: 0 });
  cleanups.push(() => simulator.close());
  const primary = { venue: 'reference', messages: concat(EMPTY, NEVER) } as const;
  const source = { provider: FINNHUB, baseUrl: `${simulator.url}/api/v1`, key: 'right', symbols: ['AAPL'] };
  const pipeline = createMarketPipeline({
    clock,
    random,
    feeds: [withFallback({ primary, ...source, clock, random })],
    instruments: () => [],
    needs: () => [],
    onCut: () => {},
    onFailure: (error) => expect.unreachable(String(error)),
  });
  const received = run.receive(pipeline.received);
  pipeline.start();
  cleanups.push(() => pipeline.stop());
  const shown = (): ReferencePrice | null => pipeline.view.referenceAt('reference:AAPL', clock.now());
  const isWell = (): boolean => shown()?.quality === 'delayed';
  for (let waited = 0; !isWell() && waited < 60_000; waited += 1_000) await run.pass(1_000);
  expect(isWell(), 'a price before the fault').toBe(true);

  const words = new Set<string>();
  function look(): void {
    const price = shown();
    expect(price?.quality, 'it never passes for the first one').not.toBe('live');
    if (price === null || price.quality !== 'delayed') words.add(price === null ? 'no price' : [price.quality, ...price.flags].join(' '));
    else expect(Number(price.referencePrice) / market.reference('AAPL', clock.now()).price).toBeCloseTo(1, 1);
  }
  const from = received.length;
  const before = pipeline.counters.snapshot().reference.counted;
  faults.set(settings);
  // Longer than such a price is trusted.
  for (const end = clock.now() + (settings.bigFrame === undefined ? 25 * 60_000 : 20_000); clock.now() < end; look())
    await run.pass(1_000, 1_000);
  faults.reset();
  const ended = clock.now();
  for (let calm = 0; calm < 10_000 && clock.now() - ended < 300_000; look()) {
    await run.pass(500);
    calm = isWell() ? calm + 500 : 0;
  }
  expect(isWell(), `${fault} heals`).toBe(true);
  const during = received.slice(from);
  const down = during.some((message) => message.kind === 'feed_status' && message.status === 'disconnected');
  const reasons = during.flatMap((message) => (message.kind === 'rejection' ? [message.reason] : []));
  const after = pipeline.counters.snapshot().reference.counted;
  const grown = COUNTED.filter((what) => after[what] > before[what]);
  const told = [...(down ? ['disconnected'] : []), ...words];
  return {
    source: FALLBACK,
    fault,
    cells: [
      told.length === 0 ? 'goes on' : told.join(', '),
      sorted([...reasons, ...grown]),
      told.length === 0 ? '' : healed(clock.now() - 10_000 - ended),
    ],
  };
}

describe('under', () => {
  test.each(FAULTS)('$name every source reports it once, counts unreadable answers, and recovers', async ({ name: fault, settings }) => {
    for (const [source, { open, feed }] of Object.entries(SOURCES)) {
      if (!isInTable(source, fault)) continue;
      const run = sourceFixture(cleanups);
      const faults = createFaultSwitch(7);
      const simulator = await open(run.clock, faults);
      cleanups.push(() => simulator.close());
      const received = run.receive(feed(simulator.url, run.clock));
      const beats = (): number => received.filter(({ kind }) => kind === 'heartbeat').length;
      for (let waited = 0; beats() === 0 && waited < 60_000; waited += 1_000) await run.pass(1_000);
      expect(beats(), `${source} before the fault`).toBeGreaterThan(0);
      const from = received.length;
      faults.set(settings);
      await run.pass(settings.bigFrame === undefined ? 90_000 : 20_000);
      const during = received.slice(from);
      const words = during.flatMap((message) => (message.kind === 'feed_status' ? [message.status] : []));
      const reasons = during.flatMap((message) => (message.kind === 'rejection' ? [message.reason] : []));
      faults.reset();
      const ended = run.clock.now();
      const before = beats();
      while (beats() === before && run.clock.now() - ended < 600_000) await run.pass(1_000);
      expect(beats(), `${source} after the fault`).toBeGreaterThan(before);
      expect(words.filter((word) => word === 'disconnected').length, `${source} is told once`).toBeLessThanOrEqual(1);
      const down = words.includes('disconnected');
      rows.push({
        source,
        fault,
        cells: [down ? 'disconnected' : 'goes on', sorted(reasons), down ? healed(run.clock.now() - ended) : ''],
      });
    }
  });

  const fallbackFaults = [...FAULTS, ...PRICE_FAULTS].filter(({ name }) => isInTable(FALLBACK, name));
  test.each(fallbackFaults)('$name the second source of shares is never shown as the first, and recovers', async (fault) => {
    rows.push(await fallbackRow(fault));
  });

  test.each(FAULTS)(
    '$name a caller gets what is known and no more, and the next request is answered',
    async ({ name: fault, settings }) => {
      for (const [source, client] of Object.entries(CLIENTS)) {
        if (!isInTable(source, fault)) continue;
        const run = sourceFixture(cleanups);
        const { clock } = run;
        const faults = createFaultSwitch(7);
        const counted: string[] = [];
        const opening = client.open(clock, faults, (reason) => void counted.push(reason));
        const opened = await run.answer(opening);
        cleanups.push(() => opened.close());
        const words: string[] = [];
        const ask = async (): Promise<string> => {
          const word = await run.answer(opened.ask());
          if (!words.includes(word)) words.push(word);
          return word;
        };
        expect(await ask(), `${source} before the fault`).toBe(client.well);
        expect(counted).toEqual([]);
        faults.set(settings);
        // Of such long answers a few suffice, if they show the whole course.
        const lasts = settings.bigFrame === undefined || client.faultMs > 600_000 ? client.faultMs : 20_000;
        for (const end = clock.now() + lasts; clock.now() < end; await run.pass(client.everyMs, client.everyMs / 10)) await ask();
        faults.reset();
        const ended = clock.now();
        const beyond = words.length;
        while ((await ask()) !== client.well) {
          expect(clock.now() - ended, `${source} heals`).toBeLessThan(120_000);
          await run.pass(1_000, 500);
        }
        expect(words.slice(beyond), `${source} after the fault`).toEqual([]);
        const told = words.length === 1 ? 'goes on' : words.slice(1).join(', then ');
        rows.push({ source, fault, cells: [told, sorted(counted), words.length === 1 ? '' : healed(clock.now() - ended, 0)] });
      }
    },
  );

  test('docs/source-faults.md matches the measurements', async () => {
    const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
    const head = ['Source', 'Fault', 'What is told', 'Counted', 'Heals after'];
    const written = readFileSync(WRITTEN, 'utf8').split('\n');
    const linesOf = (sources: readonly string[], faults: typeof FAULTS): string[] =>
      sources.flatMap((source) =>
        faults.map(({ name: fault }) => {
          if (!isInTable(source, fault))
            return (
              written.find((text) => text.startsWith(`| ${source} | ${fault} |`)) ?? `${source} under ${fault}: not written by a proof`
            );
          const row = rows.find((one) => one.source === source && one.fault === fault);
          expect(row, `${source} under ${fault}`).toBeDefined();
          return line([source, fault, ...(row as Row).cells]);
        }),
      );
    const table = (lines: readonly string[]): string => `${line(head)}\n${line(head.map(() => '---'))}\n${lines.join('\n')}\n`;
    const sources = table([...linesOf(Object.keys(SOURCES), FAULTS), ...linesOf([FALLBACK], [...FAULTS, ...PRICE_FAULTS])]);
    const clients = table(linesOf(Object.keys(CLIENTS), FAULTS));
    await expect(`${INTRODUCTION}\n${sources}\n${CLIENTS_INTRODUCTION}\n${clients}`).toMatchFileSnapshot('../../docs/source-faults.md');
  });
});

const INTRODUCTION = `# What follows from which fault of a source that is asked

Written by a run of \`test/sandbox/asked-sources.test.ts\`, beside [feed-faults.md](feed-faults.md), which has every venue of prices: every source with its simulator over real sockets under virtual time, every fault that an answer can have, at full strength, for 90 s unless told otherwise (10 MB answers for 20 s). \`TEST_PROOF=1 vitest run test/sandbox/asked-sources.test.ts -u\` writes it anew; a difference fails the test.

## Asked again and again

Sources of intelligence are asked every 15 s. One that is away makes no price and no rule live: news that was not received is unknown, not absent (docs/decisions/0061). With three garbage answers in ten nothing that a source had to tell is lost, and each of them is counted (\`test/sandbox/asked-sources-garbage.test.ts\`); ten minutes of a dead host cost fewer than sixty connections (\`test/sandbox/asked-sources-dead.test.ts\`). \`fallback\` is the second source of share prices, asked every 5 s while the first is silent, with faults of 25 min, which is longer than its prices are believed; they are \`delayed\` at best and never \`live\` (docs/decisions/0008), and those that were shown as \`delayed\` were within 5 % of what the market knew.

- **What is told:** one \`disconnected\`, or nothing because answers went on coming; of \`fallback\` also every other word that was said of its price. **Counted:** reasons of rejections, and what the streams count. **Heals after:** how soon after the end of the fault a whole round succeeded, or the price was \`delayed\` for good.
- Every answer belongs to its question, so that none can be missing, come twice or come late; none has two sides, and times and values of the sources of intelligence are assessed row by row (\`test/adapters/venues/mutated-messages.test.ts\`).
`;

const CLIENTS_INTRODUCTION = `## Asked when somebody needs it

The identity provider's keys (a token is verified once a minute, for 20 min), a node of the primary chain (a wallet is read, and one transaction broadcast again and again, every 5 s) and the remote signer (every 5 s). Nobody who asks is left without an answer, none of them is told more than is known, and nothing that was altered on its way passes.

- **What is told:** the words that the answers came to, in order. \`for reads alone\`: tokens are verified with the last known keys, and whoever holds one may not trade. \`unknown\`: the transaction may have been taken, and its actor looks for it; \`not taken\`: it has not. **Counted:** reasons in \`sevengate_unanswered_total\`.
- **Heals after:** how soon after the end of the fault the first question was answered, of those that are put every second.
- The EVM chain's node, whose client keeps its own time, is put through its faults in \`test/adapters/evmchain/wallet-reader.test.ts\`; what becomes of live orders under faults in \`test/adapters/venues/spotexchange/orders.test.ts\` and \`test/actors/prediction-order/prediction-order-life.test.ts\`.
`;
