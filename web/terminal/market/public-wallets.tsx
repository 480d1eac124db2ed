/** Public wallet of the EVM venue: its holdings on the venue and the chain, and its closed trades. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { priceText } from '../../words.js';
import { api, useRead, type ChainWallet, type PublicWallet } from '../api.ts';
import { Ago } from '../kit/ages.tsx';
import { Written } from '../kit/form.tsx';
import { FigureList, Loaded } from '../kit/lists.tsx';
import { Table } from '../kit/table.tsx';
import { Gain, Money } from '../kit/numbers.tsx';
import { useStore } from '../kit/store.ts';
import { goTo, within } from '../place.ts';
import { submits } from '../kit/browser.ts';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

export function PublicWallets() {
  const address = useStore(within);
  const [written, setWritten] = useState(address);
  const isWrong = written !== '' && !ADDRESS.test(written);
  const submit = submits(() => goTo(`public-wallets/${written}`));
  return (
    <div className="page">
      <div className="page-head">
        <h1>Public wallets</h1>
        <form onSubmit={submit} className="inline-form address-form">
          <Written
            aria-label="Address"
            placeholder="0x…"
            spellCheck={false}
            value={written}
            error={isWrong ? 'Enter 0x and 40 hexadecimal digits.' : null}
            write={(text) => setWritten(text.trim())}
          />
          <Button type="submit" disabled={!ADDRESS.test(written)}>
            Look up
          </Button>
        </form>
      </div>
      {ADDRESS.test(address) ? (
        <Wallet key={address} address={address} />
      ) : (
        <p className="empty">
          Enter an address of the EVM venue to see its positions, its closed trades and its balances. The{' '}
          <a href="#/leaderboard">leaderboard</a> names some.
        </p>
      )}
    </div>
  );
}

function Wallet({ address }: { readonly address: string }) {
  const traded = useRead(['public-wallet', address], (call) => api.getPublicWallet({ address }, call));
  const held = useRead(['chain-wallet', address], (call) => api.getChainWallet({ address }, call));
  return (
    <>
      <Loaded query={traded}>{(data) => <Traded wallet={data} />}</Loaded>
      <h2>On the chain</h2>
      <Loaded query={held}>{(data) => <Held wallet={data} />}</Loaded>
    </>
  );
}

const Traded = ({ wallet: { margin, positions, closed, coverage, fetchedAt } }: { readonly wallet: PublicWallet }) => (
  <>
    <FigureList
      look="card figures"
      lines={[
        ['Account value', <Money usd={margin.accountValue} />],
        ['Notional', <Money usd={margin.totalNotional} />],
        ['Margin used', <Money usd={margin.totalMarginUsed} />],
        ['Withdrawable', <Money usd={margin.withdrawable} />],
        [
          'Closed P&L',
          <>
            <Gain usd={closed.netPnl ?? closed.grossPnl} /> {closed.netPnl === null && <small>before fees</small>}
          </>,
        ],
        [
          'Won and lost',
          <>
            {closed.wins} : {closed.losses}
          </>,
        ],
        ['Read', <Ago at={fetchedAt} />],
      ]}
    />
    <p className="faint">
      As the venue reports it: {coverage.counted} of {coverage.fills} fills counted
      {coverage.truncated && `, only the newest ${coverage.cap} are known`}.
    </p>
    <Positions positions={positions} />
    {closed.byCoin.length > 0 && <Closed coins={closed.byCoin} />}
  </>
);

const Positions = ({ positions }: { readonly positions: PublicWallet['positions'] }) => (
  <Table
    label="Open positions"
    empty="No open position."
    rows={positions}
    keyOf={({ coin }) => coin}
    columns={[
      {
        title: 'Position',
        cell: ({ coin, side }) => (
          <>
            {coin} <span className={side === 'long' ? 'up' : 'down'}>{side}</span>
          </>
        ),
      },
      { title: 'Size', text: ({ size }) => priceText(size) },
      { title: 'Entry', price: ({ entryPrice }) => entryPrice },
      { title: 'Value', money: ({ positionValue }) => positionValue },
      { title: 'P&L', isFigure: true, gain: ({ unrealizedPnl }) => unrealizedPnl },
      { title: 'Liquidation', price: ({ liquidationPrice }) => liquidationPrice },
      { title: 'Leverage', text: ({ leverage, marginMode }) => `${leverage}× ${marginMode}` },
      { title: 'Funding', gain: ({ fundingSinceOpen }) => fundingSinceOpen },
    ]}
  />
);

const Closed = ({ coins }: { readonly coins: PublicWallet['closed']['byCoin'] }) => (
  <Table
    label="Closed trades"
    rows={coins}
    keyOf={({ coin }) => coin}
    columns={[
      { title: 'Closed', text: ({ coin }) => coin },
      { title: 'P&L before fees', gain: ({ grossPnl }) => grossPnl },
      { title: 'Fees', money: ({ fees }) => fees },
      { title: 'Closing fills', text: ({ closingFills }) => closingFills },
      { title: 'Won', text: ({ wins }) => wins },
      { title: 'Lost', text: ({ losses }) => losses },
    ]}
  />
);

const Held = ({ wallet: { native, tokens, unread, block, kind, venueUnread } }: { readonly wallet: ChainWallet }) => (
  <>
    <Table
      label="Balances"
      rows={[native, ...tokens]}
      keyOf={({ symbol, contract }) => `${symbol} ${contract ?? ''}`}
      columns={[
        { title: 'Token', text: ({ symbol }) => symbol },
        { title: 'Balance', cell: ({ amount }) => <span title={amount}>{priceText(amount)}</span> },
        { title: 'Contract', isText: true, text: ({ contract }) => contract ?? 'native' },
      ]}
    />
    <p className="faint">
      A {kind === 'account' ? 'plain account' : kind === 'contract' ? 'contract' : 'delegated account'}, read at block {block.number},{' '}
      <Ago at={block.at} />.
    </p>
    {[...unread.map(({ symbol, why }) => `${symbol} was not read: ${why}`), ...(venueUnread === null ? [] : [venueUnread])].map((text) => (
      <p key={text} className="warn">
        {text}
      </p>
    ))}
  </>
);
