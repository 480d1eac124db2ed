/** Draws lines over time on a canvas in the colours of the page, with an optional lower pane. */
import {
  AreaSeries,
  createChart,
  createSeriesMarkers,
  type IChartApi,
  type IPriceLine,
  type ISeriesApi,
  type ISeriesMarkersPluginApi,
  LineSeries,
  LineType,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts';
import { grouped } from '../../words.js';

export interface Point {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Value for drawing only. */
  readonly value: number;
}

export interface Course {
  /** Each value holds until the next one. */
  readonly series: readonly { readonly title: string; readonly ink: string; readonly points: readonly Point[] }[];
  readonly lower?: { readonly title: string; readonly points: readonly Point[] };
  readonly levels?: readonly { readonly title: string; readonly price: number }[];
  /** Ascending. */
  readonly marks?: readonly { readonly at: number; readonly text: string }[];
  readonly decimals: number;
}

const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Keeps the last value of each second: the library has no finer resolution. */
const data = (points: readonly Point[]) =>
  [...new Map(points.map(({ at, value }) => [Math.floor(at / 1_000) as UTCTimestamp, value]))].map(([time, value]) => ({ time, value }));

export class CourseDrawing {
  readonly #chart: IChartApi;
  #lines: readonly ISeriesApi<'Line'>[] = [];
  #below: ISeriesApi<'Area'> | null = null;
  #levels: readonly IPriceLine[] = [];
  #marks: ISeriesMarkersPluginApi<Time> | null = null;
  #course: Course | null = null;

  constructor(place: HTMLElement) {
    this.#chart = createChart(place, {
      autoSize: true,
      layout: { attributionLogo: false },
      timeScale: { timeVisible: true, rightOffset: 2, lockVisibleTimeRangeOnResize: true },
      handleScroll: { mouseWheel: false, vertTouchDrag: false },
      handleScale: { mouseWheel: false },
    });
    this.paint();
  }

  /** Applies the colours of the page. */
  paint(): void {
    const [text, line] = [colour('--text-2'), colour('--grid')];
    this.#chart.applyOptions({
      layout: { background: { color: colour('--panel') }, textColor: text, fontFamily: colour('--font'), fontSize: 11 },
      grid: { vertLines: { color: line }, horzLines: { color: line } },
      rightPriceScale: { borderColor: line },
      timeScale: { borderColor: line },
    });
    if (this.#course !== null) this.draw(this.#course);
  }

  /** Replaces the drawing. */
  draw(course: Course): void {
    // A zoomed user keeps the visible part; otherwise the view grows with the points.
    const isWhole = this.#course === null || (this.#chart.timeScale().getVisibleLogicalRange()?.from ?? 0) <= 0;
    this.#course = course;
    const { series, lower, levels = [], marks = [], decimals } = course;
    if (this.#lines.length !== series.length) this.#renew(course);
    const formatter = (value: number): string => grouped(value.toFixed(decimals));
    const priceFormat = { type: 'custom', formatter, minMove: 10 ** -decimals } as const;
    for (const [place, { title, ink, points }] of series.entries()) {
      this.#lines[place]?.applyOptions({ title, color: colour(ink), priceFormat });
      this.#lines[place]?.setData(data(points));
    }
    this.#below?.applyOptions({
      title: lower?.title ?? '',
      lineColor: colour('--text-2'),
      topColor: colour('--down-soft'),
      bottomColor: 'transparent',
    });
    this.#below?.setData(data(lower?.points ?? []));
    const [first] = this.#lines;
    if (first === undefined) return;
    for (const level of this.#levels) first.removePriceLine(level);
    this.#levels = levels.map(({ title, price }) =>
      first.createPriceLine({ title, price, color: colour('--text-2'), lineStyle: 2, lineWidth: 1, axisLabelVisible: true }),
    );
    this.#marks?.setMarkers(
      marks.map(({ at, text }) => ({
        time: Math.floor(at / 1_000) as UTCTimestamp,
        position: 'aboveBar',
        shape: 'circle',
        color: colour('--accent'),
        text,
      })),
    );
    if (isWhole) this.#chart.timeScale().fitContent();
  }

  end(): void {
    this.#chart.remove();
  }

  #renew({ series, lower }: Course): void {
    for (const line of this.#lines) this.#chart.removeSeries(line);
    if (this.#below !== null) this.#chart.removeSeries(this.#below);
    const options = { lineWidth: 2, lineType: LineType.WithSteps, priceLineVisible: false } as const;
    this.#lines = series.map(() => this.#chart.addSeries(LineSeries, options));
    this.#below = lower === undefined ? null : this.#chart.addSeries(AreaSeries, { ...options, lineWidth: 1 }, 1);
    this.#marks = this.#lines[0] === undefined ? null : createSeriesMarkers(this.#lines[0], []);
  }
}
