/** Own listings on the marketplace: prices, price history, and delisting. */
import { useState } from 'react';
import type { Listing } from '../../../clients/typescript/src/index.ts';
import { plain } from '../../words.js';
import { api } from '../api.ts';
import { Ago, At } from '../kit/ages.tsx';
import { Ask } from '../kit/ask.tsx';
import { Address } from '../kit/address.tsx';
import { AskForm } from '../kit/form.tsx';
import { Opener } from '../kit/beside.tsx';
import { List, useList } from '../kit/lists.tsx';
import { Money } from '../kit/numbers.tsx';
import { Sparkline } from '../kit/sparkline.tsx';
import { useMay } from '../member.ts';
import { ListStrategy } from './publish.tsx';

export function Selling() {
  const [chosen, setChosen] = useState<Listing | null>(null);
  const listings = useList(['listings', 'own'], (page, options) => api.listListings({ ...page, mine: true }, options));
  return (
    <div className="page">
      <div className="page-head">
        <h1>Selling</h1>
        <span className="space" />
        <a href="#/marketplace">Marketplace</a>
        <ListStrategy />
      </div>
      <List
        list={listings}
        label="Own listings"
        empty={
          <>
            You sell nothing yet. An agent that passed its gates is listed <a href="#/marketplace">on the marketplace</a>, with its
            evidence.
          </>
        }
        keyOf={({ id }) => id}
        columns={[
          { title: 'Strategy', cell: ({ name, categories }) => <Name name={name} categories={categories} /> },
          { title: 'State', isText: true, cell: ({ state }) => <span className={state === 'listed' ? 'up' : 'faint'}>{state}</span> },
          { title: 'Price', cell: ({ priceUsd }) => <Money usd={priceUsd} /> },
          { title: 'Gates', cell: ({ evidence }) => `${evidence.gatesPassed} of 7` },
          { title: 'Stage', isText: true, cell: ({ evidence: { stage } }) => (stage === null ? '–' : plain(stage)) },
          { title: 'Paper days', cell: ({ evidence }) => evidence.paperDays },
          { title: 'Paid to', isText: true, cell: ({ payoutWallet }) => <Address address={payoutWallet} /> },
          { title: 'Listed', cell: ({ publishedAt }) => <Ago at={publishedAt} /> },
          {
            title: '',
            cell: (listing) => (
              <Buttons
                listing={listing}
                isChosen={chosen?.id === listing.id}
                choose={() => setChosen(chosen?.id === listing.id ? null : listing)}
              />
            ),
          },
        ]}
      />
      {chosen !== null && <Prices key={chosen.id} listing={chosen} />}
    </div>
  );
}

function Name({ name, categories }: Pick<Listing, 'name' | 'categories'>) {
  return (
    <>
      <strong className="long">{name}</strong>{' '}
      {categories.map((category) => (
        <span key={category} className="tag">
          {plain(category)}
        </span>
      ))}
    </>
  );
}

interface ButtonsProps {
  readonly listing: Listing;
  readonly isChosen: boolean;
  readonly choose: () => void;
}

function Buttons({ listing: { id, name, priceUsd, state }, isChosen, choose }: ButtonsProps) {
  const mayTrade = useMay('trade:execute');
  const changes = ['listings', 'listing-prices'];
  return (
    <div className="row-buttons">
      <Opener isOpen={isChosen} toggle={choose}>
        Prices
      </Opener>
      {mayTrade && state === 'listed' && (
        <>
          <AskForm
            verb="Change price"
            name={`Change the price of ${name}`}
            title={`Price of ${name}`}
            done={`The price of ${name} is changed.`}
            changes={changes}
            fields={[
              { name: 'priceUsd', label: 'Price (USD)', hint: 'New buyers pay this price. Sold licences do not change.', kind: 'amount' },
            ]}
            first={{ priceUsd }}
            act={(body) => api.repriceListing({ id, body })}
          />
          <Ask
            verb="Unlist"
            name={`Unlist ${name}`}
            title={`Take ${name} off the marketplace?`}
            isDangerous
            done={`${name} is sold no more.`}
            changes={changes}
            act={() => api.unlistListing({ id })}
          >
            <p>It can no longer be bought. Sold licences stay valid.</p>
          </Ask>
        </>
      )}
    </div>
  );
}

function Prices({ listing: { id, name } }: { readonly listing: Listing }) {
  const prices = useList(['listing-prices', id], (page, options) => api.listListingPrices({ ...page, id }, options));
  const all = (prices.data?.pages ?? []).flatMap(({ items }) => items);
  const oldestFirst = [...all].sort((a, b) => (a.at < b.at ? -1 : 1)).map(({ priceUsd }) => priceUsd);
  return (
    <section className="card claims" aria-label={`Prices of ${name}`}>
      <h2>
        Prices of {name} <Sparkline values={oldestFirst} label={`Course of the price of ${name}`} />
      </h2>
      <List
        list={prices}
        label="Prices"
        empty="The price has never changed."
        keyOf={({ at }) => at}
        columns={[
          { title: 'From', cell: ({ at }) => <At at={at} /> },
          { title: 'Price', cell: ({ priceUsd }) => <Money usd={priceUsd} /> },
        ]}
      />
    </section>
  );
}
