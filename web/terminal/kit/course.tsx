/** Line chart of numbers over time. Its library is loaded when the first one is shown. */
import { Suspense } from 'react';
import type { Course as Drawn, Point } from './course-drawing.ts';
import { laterPart } from './refusal.tsx';

export type { Course as Drawn, Point } from './course-drawing.ts';

const CourseCanvas = laterPart(async () => (await import('../charts.tsx')).CourseCanvas);

/** Returns the known values over time, for drawing only. */
export const listPoints = <Item extends { readonly at: string }>(
  items: readonly Item[],
  valueOf: (item: Item) => string | number | null,
): readonly Point[] =>
  items.flatMap((item) => {
    const value = valueOf(item);
    return value === null ? [] : [{ at: Date.parse(item.at), value: Number(value) }];
  });

interface CourseProps {
  readonly course: Drawn;
  /** Description for screen readers. */
  readonly label: string;
  /** Text in place of a chart with fewer than two points. */
  readonly empty: string;
}

export function Course({ course, label, empty }: CourseProps) {
  const isEmpty = course.series.every(({ points }) => points.length < 2);
  return (
    <div className="course-chart" data-lower={course.lower !== undefined} data-empty={isEmpty}>
      {isEmpty ? (
        <p className="empty">{empty}</p>
      ) : (
        <Suspense fallback={<p className="empty">Loading…</p>}>
          <CourseCanvas course={course} label={label} />
        </Suspense>
      )}
    </div>
  );
}
