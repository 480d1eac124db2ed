/** Prediction markets: questions, prices, the ticket, and the organization's orders. */
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { dayAndTime, formatDay, plain } from '../../words.js';
import { api, useRead, type PredictionMarket } from '../api.ts';
import { At } from '../kit/ages.tsx';
import { Beside, Opener } from '../kit/beside.tsx';
import { Choice, Written } from '../kit/form.tsx';
import { FigureList, List, Loaded, useList } from '../kit/lists.tsx';
import { compactText, Quality } from '../kit/numbers.tsx';
import { PredictionOrders } from './prediction-orders.tsx';
import { PredictionResearch } from './prediction-research.tsx';
import { PredictionTicket } from './prediction-ticket.tsx';

const READ_EVERY_MS = 10_000;
const QUIET_MS = 300;
const STATUSES = ['open', 'unopened', 'paused', 'closed', 'determined', 'disputed', 'resolved', 'voided'] as const;
type Status = (typeof STATUSES)[number];

export function Predictions() {
  const [wanted, setWanted] = useState('');
  const [status, setStatus] = useState<Status>('open');
  const [chosen, setChosen] = useState<string | null>(null);
  const [q] = useDebouncedValue(wanted.trim(), QUIET_MS);
  const markets = useList(
    ['prediction-markets', status, q],
    (page, options) => api.listPredictionMarkets({ ...page, status, ...(q === '' ? {} : { q }) }, options),
    { everyMs: READ_EVERY_MS },
  );
  // The first market stays although the list changes: an order would be written for another one.
  const first = markets.data?.pages[0]?.items[0]?.id;
  if (chosen === null && first !== undefined) setChosen(first);
  const id = chosen;
  return (
    <div className="page">
      <div className="page-head">
        <h1>Prediction markets</h1>
        <span className="space" />
        <Choice label="Status" choices={STATUSES} value={status} choose={setStatus} />
        <SearchField value={wanted} write={setWanted} />
      </div>
      <Beside detail={id === null ? null : <Market key={id} id={id} />}>
        <List
          list={markets}
          label="Prediction markets"
          empty="No market matches."
          keyOf={(market) => market.id}
          markOf={(market) => (market.id === id ? 'chosen' : undefined)}
          columns={[
            { title: 'Question', cell: (market) => showQuestion(market, id, setChosen) },
            { title: 'Yes', cell: (market) => showChance(market, 'yes') },
            { title: 'No', cell: (market) => showChance(market, 'no') },
            { title: '24 h volume', cell: showVolume },
            {
              title: 'Closes',
              cell: ({ closesAt }) => (closesAt === null ? '–' : <span title={dayAndTime(closesAt)}>{formatDay(closesAt)}</span>),
            },
            { title: 'Venue', isText: true, text: ({ provider }) => provider },
          ]}
        />
      </Beside>
      {id !== null && <PredictionResearch key={`research ${id}`} id={id} />}
      <PredictionOrders />
    </div>
  );
}

const SearchField = ({ value, write }: { readonly value: string; readonly write: (text: string) => void }) => (
  <Written placeholder="Search questions" aria-label="Search questions" value={value} write={write} />
);

const showQuestion = ({ id, question, subtitle }: PredictionMarket, chosen: string | null, choose: (id: string) => void) => (
  <Opener isOpen={id === chosen} toggle={() => choose(id)}>
    {question} {subtitle !== '' && <small>{subtitle}</small>}
  </Opener>
);

const findOutcome = ({ outcomes }: PredictionMarket, side: 'yes' | 'no') => outcomes.find((outcome) => outcome.side === side);

/** Formats a price below one dollar with at least two decimals: `0.90`. */
function chanceText(price: string): string {
  const [whole = '0', decimals = ''] = price.split('.');
  return `${whole}.${decimals.padEnd(2, '0')}`;
}

/** Price of an outcome, its implied probability. */
function showChance(market: PredictionMarket, side: 'yes' | 'no') {
  const outcome = findOutcome(market, side);
  const price = outcome?.ask ?? outcome?.last;
  return (
    <span className={side === 'yes' ? 'up' : 'down'} title={outcome?.label}>
      {price == null ? '–' : chanceText(price)}
    </span>
  );
}

function showVolume({ volume24h: amount, volumeUnit: unit }: PredictionMarket) {
  if (amount === null) return <span className="faint">–</span>;
  return (
    <span title={`${amount} ${unit}`}>
      {unit === 'usd' && '$'}
      {compactText(amount)}
    </span>
  );
}

function Market({ id }: { readonly id: string }) {
  const market = useRead(['prediction-market', id], (call) => api.getPredictionMarket({ id }, call), {
    refetchInterval: READ_EVERY_MS / 2,
  });
  return (
    <section className="card prediction" aria-label="Chosen market">
      <Loaded query={market}>
        {(data) => (
          <>
            <h2>{data.question}</h2>
            <Quality row={data} />
            <Rules market={data} />
            <PredictionTicket market={data} />
          </>
        )}
      </Loaded>
    </section>
  );
}

const Rules = ({ market: { status, resolution, closesAt, expectedResolutionAt, fee } }: { readonly market: PredictionMarket }) => (
  <>
    <FigureList
      look="facts"
      lines={[
        ['Status', plain(status)],
        ['Closes', <At at={closesAt} />],
        ['Resolves', <At at={expectedResolutionAt} />],
        ['Decided by', plain(resolution.procedure)],
        ['Fee', fee.model === 'none' ? 'none' : fee.rate === null ? 'unknown' : `${plain(fee.model)}, rate ${fee.rate}`],
      ]}
    />
    <details>
      <summary>Rules of resolution</summary>
      <p className="rules">{resolution.rules === '' ? 'The venue states none.' : resolution.rules}</p>
    </details>
  </>
);
