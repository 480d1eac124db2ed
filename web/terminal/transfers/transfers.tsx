/** Transfers between the chains: a new quote, and the progress of submitted ones. */
import type { BridgeTransfer } from '../../../clients/typescript/src/index.ts';
import { priceText } from '../../words.js';
import { api } from '../api.ts';
import { Ago } from '../kit/ages.tsx';
import { Opener } from '../kit/beside.tsx';
import { List, useList } from '../kit/lists.tsx';
import { useStore } from '../kit/store.ts';
import { useAnnouncements } from '../organization.ts';
import { goTo, within } from '../place.ts';
import { CHAINS } from '../wallet/linking.tsx';
import { QuoteForm } from './quote.tsx';
import { Progress, TransferState } from './state.tsx';
import { Transfer } from './transfer.tsx';

export function Transfers() {
  const chosen = useStore(within);
  useAnnouncements('bridge', 'transfers', 'transfer');
  const transfers = useList(['transfers'], (page, options) => api.listBridgeTransfers(page, options));
  return (
    <div className="page">
      <h1>Transfers</h1>
      <QuoteForm />
      {chosen !== '' && <Transfer key={chosen} id={chosen} />}
      <List
        list={transfers}
        label="Transfers"
        empty="No transfers yet. Ask for a quote above to start one."
        keyOf={({ id }) => id}
        markOf={({ id, state }) => (id === chosen ? 'chosen' : state)}
        columns={[
          { title: 'Transfer', cell: (transfer) => <Amount transfer={transfer} chosen={chosen} /> },
          { title: 'State', isText: true, cell: ({ state }) => <TransferState state={state} /> },
          { title: 'Progress', isText: true, cell: (transfer) => <Progress transfer={transfer} /> },
          { title: 'By', isText: true, cell: ({ provider }) => provider },
          { title: 'Expected', cell: ({ expectedReceived }) => priceText(expectedReceived) },
          { title: 'Remarkable', isText: true, cell: ({ attentions }) => <Remarks of={attentions} /> },
          { title: 'Begun', cell: ({ createdAt }) => <Ago at={createdAt} /> },
        ]}
      />
    </div>
  );
}

function Amount({ transfer: { id, amount, token, to }, chosen }: { readonly transfer: BridgeTransfer; readonly chosen: string }) {
  const isOpen = id === chosen;
  return (
    <>
      <Opener isOpen={isOpen} toggle={() => goTo(isOpen ? 'transfers' : `transfers/${id}`)}>
        {priceText(amount)} {token}
      </Opener>{' '}
      <small>to the {CHAINS[to]}</small>
    </>
  );
}

const Remarks = ({ of }: { readonly of: BridgeTransfer['attentions'] }) =>
  of.length === 0 ? <span className="faint">–</span> : <span className="warn long">{of.map(({ words }) => words).join(' ')}</span>;
