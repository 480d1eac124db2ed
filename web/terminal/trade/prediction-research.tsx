/** Research of a prediction market: prices of both venues, their disagreement, and the resolution criteria. */
import { plain } from '../../words.js';
import { api, useRead, type PredictionResearch as Research } from '../api.ts';
import { At } from '../kit/ages.tsx';
import { FigureList, Loaded, renderItems } from '../kit/lists.tsx';
import { Gain } from '../kit/numbers.tsx';
import { Table } from '../kit/table.tsx';

type Derived = Research['probability'];

export function PredictionResearch({ id }: { readonly id: string }) {
  const research = useRead(['prediction-research', id], (call) => api.researchPredictionMarket({ id }, call), { staleTime: 15_000 });
  return (
    <section className="card prediction-research" aria-label="Research">
      <h2 className="card-title">Both venues on this question</h2>
      <Loaded query={research}>
        {(data) => (
          <>
            <Scale research={data} />
            <Verdict research={data} />
            {data.notes.length > 0 && <ul className="padded">{renderItems(data.notes)}</ul>}
            <Inputs inputs={data.inputs} />
            <Deciding research={data} />
          </>
        )}
      </Loaded>
    </section>
  );
}

/** Probability on a scale from 0 to 100 %, with the range between the venues. */
function Scale({ research: { probability, low, high } }: { readonly research: Research }) {
  const percent = ({ value }: Derived): number | null => (value === null ? null : Number(value) * 100);
  const [at, from, to] = [percent(probability), percent(low), percent(high)];
  return (
    <figure className="probability padded">
      <div className="probability-scale" role="img" aria-label={at === null ? 'Probability unknown' : `Probability ${at.toFixed(1)} %`}>
        {from !== null && to !== null && <i className="band" style={{ left: `${from}%`, width: `${Math.max(0.5, to - from)}%` }} />}
        {at !== null && <i className="point" style={{ left: `${at}%` }} />}
      </div>
      <figcaption>
        <strong className="num">{at === null ? '–' : `${at.toFixed(1)} %`}</strong>{' '}
        <span className="faint" title={`${probability.formula} of ${probability.inputs.join(', ')}`}>
          {at === null ? probability.why : from === null || to === null ? '' : `between ${from.toFixed(1)} and ${to.toFixed(1)} %`}
        </span>
      </figcaption>
    </figure>
  );
}

const Verdict = ({ research: { corroboration, disagreement, at } }: { readonly research: Research }) => (
  <FigureList
    look="figures padded"
    lines={[
      ['Corroboration', plain(corroboration)],
      [
        'Prices of the venues',
        <span className={disagreement.verdict === 'actionable' ? 'warn' : undefined}>{plain(disagreement.verdict)}</span>,
      ],
      [
        'Edge per contract',
        <span title={disagreement.edgePerContract.why}>
          <Gain usd={disagreement.edgePerContract.value} />
        </span>,
      ],
      ['Riskless arbitrage', disagreement.riskless === null ? null : disagreement.riskless ? 'yes' : 'no'],
      ['As of', <At at={at} />],
    ]}
  />
);

const Inputs = ({ inputs }: Pick<Research, 'inputs'>) =>
  inputs.length === 0 ? null : (
    <Table
      label="Inputs"
      rows={inputs}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Input', text: ({ kind }) => plain(kind) },
        { title: 'Venue', isText: true, text: ({ provider }) => plain(provider) },
        { title: 'Value', text: ({ value }) => value },
        { title: 'Observed', at: ({ observedAt }) => observedAt },
        { title: 'Quality', isText: true, text: ({ quality }) => plain(quality) },
        { title: 'Counts', isText: true, text: ({ counts, why }) => (counts ? 'yes' : `no: ${why}`) },
      ]}
    />
  );

/** Resolution criteria of each venue, and their differences. */
function Deciding({ research: { criteria, differences } }: { readonly research: Research }) {
  const parts = criteria.flatMap(({ provider, criteria: texts }) => texts.map((one) => ({ provider, ...one })));
  return (
    <>
      {differences.length > 0 && (
        <Table
          label="Differences between the venues"
          rows={differences}
          keyOf={({ aspect }) => aspect}
          columns={[
            { title: 'Differs in', text: ({ aspect }) => plain(aspect) },
            { title: 'This venue', isText: true, long: ({ ours }) => ours },
            { title: 'Other venue', isText: true, long: ({ theirs }) => theirs },
            {
              title: 'Material',
              isText: true,
              cell: ({ material }) => <span className={material ? 'warn' : 'faint'}>{material ? 'yes' : 'no'}</span>,
            },
          ]}
        />
      )}
      {parts.length > 0 && (
        <Table
          label="Resolution criteria"
          rows={parts}
          keyOf={({ provider, aspect, text }) => `${provider} ${aspect} ${text}`}
          columns={[
            { title: 'Decides', text: ({ aspect }) => plain(aspect) },
            { title: 'Venue', isText: true, text: ({ provider }) => plain(provider) },
            { title: 'Criterion', isText: true, long: ({ text }) => text },
          ]}
        />
      )}
    </>
  );
}
