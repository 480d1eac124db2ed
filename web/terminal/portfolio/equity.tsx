/** P&L over time of all books of one mode. Ends with the page's figures. Deposits are not profit. */
import { useMemo } from 'react';
import { api, useRead, type Performance, type TotalEquity } from '../api.ts';
import { Course, type Drawn, type Point, listPoints } from '../kit/course.tsx';
import { Loaded } from '../kit/lists.tsx';
import { moneyText } from '../kit/numbers.tsx';

const READ_EVERY_MS = 60_000;

export function Equity({ mode, performance }: { readonly mode: 'paper' | 'live'; readonly performance: Performance | undefined }) {
  const equity = useRead(['total-equity', mode], (call) => api.getTotalEquity({ mode }, call), { refetchInterval: READ_EVERY_MS });
  return (
    <section className="card claims" aria-label="P&L over time">
      <h2>P&L over time (USD)</h2>
      <Loaded query={equity}>{(data) => <Drawing equity={data} performance={performance} />}</Loaded>
    </section>
  );
}

function Drawing({ equity, performance }: { readonly equity: TotalEquity; readonly performance: Performance | undefined }) {
  const points = useMemo(() => pointsUntil(equity, performance), [equity, performance]);
  const course = useMemo(() => drawCourse(points, performance), [points, performance]);
  const pnl = performance?.totals.pnlUsd ?? null;
  return (
    <Course
      course={course}
      label={`Profit in US dollars, ${points.length} points, the last one ${pnl === null ? 'unknown' : moneyText(pnl)}`}
      empty="The curve appears after two minutes of data."
    />
  );
}

/** Returns the points up to the page's present figures. Unknown values are left out. */
function pointsUntil({ items }: TotalEquity, performance: Performance | undefined): readonly Point[] {
  // The scale has minutes: two values of one minute are one point.
  const minute = performance?.at.slice(0, 'yyyy-mm-ddThh:mm'.length) ?? '9';
  const before = performance === undefined ? items : items.slice(0, -1).filter(({ at }) => at < minute);
  const last = performance === undefined ? [] : [{ at: performance.at, pnlUsd: performance.totals.pnlUsd }];
  return listPoints([...before, ...last], ({ pnlUsd }) => pnlUsd);
}

function drawCourse(points: readonly Point[], performance: Performance | undefined): Drawn {
  const { pnlUsd, todayUsd, todayWithout } = performance?.totals ?? { pnlUsd: null, todayUsd: null, todayWithout: [] };
  const begun = pnlUsd === null || todayUsd === null || todayWithout.length > 0 ? null : Number(pnlUsd) - Number(todayUsd);
  return {
    series: [{ title: 'profit', ink: '--accent', points }],
    levels: begun === null ? [] : [{ title: 'start of day', price: begun }],
    decimals: 2,
  };
}
