/** Canvas of a line chart, loaded with its library. */
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { type Course, CourseDrawing } from './course-drawing.ts';

export function CourseCanvas({ course, label }: { readonly course: Course; readonly label: string }) {
  const place = useRef<HTMLDivElement>(null);
  const drawing = useRef<CourseDrawing | null>(null);
  const scheme = useComputedColorScheme('dark');
  useEffect(() => {
    if (place.current === null) return;
    drawing.current = new CourseDrawing(place.current);
    return () => drawing.current?.end();
  }, []);
  useEffect(() => drawing.current?.paint(), [scheme]);
  useEffect(() => drawing.current?.draw(course), [course]);
  return <div ref={place} className="chart-canvas" role="img" aria-label={label} />;
}
