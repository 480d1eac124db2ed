/** Frame of every chart: size, colours, description for screen readers, and attribution of the library. */
import { chartPalette, onSchemeChange } from './chart-palette.js';
import { h } from './dom.js';
import { createChart, TickMarkType } from 'lightweight-charts';
import { dayAndTime } from '../words.js';

/** @typedef {import('lightweight-charts').IChartApi} Chart */
/** @typedef {import('./chart-palette.js').Palette} Palette */
/** @typedef {import('lightweight-charts').Time} Time */

/**
 * @param {object} options
 * @param {string} options.label Names the chart.
 * @param {number} options.height In pixels.
 * @param {(palette: Palette) => void} options.repaint Colours the series, at the start and on each scheme change.
 */
export function chartFrame({ label, height, repaint }) {
  const place = h('div', { class: 'market-chart-canvas', 'aria-hidden': 'true' });
  place.style.height = `${height}px`;
  const words = h('p', { class: 'unseen', role: 'status' });
  const legend = h('div', { class: 'market-chart-legend number' });
  const element = h(
    'figure',
    { class: 'market-chart', 'aria-label': label },
    legend,
    place,
    words,
    h(
      'figcaption',
      { class: 'faint' },
      h(
        'a',
        { href: 'https://www.tradingview.com/', rel: 'noopener noreferrer', target: '_blank' },
        'TradingView Lightweight Charts™, copyright TradingView, Inc.',
      ),
    ),
  );
  const chart = createChart(place, { autoSize: true, ...chooseLook(chartPalette()) });

  // The chart has no size before it is on the page: fit the content once it has one.
  let isToFit = false;
  chart.timeScale().subscribeSizeChange((width) => {
    if (!isToFit || width === 0) return;
    isToFit = false;
    chart.timeScale().fitContent();
  });

  const stop = onSchemeChange((palette) => {
    chart.applyOptions(chooseLook(palette));
    repaint(palette);
  });
  return {
    element,
    chart,
    legend,
    words,
    /** Colours the series. Call it once all of them are added. */
    paint: () => repaint(chartPalette()),
    /** Fits the first to the last point into view. */
    fit() {
      isToFit = chart.timeScale().width() === 0;
      chart.timeScale().fitContent();
    },
    /** Sets the height of each lower pane to a third of the first. */
    share() {
      for (const [index, pane] of chart.panes().entries()) pane.setStretchFactor(index === 0 ? 3 : 1);
    },
    /** @param {number} pixels New height. */
    setHeight: (pixels) => void (place.style.height = `${pixels}px`),
    end() {
      stop();
      chart.remove();
    },
  };
}

/**
 * @param {Palette} palette
 * @returns {import('lightweight-charts').DeepPartial<import('lightweight-charts').ChartOptions>}
 */
function chooseLook({ panel, line, faint }) {
  return {
    layout: {
      background: { color: panel },
      textColor: faint,
      fontFamily: 'system-ui, sans-serif',
      // The library's logo is markup that the page's policy refuses. A text link below the chart replaces it.
      attributionLogo: false,
      panes: { separatorColor: line, separatorHoverColor: line },
    },
    grid: { vertLines: { color: line }, horzLines: { color: line } },
    rightPriceScale: { borderColor: line },
    timeScale: { borderColor: line, timeVisible: true, secondsVisible: false, tickMarkFormatter: tickText, tickMarkMaxCharacterLength: 8 },
    localization: { locale: 'en-GB', timeFormatter: (/** @type {Time} */ time) => timeText(time).slice(0, 16) },
  };
}

/** Formats a time on the scale in the chosen zone. @param {Time} time */
function timeText(time) {
  return dayAndTime(Number(time) * 1000);
}

/**
 * Formats a tick. The library puts day ticks at midnight UTC; in another zone they show the hour too.
 * @param {Time} time
 * @param {import('lightweight-charts').TickMarkType} type
 */
function tickText(time, type) {
  const text = timeText(time);
  const clock = text.slice(11, 16);
  if (type === TickMarkType.Time || type === TickMarkType.TimeWithSeconds) return clock;
  if (clock !== '00:00') return `${text.slice(8, 10)} ${clock}`;
  if (type === TickMarkType.Year) return text.slice(0, 4);
  return type === TickMarkType.Month ? text.slice(0, 7) : text.slice(5, 10);
}
