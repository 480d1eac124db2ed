/** Positions and fills of an agent. */
import { Fragment } from 'react';
import { readSymbol } from '../../words.js';
import type { Book, Fill } from '../api.ts';
import type { Column } from '../kit/columns.tsx';
import { FILL_COLUMNS } from '../kit/fill-columns.ts';
import { Gain, Money } from '../kit/numbers.tsx';
import { BookEquity } from '../portfolio/book-equity.tsx';
import { PER_PAGE, useAgentFills, useBooks } from './data.ts';
import { Loaded, NotRead } from '../kit/lists.tsx';
import { Table } from '../kit/table.tsx';

const FILLS: readonly Column<Fill>[] = [
  { title: 'Time', at: ({ at }) => at },
  { title: 'Instrument', isText: true, text: ({ instrument }) => readSymbol(instrument) },
  ...FILL_COLUMNS,
];

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
      {ofFills.data !== undefined && ofFills.data.length >= PER_PAGE && (
        <p className="faint padded">The newest {PER_PAGE} fills of each book.</p>
      )}
      {ofBooks.error === null && ofBooks.data === undefined && <Loaded query={ofBooks} />}
      {ofBooks.data !== undefined && (ofFills.data !== undefined || books.length === 0) && (
        <Table
          label="Fills"
          empty="No fills yet. Each trade appears here with its price, slippage and fee."
          area="virtual"
          isSearched={false}
          rows={fills}
          columns={FILLS}
          keyOf={({ id }) => id}
          attributesOf={({ id }) => ({ 'data-fill': id })}
        />
      )}
    </div>
  );
}

const Held = ({ book: { mode, manifestVersion, capitalUsd, cashUsd, realizedPnlUsd, feesUsd, positions } }: { readonly book: Book }) => (
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
          { title: 'Instrument', instrument: ({ instrument }) => instrument },
          { title: 'Quantity', quantity: ({ quantity }) => quantity },
          { title: 'Entry', price: ({ averageEntryPrice }) => averageEntryPrice },
          { title: 'Cost', isFigure: true, money: ({ costUsd }) => costUsd },
          { title: 'Since', at: ({ openedAt }) => openedAt },
        ]}
      />
    )}
  </div>
);
