/** Head of the chosen instrument: price, change, and the venue's figures. */
import { plain, readSymbol } from '../../words.js';
import type { DayTicker } from '../api.ts';
import { benchmarkKey, useEntry } from '../catalog.ts';
import { Change, Large, Price, Quality } from '../kit/numbers.tsx';
import { useStore } from '../kit/store.ts';
import { premiumPct, readQuotePrice, useDay, useQuote } from '../market.ts';
import { instrument, venueIn } from '../place.ts';
import { useMove } from './use-move.ts';
import { Figure } from '../kit/lists.tsx';

export function InstrumentHead() {
  const key = useStore(instrument);
  const entry = useEntry(key);
  const quote = useQuote(key);
  const price = readQuotePrice(quote);
  const move = useMove(price);
  return (
    <div className="instrument-head">
      <div className="instrument-name">
        <h2>{readSymbol(key)}</h2>
        <small>
          {entry?.name ?? ' '} · {plain(venueIn(key))}
        </small>
      </div>
      <strong className={`last-price flash-${move}`}>
        <Price price={price} />
      </strong>
      <dl className="figures">
        <Figure name="Quote">
          <Quality row={quote} />
        </Figure>
        <Figures instrumentKey={key} />
      </dl>
    </div>
  );
}

/** Figures of the venue's day, or of the quote. Each kind has elements of its own, so that a change of kind moves none. */
function Figures({ instrumentKey }: { readonly instrumentKey: string }) {
  const day = useDay(instrumentKey);
  return day === undefined ? <QuoteFigures instrumentKey={instrumentKey} /> : <DayFigures day={day} />;
}

/** @param props.day Null if the figures are outdated. */
const DayFigures = ({ day }: { readonly day: DayTicker | null }) => (
  <>
    <Figure name="24 h change">
      <Change percent={day && Number(day.priceChangePct)} />
    </Figure>
    <Figure name="24 h high">
      <Price price={day?.highPrice} />
    </Figure>
    <Figure name="24 h low">
      <Price price={day?.lowPrice} />
    </Figure>
    <Figure name="24 h volume">
      <Large usd={day?.quoteVolume} />
    </Figure>
  </>
);

function QuoteFigures({ instrumentKey }: { readonly instrumentKey: string }) {
  const entry = useEntry(instrumentKey);
  const quote = useQuote(instrumentKey);
  const referencePrice = readQuotePrice(useQuote(benchmarkKey(entry)));
  return (
    <>
      {entry?.benchmark != null && (
        <>
          <Figure name="Premium">
            <Change percent={premiumPct(readQuotePrice(quote), referencePrice)} />
          </Figure>
          <Figure name={entry.benchmarkKind === 'issuer_mark' ? 'Issuer mark' : 'Share price'}>
            <Price price={referencePrice} />
          </Figure>
        </>
      )}
      <Figure name="Bid">
        <Price price={quote?.bid} />
      </Figure>
      <Figure name="Ask">
        <Price price={quote?.ask} />
      </Figure>
    </>
  );
}
