// Every priced venue under every fault: reported quality, delay, counts, and time to heal.
// In the suite each fault meets a sixth of the venues; `npm run proof` runs the whole table.
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import { QUALITY_FLAGS, type Quality, type QualityFlag, type Quote, type ReferencePrice } from '../../src/domain/market/quote.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import { FAULT_NAMES, type FaultSettings } from '../../src/sandbox/faults.ts';
import { COUNTED } from '../../streams/feed-counters.ts';
import type { MarketPipeline } from '../../streams/market-pipeline.ts';
import { isMet } from '../harness/rounds.ts';
import { type FaultFixture, openFaultFixture, PROVIDERS, type Provider, type ProviderName } from './fault-fixture.ts';

interface Fault {
  /** Name in the table. */
  readonly name: string;
  readonly settings: Partial<FaultSettings>;
  /** The fault affects requests and handshakes: connections are cut once to cause some. */
  readonly cutFirst?: true;
}

const HOUR_MS = 3_600_000;
const FAULTS: readonly Fault[] = [
  { name: 'freeze with open socket', settings: { freeze: true } },
  { name: 'garbage frame', settings: { garbage: 1 } },
  { name: '10 MB frame, one in twenty', settings: { bigFrame: 0.05 } },
  { name: 'sequence gap, three in ten', settings: { gap: 0.3 } },
  { name: 'duplicate', settings: { duplicate: 1 } },
  { name: 'reorder', settings: { reorder: 1 } },
  { name: 'crossed book', settings: { crossed: 1 } },
  { name: 'zero price', settings: { zeroPrice: 1 } },
  { name: 'negative price', settings: { negativePrice: 1 } },
  { name: 'NaN price', settings: { nanPrice: 1 } },
  { name: 'price × 100', settings: { priceJump: 1 } },
  { name: 'price × 100, three in ten', settings: { priceJump: 0.3 } },
  { name: 'clock + 1 h', settings: { clockOffsetMs: HOUR_MS } },
  { name: 'clock − 1 h', settings: { clockOffsetMs: -HOUR_MS } },
  { name: '429', settings: { status429: 1 }, cutFirst: true },
  { name: '503', settings: { status5xx: 1 }, cutFirst: true },
  { name: 'lost answer', settings: { lostAnswer: 1 }, cutFirst: true },
  { name: 'answers after 5 s', settings: { slowMs: 5_000 }, cutFirst: true },
  { name: 'answers after 20 s', settings: { slowMs: 20_000 }, cutFirst: true },
  { name: 'disconnect loop', settings: { disconnectLoop: true } },
];

/** Providers with frames of a socket or an event stream; the others are polled. */
const STREAMED: ReadonlySet<ProviderName> = new Set(['spotexchange', 'evmvenue', 'reference', 'polymarket', 'kalshi']);
/** Providers whose prices count for a minute or longer, or come once a minute, and which need more time. */
const SLOW: readonly ProviderName[] = ['issuer', 'polymarket', 'kalshi', 'kalshi-polled'];
const FAST: readonly ProviderName[] = PROVIDERS.filter((name) => !SLOW.includes(name));

/** Returns why a wire cannot express a fault, or null if it can. */
function unsaid(name: ProviderName, { settings }: Fault): string | null {
  if (!STREAMED.has(name) && (settings.gap ?? settings.duplicate ?? settings.reorder) !== undefined)
    return 'every answer belongs to its question: none can be missing, come twice or come late';
  if (settings.crossed !== undefined && (name === 'reference' || name === 'issuer')) return 'one price has no second side';
  if (settings.clockOffsetMs !== undefined && (name === 'issuer' || name === 'spotchain')) return 'no time of its own is sent';
  return null;
}

/** True if this run has the venue under the fault. */
const isInTable = (name: ProviderName, fault: Fault): boolean => isMet(PROVIDERS.indexOf(name), FAULTS.indexOf(fault), 6);

interface Row {
  readonly provider: ProviderName;
  readonly fault: string;
  readonly cells: readonly [follows: string, why: string, after: string, counted: string, heals: string];
}

const BOUNDS_S = [1, 2, 3, 6, 10, 15, 20, 30, 45, 60, 75, 90, 120, 150];
/** Longest pause of a polled provider, in milliseconds. */
const POLLED_HEALS_MS = 30_000;
const rounded = (ms: number): string => `≤ ${BOUNDS_S.find((bound) => ms <= bound * 1_000) ?? '∞'} s`;

const WRITTEN = new URL('../../docs/feed-faults.md', import.meta.url);
/** Tolerance for late receipt on a busy machine, in bounds from the written result. */
const BOUNDS_APART = 3;
/** First sign of a cut connection in such a run: prices become stale. */
const SEEN_OLD_FIRST = 'stale, then ';

/** Returns the written time if the measured one is shorter or only so many bounds longer, else the measured one. */
function steady(found: string, written: string | undefined): string {
  const boundOf = (cell: string | undefined): number => BOUNDS_S.findIndex((bound) => cell === `≤ ${bound} s`);
  const [now, before] = [boundOf(found), boundOf(written)];
  return written !== undefined && now >= 0 && before >= 0 && now - before <= BOUNDS_APART ? written : found;
}

/** Observations of one provider during and after a fault. */
class Witness {
  readonly provider: Provider;
  readonly #pipeline: MarketPipeline;
  readonly #rejected = new Set<string>();
  readonly #qualities = new Set<Quality>();
  readonly #flags = new Set<QualityFlag>();
  #counts: Readonly<Record<string, number>> = {};
  #tracked: InstrumentKey[] = [];
  #from: EpochMs = 0;
  #firstAt: EpochMs | null = null;
  #lastAt: EpochMs | null = null;
  #counting = false;

  constructor(provider: Provider, pipeline: MarketPipeline) {
    this.provider = provider;
    this.#pipeline = pipeline;
    pipeline.received.subscribe({
      next: (message: FeedMessage) => {
        if (this.#counting && message.kind === 'rejection') this.#rejected.add(message.reason);
      },
      error: (error: unknown) => {
        throw error;
      },
    });
  }

  #prices(at: EpochMs): (Quote | ReferencePrice)[] {
    const { quotes, references } = this.#pipeline.view.snapshot(at);
    return [...quotes, ...references];
  }

  isLive(at: EpochMs): boolean {
    // Markets received only while the venue's clock was wrong do not count.
    const prices = this.#prices(at).filter((price) => this.#tracked.length === 0 || this.#tracks(price));
    return prices.length > 0 && prices.every(({ quality }) => quality === 'live');
  }

  #tracks({ venue, instrument }: Quote | ReferencePrice): boolean {
    return this.#tracked.includes(`${venue}:${instrument}` as InstrumentKey);
  }

  begin(at: EpochMs): void {
    this.#tracked = this.#prices(at).map(({ venue, instrument }) => `${venue}:${instrument}` as InstrumentKey);
    this.#counts = this.#counted();
    this.#from = at;
    this.#counting = true;
  }

  #counted(): Record<string, number> {
    const { counted } = this.#pipeline.counters.snapshot()[this.provider.venue];
    return { ...counted };
  }

  look(at: EpochMs): void {
    for (const price of this.#prices(at)) {
      if (price.quality === 'live') this.#mustBeTrue(price, at);
      if (!this.#tracks(price) || price.quality === 'live') continue;
      this.#qualities.add(price.quality);
      for (const flag of price.flags) this.#flags.add(flag);
      this.#firstAt ??= at;
      this.#lastAt = at;
    }
  }

  /** Checks that every price called live was tradable: possible, and near the market's truth. */
  #mustBeTrue(price: Quote | ReferencePrice, at: EpochMs): void {
    const sides =
      price.kind === 'quote' ? [Number(price.bid), Number(price.ask)] : [Number(price.referencePrice), Number(price.referencePrice)];
    const [low, high] = sides as [number, number];
    expect(low > 0 && high >= low, `${this.provider.name} ${price.instrument}: live at ${sides.join('/')}`).toBe(true);
    const truth = this.provider.truth(price.instrument, at);
    const off = truth === null ? 0 : Math.abs((low + high) / 2 / truth - 1);
    expect(off < 0.05 && (truth !== null || high < 1), `${this.provider.name} ${price.instrument}: live at ${sides.join('/')}`).toBe(true);
  }

  /** Returns the row once everything has healed. `until` is the end of the fault. */
  row(fault: string, until: EpochMs, received: boolean): Row {
    const counts = this.#counted();
    const grown = COUNTED.filter((what) => (counts[what] ?? 0) > (this.#counts[what] ?? 0));
    const counted = [...[...this.#rejected].sort(), ...grown];
    const after = this.#firstAt === null ? '' : rounded(this.#firstAt - this.#from);
    const heals =
      this.#lastAt === null
        ? ''
        : !received
          ? 'not at all'
          : this.#lastAt <= until - 2_000
            ? 'during the fault'
            : // The place in its round decides how soon a polled provider is polled again: reported as a whole backoff.
              rounded(Math.max(this.provider.name.endsWith('-polled') ? POLLED_HEALS_MS : 0, this.#lastAt - until));
    const qualities = [...this.#qualities];
    const flags = QUALITY_FLAGS.filter((flag) => this.#flags.has(flag));
    return {
      provider: this.provider.name,
      fault,
      cells: [qualities.length === 0 ? 'stays live' : qualities.join(', then '), flags.join(', '), after, counted.join(', '), heals],
    };
  }
}

let fixture: FaultFixture | null = null;
afterEach(async () => {
  await fixture?.close();
  fixture = null;
});

async function underFault(fault: Fault, names: readonly ProviderName[], faultMs: number, healMs: number): Promise<Row[]> {
  const able = names.filter((name) => unsaid(name, fault) === null);
  const met = able.filter((name) => isInTable(name, fault));
  if (met.length === 0) return [];
  fixture = await openFaultFixture(able, 1, null, met);
  const { clock, providers } = fixture;
  const witnesses = providers.map((provider) => new Witness(provider, (fixture as FaultFixture).listen(provider)));
  for (let waited = 0; !witnesses.every((one) => one.isLive(clock.now())); waited += 500) {
    const missing = witnesses.filter((one) => !one.isLive(clock.now())).map(({ provider }) => provider.name);
    expect(waited, `not live before the fault: ${missing.join()}`).toBeLessThan(60_000);
    await fixture.run(500);
  }
  await fixture.run(2_000);
  const look = (): void => {
    for (const one of witnesses) one.look(clock.now());
  };
  for (const one of witnesses) one.begin(clock.now());
  for (const { faults } of providers) faults.set(fault.settings);
  if (fault.cutFirst) fixture.cutConnections();
  await fixture.run(faultMs, look);
  for (const { faults } of providers) faults.reset();
  const until = clock.now();
  // Healed: everything is live, and stays so for a while.
  for (let calm = 0; calm < 3_000 && clock.now() - until < healMs; ) {
    await fixture.run(500, look);
    calm = witnesses.every((one) => one.isLive(clock.now())) ? calm + 500 : 0;
  }
  const rows = witnesses.map((one) => one.row(fault.name, until, one.isLive(clock.now())));
  await fixture.close();
  fixture = null;
  return rows;
}

const rows: Row[] = [];

describe('under', () => {
  test.each(FAULTS)('$name: no venue offers an untrue price, and every venue recovers', async (fault) => {
    const found = [...(await underFault(fault, FAST, 20_000, 60_000)), ...(await underFault(fault, SLOW, 80_000, 150_000))];
    expect(found.filter(({ cells }) => cells[4] === 'not at all' || cells[4].includes('∞')).map(({ provider }) => provider)).toEqual([]);
    rows.push(...found);
  });
});

test('every fault of the switch has its row', () => {
  const set = new Set(FAULTS.flatMap(({ settings }) => Object.keys(settings)));
  expect(FAULT_NAMES.filter((name) => !set.has(name))).toEqual([]);
});

test('docs/feed-faults.md matches the measurements', async () => {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const written = new Map(
    readFileSync(WRITTEN, 'utf8')
      .split('\n')
      .map((text) => text.slice('| '.length, -' |'.length).split(' | '))
      .map(([provider, fault, ...cells]) => [`${provider} ${fault}`, cells]),
  );
  const head = ['Venue', 'Fault', 'Quality that follows', 'Flags', 'After', 'Counted', 'Heals after'];
  const body = PROVIDERS.flatMap((name) =>
    FAULTS.map((fault) => {
      const why = unsaid(name, fault);
      if (why !== null) return line([name, fault.name, '-', why, '', '', '']);
      const before = written.get(`${name} ${fault.name}`);
      if (!isInTable(name, fault)) return line([name, fault.name, ...(before ?? ['not written by a proof'])]);
      const row = rows.find((one) => one.provider === name && one.fault === fault.name);
      expect(row, `${name} under ${fault.name}`).toBeDefined();
      const [follows, flags, after, counted, heals] = (row as Row).cells;
      const quality = follows === `${SEEN_OLD_FIRST}${before?.[0]}` ? (before?.[0] as string) : follows;
      return line([name, fault.name, quality, flags, steady(after, before?.[2]), counted, steady(heals, before?.[4])]);
    }),
  );
  await expect(`${INTRODUCTION}\n${line(head)}\n${line(head.map(() => '---'))}\n${body.join('\n')}\n`).toMatchFileSnapshot(
    '../../docs/feed-faults.md',
  );
});

const INTRODUCTION = `# What follows from which fault of a venue

Written by a run of \`test/sandbox/feed-faults.test.ts\`: every simulator with its adapter over real sockets under virtual time, every fault of the switch, at full strength unless its name says otherwise. \`TEST_PROOF=1 vitest run test/sandbox/feed-faults.test.ts -u\` writes it anew; a difference fails the test, of times one that is more than three bounds longer (1, 2, 3, 6, 10, 15, 20, 30, 45 s and on), of qualities more than a \`stale\` before what is written. While a fault lasts and after it, no price that is called \`live\` is further than 5 % from what the venue's market knows; of a prediction, no such pair lies outside of 0 to 1 or is crossed.

- **Quality, flags:** every word that was said of the venue's prices from the beginning of the fault until it had healed. \`stays live\`: nothing of it reached a price.
- **After:** how soon after the beginning of the fault the first price was no longer live. **Heals after:** how soon after its end every price was live for good.
- **Counted:** reasons of rejections, and what the streams count.
- **-**: the wire cannot express the fault; the next cell says why.
- 429, 503, lost answers and slow ones meet requests and handshakes: connections were cut at their beginning, so that there are some. A lost answer is that of a read: nothing is submitted here.
- The fault lasted 20 s; 80 s where prices are believed for a minute or told once a minute (\`issuer\`, \`polymarket\`, \`kalshi\`, \`kalshi-polled\`, which is Kalshi without a key).
`;
