/** The chart of an instrument with its timeframes: bars that go on as they close, sessions shaded, the distance to what it is measured by below. */
import { readBars, readClosed } from './candle-reads.js';
import { readCatalog } from './catalog.js';
import { fill, h, mark, say } from './dom.js';
import { followFormingBar } from './forming-bar.js';
import { Refused } from './http.js';
import { withheld } from './permissions.js';
import { barLength, partsOf, TIMEFRAMES } from './timeframes.js';
import { plain, quoteText, symbolOf } from './words.js';

/** @typedef {import('./wire.ts').Bar} Bar */
/** @typedef {import('./price-chart.js').Mark} Mark */
/** @typedef {import('./price-chart.js').PriceLine} PriceLine */
/** @typedef {import('./price-chart.js').Stretch} Stretch */
/** @typedef {{ readonly name: string, readonly points: readonly { readonly at: number, readonly value: number }[] }} Curve */
/** @typedef {{ readonly marks: readonly Mark[], readonly lines: readonly PriceLine[], readonly stretches: readonly Stretch[], readonly curves: readonly Curve[], readonly gauges: readonly Curve[] }} Overlay What is drawn on the bars. */
/** @typedef {(key: string, span: { readonly from: number, readonly to: number }) => Promise<Overlay>} OverlayOf */
/** @typedef {import('./price-chart.js').PriceChart} PriceChart */

const BARS = 300;
const DAY = 86_400_000;
const DEFAULT_TIMEFRAME = '15m';
/** Digits of the price of a line. */
const LINE_DIGITS = 7;
/** Number of bars shown before the selected instant. */
const BARS_BEHIND = 60;
/** Delay before the bars of an instant outside the chart are read. While a user scrubs, none are. */
const SETTLED_MS = 250;

export class CandlePanel {
  /** Signal of what is shown now; aborted when something else is. */
  #abort = new AbortController();
  /** @type {PriceChart | null} */
  #chart = null;
  #stop = () => {};
  /** The instant of the past that is pointed at; null for the present. @type {number | null} */
  #at = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #settling;

  /**
   * @param {object} options
   * @param {import('./shell.js').Context} options.context
   * @param {readonly string[]} options.instruments Keys such as `spotchain:AAPLx`; the first is shown.
   * @param {string} [options.timeframe]
   * @param {OverlayOf} [options.overlay] Asked for each series that is shown.
   * @param {(shown: { readonly span: { readonly from: number, readonly to: number }, readonly bars: readonly Bar[], readonly marks: readonly Mark[] }) => void} [options.onDrawn] Receives what is shown, whenever that is something else.
   */
  constructor({ context, instruments, timeframe = DEFAULT_TIMEFRAME, overlay, onDrawn = () => {} }) {
    this.onDrawn = onDrawn;
    this.context = context;
    this.overlay = overlay;
    this.key = instruments[0] ?? '';
    this.length = timeframe;
    this.place = h('div', { class: 'candle-place' }, h('p', { class: 'faint' }, 'Loading…'));
    this.note = h('p', { class: 'faint', role: 'status' });
    this.legend = h('p', { class: 'faint chart-legend' });
    this.lengths = h(
      'div',
      { class: 'segments', role: 'group', 'aria-label': 'Timeframe' },
      TIMEFRAMES.map(([name]) =>
        h('button', { type: 'button', 'data-timeframe': name, onclick: () => this.#choose(this.key, name) }, name),
      ),
    );
    const which = h(
      'select',
      { 'aria-label': 'Chart instrument', onchange: () => this.#choose(which.value, this.length) },
      instruments.map((one) => h('option', { value: one }, symbolOf(one))),
    );
    which.hidden = instruments.length < 2;
    this.reach = h(
      'button',
      {
        type: 'button',
        hidden: true,
        'aria-pressed': 'false',
        onclick: () => this.#reachLines(this.reach.getAttribute('aria-pressed') !== 'true'),
      },
      'Fit all lines',
    );
    this.element = h(
      'div',
      { class: 'candle-panel' },
      h('div', { class: 'candle-controls' }, which, this.lengths, this.reach, this.note),
      this.place,
      this.legend,
    );
    const unread = withheld('market:read', 'Price chart');
    if (unread === null) void this.#show();
    else fill(this.element, unread);
  }

  /** Reads what is drawn on the bars once more. */
  refresh() {
    if (this.#chart !== null) void this.#drawOverlay(this.#chart, this.#abort.signal).catch(this.context.fail);
  }

  /** Points at an instant of the past, whose bars are read where others are shown; null for the present. @param {number | null} at */
  pointAt(at) {
    this.#at = at;
    clearTimeout(this.#settling);
    const span = this.#chart?.span() ?? null;
    if (span === null) return;
    if (at === null ? span.to >= this.context.feed.now() - 2 * barLength(this.length) : at >= span.from && at < span.to)
      this.#chart?.pointAt(at);
    else this.#settling = setTimeout(() => void this.#show(), SETTLED_MS);
  }

  end() {
    clearTimeout(this.#settling);
    this.#abort.abort();
    this.#stop();
    this.#stop = () => {};
    this.#chart?.end();
    this.#chart = null;
  }

  /** @param {boolean} isWanted */
  #reachLines(isWanted) {
    mark(this.reach, 'aria-pressed', String(isWanted));
    this.#chart?.reachLines(isWanted);
  }

  /** @param {string} key @param {string} length */
  #choose(key, length) {
    this.key = key;
    this.length = length;
    void this.#show();
  }

  async #show() {
    this.end();
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    for (const button of this.lengths.children) mark(button, 'aria-pressed', String(button.getAttribute('data-timeframe') === this.length));
    say(this.note, 'Loading bars…');
    try {
      await this.#draw(signal);
    } catch (error) {
      if (signal.aborted) return;
      say(this.note, 'The bars could not be loaded.');
      this.context.fail(error);
    }
  }

  /** @param {AbortSignal} signal */
  async #draw(signal) {
    const { key, length } = this;
    const behind = (this.#at ?? Infinity) + BARS_BEHIND * barLength(length);
    const reading = readBars(key, length, BARS, signal, this.context.feed.now(), behind >= this.context.feed.now() ? null : behind);
    const [library, catalog, { bars, gaps }] = await Promise.all([import('./price-chart.js'), readCatalog(), reading]);
    if (signal.aborted) return;
    const measure = measureOf(catalog.get(key));
    const made = new library.PriceChart({ label: `${symbolOf(key)}, ${length} bars`, lowerTitle: measure?.title ?? null });
    this.#chart = made;
    fill(this.place, made.element);
    made.setBars(bars, barLength(length));
    mark(this.place, 'data-bars', String(bars.length));
    const missing = gaps.reduce((sum, gap) => sum + gap.missing, 0);
    const lack = missing === 0 ? '' : `${missing} bars are missing: ${reasonsOf(gaps)}`;
    say(this.note, bars.length === 0 ? `No ${length} bars yet.` : lack);
    made.pointAt(this.#at);
    this.#follow(made, signal);
    made.reachLines(this.reach.getAttribute('aria-pressed') === 'true');
    if (behind >= this.context.feed.now()) this.#form(made, bars.at(-1), signal);
    await Promise.all([
      this.#drawOverlay(made, signal),
      measure === null ? null : drawMeasure(made, bars, measure.key, signal, this.context.feed.now()),
    ]);
  }

  /** @param {PriceChart} made @param {AbortSignal} signal */
  #follow(made, signal) {
    const { venue, instrument } = partsOf(this.key);
    const timeframe = this.length;
    const isOurs = (/** @type {import('./feed-messages.ts').FedCandle} */ bar) =>
      bar.venue === venue && bar.instrument === instrument && bar.timeframe === timeframe;
    this.#stop = this.context.feed.subscribe({
      channel: 'candles',
      params: { venue, instrument, timeframe },
      refuse: (detail) => say(this.note, detail),
      receive: ({ data }) => {
        if (signal.aborted) return;
        const fresh = [data].flat().filter(isOurs);
        for (const bar of fresh) made.addBar(bar);
        if (fresh.length > 0) this.refresh();
      },
    });
  }

  /** @param {PriceChart} made @param {Bar | undefined} last @param {AbortSignal} signal */
  #form(made, last, signal) {
    if (last === undefined) return;
    const { context, key, length } = this;
    const stop = followFormingBar({ context, key, timeframe: length, last, signal, onBar: (bar) => made.form(bar) });
    const before = this.#stop;
    this.#stop = () => {
      before();
      stop();
    };
  }

  /** @param {PriceChart} made @param {AbortSignal} signal */
  async #drawOverlay(made, signal) {
    const span = made.span();
    if (span === null) return;
    // Beyond a day a bar holds both.
    const isEquity = barLength(this.length) < DAY && (await readCatalog()).get(this.key)?.kind === 'tokenized_equity';
    const [closed, drawn] = await Promise.all([isEquity ? readClosed(span, signal) : [], this.overlay?.(this.key, span) ?? null]);
    if (signal.aborted) return;
    const shut = closed.map((stretch) => /** @type {Stretch} */ ({ ...stretch, colour: 'closed' }));
    made.setStretches([...(drawn?.stretches ?? []), ...shut]);
    made.setMarks(drawn?.marks ?? []);
    made.setLines(drawn?.lines ?? []);
    made.setCurves(drawn?.curves ?? []);
    made.setGauges(drawn?.gauges ?? []);
    this.reach.hidden = (drawn?.lines.length ?? 0) === 0;
    this.onDrawn({ span, bars: made.bars(), marks: drawn?.marks ?? [] });
    const words = [
      (drawn?.lines ?? [])
        .map(({ title, price }) => `${title} ${quoteText(String(Number(Number(price).toPrecision(LINE_DIGITS))))}`)
        .join(', '),
      isEquity ? 'Blue: market closed.' : '',
      (drawn?.stretches.length ?? 0) > 0 ? 'Violet: no live quote for the agent.' : '',
    ];
    say(this.legend, words.filter((word) => word !== '').join(' · '));
  }
}

/**
 * Returns the benchmark of an instrument: the reference price of its stock, or the other market of the same coin.
 * @param {import('./catalog.js').CatalogEntry | undefined} entry
 */
function measureOf(entry) {
  if (entry === undefined) return null;
  const { key, benchmark, benchmarkKind, pairedPerp, pairedSpot } = entry;
  if (benchmark !== null && benchmarkKind === 'reference_price') return { key: benchmark, title: 'premium %' };
  const other = [pairedPerp, pairedSpot].find((one) => one !== null && one !== key);
  return other === undefined || other === null ? null : { key: other, title: `gap to ${symbolOf(other)} %` };
}

/**
 * Draws the distance of each close from the newest close of the other series at or before it.
 * @param {PriceChart} made
 * @param {readonly Bar[]} bars
 * @param {string} other
 * @param {AbortSignal} signal
 * @param {number} now
 */
async function drawMeasure(made, bars, other, signal, now) {
  const length = bars.length < 2 ? 0 : Date.parse(bars[1]?.openTime ?? '') - Date.parse(bars[0]?.openTime ?? '');
  const timeframe = TIMEFRAMES.find(([, ms]) => ms === length)?.[0];
  if (timeframe === undefined) return;
  // A share has no bars at night: its last close before the first bar of ours may be days back.
  const { bars: others } = await readBars(other, timeframe, BARS * 2, signal, now).catch(noneOfThat);
  let next = 0;
  let last = Number.NaN;
  const points = bars.flatMap(({ openTime, close }) => {
    for (; next < others.length && (others[next]?.openTime ?? '') <= openTime; next++) last = Number(others[next]?.close);
    return Number.isNaN(last) ? [] : [{ at: Date.parse(openTime), percent: (Number(close) / last - 1) * 100 }];
  });
  if (!signal.aborted) made.setLower(points);
}

/** @param {import('./candle-reads.js').Candles['coverage']['gaps']} gaps */
function reasonsOf(gaps) {
  return [...new Set(gaps.map(({ reason }) => plain(reason)))].join(', ');
}

/**
 * Returns no bars if the benchmark series is missing, because a tape holds only what was recorded.
 * @param {unknown} error @returns {{ readonly bars: readonly Bar[] }}
 */
function noneOfThat(error) {
  if (error instanceof Refused && error.code === 'not_found') return { bars: [] };
  throw error;
}
