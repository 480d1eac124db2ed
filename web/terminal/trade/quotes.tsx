/** Quotes of every venue: bid, ask, age, quality, and the kind of silence. */
import { Checkbox, SegmentedControl } from '@mantine/core';
import { ageOf } from '../../aged-quality.js';
import { age, flagWords, quoteText } from '../../words.js';
import type { CatalogEntry } from '../api.ts';
import { useCatalog } from '../catalog.ts';
import { Written } from '../kit/form.tsx';
import { Heads } from '../kit/heads.tsx';
import { Change, Quality, spreadText } from '../kit/numbers.tsx';
import { useTicking } from '../kit/store.ts';
import { VirtualTable } from '../kit/virtual-rows.tsx';
import { useView, Views } from '../kit/views.tsx';
import { feed, quoteNow, tickerNow, useQuality, useQuote, useTicker } from '../market.ts';
import { choose, venueIn } from '../place.ts';

const TITLES = ['Instrument', 'Name', 'Venue', 'Bid', 'Ask', 'Spread', '24 h', 'Age', 'Quality'];
const ROW_PX = 28;
const VENUES = [
  { value: 'all', label: 'All venues' },
  { value: 'spotexchange', label: 'Exchange' },
  { value: 'spotchain', label: 'Tokens' },
  { value: 'evmvenue', label: 'Perpetuals' },
];

export function Quotes() {
  const view = useView('quotes', { venue: 'all', wanted: '', silent: '' }, '2 3');
  const { venue, wanted, silent } = view.values;
  useTicking();
  const text = wanted.trim().toLowerCase();
  const found = useCatalog()
    .filter((entry) => venue === 'all' || venueIn(entry.key) === venue)
    .filter(({ instrument, name, underlying }) => `${instrument} ${name} ${underlying}`.toLowerCase().includes(text))
    .filter(({ key }) => silent === '' || quoteNow(key)?.quality !== 'live');
  const shown = view.inOrder(found, textsOf);
  return (
    <div className="page quotes-page">
      <div className="page-head">
        <h1>Quotes</h1>
        <SegmentedControl size="xs" aria-label="Venue" data={VENUES} value={venue} onChange={(value) => view.set({ venue: value })} />
        <Written aria-label="Instrument" placeholder="Instrument" value={wanted} write={(text) => view.set({ wanted: text })} />
        <Checkbox
          label="Only quotes that are not live"
          checked={silent !== ''}
          onChange={({ currentTarget }) => view.set({ silent: currentTarget.checked ? 'yes' : '' })}
        />
        <span className="space" />
        <span className="faint num" role="status">
          {shown.length} instruments
        </span>
        <Views view={view} titles={TITLES} />
      </div>
      {shown.length === 0 ? (
        <p className="card empty">No instrument matches.</p>
      ) : (
        <section className="card quotes-list" aria-label="Instruments">
          <VirtualTable
            label="Quotes of all venues"
            hidden={view.values.hidden}
            head={<Heads titles={TITLES} words={['Name', 'Venue', 'Quality']} sorting={view.sorting} />}
            columns={TITLES.length}
            rowPx={ROW_PX}
            count={shown.length}
            row={(index) => {
              const entry = shown[index] as CatalogEntry;
              return <Row key={entry.key} entry={entry} />;
            }}
          />
        </section>
      )}
    </div>
  );
}

/** Returns the values of an instrument's cells by which its row is sorted. */
function textsOf({ key, instrument, name, venue }: CatalogEntry) {
  const quote = quoteNow(key);
  return [
    instrument,
    name,
    venue,
    quote?.bid ?? quote?.referencePrice,
    quote?.ask,
    spreadText(quote?.bid, quote?.ask),
    tickerNow(key)?.priceChangePct,
    quote === undefined ? '' : String(ageOf(quote, feed.now())),
    quote?.quality,
  ];
}

function Row({ entry: { key, instrument, name, venue } }: { readonly entry: CatalogEntry }) {
  const quote = useQuote(key);
  const ticker = useTicker(key);
  const quality = useQuality(quote);
  return (
    <tr data-instrument={key} data-quality={quality ?? 'none'}>
      <th scope="row">
        <button type="button" className="plain" onClick={() => choose(key)}>
          {instrument}
        </button>
      </th>
      <td className="text faint clip">{name}</td>
      <td className="text faint">{venue}</td>
      <td className="num" title={quote?.bid ?? undefined}>
        {shownPrice(quote?.bid ?? quote?.referencePrice)}
      </td>
      <td className="num" title={quote?.ask ?? undefined}>
        {shownPrice(quote?.ask)}
      </td>
      <td className="num faint">{spreadText(quote?.bid, quote?.ask)}</td>
      <td>
        <Change percent={ticker === undefined ? null : Number(ticker.priceChangePct)} />
      </td>
      <td className="num faint">{quote === undefined ? '–' : age(ageOf(quote, feed.now()))}</td>
      <td className="text">
        <Quality row={quote} />{' '}
        {(quote?.flags ?? []).map((flag) => (
          <span key={flag} className="tag" title={flagWords(flag).meaning}>
            {flagWords(flag).word}
          </span>
        ))}
      </td>
    </tr>
  );
}

const shownPrice = (price: string | null | undefined): string => (price === null || price === undefined ? '–' : quoteText(price));
