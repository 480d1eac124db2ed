/** Quotes of every venue: bid, ask, age, quality, and the kind of silence. */
import { Checkbox, SegmentedControl } from '@mantine/core';
import { computeAge } from '../../aged-quality.js';
import { age, flagWords } from '../../words.js';
import type { CatalogEntry } from '../api.ts';
import { useCatalog } from '../catalog.ts';
import type { Column } from '../kit/columns.tsx';
import { Written } from '../kit/form.tsx';
import { Quality, spreadText } from '../kit/numbers.tsx';
import { useTicking } from '../kit/store.ts';
import { Table } from '../kit/table.tsx';
import { useView, Views } from '../kit/views.tsx';
import { dayNow, feed, quoteNow } from '../market.ts';
import { venueIn } from '../place.ts';
import { Instrument } from '../kit/columns.tsx';

const VENUES = [
  { value: 'all', label: 'All venues' },
  { value: 'spotexchange', label: 'Exchange' },
  { value: 'spotchain', label: 'Tokens' },
  { value: 'evmvenue', label: 'Perpetuals' },
];

export function Quotes() {
  const view = useView('quotes', { venue: 'all', wanted: '', silent: '' });
  const { venue, wanted, silent } = view.values;
  useTicking();
  const text = wanted.trim().toLowerCase();
  const shown = useCatalog()
    .filter((entry) => venue === 'all' || venueIn(entry.key) === venue)
    .filter(({ instrument, name, underlying }) => `${instrument} ${name} ${underlying}`.toLowerCase().includes(text))
    .filter(({ key }) => silent === '' || quoteNow(key)?.quality !== 'live');
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
        <Views view={view} titles={COLUMNS.map(({ title }) => title)} />
      </div>
      {shown.length === 0 ? (
        <p className="card empty">No instrument matches.</p>
      ) : (
        <section className="card quotes-list" aria-label="Instruments">
          <Table
            label="Quotes of all venues"
            area="virtual"
            isSearched={false}
            view={view}
            rows={shown}
            columns={COLUMNS}
            keyOf={({ key }) => key}
            attributesOf={({ key }) => ({ 'data-instrument': key })}
          />
        </section>
      )}
    </div>
  );
}

/** Quotes as they are when the page is drawn, twice a second. */
const COLUMNS: readonly Column<CatalogEntry>[] = [
  {
    title: 'Instrument',
    cell: ({ key, instrument }) => <Instrument of={key}>{instrument}</Instrument>,
  },
  { title: 'Name', isText: true, isFaint: true, text: ({ name }) => name, attributesOf: () => ({ className: 'text faint clip' }) },
  { title: 'Venue', isText: true, isFaint: true, text: ({ venue }) => venue },
  { title: 'Bid', isFigure: true, quote: ({ key }) => quoteNow(key)?.bid ?? quoteNow(key)?.referencePrice },
  { title: 'Ask', isFigure: true, quote: ({ key }) => quoteNow(key)?.ask },
  { title: 'Spread', isFaint: true, text: ({ key }) => spreadText(quoteNow(key)?.bid, quoteNow(key)?.ask) },
  { title: '24 h', change: ({ key }) => toPercent(dayNow(key)?.priceChangePct) },
  { title: 'Age', isFaint: true, value: ({ key }) => ageNow(key), cell: ({ key }) => ageText(ageNow(key)) },
  { title: 'Quality', isText: true, value: ({ key }) => quoteNow(key)?.quality, cell: ({ key }) => <QualityAndFlags of={key} /> },
];

const toPercent = (text: string | undefined): number | null => (text === undefined ? null : Number(text));

function ageNow(key: string): number | null {
  const quote = quoteNow(key);
  return quote === undefined ? null : computeAge(quote, feed.now());
}

const ageText = (ms: number | null): string => (ms === null ? '–' : age(ms));

function QualityAndFlags({ of: key }: { readonly of: string }) {
  const quote = quoteNow(key);
  return (
    <>
      <Quality row={quote} />{' '}
      {(quote?.flags ?? []).map((flag) => (
        <span key={flag} className="tag" title={flagWords(flag).meaning}>
          {flagWords(flag).word}
        </span>
      ))}
    </>
  );
}
