/** Portfolio: profit over time, holdings with price quality, stress scenarios, concentration, exits, and the impact of a change. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { plain, priceText } from '../../words.js';
import { api, type PortfolioHolding, useRead, type Performance, type Portfolio as Answer } from '../api.ts';
import { marginColumns } from '../kit/fill-columns.ts';
import { Segments, Written } from '../kit/form.tsx';
import { FigureList, Loaded } from '../kit/lists.tsx';
import { Table } from '../kit/table.tsx';
import { Gain, Money, Ratio, Today } from '../kit/numbers.tsx';
import { useStore } from '../kit/store.ts';
import { useAgentName } from '../organization.ts';
import { goTo, within } from '../place.ts';
import { Equity } from './equity.tsx';
import { Impact } from './impact.tsx';
import { Risks } from './risks.tsx';
import { submits } from '../kit/browser.ts';

const READ_EVERY_MS = 10_000;
export type Mode = 'paper' | 'live';

export function Portfolio() {
  const mode: Mode = useStore(within) === 'live' ? 'live' : 'paper';
  const [wallets, setWallets] = useState<readonly string[]>([]);
  const portfolio = useRead(
    ['portfolio', mode, 'whole', ...wallets],
    (call) => api.getPortfolio({ mode, ...(wallets.length === 0 ? {} : { wallets: wallets.join() }) }, call),
    { refetchInterval: READ_EVERY_MS },
  );
  const performance = useRead(['performance', mode], (call) => api.getPerformance({ mode }, call), { refetchInterval: READ_EVERY_MS });
  return (
    <div className="page">
      <div className="page-head">
        <h1>Portfolio</h1>
        <Segments label="Books" of={['paper', 'live']} value={mode} choose={(value) => goTo(`portfolio/${value}`)} />
        {mode === 'live' && <Wallets show={setWallets} />}
      </div>
      <Loaded query={performance}>{(data) => <Earned performance={data} />}</Loaded>
      <Equity mode={mode} performance={performance.data} />
      <Loaded query={portfolio}>{(data) => <Holdings portfolio={data} />}</Loaded>
      <Impact mode={mode} wallets={wallets} />
    </div>
  );
}

const Earned = ({ performance: { totals } }: { readonly performance: Performance }) => (
  <FigureList
    look="card figures tall"
    lines={[
      ['Equity', <Money usd={totals.equityUsd} />],
      ['P&L today', <Today usd={totals.todayUsd} without={totals.todayWithout} />],
      ['P&L total', <Gain usd={totals.pnlUsd} />],
      ['Realized', <Gain usd={totals.realizedPnlUsd} />],
      ['Unrealized', <Gain usd={totals.unrealizedPnlUsd} />],
      ['Fees', <Money usd={totals.feesUsd} />],
      ['Funding', <Gain usd={totals.fundingUsd} />],
    ]}
  />
);

/** Form for wallets to show next to the live books. They are not stored. */
function Wallets({ show }: { readonly show: (wallets: readonly string[]) => void }) {
  const [written, setWritten] = useState('');
  return (
    <form className="inline-form address-form" onSubmit={submits(() => show(written.split(/[\s,]+/).filter((text) => text !== '')))}>
      <Written
        aria-label="Wallets beside the books"
        placeholder="Up to five addresses, or names of linked wallets"
        spellCheck={false}
        value={written}
        write={setWritten}
      />
      <Button type="submit" variant="default">
        Show
      </Button>
    </form>
  );
}

function Holdings({ portfolio }: { readonly portfolio: Answer }) {
  const { totals, unread, holdings } = portfolio;
  return (
    <>
      <Totals totals={totals} />
      {unread.map(({ address, asked, why }) => (
        <p key={`${address} ${asked}`} className="warn">
          {address} could not be read at {asked}: {why}
        </p>
      ))}
      <h2>Holdings</h2>
      <p className="faint">Includes {totals.includes}.</p>
      <HoldingTable holdings={holdings} />
      <Risks of={portfolio} />
    </>
  );
}

const Totals = ({ totals }: Pick<Answer, 'totals'>) => (
  <FigureList
    look="card figures tall"
    lines={[
      ['Value', <Money usd={totals.valueUsd} />],
      ['Cash', <Money usd={totals.cashUsd} />],
      ['At live quotes', <Money usd={totals.liveUsd} />],
      ['Qualified', <Money usd={totals.qualifiedUsd} />],
      ['Leverage', <Ratio value={totals.leverage} unit="×" />],
      ['Coverage', totals.coverage],
    ]}
  />
);

function HoldingTable({ holdings }: { readonly holdings: readonly PortfolioHolding[] }) {
  const nameOf = useAgentName();
  return (
    <Table
      label="Holdings"
      empty="No holdings. Place an order in the ticket, or let an agent trade."
      rows={holdings}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Holding', cell: (holding) => <span title={holding.place}>{holdingName(holding)}</span> },
        { title: 'Location', isText: true, text: ({ place }) => placeText(place, nameOf) },
        { title: 'Quantity', text: ({ quantity }) => priceText(quantity) },
        { title: 'Mark', price: ({ mark }) => mark },
        { title: 'Value', isFigure: true, money: ({ valueUsd }) => valueUsd },
        ...marginColumns(holdings),
        { title: 'Priced', isText: true, cell: showPriced },
        { title: 'Quoted', ago: ({ quote }) => quote?.observedAt },
      ]}
    />
  );
}

/** Name of a holding. The symbol of a prediction outcome is meaningless to people. */
const holdingName = ({ symbol, name }: PortfolioHolding): string => (symbol.startsWith('pm-') ? name : symbol);

/** Formats a place: `Crypto trend, paper v1` for `agent:<id>:paper:1`. Others are shown unchanged. */
function placeText(place: string, nameOf: (id: string) => string): string {
  const [kind, id = '', mode = '', version] = place.split(':');
  if (kind === 'manual') return 'Manual book';
  return kind === 'agent' ? `${nameOf(id)}, ${mode}${version === undefined ? '' : ` v${version}`}` : place;
}

function showPriced({ pricing, why, quote }: PortfolioHolding) {
  const quality = quote === null ? 'no quote' : plain(quote.quality);
  return (
    <span className={pricing === 'live' ? 'up' : 'warn'} title={why}>
      {pricing === 'live' ? quality : `${pricing}, ${quality}`}
    </span>
  );
}
