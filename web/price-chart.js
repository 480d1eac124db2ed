/** Candles of one instrument with what happened on them: marks, lines of prices, shaded stretches, and a line of percentages below. */
import { chartFrame } from './chart-frame.js';
import { chartPalette, translucent } from './chart-palette.js';
import { ChartShades } from './chart-shades.js';
import { mark, say } from './dom.js';
import { CandlestickSeries, createSeriesMarkers, HistogramSeries, LineSeries, LineStyle } from './lightweight-charts.js';
import { dayAndTime, grouped, priceText, quoteText } from './words.js';

/** @typedef {import('./wire.ts').Bar} Bar */
/** @typedef {import('./chart-palette.js').Palette} Palette */
/** @typedef {keyof Palette} Colour */
/** @typedef {import('./lightweight-charts.js').UTCTimestamp} Seconds */
/** @typedef {{ readonly at: number, readonly kind: 'entry' | 'exit' | 'blocked' | 'proposed', readonly text: string }} Mark */
/** @typedef {{ readonly price: string, readonly title: string, readonly colour: Colour }} PriceLine */
/** @typedef {{ readonly from: number, readonly to: number, readonly colour: Colour }} Stretch */
/** @typedef {{ readonly at: number, readonly open: number, readonly high: number, readonly low: number, readonly close: number }} Forming A bar that has not closed yet: only for the eye. */

const HEIGHT = 420;
const LOWER_HEIGHT = 90;
const MOST_DECIMALS = 8;
/** Room behind the newest bar, in bars, so that its time and its marks are not cut off. */
const BARS_AHEAD = 10;
/** Opacity of a bar that has not closed. */
const FORMING_PART = 0.55;
/** Style of each kind of mark: at the bar's low or high, with its shape and colour. */
const MARKS = /** @type {const} */ ({
  entry: { position: 'belowBar', shape: 'arrowUp', colour: 'good' },
  exit: { position: 'aboveBar', shape: 'arrowDown', colour: 'bad' },
  blocked: { position: 'aboveBar', shape: 'square', colour: 'warn' },
  proposed: { position: 'belowBar', shape: 'circle', colour: 'accent' },
});
const CURVES = /** @type {readonly Colour[]} */ (['accent', 'carried', 'warn', 'closed']);
const QUIET = /** @type {const} */ ({ priceLineVisible: false, lastValueVisible: false });

/** @param {number} ms @returns {Seconds} */
const seconds = (ms) => /** @type {Seconds} */ (Math.floor(ms / 1000));

export class PriceChart {
  /** @type {Map<number, Bar>} */
  #bars = new Map();
  /** When the newest of them began. */
  #newestClosed = -Infinity;
  #barMs = 60_000;
  /** @type {readonly Mark[]} */
  #marks = [];
  /** @type {readonly PriceLine[]} */
  #lines = [];
  /** @type {readonly Stretch[]} */
  #stretches = [];
  /** @type {Forming | null} */
  #forming = null;
  #reachesAll = false;
  #isHovered = false;
  #height = HEIGHT;
  /** @type {Map<string, import('./lightweight-charts.js').ISeriesApi<'Line'>>} */
  #gauges = new Map();
  #decimals = 2;
  shades = new ChartShades();
  /** @type {import('./lightweight-charts.js').IPriceLine[]} */
  #drawn = [];
  /** @type {Map<string, import('./lightweight-charts.js').ISeriesApi<'Line'>>} */
  #curves = new Map();
  #colours = chartPalette();
  /** The bar that is pointed at. @type {Bar | undefined} */
  #pointed;

  /**
   * @param {object} options
   * @param {string} options.label Names the chart.
   * @param {string | null} options.lowerTitle Names the line of percentages; null for none.
   */
  constructor({ label, lowerTitle }) {
    this.#height = HEIGHT + (lowerTitle === null ? 0 : LOWER_HEIGHT);
    this.frame = chartFrame({ label, height: this.#height, repaint: (palette) => this.#repaint(palette) });
    const { chart } = this.frame;
    chart.timeScale().applyOptions({ rightOffset: BARS_AHEAD });
    this.volume = chart.addSeries(HistogramSeries, { ...QUIET, priceScaleId: 'volume' });
    this.volume.priceScale().applyOptions({ scaleMargins: { top: 0.84, bottom: 0 }, visible: false });
    this.candles = chart.addSeries(CandlestickSeries, {
      borderVisible: false,
      autoscaleInfoProvider: (/** @type {() => import('./lightweight-charts.js').AutoscaleInfo | null} */ ofBars) => this.#range(ofBars()),
    });
    this.candles.attachPrimitive(this.shades);
    this.lower = lowerTitle === null ? null : chart.addSeries(LineSeries, { lineWidth: 2, title: lowerTitle, priceLineVisible: false }, 1);
    this.frame.share();
    this.marks = createSeriesMarkers(this.candles, []);
    chart.subscribeCrosshairMove(({ time }) => {
      const bar = typeof time === 'number' ? this.#bars.get(time * 1000) : undefined;
      this.#isHovered = bar !== undefined;
      this.#tell(bar);
    });
    chart.timeScale().subscribeVisibleLogicalRangeChange(() => this.#point());
    this.frame.paint();
  }

  get element() {
    return this.frame.element;
  }

  /**
   * Begins anew with these bars, ascending.
   * @param {readonly Bar[]} all
   * @param {number} length Of a bar, in milliseconds.
   */
  setBars(all, length) {
    this.#barMs = length;
    this.#keepBars(all.map((bar) => [Date.parse(bar.openTime), bar]));
    this.#drawBars();
    this.frame.fit();
  }

  /** A bar that has closed since; one that is older than the newest is drawn at its place. @param {Bar} bar */
  addBar(bar) {
    const at = Date.parse(bar.openTime);
    if (this.#forming !== null && this.#forming.at <= at) this.#forming = null;
    this.#keepBars([...this.#bars.set(at, bar)].sort(([a], [b]) => a - b));
    this.#drawBars();
  }

  /**
   * The bar behind the closed ones, which is drawn paler than they. One that has closed already changes nothing; one before the last
   * that was forming takes its place, for a replay's time is set back.
   * @param {Forming} forming
   */
  form(forming) {
    if (forming.at <= this.#newestClosed) return;
    const before = this.#forming;
    this.#forming = forming;
    if (before !== null && forming.at < before.at) this.#drawBars();
    else {
      if (before?.at !== forming.at) this.#drawMarks();
      this.candles.update(this.#formingCandle(forming));
    }
    mark(this.frame.element, 'data-forming', new Date(forming.at).toISOString());
    this.#tellNewest();
  }

  /** The first instant that is shown and the end of what is shown; null if nothing is. */
  span() {
    const times = [...this.#bars.keys()];
    const [first] = times;
    if (first === undefined) return null;
    return { from: first, to: /** @type {number} */ (this.#forming?.at ?? times.at(-1)) + this.#barMs };
  }

  /** Ascending. */
  bars() {
    return [...this.#bars.values()];
  }

  /** @param {readonly Mark[]} all */
  setMarks(all) {
    this.#marks = all;
    this.#drawMarks();
  }

  /** @param {readonly PriceLine[]} all */
  setLines(all) {
    this.#lines = all;
    this.#drawLines();
  }

  /** Sets whether the price scale reaches to every line; it always reaches to near ones. @param {boolean} isWanted */
  reachLines(isWanted) {
    this.#reachesAll = isWanted;
    this.#drawLines();
  }

  /** @param {readonly Stretch[]} all */
  setStretches(all) {
    this.#stretches = all;
    this.#drawShades();
  }

  /** Lines over the bars, such as averages. @param {readonly import('./candle-panel.js').Curve[]} all */
  setCurves(all) {
    this.#drawCurves(this.#curves, all, 0);
  }

  /** Indicators that are no prices, such as an RSI: in a pane of their own below. @param {readonly import('./candle-panel.js').Curve[]} all */
  setGauges(all) {
    this.#drawCurves(this.#gauges, all, this.lower === null ? 1 : 2);
    this.frame.setHeight(this.#height + (all.length === 0 ? 0 : LOWER_HEIGHT));
    this.frame.share();
    mark(this.frame.element, 'data-gauges', all.map(({ name }) => name).join(', '));
  }

  /** @param {Map<string, import('./lightweight-charts.js').ISeriesApi<'Line'>>} drawn @param {readonly import('./candle-panel.js').Curve[]} all @param {number} pane */
  #drawCurves(drawn, all, pane) {
    for (const [name, series] of drawn) {
      if (all.some((curve) => curve.name === name)) continue;
      this.frame.chart.removeSeries(series);
      drawn.delete(name);
    }
    for (const [index, { name, points }] of all.entries()) {
      const series =
        drawn.get(name) ?? this.frame.chart.addSeries(LineSeries, { lineWidth: 2, title: name, priceLineVisible: false }, pane);
      drawn.set(name, series);
      series.applyOptions({ color: this.#colours[CURVES[index % CURVES.length] ?? 'accent'] });
      // A point between two bars would make room for itself among them.
      const onBars = new Map(points.map(({ at, value }) => [Math.floor(at / this.#barMs) * this.#barMs, value]));
      series.setData([...onBars].filter(([at]) => this.#bars.has(at)).map(([at, value]) => ({ time: seconds(at), value })));
    }
  }

  /** @param {readonly { readonly at: number, readonly percent: number }[]} points Ascending. */
  setLower(points) {
    this.lower?.setData(points.map(({ at, percent }) => ({ time: seconds(at), value: percent })));
  }

  /** Points at the bar of an instant; null, and one without a bar, for none. @param {number | null} at */
  pointAt(at) {
    this.#pointed = at === null ? undefined : this.#bars.get(Math.floor(at / this.#barMs) * this.#barMs);
    mark(this.frame.element, 'data-points-at', this.#pointed?.openTime ?? null);
    this.frame.chart.clearCrosshairPosition();
    this.#point();
  }

  end() {
    this.frame.end();
  }

  #point() {
    const bar = this.#pointed;
    // Before it has been laid out it has no places to point at; it is asked again once it is.
    if (bar === undefined || this.candles.priceToCoordinate(Number(bar.close)) === null) return;
    this.frame.chart.setCrosshairPosition(Number(bar.close), seconds(Date.parse(bar.openTime)), this.candles);
    this.#tell(bar);
  }

  /** @param {readonly (readonly [at: number, bar: Bar])[]} ascending */
  #keepBars(ascending) {
    this.#bars = new Map(ascending);
    this.#newestClosed = ascending.at(-1)?.[0] ?? -Infinity;
  }

  /** @param {Palette} palette */
  #repaint(palette) {
    this.#colours = palette;
    const { good, bad, closed } = palette;
    this.candles.applyOptions({ upColor: good, downColor: bad, wickUpColor: good, wickDownColor: bad });
    this.lower?.applyOptions({ color: closed });
    this.#drawVolume();
    this.#drawMarks();
    this.#drawLines();
    this.#drawShades();
  }

  /** @param {import('./lightweight-charts.js').AutoscaleInfo | null} ofBars */
  #range(ofBars) {
    if (ofBars === null || ofBars.priceRange === null) return ofBars;
    const { minValue, maxValue } = ofBars.priceRange;
    const room = this.#reachesAll ? Infinity : maxValue - minValue;
    const prices = this.#lines.map(({ price }) => Number(price)).filter((price) => price > minValue - room && price < maxValue + room);
    return { ...ofBars, priceRange: { minValue: Math.min(minValue, ...prices), maxValue: Math.max(maxValue, ...prices) } };
  }

  /** @param {Forming} forming */
  #formingCandle({ at, open, high, low, close }) {
    const color = translucent(close >= open ? this.#colours.good : this.#colours.bad, FORMING_PART);
    return { time: seconds(at), open, high, low, close, color, wickColor: color };
  }

  #tellNewest() {
    if (this.#pointed === undefined && !this.#isHovered) this.#tell();
  }

  /** The bar under the pointer, or the newest one. @param {Bar} [bar] */
  #tell(bar) {
    const forming = this.#forming;
    if (bar === undefined && forming !== null) {
      const [open, high, low, close] = [forming.open, forming.high, forming.low, forming.close].map((price) =>
        quoteText(price.toFixed(this.#decimals)),
      );
      return say(this.frame.legend, `${dayAndTime(forming.at).slice(0, 16)}  O ${open}  H ${high}  L ${low}  now ${close}`);
    }
    return this.#tellClosed(bar ?? [...this.#bars.values()].at(-1));
  }

  /** @param {Bar | undefined} bar */
  #tellClosed(bar) {
    if (bar === undefined) return say(this.frame.legend, '');
    const [open, high, low, close] = [bar.open, bar.high, bar.low, bar.close].map(priceText);
    const when = dayAndTime(bar.openTime).slice(0, 16);
    say(this.frame.legend, `${when}  O ${open}  H ${high}  L ${low}  C ${close}  V ${priceText(bar.volume)}`);
  }

  #drawBars() {
    const all = [...this.#bars.values()];
    const written = all.slice(-50).map(({ close }) => priceText(close).split('.')[1]?.length ?? 0);
    const decimals = Math.min(MOST_DECIMALS, Math.max(2, ...written));
    this.#decimals = decimals;
    const formatter = (/** @type {number} */ price) => grouped(price.toFixed(decimals));
    this.candles.applyOptions({ priceFormat: { type: 'custom', formatter, minMove: 10 ** -decimals } });
    this.candles.setData([...all.map(candleOf), ...(this.#forming === null ? [] : [this.#formingCandle(this.#forming)])]);
    this.#drawVolume();
    this.#drawMarks();
    this.#drawShades();
    this.#tell();
  }

  #drawVolume() {
    const { good, bad } = this.#colours;
    this.volume.setData(
      [...this.#bars].map(([at, { open, close, volume }]) => ({
        time: seconds(at),
        value: Number(volume),
        color: translucent(Number(close) >= Number(open) ? good : bad, 0.3),
      })),
    );
  }

  #drawMarks() {
    const span = this.span() ?? { from: Infinity, to: -Infinity };
    const shown = this.#marks.filter(({ at }) => at >= span.from && at < span.to);
    say(
      this.frame.words,
      [wordsOf(this.bars()), shown.length === 0 ? '' : `Marked: ${shown.map(({ text }) => text).join(', ')}.`].join(' ').trim(),
    );
    this.marks.setMarkers(
      shown
        .map(({ at, kind, text }) => {
          const { position, shape, colour } = MARKS[kind];
          return {
            time: seconds(Math.floor(at / this.#barMs) * this.#barMs),
            position,
            shape,
            color: this.#colours[colour],
            text: text.split(' at ', 1)[0] ?? '',
          };
        })
        .sort((a, b) => a.time - b.time),
    );
  }

  #drawLines() {
    for (const line of this.#drawn) this.candles.removePriceLine(line);
    this.#drawn = this.#lines.map(({ price, title, colour }) =>
      this.candles.createPriceLine({
        price: Number(price),
        title,
        color: this.#colours[colour],
        lineStyle: LineStyle.Dashed,
        lineWidth: 1,
        axisLabelVisible: true,
      }),
    );
  }

  /** Neighbouring bars of one colour are one band. */
  #drawShades() {
    /** @type {import('./chart-shades.js').Band[]} */
    const bands = [];
    let before = '';
    for (const at of this.#bars.keys()) {
      const stretch = this.#stretches.find(({ from, to }) => at + this.#barMs > from && at < to);
      const last = bands.at(-1);
      const [time, colour] = [seconds(at), stretch === undefined ? '' : translucent(this.#colours[stretch.colour], 0.14)];
      if (colour !== '' && colour === before && last !== undefined) bands[bands.length - 1] = { ...last, to: time };
      else if (colour !== '') bands.push({ from: time, to: time, colour });
      before = colour;
    }
    this.shades.show(bands);
    mark(this.frame.element, 'data-bands', String(bands.length));
  }
}

/** @param {Bar} bar Only for the eye: the numbers in words are the texts as they came. */
function candleOf({ openTime, open, high, low, close }) {
  return { time: seconds(Date.parse(openTime)), open: Number(open), high: Number(high), low: Number(low), close: Number(close) };
}

/** @param {readonly Bar[]} bars */
function wordsOf(bars) {
  const [first] = bars;
  const last = bars.at(-1);
  if (first === undefined || last === undefined) return 'No bars.';
  return `${bars.length} bars from ${dayAndTime(first.openTime)} to ${dayAndTime(last.openTime)}. Last close ${priceText(last.close)}.`;
}
