/** Published Takes of all organizations with the reading of each thesis. A fork is a draft of one's own. */
import type { PublishedTake } from '../../../clients/typescript/src/index.ts';
import { plain, symbolOf } from '../../words.js';
import { api } from '../api.ts';
import { Ago } from '../kit/ages.tsx';
import { AskForm } from '../kit/form.tsx';
import { List, useList } from '../kit/lists.tsx';
import { Money } from '../kit/numbers.tsx';
import { useMay } from '../member.ts';
import { conditionSentence } from '../agents/rules.ts';
import { choose } from '../place.ts';

export function PublishedTakes() {
  const takes = useList(['published-takes'], (page, options) => api.listPublishedTakes(page, options));
  return (
    <div className="page">
      <div className="page-head">
        <h1>Published Takes</h1>
        <span className="space" />
        <a href="#/takes">Your Takes</a>
      </div>
      <List
        list={takes}
        label="Published Takes"
        empty={
          <>
            No published Takes yet. <a href="#/takes">Compose one</a> and publish it.
          </>
        }
        keyOf={({ id }) => id}
        columns={[
          { title: 'Take', cell: (take) => <Thesis take={take} /> },
          {
            title: 'Token',
            isText: true,
            cell: ({ instrument, symbol }) => (
              <button type="button" className="plain" onClick={() => choose(instrument)}>
                {symbol === '' ? symbolOf(instrument) : symbol}
              </button>
            ),
          },
          { title: 'Enters when', isText: true, cell: ({ conditions }) => <Conditions of={conditions.entry} /> },
          { title: 'Exits when', isText: true, cell: ({ conditions }) => <Conditions of={conditions.exit} /> },
          { title: 'Size', cell: ({ allocationUsd }) => <Money usd={allocationUsd} /> },
          { title: 'Bars', isText: true, cell: ({ timeframe }) => timeframe },
          { title: 'Copies before', cell: ({ lineage }) => lineage.length },
          { title: 'Published', cell: ({ publishedAt }) => <Ago at={publishedAt} /> },
          { title: '', cell: (take) => <Copy take={take} /> },
        ]}
      />
    </div>
  );
}

function Thesis({ take: { thesis, origin, assumed, notUnderstood } }: { readonly take: PublishedTake }) {
  return (
    <span className="long">
      {thesis === null ? <span className="faint">{plain(origin)}</span> : `“${thesis}”`}
      {assumed.length > 0 && (
        <small className="warn" title={assumed.join('\n')}>
          {' '}
          {assumed.length} assumed
        </small>
      )}
      {notUnderstood.length > 0 && (
        <small className="down" title={notUnderstood.join('\n')}>
          {' '}
          {notUnderstood.length} not understood
        </small>
      )}
    </span>
  );
}

type Condition = PublishedTake['conditions']['entry'][number];

function Conditions({ of }: { readonly of: readonly Condition[] }) {
  if (of.length === 0) return <span className="faint">–</span>;
  return <span className="long">{of.map(conditionSentence).join('; ')}</span>;
}

function Copy({ take: { id, symbol, allocationUsd } }: { readonly take: PublishedTake }) {
  if (!useMay('trade:execute')) return null;
  return (
    <AskForm
      verb="Copy"
      name={`Copy the Take on ${symbol}`}
      title="Copy this Take?"
      done="Copied as a draft. Review and arm it under Takes."
      changes={['takes', 'published-takes']}
      fields={[{ name: 'allocationUsd', label: 'Size (USD)', kind: 'amount' }]}
      first={{ allocationUsd }}
      act={(body) => api.forkTake({ body: { takeId: id, ...body } })}
    >
      <p>Creates a draft of your own that names this Take as its source. It trades only after you arm it.</p>
    </AskForm>
  );
}
