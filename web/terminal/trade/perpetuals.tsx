/** Perpetuals: mark against oracle, annual funding, and the next funding time. */
import type { Perp } from '../../../clients/typescript/src/index.ts';
import { api } from '../api.ts';
import { Ago, Until } from '../kit/ages.tsx';
import { List, useList } from '../kit/lists.tsx';
import { Change, compactText, Price } from '../kit/numbers.tsx';

const READ_EVERY_MS = 5_000;

export function Perpetuals() {
  const perps = useList(['perps'], (page, options) => api.listPerps(page, options), { everyMs: READ_EVERY_MS });
  return (
    <div className="page">
      <div className="page-head">
        <h1>Perpetuals</h1>
        <p className="faint">Positive funding is paid by long positions to short ones, every hour.</p>
      </div>
      <section className="card" aria-label="Marks and funding">
        <List
          list={perps}
          label="Perpetuals"
          empty="No perpetuals received yet."
          keyOf={({ instrument }) => instrument}
          columns={[
            {
              title: 'Instrument',
              cell: ({ venue, instrument }) => <a href={`#/trade/${encodeURIComponent(`${venue}:${instrument}`)}`}>{instrument}</a>,
            },
            { title: 'Mark', cell: ({ markPrice }) => <Price price={markPrice} /> },
            { title: 'Oracle', cell: ({ oraclePrice }) => <Price price={oraclePrice} /> },
            { title: 'Basis', cell: ({ basisPct }) => <Change percent={Number(basisPct)} title={`${basisPct} %`} /> },
            { title: 'Annual funding', cell: (perp) => <Funding perp={perp} /> },
            { title: 'Next', cell: ({ nextFundingAt }) => <Until at={nextFundingAt} /> },
            { title: 'Open interest', cell: ({ openInterestNotional }) => compactText(openInterestNotional) },
            { title: 'Volume 24 h', cell: ({ dayNotional }) => compactText(dayNotional) },
            { title: 'Quality', isText: true, cell: ({ quality }) => <span className={`quality quality-${quality}`}>{quality}</span> },
            { title: 'Observed', cell: ({ observedAt }) => <Ago at={observedAt} /> },
          ]}
        />
      </section>
    </div>
  );
}

/** Funding as a bar on both sides of zero. Full width is 50 % a year. */
function Funding({ perp: { annualFundingPct, hourlyFunding } }: { readonly perp: Perp }) {
  const part = Math.max(-1, Math.min(1, Number(annualFundingPct) / 50));
  return (
    <span className="funding" title={`${hourlyFunding} an hour`}>
      <span className="funding-bar" aria-hidden="true">
        <i
          className={part < 0 ? 'bar-down' : 'bar-up'}
          style={{ width: `${Math.abs(part) * 50}%`, left: part < 0 ? `${50 + part * 50}%` : '50%' }}
        />
      </span>
      <Change percent={Number(annualFundingPct)} />
    </span>
  );
}
