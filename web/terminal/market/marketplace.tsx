/** Marketplace: listings as cards with their evidence, licences of the organization, and selling. */
import { Select } from '@mantine/core';
import { useState } from 'react';
import type { Licence, Listing } from '../../../clients/typescript/src/index.ts';
import { plain } from '../../words.js';
import { api, useRead } from '../api.ts';
import { At } from '../kit/ages.tsx';
import { Written } from '../kit/form.tsx';
import { List, Loaded, useList } from '../kit/lists.tsx';
import { Change, Money } from '../kit/numbers.tsx';
import { Sparkline } from '../kit/sparkline.tsx';
import { useStore } from '../kit/store.ts';
import { within } from '../place.ts';
import { deflatedSharpe, Gates, metricsOf, priceWords } from './evidence.tsx';
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

const filterOf = ({ search, category, maxPriceUsd }: Wanted) => ({
  ...(search.trim() === '' ? {} : { search: search.trim() }),
  ...(category === null ? {} : { category }),
  ...(/^\d+(\.\d+)?$/.test(maxPriceUsd) ? { maxPriceUsd } : {}),
});

function Listings() {
  const [wanted, setWanted] = useState<Wanted>({ search: '', category: null, maxPriceUsd: '' });
  const filter = filterOf(wanted);
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

function Filters({ wanted: { search, category, maxPriceUsd }, want, categories }: FiltersProps) {
  return (
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
}

function ListingCard({ listing }: { readonly listing: Listing }) {
  const { id, name, description, categories, priceUsd, evidence, shape, own } = listing;
  const { sharpe = null, maxDrawdownPct = null, returnPct = null } = metricsOf(listing);
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
      <Sparkline
        isValued
        isWide
        label={`Return of the backtest over ${evidence.curve.length} instants, ${returnPct?.toFixed(1) ?? 'unknown'} % at the end`}
        values={evidence.curve.map((point) => String(point.returnPct))}
      />
      <Gates passed={evidence.gatesPassed} />
      <dl className="figures">
        <div>
          <dt title="Return of the backtest on record">Return</dt>
          <dd>
            <Change percent={returnPct} />
          </dd>
        </div>
        <div>
          <dt title="Max drawdown of the backtest">Drawdown</dt>
          <dd className="num">{maxDrawdownPct === null ? '–' : <span className="down">{maxDrawdownPct.toFixed(1)} %</span>}</dd>
        </div>
        <div>
          <dt title="Measured Sharpe ratio">Sharpe</dt>
          <dd className="num">{sharpe?.toFixed(2) ?? '–'}</dd>
        </div>
        <div>
          <dt title="Probability that the Sharpe ratio is more than the luck of as many worthless trials">Not luck</dt>
          <dd className="num">{honest === null ? '–' : `${(honest * 100).toFixed(0)} %`}</dd>
        </div>
        <div>
          <dt>On paper</dt>
          <dd className="num">{evidence.paperDays.toFixed(0)} d</dd>
        </div>
      </dl>
      <p className="tags">
        {own && <span className="tag">yours</span>}
        {categories.map((category) => (
          <span key={category} className="tag">
            {category}
          </span>
        ))}
      </p>
    </li>
  );
}

function Licences() {
  const licences = useList(['licences'], (page, options) => api.listLicences(page, options));
  return (
    <List
      list={licences}
      label="Your licences"
      empty="No licences yet. A licence shows the rules of a strategy and lets you import it as your own agent."
      keyOf={({ id }) => id}
      columns={[
        { title: 'Strategy', cell: (licence) => <LicenceName licence={licence} /> },
        { title: 'Paid', cell: ({ priceUsd }) => <Money usd={priceUsd} /> },
        { title: 'Issued', cell: ({ issuedAt }) => <At at={issuedAt} /> },
        { title: 'Imported agents', cell: ({ agentIds }) => agentIds.length },
      ]}
    />
  );
}

function LicenceName({ licence: { listingId } }: { readonly licence: Licence }) {
  const { data } = useRead(['listing', listingId], (call) => api.getListing({ id: listingId }, call), { staleTime: Infinity });
  return <a href={`#/marketplace/${listingId}`}>{data?.name ?? 'a strategy'}</a>;
}
