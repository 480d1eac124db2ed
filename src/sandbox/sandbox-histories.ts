/** History of the sandbox, without request limits: what its simulators would report for years. */
import type { CandleHistory } from '../../streams/candle-keeper.ts';
import { CATALOG } from '../domain/catalog/catalog.ts';
import { type EntityNames, indexEntityNames } from '../domain/intelligence/entities.ts';
import { WIRE_SOURCE } from '../domain/intelligence/listening.ts';
import type { Report } from '../domain/intelligence/report.ts';
import type { Stretch } from '../domain/values/stretches.ts';
import type { EpochMs } from '../domain/values/time.ts';
import type { DataSource } from '../domain/market/data-source.ts';
import { type InstrumentKey, splitInstrumentKey, type Venue } from '../domain/market/venue.ts';
import { createListings } from './evmvenue/listings.ts';
import { perpPrice } from './evmvenue/perp-wallets.ts';
import { formatSubmissions } from './intelligence/filings-simulator.ts';
import { sandboxCompanies, sandboxStories } from './intelligence/sandbox-stories.ts';
import type { Market } from './market/market.ts';
import { createMarketWords, type WordSources } from './market/market-words.ts';
import { computeBars, computeDepths, computeFunding, computeHalfSpreads, listMarks } from './market/market-history.ts';

/** Price of the market by venue. */
const FACES = { spotexchange: 'spot', evmvenue: 'perp', spotchain: 'token', reference: 'reference' } as const;

/** Empty source names: quotes are read only for their spreads. */
const NAMELESS: WordSources = { spotexchange: '', evmvenue: '', perpContext: '', spotchain: '', liquidity: '', reference: '', mark: '' };

type Histories = Readonly<Partial<Record<Venue, CandleHistory>>>;

/** Parsers that turn simulator messages into records, as at reception. */
interface PastReaders {
  /** Parses a wire item, or returns why it is invalid. */
  readonly wireItem: (item: unknown, names: EntityNames, receivedAt: EpochMs) => Report | string;
  readonly submissions: (
    body: unknown,
    options: { readonly names: EntityNames; readonly receivedAt: EpochMs; readonly since: EpochMs; readonly archiveUrl: null },
  ) => { readonly reports: readonly Report[] };
}

interface SandboxPastOptions {
  readonly market: Market;
  readonly seed: number;
  readonly clock: { now(): EpochMs };
  /** Returns true if the sandbox simulates the source: a venue, the wire, or filings. */
  readonly isSimulated: (source: DataSource) => boolean;
  readonly readers: PastReaders;
}

/** Creates the histories of simulated venues without request limits. Requests that the market cannot answer go to the simulators. */
export function sandboxHistories({ market, clock, isSimulated }: SandboxPastOptions, asked: Histories): Histories {
  const priced = new Set(market.assets.map(({ symbol }) => symbol));
  const venues = (Object.keys(FACES) as (keyof typeof FACES)[]).filter(isSimulated);
  const listings = createListings(market, clock.now()).byCoin;
  return Object.fromEntries(
    venues.map((venue): [Venue, CandleHistory] => {
      const findListing = (instrument: string) => (venue === 'evmvenue' ? listings.get(instrument) : undefined);
      const findSymbol = (instrument: string): string =>
        findListing(instrument)?.asset ?? CATALOG.byKey(`${venue}:${instrument}`)?.underlying ?? instrument;
      const madeBy = (instrument: string): string | null => (priced.has(findSymbol(instrument)) ? 'the seeded market' : null);
      const bars: CandleHistory['fetchCandles'] = async (instrument, timeframe, from, to) => {
        const listing = findListing(instrument);
        const symbol = findSymbol(instrument);
        const spelled = listing === undefined ? undefined : (price: string) => perpPrice(Number(price), listing.sizeDecimals);
        if (priced.has(symbol)) return computeBars(market, FACES[venue], symbol, timeframe, from, to, spelled);
        return (await asked[venue]?.fetchCandles(instrument, timeframe, from, to)) ?? [];
      };
      if (venue !== 'evmvenue') return [venue, { fetchCandles: bars, madeBy }];
      const funding: CandleHistory['fetchFunding'] = async (coin, from, to) => {
        const listing = listings.get(coin);
        return listing === undefined ? [] : computeFunding(market, listing.asset, listing.fundingScale, from, to);
      };
      return [venue, { fetchCandles: bars, madeBy, fetchFunding: funding }];
    }),
  );
}

/** Returns events, marks, liquidity and spreads of any period, or null for a source that the sandbox does not simulate. */
export function sandboxArchives({ market, seed, clock, isSimulated, readers }: SandboxPastOptions) {
  const stories = sandboxStories(seed, market);
  const names = indexEntityNames(CATALOG);
  const companies = sandboxCompanies().all;

  function wireReports(underlying: string, { from, to }: Stretch): readonly Report[] {
    const told = market.assets.filter(({ symbol }) => symbol === underlying).map(({ symbol }) => symbol);
    const items = stories.between(from, to, told);
    return items.flatMap((item) => {
      const report = readers.wireItem(item, names, Date.parse(item.publishedAt));
      return typeof report === 'string' ? [] : [report];
    });
  }

  function filedReports(underlying: string, { from, to }: Stretch): readonly Report[] {
    const company = companies.find(({ symbol }) => symbol === underlying);
    if (company === undefined) return [];
    const body = formatSubmissions(company, stories.filings(underlying, from, to));
    const { reports } = readers.submissions(body, { names, receivedAt: to, since: from, archiveUrl: null });
    return reports.map((report) => ({ ...report, receivedAt: report.publishedAt }));
  }

  const findSymbol = (key: string): string => CATALOG.byKey(key as InstrumentKey)?.underlying ?? key;
  const words = createMarketWords({ market, seed, sources: NAMELESS, catalog: CATALOG, now: clock.now });
  return {
    reports(source: string, underlying: string, stretch: Stretch): readonly Report[] | null {
      if (source === WIRE_SOURCE) return isSimulated('wire') ? wireReports(underlying, stretch) : null;
      return isSimulated('filings') ? filedReports(underlying, stretch) : null;
    },
    marks: (instrument: string, { from, to }: Stretch) =>
      isSimulated('issuer') ? listMarks(market, findSymbol(`spotchain:${instrument}`), from, to) : [],
    liquidity: (instrument: string, { from, to }: Stretch) =>
      isSimulated('spotchain') ? computeDepths(market, findSymbol(instrument), from, to) : [],
    halfSpreads: (instrument: InstrumentKey, { from, to }: Stretch) =>
      isSimulated(splitInstrumentKey(instrument).venue) ? computeHalfSpreads(words, instrument, from, to) : [],
  };
}
