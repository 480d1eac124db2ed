/** Leaderboard of wallets by realized profit, the sales of one wallet, and the form that adds an address. */
import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import type { LeaderboardEntry } from '../../../clients/typescript/src/index.ts';
import { plain, priceText } from '../../words.js';
import { api, useRead } from '../api.ts';
import { Address, shortAddress } from '../kit/address.tsx';
import { Ago, At } from '../kit/ages.tsx';
import { saveText } from '../kit/browser.ts';
import { Form, Written } from '../kit/form.tsx';
import { Card, FigureList, List, Loaded, useList } from '../kit/lists.tsx';
import { Gain, Money } from '../kit/numbers.tsx';
import { useStore } from '../kit/store.ts';
import { useMay, useMe } from '../member.ts';
import { goTo, within } from '../place.ts';
import { CHAINS } from '../wallet/linking.tsx';

const READ_EVERY_MS = 15_000;
const WINDOWS = ['24h', '7d', '30d'] as const;
type Window = (typeof WINDOWS)[number];

export function Leaderboard() {
  const [first = '', second = ''] = useStore(within).split('/');
  const window = WINDOWS.find((name) => name === first) ?? '24h';
  const address = decodeURIComponent(second);
  const [search, setSearch] = useState('');
  const mayRegister = useMay('agent:read') && useMe().orgId !== null;
  return (
    <div className="page">
      <div className="page-head">
        <h1>Leaderboard</h1>
        <SegmentedControl
          aria-label="Window"
          data={[...WINDOWS]}
          value={window}
          onChange={(value) => goTo(`leaderboard/${value}${address === '' ? '' : `/${address}`}`)}
        />
        <Written aria-label="Search wallets" placeholder="Address or name" value={search} write={setSearch} />
        <span className="space" />
        <button type="button" className="plain" onClick={() => void saveCsv(window)}>
          Save as CSV
        </button>
      </div>
      {address !== '' && <Wallet key={`${address} ${window}`} address={address} window={window} />}
      <Board window={window} search={search.trim()} chosen={address} />
      {mayRegister && <Register />}
    </div>
  );
}

async function saveCsv(window: Window): Promise<void> {
  saveText(await api.getLeaderboardCsv({ window }), `leaderboard-${window}.csv`, 'text/csv');
}

interface BoardProps {
  readonly window: Window;
  readonly search: string;
  readonly chosen: string;
}

function Board({ window, search, chosen }: BoardProps) {
  const filter = search === '' ? {} : { search };
  const board = useList(['leaderboard', window, search], (page, options) => api.getLeaderboard({ ...page, window, ...filter }, options), {
    everyMs: READ_EVERY_MS,
  });
  return (
    <List
      list={board}
      label={`Realized profit of live trading, ${window}`}
      empty={search === '' ? 'No wallets yet. Register one below.' : `No wallet matches “${search}”.`}
      keyOf={({ address }) => address}
      markOf={({ address }) => (address === chosen ? 'chosen' : undefined)}
      columns={[
        { title: 'Wallet', cell: (one) => <Name wallet={one} window={window} chosen={chosen} /> },
        { title: 'Chain', isText: true, cell: ({ chain }) => CHAINS[chain] },
        { title: 'Realized', cell: ({ realizedPnlUsd }) => <Gain usd={realizedPnlUsd} /> },
        { title: 'Coverage', cell: ({ coveragePct, basis }) => (coveragePct === null ? basis : `${coveragePct} % ${basis}`) },
        { title: 'Sales', cell: ({ sales }) => sales },
        { title: 'Remarks', isText: true, cell: ({ reasons }) => <span className="faint">{reasons.map(plain).join(', ') || '–'}</span> },
        { title: 'Read', cell: ({ readAt }) => <Ago at={readAt} /> },
      ]}
    />
  );
}

function Name({ wallet, window, chosen }: { readonly wallet: LeaderboardEntry; readonly window: Window; readonly chosen: string }) {
  const { rank, address, label } = wallet;
  const isOpen = address === chosen;
  return (
    <>
      <span className="faint num">{rank ?? '–'}</span>{' '}
      <button
        type="button"
        className="plain"
        title={address}
        aria-expanded={isOpen}
        onClick={() => goTo(isOpen ? `leaderboard/${window}` : `leaderboard/${window}/${address}`)}
      >
        {label ?? shortAddress(address)}
      </button>
    </>
  );
}

function Wallet({ address, window }: { readonly address: string; readonly window: Window }) {
  const wallet = useRead(['leaderboard-wallet', address, window], (call) => api.getLeaderboardWallet({ address, window, limit: 1 }, call));
  const sales = useList(['leaderboard-sales', address, window], (page, options) =>
    api.getLeaderboardWallet({ ...page, address, window }, options),
  );
  return (
    <section className="card claims stack" aria-label="Wallet">
      <Loaded query={wallet}>
        {({ wallet: one }) => (
          <>
            <h2>
              {one.label ?? shortAddress(address)} <Address address={address} />
            </h2>
            <WalletFigures of={one} />
            {one.chain === 'evmvenue' && <a href={`#/public-wallets/${address}`}>Its positions and balances</a>}
          </>
        )}
      </Loaded>
      <List
        list={sales}
        label="Sales, newest first"
        empty="No sales in this period."
        keyOf={({ reference, asset }) => `${reference} ${asset}`}
        columns={[
          { title: 'Time', cell: ({ at }) => <At at={at} /> },
          { title: 'Asset', isText: true, cell: ({ asset }) => <Address address={asset} /> },
          { title: 'Kind', isText: true, cell: ({ direction }) => plain(direction) },
          { title: 'Quantity', cell: ({ quantity }) => (quantity === null ? '–' : priceText(quantity)) },
          { title: 'Proceeds', cell: ({ proceedsUsd }) => <Money usd={proceedsUsd} /> },
          { title: 'Cost', cell: ({ costUsd }) => <Money usd={costUsd} /> },
          { title: 'Profit', cell: ({ profitUsd }) => <Gain usd={profitUsd} /> },
        ]}
      />
    </section>
  );
}

const WalletFigures = ({ of: one }: { readonly of: LeaderboardEntry }) => (
  <FigureList
    lines={[
      ['Rank', one.rank ?? 'none'],
      ['Realized', <Gain usd={one.realizedPnlUsd} />],
      [
        'Sales with a known cost',
        <>
          {one.matchedSales} of {one.sales}
        </>,
      ],
      ['History since', <At at={one.historySince} />],
    ]}
  />
);

const Register = () => (
  <Card title="Register a wallet">
    <Form
      fields={[
        { name: 'address', label: 'Address on the primary or the EVM chain', kind: 'code', maxLength: 44 },
        { name: 'label', label: 'Name', maxLength: 60, isOptional: true },
      ]}
      first={{ address: '', label: '' }}
      verb="Register"
      send={({ address, label }) => api.registerLeaderboardWallet({ body: { address, ...(label === '' ? {} : { label }) } })}
      changes={['leaderboard']}
    />
  </Card>
);
