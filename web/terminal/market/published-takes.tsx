/** Published Takes of all organizations with the reading of each thesis. A fork is a draft of one's own. */
import { plain, readSymbol } from '../../words.js';
import { api, type PublishedTake } from '../api.ts';
import { AskForm } from '../kit/form.tsx';
import { List, useList } from '../kit/lists.tsx';
import { useMay } from '../member.ts';
import { conditionSentence } from '../agents/rules.ts';
import { Instrument } from '../kit/columns.tsx';

export const PublishedTakes = () => (
  <div className="page">
    <div className="page-head">
      <h1>Published Takes</h1>
      <span className="space" />
      <a href="#/takes">Your Takes</a>
    </div>
    <List
      list={useList(['published-takes'], api.listPublishedTakes)}
      label="Published Takes"
      empty={
        <>
          No published Takes yet. <a href="#/takes">Compose one</a> and publish it.
        </>
      }
      keyOf={({ id }) => id}
      columns={[
        { title: 'Take', cell: showThesis },
        {
          title: 'Token',
          isText: true,
          cell: ({ instrument, symbol }) => <Instrument of={instrument}>{symbol === '' ? readSymbol(instrument) : symbol}</Instrument>,
        },
        { title: 'Enters when', isText: true, long: ({ conditions }) => formatConditions(conditions.entry) },
        { title: 'Exits when', isText: true, long: ({ conditions }) => formatConditions(conditions.exit) },
        { title: 'Size', isFigure: true, money: ({ allocationUsd }) => allocationUsd },
        { title: 'Bars', isText: true, text: ({ timeframe }) => timeframe },
        { title: 'Copies before', text: ({ lineage }) => lineage.length },
        { title: 'Published', ago: ({ publishedAt }) => publishedAt },
        { title: 'Actions', buttons: (take) => <Copy take={take} /> },
      ]}
    />
  </div>
);

const showThesis = ({ thesis, origin, assumed, notUnderstood }: PublishedTake) => (
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

type Condition = PublishedTake['conditions']['entry'][number];

const formatConditions = (conditions: readonly Condition[]): string => conditions.map(conditionSentence).join('; ') || '–';

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
