/** Perpetuals: mark against oracle, annual funding, and the next funding time. */
import { api, type Perp } from '../api.ts';
import { Until } from '../kit/ages.tsx';
import { List, useList } from '../kit/lists.tsx';
import { Change, Quality } from '../kit/numbers.tsx';

const READ_EVERY_MS = 5_000;

export const Perpetuals = () => (
  <div className="page">
    <div className="page-head">
      <h1>Perpetuals</h1>
      <p className="faint">Positive funding is paid by long positions to short ones, every hour.</p>
    </div>
    <section className="card" aria-label="Marks and funding">
      <List
        list={useList(['perps'], api.listPerps, { everyMs: READ_EVERY_MS })}
        label="Perpetuals"
        empty="No perpetuals received yet."
        keyOf={({ instrument }) => instrument}
        columns={[
          {
            title: 'Instrument',
            cell: ({ venue, instrument }) => <a href={`#/trade/${encodeURIComponent(`${venue}:${instrument}`)}`}>{instrument}</a>,
          },
          { title: 'Mark', price: ({ markPrice }) => markPrice },
          { title: 'Oracle', price: ({ oraclePrice }) => oraclePrice },
          {
            title: 'Basis',
            value: ({ basisPct }) => basisPct,
            cell: ({ basisPct }) => <Change percent={Number(basisPct)} title={`${basisPct} %`} />,
          },
          { title: 'Annual funding', isFigure: true, value: ({ annualFundingPct }) => annualFundingPct, cell: showFunding },
          { title: 'Next', value: ({ nextFundingAt }) => nextFundingAt, cell: ({ nextFundingAt }) => <Until at={nextFundingAt} /> },
          { title: 'Open interest', large: ({ openInterestNotional }) => openInterestNotional },
          { title: '24 h volume', large: ({ dayNotional }) => dayNotional },
          { title: 'Quality', isText: true, value: ({ quality }) => quality, cell: (perp) => <Quality row={perp} /> },
          { title: 'Observed', ago: ({ observedAt }) => observedAt },
        ]}
      />
    </section>
  </div>
);

/** Funding as a bar on both sides of zero. Full width is 50 % a year. */
function showFunding({ annualFundingPct, hourlyFunding }: Perp) {
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
