/** Public wallet of the EVM venue: its holdings on the venue and the chain, and its closed trades. */
import { Button } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { ChainWallet, PublicWallet } from '../../../clients/typescript/src/index.ts';
import { priceText } from '../../words.js';
import { api, useRead } from '../api.ts';
import { Ago } from '../kit/ages.tsx';
import { Written } from '../kit/form.tsx';
import { FigureList, Loaded, Table } from '../kit/lists.tsx';
import { Gain, Money, Price } from '../kit/numbers.tsx';
import { goTo } from '../place.ts';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Address in the page's URL. */
const addressed = (): string => decodeURIComponent(location.hash.split('/')[2] ?? '');

export function PublicWallets() {
  const [written, setWritten] = useState(addressed);
  const [address, setAddress] = useState(addressed);
  const isWrong = written !== '' && !ADDRESS.test(written);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAddress(written);
    goTo(`public-wallets/${written}`);
  };
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

function Traded({ wallet: { margin, positions, closed, coverage, fetchedAt } }: { readonly wallet: PublicWallet }) {
  return (
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
      {positions.length === 0 ? <p className="empty">No open position.</p> : <Positions positions={positions} />}
      {closed.byCoin.length > 0 && <Closed coins={closed.byCoin} />}
    </>
  );
}

function Positions({ positions }: { readonly positions: PublicWallet['positions'] }) {
  return (
    <Table
      label="Open positions"
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
        { title: 'Size', cell: ({ size }) => priceText(size) },
        { title: 'Entry', cell: ({ entryPrice }) => <Price price={entryPrice} /> },
        { title: 'Value', cell: ({ positionValue }) => <Money usd={positionValue} /> },
        { title: 'P&L', cell: ({ unrealizedPnl }) => <Gain usd={unrealizedPnl} /> },
        { title: 'Liquidation', cell: ({ liquidationPrice }) => <Price price={liquidationPrice} /> },
        { title: 'Leverage', cell: ({ leverage, marginMode }) => `${leverage}× ${marginMode}` },
        { title: 'Funding', cell: ({ fundingSinceOpen }) => <Gain usd={fundingSinceOpen} /> },
      ]}
    />
  );
}

function Closed({ coins }: { readonly coins: PublicWallet['closed']['byCoin'] }) {
  return (
    <Table
      label="Closed trades"
      rows={coins}
      keyOf={({ coin }) => coin}
      columns={[
        { title: 'Closed', cell: ({ coin }) => coin },
        { title: 'P&L before fees', cell: ({ grossPnl }) => <Gain usd={grossPnl} /> },
        { title: 'Fees', cell: ({ fees }) => <Money usd={fees} /> },
        { title: 'Closing fills', cell: ({ closingFills }) => closingFills },
        { title: 'Won', cell: ({ wins }) => wins },
        { title: 'Lost', cell: ({ losses }) => losses },
      ]}
    />
  );
}

function Held({ wallet: { native, tokens, unread, block, kind, venueUnread } }: { readonly wallet: ChainWallet }) {
  return (
    <>
      <Table
        label="Balances"
        rows={[native, ...tokens]}
        keyOf={({ symbol, contract }) => `${symbol} ${contract ?? ''}`}
        columns={[
          { title: 'Token', cell: ({ symbol }) => symbol },
          { title: 'Balance', cell: ({ amount }) => <span title={amount}>{priceText(amount)}</span> },
          { title: 'Contract', isText: true, cell: ({ contract }) => contract ?? 'native' },
        ]}
      />
      <p className="faint">
        A {kind === 'account' ? 'plain account' : kind === 'contract' ? 'contract' : 'delegated account'}, read at block {block.number},{' '}
        <Ago at={block.at} />.
      </p>
      {[...unread.map(({ symbol, why }) => `${symbol} was not read: ${why}`), ...(venueUnread === null ? [] : [venueUnread])].map(
        (text) => (
          <p key={text} className="warn">
            {text}
          </p>
        ),
      )}
    </>
  );
}
