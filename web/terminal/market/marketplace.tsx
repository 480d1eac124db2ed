/** Marketplace: listings as cards with their evidence, licences of the organization, and selling. */
import { Select } from '@mantine/core';
import { useState } from 'react';
import { plain } from '../../words.js';
import { api, useRead, type Licence, type Listing } from '../api.ts';
import { Written } from '../kit/form.tsx';
import { FigureList, List, Loaded, useList, renderTags } from '../kit/lists.tsx';
import { Change } from '../kit/numbers.tsx';
import { Sparkline } from '../kit/sparkline.tsx';
import { useStore } from '../kit/store.ts';
import { within } from '../place.ts';
import { deflatedSharpe, Gates, readMetrics, priceWords } from './evidence.tsx';
import { ListingPage } from './listing.tsx';

export function Marketplace() {
  const [id = ''] = useStore(within).split('/');
  return id === '' ? <Listings /> : <ListingPage key={id} id={id} />;
}

interface Wanted {
  readonly search: string;
  readonly category: string | null;
  readonly maxPriceUsd: string;
}

const toFilter = ({ search, category, maxPriceUsd }: Wanted) => ({
  ...(search.trim() === '' ? {} : { search: search.trim() }),
  ...(category === null ? {} : { category }),
  ...(/^\d+(\.\d+)?$/.test(maxPriceUsd) ? { maxPriceUsd } : {}),
});

function Listings() {
  const [wanted, setWanted] = useState<Wanted>({ search: '', category: null, maxPriceUsd: '' });
  const filter = toFilter(wanted);
  const listings = useList(['listings', filter], (page, options) => api.listListings({ ...page, ...filter }, options));
  const shown = (listings.data?.pages ?? []).flatMap(({ items }) => items);
  const categories = [...new Set([...shown.flatMap((one) => one.categories), ...(wanted.category === null ? [] : [wanted.category])])];
  return (
    <div className="page">
      <div className="page-head">
        <h1>Marketplace</h1>
        <Filters wanted={wanted} want={(by) => setWanted((before) => ({ ...before, ...by }))} categories={categories} />
        <span className="space" />
        <a href="#/selling">Sell a strategy</a>
      </div>
      <Loaded query={listings}>
        {() =>
          shown.length === 0 ? (
            <p className="empty">
              {Object.keys(filter).length > 0 ? 'No strategy matches.' : 'Nothing is on sale yet.'}{' '}
              <a href="#/selling">Sell one of your agents</a>
            </p>
          ) : (
            <ul className="market-cards" aria-label="Strategies, newest first">
              {shown.map((listing) => (
                <ListingCard key={listing.id} listing={listing} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <h2>Your licences</h2>
      <Licences />
    </div>
  );
}

interface FiltersProps {
  readonly wanted: Wanted;
  readonly want: (by: Partial<Wanted>) => void;
  readonly categories: string[];
}

const Filters = ({ wanted: { search, category, maxPriceUsd }, want, categories }: FiltersProps) => (
  <>
    <Written aria-label="Search name or description" placeholder="Search" value={search} write={(text) => want({ search: text })} />
    <Select
      aria-label="Category"
      placeholder="All categories"
      clearable
      clearButtonProps={{ 'aria-label': 'All categories' }}
      data={categories}
      value={category}
      onChange={(value) => want({ category: value })}
    />
    <Written
      aria-label="Max price (USD)"
      placeholder="At most $"
      inputMode="decimal"
      value={maxPriceUsd}
      write={(text) => want({ maxPriceUsd: text.trim() })}
    />
  </>
);

const NOT_LUCK = 'Probability that the Sharpe ratio is more than the luck of as many worthless trials';

function ListingCard({ listing }: { readonly listing: Listing }) {
  const { id, name, description, categories, priceUsd, evidence, shape, own } = listing;
  const { sharpe = null, maxDrawdownPct = null, returnPct = null } = readMetrics(listing);
  const honest = deflatedSharpe(listing);
  return (
    <li className="card market-card" data-listing={id}>
      <div className="page-head">
        <h3>
          <a href={`#/marketplace/${id}`}>{name}</a>
        </h3>
        <span className="space" />
        <strong className="num">{priceWords(priceUsd)}</strong>
      </div>
      <p className="faint clamp">{description === '' ? `${shape.entry.map(plain).join(', ')} on ${shape.timeframe} bars` : description}</p>
      {evidence.curve.length < 2 ? (
        <p className="empty sparkline" data-wide="true">
          No backtest on record yet.
        </p>
      ) : (
        <Sparkline
          isValued
          isWide
          label={`Return of the backtest over ${evidence.curve.length} instants, ${returnPct?.toFixed(1) ?? 'unknown'} % at the end`}
          values={evidence.curve.map((point) => String(point.returnPct))}
        />
      )}
      <Gates passed={evidence.gatesPassed} />
      <FigureList
        look="figures"
        lines={[
          ['Return', <Change percent={returnPct} />, 'Return of the backtest on record'],
          [
            'Drawdown',
            maxDrawdownPct === null ? null : <span className="down">{maxDrawdownPct.toFixed(1)} %</span>,
            'Max drawdown of the backtest',
          ],
          ['Sharpe', sharpe?.toFixed(2), 'Measured Sharpe ratio'],
          ['Not luck', honest === null ? null : `${(honest * 100).toFixed(0)} %`, NOT_LUCK],
          ['On paper', `${evidence.paperDays.toFixed(0)} d`],
        ]}
      />
      <p className="tags">
        {own && <span className="tag">yours</span>}
        {renderTags(categories)}
      </p>
    </li>
  );
}

const Licences = () => (
  <List
    list={useList(['licences'], api.listLicences)}
    label="Your licences"
    empty="No licences yet. A licence shows the rules of a strategy and lets you import it as your own agent."
    keyOf={({ id }) => id}
    columns={[
      { title: 'Strategy', isSorted: false, cell: (licence) => <LicenceName licence={licence} /> },
      { title: 'Paid', money: ({ priceUsd }) => priceUsd },
      { title: 'Issued', at: ({ issuedAt }) => issuedAt },
      { title: 'Imported agents', text: ({ agentIds }) => agentIds.length },
    ]}
  />
);

function LicenceName({ licence: { listingId } }: { readonly licence: Licence }) {
  const { data } = useRead(['listing', listingId], (call) => api.getListing({ id: listingId }, call), { staleTime: Infinity });
  return <a href={`#/marketplace/${listingId}`}>{data?.name ?? 'a strategy'}</a>;
}
