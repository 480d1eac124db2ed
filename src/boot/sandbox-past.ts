/** The past of a sandbox that runs in this process: what its simulators would tell of years, at once and whole. */
import type { CandleHistory } from '../../streams/candle-keeper.ts';
import { readSubmissions } from '../adapters/intelligence/filings.ts';
import { readWireItem } from '../adapters/intelligence/newswire.ts';
import type { HistorySource } from '../domain/backtest/missing-history.ts';
import { CATALOG } from '../domain/catalog.ts';
import { entityNamesOf } from '../domain/intelligence/entities.ts';
import { WIRE_SOURCE } from '../domain/intelligence/listening.ts';
import type { Report } from '../domain/intelligence/report.ts';
import type { Stretch } from '../domain/stretches.ts';
import type { EpochMs } from '../domain/time.ts';
import type { Venue } from '../domain/venue.ts';
import { listingsOf } from '../sandbox/evmvenue/listings.ts';
import { perpPrice } from '../sandbox/evmvenue/wallets.ts';
import { submissionsOf } from '../sandbox/intelligence/filings-simulator.ts';
import { sandboxCompanies, sandboxStories } from '../sandbox/intelligence/sandbox-stories.ts';
import type { Market } from '../sandbox/market/market.ts';
import { barsOf, depthsOf, fundingOf, marksOf } from '../sandbox/market/market-history.ts';
import { createSeededMarket } from '../sandbox/market/seeded-market.ts';
import type { HistoryArchives } from '../simulation/ports.ts';
import type { Config } from './config.ts';
import { evmvenue } from './outside/evmvenue.ts';
import { reference } from './outside/reference.ts';
import { spotchain } from './outside/spotchain.ts';
import { spotexchange } from './outside/spotexchange.ts';
import type { ServiceProcess } from './service-process.ts';

/** Which of the market's prices each venue shows, and whether it is simulated. */
const FACES = {
  spotexchange: { face: 'spot', entry: spotexchange },
  evmvenue: { face: 'perp', entry: evmvenue },
  spotchain: { face: 'token', entry: spotchain },
  reference: { face: 'reference', entry: reference },
} as const;

type Histories = Readonly<Partial<Record<Venue, CandleHistory>>>;

export interface SandboxPast {
  /** Histories of the simulated venues, which no budget slows down; what the market does not price is asked of the simulators. */
  histories(asked: Histories): Histories;
  readonly archives: HistoryArchives;
}

/** Null where no sandbox runs in this process, or a tape prices it. */
export function sandboxPast({
  config,
  runs,
  clock,
}: Pick<ServiceProcess, 'config' | 'runs'> & { readonly clock: { now(): EpochMs } }): SandboxPast | null {
  if (!runs('sandbox') || config.SANDBOX_TAPE !== null) return null;
  const market = createSeededMarket({ seed: config.SANDBOX_SEED });
  return { histories: (asked) => historiesOf(config, market, clock.now(), asked), archives: archivesOf(config, market) };
}

/** What besides bars a backtest of this process finds by itself. */
export function obtainableHistory({ config, runs }: Pick<ServiceProcess, 'config' | 'runs'>): ReadonlySet<HistorySource> {
  if (!runs('sandbox') || config.SANDBOX_TAPE !== null) return new Set();
  const simulated: readonly (readonly [HistorySource, boolean])[] = [
    ['news:wire', config.NEWS_URL === null],
    ['news:filings', config.FILINGS_URL === null],
    ['issuer_mark', reference.isSimulated(config)],
    ['pool_liquidity', spotchain.isSimulated(config)],
  ];
  return new Set(simulated.flatMap(([source, isSimulated]) => (isSimulated ? [source] : [])));
}

function historiesOf(config: Config, market: Market, now: EpochMs, asked: Histories): Histories {
  const priced = new Set(market.assets.map(({ symbol }) => symbol));
  const venues = (Object.keys(FACES) as (keyof typeof FACES)[]).filter((venue) => FACES[venue].entry.isSimulated(config));
  const listings = listingsOf(market, now).byCoin;
  return Object.fromEntries(
    venues.map((venue): [Venue, CandleHistory] => {
      const bars: CandleHistory['fetchCandles'] = async (instrument, timeframe, from, to) => {
        const listing = venue === 'evmvenue' ? listings.get(instrument) : undefined;
        const symbol = listing?.asset ?? CATALOG.byKey(`${venue}:${instrument}`)?.underlying ?? instrument;
        const spelled = listing === undefined ? undefined : (price: string) => perpPrice(Number(price), listing.sizeDecimals);
        if (priced.has(symbol)) return barsOf(market, FACES[venue].face, symbol, timeframe, from, to, spelled);
        return (await asked[venue]?.fetchCandles(instrument, timeframe, from, to)) ?? [];
      };
      if (venue !== 'evmvenue') return [venue, { fetchCandles: bars }];
      const funding: CandleHistory['fetchFunding'] = async (coin, from, to) => {
        const listing = listings.get(coin);
        return listing === undefined ? [] : fundingOf(market, listing.asset, listing.fundingScale, from, to);
      };
      return [venue, { fetchCandles: bars, fetchFunding: funding }];
    }),
  );
}

function archivesOf(config: Config, market: Market): HistoryArchives {
  const stories = sandboxStories(config.SANDBOX_SEED, market);
  const names = entityNamesOf(CATALOG);
  const companies = sandboxCompanies().all;

  function wireReports(underlying: string, { from, to }: Stretch): readonly Report[] {
    const told = market.assets.filter(({ symbol }) => symbol === underlying).map(({ symbol }) => symbol);
    const items = stories.between(from, to, told);
    return items.flatMap((item) => {
      const report = readWireItem(item, names, Date.parse(item.publishedAt));
      return typeof report === 'string' ? [] : [report];
    });
  }

  function filedReports(underlying: string, { from, to }: Stretch): readonly Report[] {
    const company = companies.find(({ symbol }) => symbol === underlying);
    if (company === undefined) return [];
    const body = submissionsOf(company, stories.filings(underlying, from, to));
    const { reports } = readSubmissions(body, { names, receivedAt: to, since: from, archiveUrl: null });
    return reports.map((report) => ({ ...report, receivedAt: report.publishedAt }));
  }

  const symbolOf = (key: string): string => CATALOG.byKey(key as `${Venue}:${string}`)?.underlying ?? key;
  return {
    reports(source, underlying, stretch) {
      if (source === WIRE_SOURCE) return config.NEWS_URL === null ? wireReports(underlying, stretch) : null;
      return config.FILINGS_URL === null ? filedReports(underlying, stretch) : null;
    },
    marks: (instrument, { from, to }) =>
      reference.isSimulated(config) ? marksOf(market, symbolOf(`spotchain:${instrument}`), from, to) : [],
    liquidity: (instrument, { from, to }) => (spotchain.isSimulated(config) ? depthsOf(market, symbolOf(instrument), from, to) : []),
  };
}
