/** The channels `order_book`, `tickers` and `perps`: the newest market states, conflated. */
import { Type } from 'typebox';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import { type MarketState, type MarketStateKind, marketStateKey, type OrderBookSnapshot } from '../../../src/domain/market/market-state.ts';
import { VENUE_FACTS, VENUES, type Venue } from '../../../src/domain/market/venue.ts';
import { type EpochMs, isoTime } from '../../../src/domain/values/time.ts';
import { findLimits, qualityLimits } from '../../../streams/quality/quality-limits.ts';
import { stateQuality } from '../../../streams/quality/state-quality.ts';
import { BookSide, ExecutableVenueWord, MaxAge, nullable, QualityFlags, QualityWord, Time } from '../../shapes.ts';
import { PerpBody, perpBody } from '../../v1/market/perps.ts';
import { findVenueState } from '../../v1/market/state-reads.ts';
import { TickerBody, tickerBody } from '../../v1/market/tickers.ts';
import type { FeedPorts } from '../feed-ports.ts';
import type { LatestChannel, LatestSource } from './channel.ts';

const INSTRUMENT = Type.String({ minLength: 1, maxLength: 64 });
const BookItem = Type.Object(
  {
    venue: ExecutableVenueWord,
    instrument: Type.String(),
    source: Type.String(),
    observedAt: Time,
    receivedAt: Time,
    ageMs: Type.Integer(),
    sequence: nullable('integer', "The venue's own number of the update; null if it counts none."),
    quality: QualityWord,
    flags: QualityFlags,
    maxAgeMs: MaxAge,
    resyncing: Type.Boolean({ description: 'True while the book is rebuilt after a lost update. Do not trade on it.' }),
    bids: BookSide,
    asks: BookSide,
  },
  { $id: 'FollowedBook' },
);
/** Venues with books. */
const BOOK_VENUES = VENUES.filter((venue) => VENUE_FACTS[venue].hasBooks);
const DEFAULT_DEPTH = 20;
const MAX_DEPTH = 50;

type StateOf<Kind extends MarketStateKind> = Extract<MarketState, { readonly kind: Kind }>;

/** Returns the matching states of one kind as a source. Each is encoded with its age when it is sent. */
function statesSource<Kind extends MarketStateKind>(
  ports: FeedPorts,
  kind: Kind,
  matches: (state: StateOf<Kind>) => boolean,
  body: (state: StateOf<Kind>, at: EpochMs) => unknown,
): LatestSource {
  const wanted = (state: MarketState): state is StateOf<Kind> => state.kind === kind && matches(state as StateOf<Kind>);
  const json = (state: StateOf<Kind>): string => JSON.stringify(body(state, ports.clock.now()));
  return {
    ready: null,
    snapshot: () => ports.states.snapshot().filter(wanted).map(json),
    subscribe: (listener) =>
      ports.states.subscribe((changed) => {
        const found = changed.filter(wanted);
        if (found.length > 0) listener(found.map((state) => ({ key: marketStateKey(state), json: () => json(state) })));
      }),
  };
}

function unknownInstrument(venue: Venue, instrument: unknown): string | null {
  if (instrument === undefined || CATALOG.entries.some((entry) => entry.venue === venue && entry.instrument === instrument)) return null;
  return `instrument: ${venue} has none of that name; GET /v1/catalog lists them`;
}

/** Returns a book in the shape of `GET /v1/order-book`, with its age. */
function bookBody(book: OrderBookSnapshot, depth: number, ports: Pick<FeedPorts, 'states'>, at: EpochMs) {
  const { maxAgeMs } = findLimits(qualityLimits(), book.venue, book.source);
  const { ageMs, quality, flags } = stateQuality(book, findVenueState(ports.states, book.venue), at, maxAgeMs);
  const levels = (side: OrderBookSnapshot['bids']) => side.slice(0, depth).map(([price, size]) => ({ price, size }));
  return {
    venue: book.venue,
    instrument: book.instrument,
    source: book.source,
    observedAt: isoTime(book.observedAt),
    receivedAt: isoTime(book.receivedAt),
    ageMs,
    sequence: book.sequence,
    quality,
    flags,
    maxAgeMs,
    resyncing: flags.includes('resyncing'),
    bids: levels(book.bids),
    asks: levels(book.asks),
  };
}

export const orderBookChannel: LatestChannel = {
  kind: 'latest',
  name: 'order_book',
  about:
    'The top of one order book, complete in every frame. `resyncing` is true while the book is rebuilt after a lost update: do not trade on it then.',
  permission: 'market:read',
  item: BookItem,
  params: Type.Object(
    {
      venue: Type.Unsafe<string>({ type: 'string', enum: [...BOOK_VENUES] }),
      instrument: INSTRUMENT,
      depth: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_DEPTH })),
    },
    { additionalProperties: false },
  ),
  problem: ({ venue, instrument }) => unknownInstrument(venue as Venue, instrument),
  open(ports, params) {
    const { venue, instrument, depth = DEFAULT_DEPTH } = params as { venue: Venue; instrument: string; depth?: number };
    const source = statesSource(
      ports,
      'order_book',
      (book) => book.venue === venue && book.instrument === instrument,
      (book, at) => bookBody(book, depth, ports, at),
    );
    const { bookWants } = ports;
    if (bookWants === undefined) return source;
    bookWants.want(venue, instrument);
    return {
      ready: bookWants.first(venue, instrument),
      snapshot: source.snapshot,
      subscribe(listener) {
        const unfollow = bookWants.follow(venue, instrument);
        const unsubscribe = source.subscribe(listener);
        return () => {
          unsubscribe();
          unfollow();
        };
      },
    };
  },
};

export const tickersChannel: LatestChannel = {
  kind: 'latest',
  name: 'tickers',
  about: 'The last 24 hours of instruments of the spot exchange, about once a second.',
  permission: 'market:read',
  item: TickerBody,
  params: Type.Object({ instrument: Type.Optional(INSTRUMENT) }, { additionalProperties: false }),
  problem: ({ instrument }) => unknownInstrument('spotexchange', instrument),
  open(ports, { instrument }) {
    return statesSource(
      ports,
      'day_ticker',
      (ticker) => instrument === undefined || ticker.instrument === instrument,
      (ticker, at) => tickerBody(ticker, findVenueState(ports.states, 'spotexchange'), at),
    );
  },
};

export const perpsChannel: LatestChannel = {
  kind: 'latest',
  name: 'perps',
  about: 'Mark, oracle, funding and open interest of perpetuals as they change, with the top of their own book.',
  permission: 'market:read',
  item: PerpBody,
  params: Type.Object({ instrument: Type.Optional(INSTRUMENT) }, { additionalProperties: false }),
  problem: ({ instrument }) => unknownInstrument('evmvenue', instrument),
  open(ports, { instrument }) {
    const findQuote = (name: string) => ports.quotes.latest(`evmvenue:${name}`);
    return statesSource(
      ports,
      'perp_context',
      (perp) => instrument === undefined || perp.instrument === instrument,
      (perp, at) => perpBody(perp, findQuote(perp.instrument), findVenueState(ports.states, 'evmvenue'), at),
    );
  },
};
