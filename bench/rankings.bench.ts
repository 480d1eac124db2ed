/**
 * Cost of a ranking and the basis of 200 instruments over their bare queries, and the latency of the slowest answers. Runs the
 * routes' own handlers on a real PostgreSQL, without HTTP (`http` measures that).
 */
import type { ApiPorts } from '../api/route.ts';
import { createBasisReads, listBasis } from '../api/v1/rankings/basis.ts';
import { rankFairValueRoute, rankPrivateRoute } from '../api/v1/rankings/rankings.ts';
import { createCutReads } from '../src/adapters/store/agents/cut-store.ts';
import { createBarReads } from '../src/adapters/store/candles/bar-reads.ts';
import { openDatabase } from '../src/adapters/store/database.ts';
import { migrate } from '../src/adapters/store/migrate.ts';
import { CATALOG, type CatalogEntry, createCatalog } from '../src/domain/catalog/catalog.ts';
import type { Cut, Observation } from '../src/domain/market/cut.ts';
import { type InstrumentKey, splitInstrumentKey } from '../src/domain/market/venue.ts';
import { seededRandom } from '../src/domain/values/seeded-random.ts';
import { withDatabase } from './database.ts';
import { bench, type Contender, wallCost } from './harness.ts';

const INSTRUMENTS = 200;
/** Requests per round. */
const REQUESTS = 25;
const HOUR = 3_600_000;
const DAYS = 31;
const NOW = Date.UTC(2026, 8, 16, 15, 30);
const PERPS = CATALOG.fixed.entries.filter(({ kind }) => kind === 'perp');

/** Makes `count` copies of a kind's entries, each with its own symbol and perpetual. */
function copiesOf(kind: 'tokenized_equity' | 'pre_ipo', count: number): CatalogEntry[] {
  const originals = CATALOG.fixed.entries.filter((entry) => entry.kind === kind);
  return Array.from({ length: count }, (_, n) => {
    const original = originals[n % originals.length] as CatalogEntry;
    const instrument = `${kind === 'pre_ipo' ? 'P' : 'E'}${n}`;
    const benchmark = kind === 'pre_ipo' ? original.benchmark : (`reference:${instrument}` as InstrumentKey);
    const pairedPerp = kind === 'pre_ipo' ? null : (PERPS[n % PERPS.length]?.key ?? null);
    return {
      ...original,
      key: `spotchain:${instrument}` as InstrumentKey,
      instrument,
      underlying: instrument,
      benchmark,
      pairedPerp,
      token: null,
    };
  });
}

const equities = copiesOf('tokenized_equity', INSTRUMENTS);
const privates = copiesOf('pre_ipo', INSTRUMENTS);
const catalog = createCatalog([...equities, ...privates, ...PERPS]);
const random = seededRandom(7);

function observed(entry: CatalogEntry, slot: number): Observation {
  const quote = {
    bid: '99.9',
    ask: '100.1',
    mid: '100',
    source: 'bench',
    observedAt: slot - 500,
    receivedAt: slot - 400,
    ageMs: 500,
    quality: 'live' as const,
    flags: [],
  };
  const reference = {
    instrument: entry.underlying,
    referencePrice: '101',
    confidence: '0.05',
    feedUpdatedAt: slot - 900,
    receivedAt: slot - 800,
    ageMs: 900,
    quality: 'live' as const,
    flags: [],
  };
  const isPrivate = entry.kind === 'pre_ipo';
  return {
    slot,
    instrument: entry.key,
    session: 'REGULAR',
    quote,
    reference: entry.kind === 'tokenized_equity' ? reference : null,
    premiumPct: isPrivate ? null : random() * 10 - 5,
    gapToMarkPct: isPrivate ? random() * 40 - 20 : null,
    basisPct: null,
    hourlyFunding: entry.kind === 'perp' ? '0.00001' : null,
    markPrice: null,
    liquidityUsd: (100_000 + random() * 1e6).toFixed(2),
    indicators: Object.fromEntries([5, 10, 14, 20, 50].map((n) => [`rsi:${n}@1h`, { value: 50, previous: 49, barOpenTime: slot - HOUR }])),
    events: Array.from({ length: 3 }, (_, n) => ({
      id: `${entry.instrument}-${n}`,
      severity: 'high' as const,
      negative: n === 0,
      rumor: n === 2,
      observedAt: slot - n * HOUR,
      headline: 'A headline of the usual length about the usual matters',
    })),
  };
}

await withDatabase(async ({ server: postgres, ends }) => {
  await migrate(postgres.url);
  const owner = openDatabase({ url: postgres.url, role: null, name: 'bench owner', connections: 1 });
  ends.push(() => owner.end());
  const keys = catalog.entries.map(({ key }) => key);
  /** Half-minute slots, newest last. */
  const slots = Array.from({ length: 12 }, (_, n) => NOW - (11 - n) * 30_000);
  for (const table of ['cuts', 'observations', 'candles']) await owner.unsafe(`alter table ${table} disable trigger user`);
  for (const slot of slots) {
    const rows = catalog.entries.map((entry) => ({ slot, instrument: entry.key, hash: 'h', body: JSON.stringify(observed(entry, slot)) }));
    await owner`insert into cuts (slot, source, instruments) values (${slot}, 'streams', ${rows.length})`;
    await owner`insert into observations ${owner(rows)}`;
  }
  const series = [...keys, ...equities.flatMap(({ benchmark }) => benchmark ?? [])].map((key) => splitInstrumentKey(key));
  await owner`
    insert into candles (venue, instrument, timeframe, open_time, open, high, low, close, volume, source, received_at)
    select venue, instrument, '1h', at, price, price, price, price, 1, 'bench', at
    from unnest(${series.map(({ venue }) => venue)}::text[], ${series.map(({ instrument }) => instrument)}::text[]) as n(venue, instrument)
    cross join generate_series(${NOW - (NOW % HOUR) - DAYS * 24 * HOUR}::bigint, ${NOW - (NOW % HOUR) - HOUR}::bigint, ${HOUR}::bigint) as at
    cross join lateral (select round((100 + 5 * sin(at / 7200000.0 + length(instrument)) + random())::numeric, 4) as price) p`;
  await owner`analyze`;
  const sql = openDatabase({ url: postgres.url, name: 'bench', connections: 4 });
  ends.push(() => sql.end());
  const [{ bars: stored } = { bars: 0 }] = await owner<{ bars: number }[]>`select count(*)::int as bars from candles`;

  const bars = createBarReads(sql);
  const ports = {
    clock: { now: () => NOW },
    catalog: { entries: catalog },
    rankings: { cuts: createCutReads(sql), bars, basis: createBasisReads({ bars, catalog, clock: { now: () => NOW } }) },
  } as unknown as ApiPorts;
  const latencies = new Map<string, number[]>();

  function route(name: string, handle: (request: never, reply: never) => unknown, queryOf: (n: number) => object): Contender {
    const took: number[] = [];
    latencies.set(name, took);
    let n = 0;
    return {
      name,
      round: () =>
        wallCost(REQUESTS, async () => {
          for (let request = 0; request < REQUESTS; request++) {
            const began = performance.now();
            const answer = await handle({ query: queryOf(n++) } as never, null as never);
            if (JSON.stringify(answer).length < 1_000) throw new Error(`${name} answers ${JSON.stringify(answer)}`);
            took.push(performance.now() - began);
          }
        }),
    };
  }

  /** Minimum work of every answer: reading the rows of the newest cut. */
  const bare: Contender = {
    name: 'bare query of the cut',
    round: () =>
      wallCost(REQUESTS, async () => {
        for (let request = 0; request < REQUESTS; request++) {
          const [row] = await sql<{ slot: number }[]>`select slot from cuts where slot <= ${NOW} order by slot desc limit 1`;
          const rows = await sql`select instrument, body from observations where slot = ${row?.slot ?? 0} order by instrument`;
          if (rows.length !== keys.length) throw new Error(`${rows.length} observations`);
        }
      }),
  };
  const past = (n: number) => new Date(slots[n % slots.length] as number).toISOString();
  const fairValue = rankFairValueRoute.handle(ports, {} as never);
  const privateMarkets = rankPrivateRoute.handle(ports, {} as never);
  const basis = listBasis.handle(ports, {} as never);
  const contenders = [
    ...(['deepest_discount', 'liquidity', 'event_intensity'] as const).map((mode) =>
      route(`fair value, ${mode}`, fairValue, () => ({ mode, limit: 200 })),
    ),
    route('fair value of a past cut', fairValue, (n) => ({ at: past(n), limit: 200 })),
    route('private, gap_to_mark', privateMarkets, () => ({ mode: 'gap_to_mark', limit: 200 })),
    route('private, momentum', privateMarkets, () => ({ mode: 'momentum', limit: 200 })),
    route('basis', basis, () => ({ limit: 200 })),
    bare,
  ];
  process.stderr.write(`${stored} bars are stored\n`);
  const fitting = performance.now();
  await ports.rankings.basis.rows((await ports.rankings.cuts.at(NOW)) as Cut, '1000');
  const fitted = performance.now() - fitting;
  await bench({
    title: `rankings of ${INSTRUMENTS} instruments, answers per second of one caller`,
    contenders,
    comparisons: contenders.slice(0, -1).map(({ name }) => ({ what: name, ours: name, reference: bare.name, goal: null })),
    notes: [`${stored} stored bars; the bare query reads ${keys.length} observations and parses none`],
  });
  for (const [name, took] of latencies) {
    const sorted = [...took].sort((a, b) => a - b);
    const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] as number).toFixed(1);
    const verdict = Number(at(0.99)) < 50 ? 'yes' : 'NO';
    process.stdout.write(`${name.padEnd(34)} p50 ${at(0.5)} ms, p99 ${at(0.99)} ms of ${took.length}; p99 below 50 ms: ${verdict}\n`);
  }
  process.stdout.write(`the half-lives of an hour, fitted once: ${fitted.toFixed(0)} ms\n`);
});
