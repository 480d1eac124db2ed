/** Expected and realized cost of each fill as a chart and as figures by venue, algorithm, size and hour. */
import { dayAndTime, plain, readSymbol } from '../../words.js';
import { api, type Calibration, type CostFigures, useRead } from '../api.ts';
import { Loaded } from '../kit/lists.tsx';
import { Table } from '../kit/table.tsx';

const SIDE = 240;

export function Costs({ agentId }: { readonly agentId: string }) {
  const read = useRead(['calibration', agentId], (call) => api.getCalibration({ id: agentId }, call), { staleTime: 60_000 });
  const { data } = read;
  if (data === undefined) return <Loaded query={read} />;
  if (data.fills.length === 0) return <p className="empty">Expected and realized cost appear here after the first fill. {assumed(data)}</p>;
  return (
    <div className="costs">
      <p className={data.drifted === true ? 'warn' : undefined}>{describeVerdict(data)}</p>
      <div className="costs-body">
        <Picture fills={data.fills} />
        <Figures of={data} />
      </div>
    </div>
  );
}

const assumed = ({ promisedBps }: Calibration): string =>
  promisedBps === null ? '' : `The backtest assumed ${bps(promisedBps)} bps per fill.`;

function describeVerdict(of: Calibration): string {
  const words =
    of.drifted === null
      ? 'Too few fills to compare yet.'
      : of.drifted
        ? 'Fills cost more than expected: earlier backtests are optimistic.'
        : 'Fills cost as expected.';
  return `${words} ${assumed(of)}`;
}

/** Expected cost to the right, realized cost upwards: a fill above the diagonal cost more than expected. */
function Picture({ fills }: { readonly fills: Calibration['fills'] }) {
  const known = fills.flatMap(({ expectedBps, ...rest }) => (expectedBps === null ? [] : [{ ...rest, expectedBps }]));
  const costs = known.flatMap(({ expectedBps, realizedBps }) => [expectedBps, realizedBps]);
  const [low, high] = [Math.min(0, ...costs), Math.max(1, ...costs)];
  const at = (cost: number): number => ((cost - low) / (high - low)) * SIDE;
  return (
    <figure className="cost-picture">
      <svg
        viewBox={`-6 -6 ${SIDE + 12} ${SIDE + 12}`}
        role="img"
        aria-label={`Realized cost of ${known.length} fills against the expected one, from ${bps(low)} to ${bps(high)} bps`}
      >
        <rect width={SIDE} height={SIDE} className="cost-ground" />
        <line x1={0} y1={SIDE} x2={SIDE} y2={0} className="cost-even" />
        {known.map(({ at: time, instrument, expectedBps, realizedBps }) => (
          <circle
            key={`${time} ${instrument}`}
            cx={at(expectedBps)}
            cy={SIDE - at(realizedBps)}
            r={3.5}
            className={realizedBps > expectedBps ? 'dearer' : 'cheaper'}
          >
            <title>
              {readSymbol(instrument)}, {dayAndTime(time)}: expected {bps(expectedBps)}, realized {bps(realizedBps)} bps
            </title>
          </circle>
        ))}
      </svg>
      <figcaption className="faint">
        Expected → realized ↑, <span className="num">{`${bps(low)} to ${bps(high)} bps`}</span>
      </figcaption>
    </figure>
  );
}

function Figures({ of: { paper, live, groups } }: { readonly of: Calibration }) {
  const rows: readonly (readonly [name: string, figures: CostFigures])[] = [
    ['Paper', paper],
    ['Live', live],
    ...groups.map(
      (group) =>
        [group.by === 'hour' ? `${group.key}:00 UTC` : group.by === 'size' ? `${group.key} USD` : plain(group.key), group] as const,
    ),
  ];
  return (
    <Table
      label="Cost figures"
      rows={rows.filter(([, { fills }]) => fills > 0)}
      keyOf={([name]) => name}
      columns={[
        { title: 'Fills of', text: ([name]) => name },
        { title: 'Fills', text: ([, { fills }]) => fills },
        { title: 'Expected (bps)', text: ([, { expectedBps }]) => bps(expectedBps) },
        { title: 'Realized (bps)', isFigure: true, text: ([, { realizedBps }]) => bps(realizedBps) },
        { title: 'Bias (bps)', isFigure: true, text: ([, { biasBps }]) => bps(biasBps) },
        { title: 'Median (bps)', text: ([, { medianBps }]) => bps(medianBps) },
        {
          title: 'Above / below',
          hint: 'Fills that cost more and less than expected',
          text: ([, { dearer, cheaper }]) => `${dearer} / ${cheaper}`,
        },
      ]}
    />
  );
}

const bps = (value: number | null): string => (value === null ? '–' : value.toFixed(1));
