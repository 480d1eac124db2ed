/** Quotes of every venue: bid, ask, age, quality, and the kind of silence. */
import { Checkbox, SegmentedControl, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ageOf } from '../../aged-quality.js';
import { age, flagWords, quoteText } from '../../words.js';
import type { CatalogEntry } from '../api.ts';
import { useCatalog } from '../catalog.ts';
import { Heads } from '../kit/heads.tsx';
import { Change, Quality, spreadText } from '../kit/numbers.tsx';
import { useTicking } from '../kit/store.ts';
import { VirtualTable } from '../kit/virtual-rows.tsx';
import { feed, quoteNow, useQuality, useQuote, useTicker } from '../market.ts';
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
  const [venue, setVenue] = useState('all');
  const [wanted, setWanted] = useState('');
  const [isOnlySilent, setOnlySilent] = useState(false);
  useTicking();
  const text = wanted.trim().toLowerCase();
  const shown = useCatalog()
    .filter((entry) => venue === 'all' || venueIn(entry.key) === venue)
    .filter(({ instrument, name, underlying }) => `${instrument} ${name} ${underlying}`.toLowerCase().includes(text))
    .filter(({ key }) => !isOnlySilent || quoteNow(key)?.quality !== 'live');
  return (
    <div className="page quotes-page">
      <div className="page-head">
        <h1>Quotes</h1>
        <SegmentedControl size="xs" aria-label="Venue" data={VENUES} value={venue} onChange={setVenue} />
        <TextInput
          aria-label="Instrument"
          placeholder="Instrument"
          value={wanted}
          onChange={({ currentTarget }) => setWanted(currentTarget.value)}
        />
        <Checkbox
          label="Only quotes that are not live"
          checked={isOnlySilent}
          onChange={({ currentTarget }) => setOnlySilent(currentTarget.checked)}
        />
        <span className="space" />
        <span className="faint num" role="status">
          {shown.length} instruments
        </span>
      </div>
      {shown.length === 0 ? (
        <p className="card empty">No instrument matches.</p>
      ) : (
        <section className="card quotes-list" aria-label="Instruments">
          <VirtualTable
            label="Quotes of all venues"
            head={<Heads titles={TITLES} words={['Name', 'Venue', 'Quality']} />}
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
