/** The perpetuals venue in this service: its addresses, what it lets one address ask, its feed, bars, funding, books and simulator. */
import { createPerpCandles, REACHABLE_BARS } from '../../adapters/venues/evmvenue/candles.ts';
import { createEvmVenueFeed } from '../../adapters/venues/evmvenue/feed.ts';
import { createPerpInfo } from '../../adapters/venues/evmvenue/info.ts';
import type { EpochMs } from '../../domain/time.ts';
import type { MakeBudget } from '../budgets.ts';
import type { Config } from '../config.ts';
import { ASKED_WAIT_MS, type Reach, type SimulatorAt, streamAt, type VenueEntry } from './entry.ts';
import { followedBooks, listedOn } from './listed.ts';

/** Weight per minute that the venue allows an address. */
const WEIGHT_PER_MINUTE = 1_200;

const budgets = (make: MakeBudget) => ({ evmvenue: make('evmvenue', WEIGHT_PER_MINUTE) });

interface Addresses {
  readonly evmvenue: { readonly url: string; readonly streamUrl: string };
}

type PerpVenue = Reach<Addresses, ReturnType<typeof budgets>>;

const infoOf = ({ addresses, budgets: { evmvenue: budget }, clock, random, note }: PerpVenue, maxWaitMs?: number) =>
  createPerpInfo({ baseUrl: addresses.evmvenue.url, clock, random, budget, note, ...(maxWaitMs === undefined ? {} : { maxWaitMs }) });

/** The venue for questions that nobody waits for: a spent budget is told rather than waited out. */
export const openPerpInfo = (reach: PerpVenue) => infoOf(reach, 1_000);

export const evmvenue = {
  venue: 'evmvenue',
  budgets,
  addresses: (config: Config, simulator: SimulatorAt): Addresses => ({
    evmvenue: {
      url: config.EVMVENUE_URL ?? simulator('evmvenue'),
      streamUrl: config.EVMVENUE_STREAM_URL ?? `${streamAt(simulator('evmvenue'))}/ws`,
    },
  }),
  isSimulated: (config) => config.EVMVENUE_URL === null,
  simulators: {
    evmvenue: {
      place: 1,
      async start({ market }, at) {
        const { createEvmVenueSimulator } = await import('../../sandbox/evmvenue/simulator.ts');
        return createEvmVenueSimulator({ market, ...at });
      },
    },
  },

  open(reach: PerpVenue) {
    const { addresses, clock, random } = reach;
    const info = infoOf(reach);
    const candles = createPerpCandles(info.http, clock);
    const instruments = listedOn('evmvenue');
    const feed = createEvmVenueFeed({ socketUrl: addresses.evmvenue.streamUrl, clock, random, instruments });
    return {
      feeds: [feed],
      history: {
        reachableBars: REACHABLE_BARS,
        fetchCandles: (...query: Parameters<typeof candles.fetchCandles>) => candles.fetchCandles(...query),
        fetchFunding: async (coin: string, from: EpochMs, to: EpochMs) =>
          (await info.fundingHistory(coin, from + 1, to + 1)).map(({ at, hourlyFunding }) => ({ at, hourlyFunding })),
      },
      extras: { books: followedBooks(feed, instruments) },
    };
  },

  askBook(reach: PerpVenue) {
    const info = infoOf(reach, ASKED_WAIT_MS);
    return (instrument: string) => info.orderBook(instrument);
  },
} satisfies VenueEntry;
