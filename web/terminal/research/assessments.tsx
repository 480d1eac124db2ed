/** Case for and against a share, each claim with its source data. */
import { Button, Select } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { dayAndTime, plain } from '../../words.js';
import { api } from '../api.ts';
import { useCatalog, useEntry } from '../catalog.ts';
import { Change, Price } from '../kit/numbers.tsx';
import { Refusal } from '../kit/refusal.tsx';
import { FigureList } from '../kit/lists.tsx';
import { useStore } from '../kit/store.ts';
import { instrument } from '../place.ts';

type Assessed = Awaited<ReturnType<typeof api.assessStock>>;
type Claim = Assessed['bull'][number];

export function Assessments() {
  const symbols = useCatalog()
    .filter(({ kind }) => kind === 'tokenized_equity')
    .map(({ instrument: symbol }) => symbol);
  const [picked, setPicked] = useState<string | null>(null);
  const symbol = picked ?? symbols[0];
  return (
    <div className="page">
      <div className="page-head">
        <h1>Assessments</h1>
        <Select aria-label="Share" searchable data={symbols} value={symbol ?? null} onChange={setPicked} />
      </div>
      {symbol !== undefined && <Assessing key={symbol} symbol={symbol} />}
    </div>
  );
}

/** Assessment of the chosen instrument, if it is a share. */
export function AssessmentPanel() {
  const entry = useEntry(useStore(instrument));
  if (entry?.kind !== 'tokenized_equity') return <p className="empty">Choose a share to read the case for it and against it.</p>;
  return (
    <div className="panel-scroll padded stack">
      <Assessing key={entry.instrument} symbol={entry.instrument} />
    </div>
  );
}

/** An assessment reads a lot of data, so it is made when asked for. */
function Assessing({ symbol }: { readonly symbol: string }) {
  const assessing = useMutation({ mutationFn: () => api.assessStock({ symbol }) });
  return (
    <>
      <div className="inline-form">
        <Button loading={assessing.isPending} onClick={() => assessing.mutate()}>
          Assess {symbol}
        </Button>
      </div>
      <Refusal error={assessing.error} />
      {assessing.data === undefined ? (
        <p className="faint">The case for the share and against it, claim by claim with sources.</p>
      ) : (
        <Assessment of={assessing.data} />
      )}
    </>
  );
}

function Assessment({ of }: { readonly of: Assessed }) {
  const { symbol, valuation, bull, bear, catalysts, thin, sources, method, at } = of;
  const findKind = (id: string): string => {
    const source = sources.find((one) => one.id === id);
    return source === undefined ? id : `${source.kind}, ${dayAndTime(source.at)}`;
  };
  return (
    <>
      <FigureList
        look="figures card"
        lines={[
          ['Token', <Price price={valuation.tokenPrice} />],
          ['Share', <Price price={valuation.referencePrice} />],
          ['Gap', <Change percent={valuation.gapPct} />],
          ['Method', method],
          [`${symbol} at`, dayAndTime(at)],
        ]}
      />
      <div className="two-columns">
        <Claims title="For" way="up" claims={bull} kindOf={findKind} />
        <Claims title="Against" way="down" claims={bear} kindOf={findKind} />
      </div>
      {catalysts.length > 0 && <Claims title="Catalysts" way="even" claims={catalysts} kindOf={findKind} />}
      {thin.length > 0 && <p className="faint">Thin evidence: {thin.map(plain).join(', ')}</p>}
    </>
  );
}

interface ClaimsProps {
  readonly title: string;
  readonly way: string;
  readonly claims: readonly Claim[];
  readonly kindOf: (source: string) => string;
}

const Claims = ({ title, way, claims, kindOf }: ClaimsProps) => (
  <section className="card claims">
    <h2 className={way}>{title}</h2>
    {claims.length === 0 && <p className="faint">Nothing is known.</p>}
    <ul>
      {claims.map(({ id, text, sources }) => (
        <li key={id}>
          {text}
          {sources.map((source) => (
            <span key={source} className="tag" title={source}>
              {kindOf(source)}
            </span>
          ))}
        </li>
      ))}
    </ul>
  </section>
);
