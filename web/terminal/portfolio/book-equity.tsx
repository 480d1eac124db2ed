/** Profit of one book over time, with its drawdown below. */
import { useMemo } from 'react';
import { api, useRead } from '../api.ts';
import { Course, type Drawn, listPoints } from '../kit/course.tsx';
import { NotRead } from '../kit/lists.tsx';
import { moneyText } from '../kit/numbers.tsx';

const READ_EVERY_MS = 60_000;

export function BookEquity({ bookId }: { readonly bookId: string }) {
  const equity = useRead(['book-equity', bookId], (call) => api.getEquity({ id: bookId }, call), { refetchInterval: READ_EVERY_MS });
  const { data } = equity;
  const course = useMemo((): Drawn => {
    const items = data?.items ?? [];
    return {
      series: [{ title: 'profit', ink: '--accent', points: listPoints(items, ({ pnlUsd }) => pnlUsd) }],
      lower: { title: 'drawdown %', points: listPoints(items, ({ drawdownPct }) => drawdownPct) },
      decimals: 2,
    };
  }, [data]);
  if (data === undefined && equity.error !== null) return <NotRead query={equity} />;
  const last = data?.items.at(-1)?.pnlUsd ?? null;
  return (
    <Course
      course={course}
      label={`Profit of the book in US dollars, the last point ${last === null ? 'unknown' : moneyText(last)}`}
      empty="The curve appears after two minutes of data."
    />
  );
}
