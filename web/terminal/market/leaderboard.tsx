/** Leaderboard of wallets by realized profit, the sales of one wallet, and the form that adds an address. */
import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { plain, priceText } from '../../words.js';
import { api, useRead, type LeaderboardEntry } from '../api.ts';
import { Address, shortAddress } from '../kit/address.tsx';
import { At } from '../kit/ages.tsx';
import { saveText } from '../kit/browser.ts';
import { Form, Written } from '../kit/form.tsx';
import { Card, FigureList, List, Loaded, useList } from '../kit/lists.tsx';
import { Gain } from '../kit/numbers.tsx';
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
  const board = useBoard(window, search.trim());
  const hasRows = board.data?.pages.some(({ items }) => items.length > 0) === true;
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
        {hasRows && (
          <button type="button" className="plain" onClick={() => void saveCsv(window)}>
            Save as CSV
          </button>
        )}
      </div>
      {address !== '' && <Wallet key={`${address} ${window}`} address={address} window={window} />}
      <Board list={board} window={window} search={search.trim()} chosen={address} />
      {mayRegister && <Register />}
    </div>
  );
}

async function saveCsv(window: Window): Promise<void> {
  saveText(await api.getLeaderboardCsv({ window }), `leaderboard-${window}.csv`, 'text/csv');
}

const useBoard = (window: Window, search: string) =>
  useList(
    ['leaderboard', window, search],
    (page, options) => api.getLeaderboard({ ...page, window, ...(search === '' ? {} : { search }) }, options),
    { everyMs: READ_EVERY_MS },
  );

interface BoardProps {
  readonly list: ReturnType<typeof useBoard>;
  readonly window: Window;
  readonly search: string;
  readonly chosen: string;
}

function Board({ list, window, search, chosen }: BoardProps) {
  return (
    <List
      list={list}
      label={`Realized profit of live trading, ${window}`}
      empty={search === '' ? 'No wallets yet. Register one below.' : `No wallet matches “${search}”.`}
      keyOf={({ address }) => address}
      markOf={({ address }) => (address === chosen ? 'chosen' : undefined)}
      columns={[
        { title: 'Wallet', cell: (wallet) => showName(wallet, window, chosen) },
        { title: 'Chain', isText: true, text: ({ chain }) => CHAINS[chain] },
        { title: 'Realized', isFigure: true, gain: ({ realizedPnlUsd }) => realizedPnlUsd },
        { title: 'Coverage', text: ({ coveragePct, basis }) => (coveragePct === null ? basis : `${coveragePct} % ${basis}`) },
        { title: 'Sales', text: ({ sales }) => sales },
        { title: 'Remarks', isText: true, isFaint: true, text: ({ reasons }) => reasons.map(plain).join(', ') || '–' },
        { title: 'Read', ago: ({ readAt }) => readAt },
      ]}
    />
  );
}

function showName(wallet: LeaderboardEntry, window: Window, chosen: string) {
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
        list={useList(['leaderboard-sales', address, window], (page, options) =>
          api.getLeaderboardWallet({ ...page, address, window }, options),
        )}
        label="Sales, newest first"
        empty="No sales in this period."
        keyOf={({ reference, asset }) => `${reference} ${asset}`}
        columns={[
          { title: 'Time', at: ({ at }) => at },
          { title: 'Asset', isText: true, address: ({ asset }) => asset },
          { title: 'Kind', isText: true, text: ({ direction }) => plain(direction) },
          { title: 'Quantity', text: ({ quantity }) => (quantity === null ? '–' : priceText(quantity)) },
          { title: 'Proceeds', money: ({ proceedsUsd }) => proceedsUsd },
          { title: 'Cost', money: ({ costUsd }) => costUsd },
          { title: 'Profit', isFigure: true, gain: ({ profitUsd }) => profitUsd },
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
