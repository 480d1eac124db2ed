/** Own listings on the marketplace: prices, price history, and delisting. */
import { useState } from 'react';
import { plain } from '../../words.js';
import { api, type Listing } from '../api.ts';
import { Ask } from '../kit/ask.tsx';
import { AskForm } from '../kit/form.tsx';
import { Opener } from '../kit/beside.tsx';
import { List, useList, renderTags } from '../kit/lists.tsx';
import { Sparkline } from '../kit/sparkline.tsx';
import { useMay } from '../member.ts';
import { ListStrategy } from './publish.tsx';

export function Selling() {
  const [chosen, setChosen] = useState<Listing | null>(null);
  return (
    <div className="page">
      <div className="page-head">
        <h1>Selling</h1>
        <span className="space" />
        <a href="#/marketplace">Marketplace</a>
        <ListStrategy />
      </div>
      <List
        list={useList(['listings', 'own'], (page, options) => api.listListings({ ...page, mine: true }, options))}
        label="Own listings"
        empty={
          <>
            You sell nothing yet. An agent that passed its gates is listed <a href="#/marketplace">on the marketplace</a>, with its
            evidence.
          </>
        }
        keyOf={({ id }) => id}
        columns={[
          { title: 'Strategy', cell: showName },
          { title: 'State', isText: true, cell: ({ state }) => <span className={state === 'listed' ? 'up' : 'faint'}>{state}</span> },
          { title: 'Price', isFigure: true, money: ({ priceUsd }) => priceUsd },
          { title: 'Gates', text: ({ evidence }) => `${evidence.gatesPassed} of 7` },
          { title: 'Stage', isText: true, text: ({ evidence: { stage } }) => (stage === null ? '–' : plain(stage)) },
          { title: 'Paper days', text: ({ evidence }) => evidence.paperDays },
          { title: 'Paid to', isText: true, address: ({ payoutWallet }) => payoutWallet },
          { title: 'Listed', ago: ({ publishedAt }) => publishedAt },
          {
            title: 'Actions',
            buttons: (listing) => (
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

const showName = ({ name, categories }: Pick<Listing, 'name' | 'categories'>) => (
  <>
    <strong className="long">{name}</strong> {renderTags(categories.map(plain))}
  </>
);

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
            key={priceUsd}
            verb="Change price"
            name={`Change the price of ${name}`}
            title={`Price of ${name}`}
            done={`Price of ${name} changed.`}
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
            done={`${name} is no longer on sale.`}
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
        Prices of {name} <Sparkline values={oldestFirst} label={`Price history of ${name}`} />
      </h2>
      <List
        list={prices}
        label="Prices"
        empty="The price has never changed."
        keyOf={({ at }) => at}
        columns={[
          { title: 'From', at: ({ at }) => at },
          { title: 'Price', isFigure: true, money: ({ priceUsd }) => priceUsd },
        ]}
      />
    </section>
  );
}
