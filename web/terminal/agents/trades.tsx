/** Positions and fills of an agent. */
import { Fragment } from 'react';
import { dayAndTime, priceText, symbolOf } from '../../words.js';
import type { Book, Fill } from '../api.ts';
import { FillCells } from '../kit/fill-cells.tsx';
import { Heads } from '../kit/heads.tsx';
import { Gain, Money, Price } from '../kit/numbers.tsx';
import { VirtualTable } from '../kit/virtual-rows.tsx';
import { choose } from '../place.ts';
import { BookEquity } from '../portfolio/book-equity.tsx';
import { useAgentFills, useBooks } from './data.ts';
import { NotRead, Table } from '../kit/lists.tsx';
import { At } from '../kit/ages.tsx';

const FILL_TITLES = ['Time', 'Instrument', 'Side', 'Quantity', 'Price', 'Value', 'Slippage', 'Fee'];
const ROW_PX = 28;

export function Trades({ agentId }: { readonly agentId: string }) {
  const [ofBooks, ofFills] = [useBooks(agentId), useAgentFills(agentId)];
  const [books, fills] = [ofBooks.data ?? [], ofFills.data ?? []];
  return (
    <div className="trades">
      <NotRead query={ofBooks} />
      <NotRead query={ofFills} />
      {books.map((book) => (
        <Fragment key={book.id}>
          <Held book={book} />
          <BookEquity bookId={book.id} />
        </Fragment>
      ))}
      {fills.length === 0 ? (
        <p className="empty">No fills yet. Each trade appears here with its price, slippage and fee.</p>
      ) : (
        <VirtualTable
          label="Fills"
          head={<Heads titles={FILL_TITLES} words={['Instrument', 'Side']} />}
          columns={FILL_TITLES.length}
          rowPx={ROW_PX}
          count={fills.length}
          row={(index) => <FillRow key={(fills[index] as Fill).id} fill={fills[index] as Fill} />}
        />
      )}
    </div>
  );
}

function Held({ book: { mode, manifestVersion, capitalUsd, cashUsd, realizedPnlUsd, feesUsd, positions } }: { readonly book: Book }) {
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label={`Positions on ${mode}`}>
      <p className="part-head">
        <strong>{mode === 'live' ? 'Live' : 'Paper'}</strong>
        {manifestVersion !== null && <span className="faint">version {manifestVersion}</span>}
        <span className="faint">capital</span> <Money usd={capitalUsd} />
        <span className="faint">cash</span> <Money usd={cashUsd} />
        <span className="faint">realized</span> <Gain usd={realizedPnlUsd} />
        <span className="faint">fees</span> <Money usd={feesUsd} />
        {positions.length === 0 && <span className="faint">no open position</span>}
      </p>
      {positions.length > 0 && (
        <Table
          label={`Open positions, ${mode}`}
          rows={positions}
          keyOf={({ instrument }) => instrument}
          columns={[
            {
              title: 'Instrument',
              cell: ({ instrument }) => (
                <button type="button" className="plain" onClick={() => choose(instrument)}>
                  {symbolOf(instrument)}
                </button>
              ),
            },
            { title: 'Quantity', cell: ({ quantity }) => <span title={quantity}>{priceText(quantity)}</span> },
            { title: 'Entry', cell: ({ averageEntryPrice }) => <Price price={averageEntryPrice} /> },
            { title: 'Cost', cell: ({ costUsd }) => <Money usd={costUsd} /> },
            { title: 'Since', cell: ({ openedAt }) => <At at={openedAt} /> },
          ]}
        />
      )}
    </div>
  );
}

function FillRow({ fill }: { readonly fill: Fill }) {
  const { id, at, instrument } = fill;
  return (
    <tr data-fill={id}>
      <th scope="row" className="num">
        {dayAndTime(at)}
      </th>
      <td className="text">{symbolOf(instrument)}</td>
      <FillCells fill={fill} />
    </tr>
  );
}
