/** History of a sandbox that runs in this process, without request limits. */
import type { CandleHistory } from '../../../streams/candle-keeper.ts';
import { readSubmissions } from '../../adapters/intelligence/filings.ts';
import { readWireItem } from '../../adapters/intelligence/newswire.ts';
import type { HistorySource } from '../../domain/backtest/missing-history.ts';
import type { DataSource } from '../../domain/market/data-source.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import type { Venue } from '../../domain/market/venue.ts';
import { createSeededMarket } from '../../sandbox/market/seeded-market.ts';
import { sandboxArchives, sandboxHistories } from '../../sandbox/sandbox-histories.ts';
import type { Config } from '../config.ts';
import { readOrigins } from '../outside/origins.ts';
import type { ServiceProcess } from '../service-process.ts';

type Histories = Readonly<Partial<Record<Venue, CandleHistory>>>;

export type SandboxPast = NonNullable<ReturnType<typeof sandboxPast>>;

/** Returns a function that is true for the sources that the sandbox simulates. */
function standsIn(config: Config): (source: DataSource) => boolean {
  const origins = readOrigins(config);
  return (source) => origins[source] === 'sandbox';
}

/** Creates the sandbox's history, or returns null if no sandbox runs in this process or a tape prices it. */
export function sandboxPast({ config, runs, clock }: Pick<ServiceProcess, 'config' | 'runs'> & { readonly clock: { now(): EpochMs } }) {
  if (!runs('sandbox') || config.SANDBOX_TAPE !== null) return null;
  const seed = config.SANDBOX_SEED;
  const readers = { wireItem: readWireItem, submissions: readSubmissions };
  const options = { market: createSeededMarket({ seed }), seed, clock, isSimulated: standsIn(config), readers };
  return {
    /** Returns the histories of simulated venues. Requests that the market cannot answer go to the others. */
    histories: (asked: Histories): Histories => sandboxHistories(options, asked),
    archives: sandboxArchives(options),
  };
}

/** Returns the sources of history, other than bars, that a backtest of this process can read by itself. */
export function obtainableHistory({ config, runs }: Pick<ServiceProcess, 'config' | 'runs'>): ReadonlySet<HistorySource> {
  if (!runs('sandbox') || config.SANDBOX_TAPE !== null) return new Set();
  const isSimulated = standsIn(config);
  const simulated: readonly (readonly [HistorySource, boolean])[] = [
    ['news:wire', isSimulated('wire')],
    ['news:filings', isSimulated('filings')],
    ['issuer_mark', isSimulated('issuer')],
    ['pool_liquidity', isSimulated('spotchain')],
  ];
  return new Set(simulated.flatMap(([source, given]) => (given ? [source] : [])));
}
