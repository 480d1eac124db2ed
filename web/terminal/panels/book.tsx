/** Order book ladder: asks above, bids below, the spread between. A click copies a price to the order ticket. */
import { useEffect, useState } from 'react';
import type { FollowedBook } from '../../../clients/typescript/src/index.ts';
import { grouped, plain, priceText, readSymbol } from '../../words.js';
import { withoutZeros } from '../kit/decimal.ts';
import { Price, Quality, spreadText } from '../kit/numbers.tsx';
import { useStore } from '../kit/store.ts';
import { feed, useQuote } from '../market.ts';
import { instrument, venueIn } from '../place.ts';
import { changeDraft } from './draft.ts';
import { FigureList } from '../kit/lists.tsx';

const DEPTH = 20;
/** Minimum interval between renderings. */
const DRAWN_EVERY_MS = 150;
const WITH_BOOK = ['spotexchange', 'evmvenue'];

type Level = FollowedBook['bids'][number];

export function Book() {
  const key = useStore(instrument);
  const book = useBook(key);
  if (!WITH_BOOK.includes(venueIn(key))) return <NoBook instrumentKey={key} />;
  if (book === null) return <p className="empty">Waiting for the book of {readSymbol(key)}…</p>;
  const decimals = Math.max(2, countDecimals([...book.bids, ...book.asks].map(({ price }) => price)));
  const sizeDecimals = Math.min(5, countDecimals([...book.bids, ...book.asks].map(({ size }) => size)));
  const [bids, asks] = [withTotals(book.bids), withTotals(book.asks)];
  const most = Math.max(bids.at(-1)?.total ?? 0, asks.at(-1)?.total ?? 0);
  const show = { decimals, sizeDecimals, most };
  // Rows keep their places and change their texts: rows that followed prices would move with each change.
  return (
    <div className="book" data-instrument={key}>
      <div className="book-head" aria-hidden="true">
        <span>Price</span>
        <span>Size</span>
        <span>Total</span>
      </div>
      <ol className="ladder asks" aria-label="Asks, lowest last">
        {asks.map((level, place) => (
          <Rung key={place} level={level} side="ask" {...show} />
        ))}
      </ol>
      <Spread book={book} />
      <ol className="ladder bids" aria-label="Bids, highest first">
        {bids.map((level, place) => (
          <Rung key={place} level={level} side="bid" {...show} />
        ))}
      </ol>
    </div>
  );
}

/** Follows the book of an instrument while it is shown. Null before it arrives, or if there is none. */
function useBook(key: string): FollowedBook | null {
  const [book, setBook] = useState<FollowedBook | null>(null);
  useEffect(() => {
    setBook(null);
    const [venue, name] = [venueIn(key), readSymbol(key)];
    if (!WITH_BOOK.includes(venue)) return;
    let newest: FollowedBook | null = null;
    let timer: ReturnType<typeof setTimeout> | null = null;
    const stop = feed.subscribe({
      channel: 'order_book',
      params: { venue: venue as 'spotexchange', instrument: name, depth: DEPTH },
      receive: ({ data }) => {
        newest = [data].flat().findLast((one) => one.venue === venue && one.instrument === name) ?? newest;
        timer ??= setTimeout(() => {
          timer = null;
          setBook(newest);
        }, DRAWN_EVERY_MS);
      },
    });
    return () => {
      stop();
      if (timer !== null) clearTimeout(timer);
    };
  }, [key]);
  return book;
}

interface Rung extends Level {
  readonly total: number;
}

function withTotals(levels: readonly Level[]): readonly Rung[] {
  let total = 0;
  return levels.map((level) => {
    total += Number(level.size);
    return { ...level, total };
  });
}

const countDecimals = (texts: readonly string[]): number =>
  Math.max(0, ...texts.map((text) => text.split('.')[1]?.replace(/0+$/, '').length ?? 0));

interface RungProps {
  readonly level: Rung;
  readonly side: 'bid' | 'ask';
  readonly decimals: number;
  readonly sizeDecimals: number;
  readonly most: number;
}

const Rung = ({ level: { price, size, total }, side, decimals, sizeDecimals, most }: RungProps) => (
  <li>
    <button
      type="button"
      className={`rung ${side}`}
      onClick={() => changeDraft({ kind: 'limit', price: withoutZeros(price) })}
      title="Use as limit price"
    >
      <span className="depth" style={{ transform: `scaleX(${most === 0 ? 0 : total / most})` }} />
      <span className="num">{grouped(Number(price).toFixed(decimals))}</span>
      <span className="num">{Number(size).toFixed(sizeDecimals)}</span>
      <span className="num">{total.toFixed(sizeDecimals)}</span>
    </button>
  </li>
);

const Spread = ({ book }: { readonly book: FollowedBook }) => (
  <div className="spread">
    <span className="faint">Spread</span>
    <span className="num">{spreadText(book.bids[0]?.price, book.asks[0]?.price)}</span>
    <Quality row={book} short />
  </div>
);

/** Quotes of a venue that trades by route and has no book. */
function NoBook({ instrumentKey }: { readonly instrumentKey: string }) {
  const quote = useQuote(instrumentKey);
  return (
    <div className="no-book">
      <FigureList
        look="facts"
        lines={[
          [
            'Ask',
            <span className="down">
              <Price price={quote?.ask} />
            </span>,
          ],
          [
            'Bid',
            <span className="up">
              <Price price={quote?.bid} />
            </span>,
          ],
          ['Source', quote && plain(quote.source)],
          ['Bid size', quote?.bidSize == null ? null : priceText(quote.bidSize)],
          ['Ask size', quote?.askSize == null ? null : priceText(quote.askSize)],
        ]}
      />
      <p className="faint">{readSymbol(instrumentKey)} trades through pools. Prices come by route, so there is no order book.</p>
    </div>
  );
}
