/** Transfers between the chains: a new quote, and the progress of submitted ones. */
import { priceText } from '../../words.js';
import { api, type BridgeTransfer } from '../api.ts';
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
  return (
    <div className="page">
      <h1>Transfers</h1>
      <QuoteForm />
      {chosen !== '' && <Transfer key={chosen} id={chosen} />}
      <List
        list={useList(['transfers'], api.listBridgeTransfers)}
        label="Transfers"
        empty="No transfers yet. Ask for a quote above to start one."
        keyOf={({ id }) => id}
        markOf={({ id, state }) => (id === chosen ? 'chosen' : state)}
        columns={[
          { title: 'Transfer', cell: (transfer) => showAmount(transfer, chosen) },
          { title: 'State', isText: true, value: ({ state }) => state, cell: ({ state }) => <TransferState state={state} /> },
          { title: 'Progress', isText: true, isSorted: false, cell: (transfer) => <Progress transfer={transfer} /> },
          { title: 'Provider', isText: true, text: ({ provider }) => provider },
          { title: 'Expected', isFigure: true, text: ({ expectedReceived }) => priceText(expectedReceived) },
          { title: 'Remarkable', isText: true, cell: showRemarks },
          { title: 'Begun', ago: ({ createdAt }) => createdAt },
        ]}
      />
    </div>
  );
}

function showAmount({ id, amount, token, to }: BridgeTransfer, chosen: string) {
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

const showRemarks = ({ attentions }: BridgeTransfer) =>
  attentions.length === 0 ? (
    <span className="faint">–</span>
  ) : (
    <span className="warn long">{attentions.map(({ words }) => words).join(' ')}</span>
  );
