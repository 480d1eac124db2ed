/** Head of the chosen instrument: price, change, and the venue's figures. */
import { plain, symbolOf } from '../../words.js';
import { benchmarkOf, useEntry } from '../catalog.ts';
import { Change, compactText, Price, Quality } from '../kit/numbers.tsx';
import { useStore } from '../kit/store.ts';
import { premiumPct, priceOf, useQuote, useTicker } from '../market.ts';
import { instrument, venueIn } from '../place.ts';
import { useMove } from './use-move.ts';
import { Figure } from '../kit/lists.tsx';

export function InstrumentHead() {
  const key = useStore(instrument);
  const entry = useEntry(key);
  const quote = useQuote(key);
  const price = priceOf(quote);
  const move = useMove(price);
  return (
    <div className="instrument-head">
      <div className="instrument-name">
        <h2>{symbolOf(key)}</h2>
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

function Figures({ instrumentKey }: { readonly instrumentKey: string }) {
  const entry = useEntry(instrumentKey);
  const ticker = useTicker(instrumentKey);
  const quote = useQuote(instrumentKey);
  const reference = useQuote(benchmarkOf(entry));
  const [price, referencePrice] = [priceOf(quote), priceOf(reference)];
  if (ticker !== undefined)
    return (
      <>
        <Figure key="24 h change" name="24 h change">
          <Change percent={Number(ticker.priceChangePct)} />
        </Figure>
        <Figure key="24 h high" name="24 h high">
          <Price price={ticker.highPrice} />
        </Figure>
        <Figure key="24 h low" name="24 h low">
          <Price price={ticker.lowPrice} />
        </Figure>
        <Figure key="24 h volume" name="24 h volume">
          <span className="num">${compactText(ticker.quoteVolume)}</span>
        </Figure>
      </>
    );
  return (
    <>
      {entry?.benchmark != null && (
        <>
          <Figure key="Premium" name="Premium">
            <Change percent={premiumPct(price, referencePrice)} />
          </Figure>
          <Figure key="benchmark" name={entry.benchmarkKind === 'issuer_mark' ? 'Issuer mark' : 'Share price'}>
            <Price price={referencePrice} />
          </Figure>
        </>
      )}
      <Figure key="Bid" name="Bid">
        <Price price={quote?.bid} />
      </Figure>
      <Figure key="Ask" name="Ask">
        <Price price={quote?.ask} />
      </Figure>
    </>
  );
}
