/** Candles, volume and marks of fills on a canvas, in the colours of the page. */
import {
  CandlestickSeries,
  createChart,
  createSeriesMarkers,
  HistogramSeries,
  type IChartApi,
  type IPriceLine,
  type ISeriesApi,
  type ISeriesMarkersPluginApi,
  LineSeries,
  type IRange,
  type SeriesMarker,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts';
import { grouped } from '../../words.js';
import { joinStretches } from './layer-points.ts';
import { Shade } from './shade.ts';

interface Bar {
  readonly openTime: string;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
}

interface Drawn {
  readonly time: UTCTimestamp;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

export interface ChartMark {
  readonly at: number;
  readonly kind: 'entry' | 'exit' | 'blocked' | 'proposed';
}

export interface ChartCurve {
  readonly name: string;
  readonly points: readonly { readonly at: number; readonly value: number }[];
  readonly isPrice: boolean;
}

const MARKS = {
  entry: { position: 'belowBar', shape: 'arrowUp', ink: '--up' },
  exit: { position: 'aboveBar', shape: 'arrowDown', ink: '--down' },
  blocked: { position: 'aboveBar', shape: 'square', ink: '--warn' },
  proposed: { position: 'belowBar', shape: 'circle', ink: '--accent' },
} as const;
/** Colours of curves, used in turn. */
const INKS = ['--accent', '--warn', '--text-2'];

const seconds = (ms: number): UTCTimestamp => Math.floor(ms / 1_000) as UTCTimestamp;
const opening = ({ openTime }: Bar): UTCTimestamp => seconds(Date.parse(openTime));
const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export class PriceChart {
  readonly #chart: IChartApi;
  readonly #candles: ISeriesApi<'Candlestick'>;
  readonly #volume: ISeriesApi<'Histogram'>;
  readonly #shade: Shade;
  readonly #marks: ISeriesMarkersPluginApi<Time>;
  #bars: readonly Bar[] = [];
  #barMs = 60_000;
  #series = '';
  #forming: Drawn | null = null;
  #levels: readonly IPriceLine[] = [];
  #curves: readonly ISeriesApi<'Line'>[] = [];

  constructor(place: HTMLElement) {
    // The library's logo is markup that the page's policy refuses. A text link below the chart replaces it.
    this.#chart = createChart(place, {
      autoSize: true,
      layout: { attributionLogo: false },
      timeScale: { timeVisible: true, rightOffset: 6, lockVisibleTimeRangeOnResize: true },
    });
    this.#volume = this.#chart.addSeries(HistogramSeries, { priceScaleId: 'volume', priceLineVisible: false, lastValueVisible: false });
    this.#volume.priceScale().applyOptions({ scaleMargins: { top: 0.84, bottom: 0 }, visible: false });
    this.#candles = this.#chart.addSeries(CandlestickSeries, { borderVisible: false });
    this.#marks = createSeriesMarkers(this.#candles, []);
    this.#shade = new Shade(this.#chart);
    this.#candles.attachPrimitive(this.#shade);
    this.paint();
  }

  /** Applies the colours of the page. */
  paint(): void {
    const [text, line, up, down] = ['--text-2', '--grid', '--up', '--down'].map(colour) as [string, string, string, string];
    this.#chart.applyOptions({
      layout: { background: { color: colour('--panel') }, textColor: text, fontFamily: colour('--font'), fontSize: 11 },
      grid: { vertLines: { color: line }, horzLines: { color: line } },
      rightPriceScale: { borderColor: line },
      timeScale: { borderColor: line },
    });
    this.#candles.applyOptions({ upColor: up, downColor: down, wickUpColor: up, wickDownColor: down });
    this.#drawVolume();
  }

  /**
   * Shows all bars of another series, and keeps the reader's view of the same one.
   * @param bars Ascending. @param barMs Length of a bar in milliseconds. @param series Name of the series, such as its instrument and timeframe.
   * @param mostDecimals Decimals of the instrument's tick. The axis has no more.
   */
  setBars(bars: readonly Bar[], barMs: number, series: string, mostDecimals = 8): void {
    const scale = this.#chart.timeScale();
    const newest = series === this.#series ? this.#bars.at(-1) : undefined;
    const view = newest === undefined ? null : (scale.getVisibleRange() as IRange<UTCTimestamp> | null);
    this.#series = series;
    this.#bars = bars;
    this.#barMs = barMs;
    this.#forming = null;
    const decimals = Math.min(
      mostDecimals,
      Math.max(2, ...bars.slice(-20).map(({ close }) => close.replace(/0+$/, '').split('.')[1]?.length ?? 0)),
    );
    const shown = Number(bars.at(-1)?.close ?? 1) >= 1 ? Math.min(decimals, 2) : decimals;
    const formatter = (price: number): string => grouped(price.toFixed(shown));
    this.#candles.applyOptions({ priceFormat: { type: 'custom', formatter, minMove: 10 ** -shown } });
    this.#candles.setData(bars.map(drawn));
    this.#drawVolume();
    if (newest === undefined || view === null) scale.fitContent();
    // A reader who looks at earlier bars keeps them in place; the others follow the newest one.
    else if (view.to < opening(newest)) scale.setVisibleRange(view);
  }

  /** Draws the forming bar. */
  form(price: number, now: number): void {
    const at = seconds(Math.floor(now / this.#barMs) * this.#barMs);
    const last = this.#bars.at(-1);
    if (last === undefined || at <= opening(last)) return;
    // A series takes no bar before its last: a time that went back draws anew.
    if (this.#forming !== null && at < this.#forming.time) this.#candles.setData(this.#bars.map(drawn));
    const { open, high, low } = this.#forming?.time === at ? this.#forming : { open: Number(last.close), high: price, low: price };
    this.#forming = { time: at, open, high: Math.max(high, price), low: Math.min(low, price), close: price };
    this.#candles.update(this.#forming);
  }

  /** Shades bars over the whole height. @param inkOf Returns a bar's colour by its open time, or null. */
  setShade(inkOf: (openAt: number) => string | null): void {
    this.#shade.set(
      joinStretches(
        this.#bars.map(({ openTime }) => {
          const at = Date.parse(openTime);
          const ink = inkOf(at);
          return { time: seconds(at), colour: ink === null ? null : colour(ink) };
        }),
      ),
    );
  }

  /** Marks events at their bars. Of several events of one kind on a bar only the first is drawn. */
  setMarks(marks: readonly ChartMark[]): void {
    const first = Date.parse(this.#bars[0]?.openTime ?? '');
    const drawn = new Map<string, SeriesMarker<UTCTimestamp>>();
    for (const { at, kind } of marks) {
      const time = seconds(Math.floor(at / this.#barMs) * this.#barMs);
      const { ink, ...look } = MARKS[kind];
      if (at >= first && !drawn.has(`${time} ${kind}`)) drawn.set(`${time} ${kind}`, { time, ...look, color: colour(ink) });
    }
    this.#marks.setMarkers([...drawn.values()].sort((a, b) => a.time - b.time));
  }

  /** Draws horizontal levels, such as a stop-loss. */
  setLevels(levels: readonly { readonly price: number; readonly title: string; readonly ink: string }[]): void {
    for (const line of this.#levels) this.#candles.removePriceLine(line);
    this.#levels = levels.map(({ price, title, ink }) =>
      this.#candles.createPriceLine({ price, title, color: colour(ink), lineWidth: 1, lineStyle: 2, axisLabelVisible: true }),
    );
  }

  /** Draws indicators: those on the price scale over the bars, others in a pane below. */
  setCurves(curves: readonly ChartCurve[]): void {
    for (const series of this.#curves) this.#chart.removeSeries(series);
    this.#curves = curves.map(({ name, points, isPrice }, place) => {
      const options = { title: name, color: colour(INKS[place % INKS.length] as string), lineWidth: 1 as const, priceLineVisible: false };
      const series = this.#chart.addSeries(LineSeries, options, isPrice ? 0 : 1);
      series.setData(points.map(({ at, value }) => ({ time: seconds(at), value })));
      return series;
    });
  }

  /** Shows the crosshair at a bar; null hides it. */
  pointAt(at: number | null): void {
    const bar = at === null ? undefined : this.#bars.findLast(({ openTime }) => Date.parse(openTime) <= at);
    if (bar === undefined) this.#chart.clearCrosshairPosition();
    else this.#chart.setCrosshairPosition(Number(bar.close), opening(bar), this.#candles);
  }

  end(): void {
    this.#chart.remove();
  }

  #drawVolume(): void {
    const [up, down] = [colour('--up-soft'), colour('--down-soft')];
    this.#volume.setData(
      this.#bars.map((bar) => ({
        time: opening(bar),
        value: Number(bar.volume),
        color: Number(bar.close) >= Number(bar.open) ? up : down,
      })),
    );
  }
}

/** Converts a bar to floats, for drawing only. */
const drawn = (bar: Bar): Drawn => ({
  time: opening(bar),
  open: Number(bar.open),
  high: Number(bar.high),
  low: Number(bar.low),
  close: Number(bar.close),
});
