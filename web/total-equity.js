/** Total equity over time: one curve of all agents, vaults and people's books, live or on paper. */
import { fill, h, mark } from './dom.js';
import { read } from './http.js';
import { gain, money, moneyText } from './money.js';
import { sentenceOf } from './problem-note.js';
import { dayAndTime } from './words.js';

/** @typedef {import('./api.ts').Performance} Performance */
/** @typedef {import('./api.ts').TotalEquity} Course */
/** @typedef {'live' | 'paper'} Mode */
/** @typedef {Readonly<Record<Mode, Performance>>} Figures */

const MODES = /** @type {const} */ (['live', 'paper']);

/** The points lie a minute apart at least; the last one moves with the figures of the page. */
const EVERY_MS = 60_000;

export class TotalEquity {
  /** @type {Mode | null} */
  #chosen = null;
  /** @type {Figures | null} */
  #figures = null;
  /** @type {Course | null} */
  #course = null;
  #readAt = 0;
  #offered = '';
  /** @type {import('./course-chart.js').CourseChart | null} */
  #chart = null;

  /** @param {AbortSignal} signal */
  constructor(signal) {
    this.signal = signal;
    this.words = h('p', { class: 'equity-words' });
    this.place = h('div', {});
    this.choices = h('div', { class: 'segments', role: 'group', 'aria-label': 'Live or paper' });
    const head = h('div', { class: 'panel-head' }, h('h2', {}, 'Total equity'), this.choices);
    this.element = h('div', { class: 'panel total-equity', hidden: true }, head, this.words, this.place);
  }

  /** @param {Figures} figures What the page says of the books; the curve ends with them. */
  async refresh(figures) {
    this.#figures = figures;
    await this.#draw();
  }

  end() {
    this.#chart?.end();
    this.#chart = null;
  }

  async #draw() {
    const figures = this.#figures;
    if (figures === null) return;
    const modes = MODES.filter((name) => figures[name].books.length > 0);
    const mode = modes.find((name) => name === this.#chosen) ?? modes[0];
    this.element.hidden = mode === undefined;
    if (mode === undefined) return;
    this.#offer(modes, mode);
    const performance = figures[mode];
    fill(this.words, ...sentence(mode, performance.totals));
    try {
      const [course, { CourseChart }] = await Promise.all([this.#read(mode, performance.at), import('./course-chart.js')]);
      if (this.signal.aborted || this.#figures !== figures) return;
      const points = pointsOf(course, performance);
      if (points.length < 2)
        return fill(this.place, h('p', { class: 'equity-words faint' }, 'The equity curve appears after two minutes of data.'));
      if (this.#chart === null) {
        this.#chart = new CourseChart({ label: 'Total P&L in US dollars', decimals: 2, hasLower: false });
        fill(this.place, this.#chart.element);
      }
      mark(this.element, 'data-mode', mode);
      this.#chart.draw(drawingOf(points, performance.totals));
    } catch (error) {
      if (this.signal.aborted) return;
      this.end();
      fill(this.place, h('p', { class: 'equity-words problem' }, sentenceOf(error)));
    }
  }

  /** @param {Mode} mode @param {string} at */
  async #read(mode, at) {
    if (this.#course?.mode === mode && Date.parse(at) - this.#readAt < EVERY_MS) return this.#course;
    /** @type {Course} */
    const course = await read(`/v1/portfolio/equity?mode=${mode}`, { signal: this.signal });
    this.#course = course;
    this.#readAt = Date.parse(at);
    return course;
  }

  /** @param {readonly Mode[]} modes @param {Mode} mode */
  #offer(modes, mode) {
    const key = `${modes.join()} ${mode}`;
    if (this.#offered === key) return;
    this.#offered = key;
    const choose = (/** @type {Mode} */ name) => {
      this.#chosen = name;
      void this.#draw();
    };
    fill(
      this.choices,
      modes.map((name) => h('button', { type: 'button', 'aria-pressed': String(name === mode), onclick: () => choose(name) }, name)),
    );
  }
}

/** @param {Mode} mode @param {Performance['totals']} totals */
function sentence(mode, { equityUsd, todayUsd }) {
  const today = todayUsd === null ? h('span', { class: 'faint' }, '–') : gain(todayUsd);
  return [mode === 'live' ? 'Live: $' : 'Paper: $', money(equityUsd), ' · today ', today];
}

/**
 * The course up to the figures of the page, which are its last point. What is not known is left out.
 * @param {Course} course @param {Performance} performance
 */
function pointsOf({ items }, { at, totals }) {
  // The scale tells minutes: one that is written twice on it is one point.
  const minute = at.slice(0, 'yyyy-mm-ddThh:mm'.length);
  const before = items.slice(0, -1).filter((point) => point.at < minute);
  // Profit, for money that is paid into a book is no gain.
  return [...before, { at, pnlUsd: totals.pnlUsd }].flatMap(({ at: time, pnlUsd }) =>
    pnlUsd === null ? [] : [{ at: Date.parse(time), value: Number(pnlUsd) }],
  );
}

/**
 * @param {readonly import('./course-chart.js').Point[]} points
 * @param {Performance['totals']} totals
 * @returns {import('./course-chart.js').Course}
 */
function drawingOf(points, { pnlUsd, todayUsd, todayWithout }) {
  const begun = pnlUsd === null || todayUsd === null || todayWithout.length > 0 ? null : Number(pnlUsd) - Number(todayUsd);
  const [first, last] = [points[0], points.at(-1)];
  const summary =
    first === undefined || last === undefined
      ? 'No data'
      : `${points.length} points from ${dayAndTime(first.at)} to ${dayAndTime(last.at)}, the last one ${pnlUsd === null ? 'unknown' : moneyText(pnlUsd)}`;
  return {
    series: [{ title: 'profit', colour: 'accent', points }],
    lower: null,
    levels: begun === null ? [] : [{ title: 'start of day', price: begun, colour: 'closed' }],
    marks: [],
    summary,
  };
}
