/** One strip of time over the steps, decisions and fills of an actor and the price beneath them: choosing a place on it looks at the step of then. */
import { fill, h, s, say } from './dom.js';
import { dayAndTime, priceText, zoneWord } from './words.js';

/** @typedef {import('./price-chart.js').Mark} Mark */
/** @typedef {import('./wire.ts').Bar} Bar */
/** @typedef {{ readonly from: number, readonly to: number }} Span */

const WIDTH = 1_000;
const LANE = 14;
const PRICE_HEIGHT = 38;
const HEIGHT = 3 * LANE + PRICE_HEIGHT;
/** More of them would be one stroke. */
const MOST_STROKES = 2_000;
/** Distance from the right edge that means the end. */
const EDGE_PX = 6;
const LANES = /** @type {const} */ (['steps', 'decisions', 'fills']);

export class TimeLanes {
  /** @type {Span} */
  #span = { from: 0, to: 1 };
  /** Decisions and fills, ascending. @type {readonly Mark[]} */
  #marks = [];
  /** @type {number | null} */
  #at = null;
  steps = s('g', { class: 'lane-steps' });
  events = s('g', {});
  price = s('path', { class: 'lane-price', fill: 'none', 'vector-effect': 'non-scaling-stroke' });
  cursor = s('line', { class: 'lane-cursor', y1: 0, y2: HEIGHT, 'vector-effect': 'non-scaling-stroke' });
  words = h('p', { class: 'faint lane-words', role: 'status' });

  /** @param {(at: number) => void} choose Called with the instant that somebody points at. */
  constructor(choose) {
    this.choose = choose;
    const lines = [1, 2, 3].map((lane) =>
      s('line', { class: 'lane-line', x1: 0, x2: WIDTH, y1: lane * LANE, y2: lane * LANE, 'vector-effect': 'non-scaling-stroke' }),
    );
    this.picture = s(
      'svg',
      {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        preserveAspectRatio: 'none',
        role: 'img',
        'aria-label': 'Steps, decisions, fills and the price over time',
        onclick: (/** @type {MouseEvent} */ event) => this.#pick(event),
      },
      lines,
      this.price,
      this.steps,
      this.events,
      this.cursor,
    );
    this.element = h(
      'div',
      { class: 'panel time-lanes' },
      h(
        'div',
        { class: 'lane-grid' },
        h(
          'ul',
          { class: 'lane-names faint' },
          [...LANES, 'price'].map((name) => h('li', {}, name)),
        ),
        this.picture,
      ),
      h(
        'div',
        { class: 'lane-foot' },
        this.words,
        h('span', { class: 'space' }),
        h('button', { type: 'button', class: 'small', onclick: () => this.#leap(-1) }, '‹ decision or fill'),
        h('button', { type: 'button', class: 'small', onclick: () => this.#leap(1) }, 'decision or fill ›'),
      ),
    );
  }

  /** The stretch of time that is shown, with its price and what was decided and filled in it. @param {Span} span @param {readonly Bar[]} bars @param {readonly Mark[]} marks */
  show(span, bars, marks) {
    this.#span = span;
    this.#marks = marks.filter(({ at }) => at >= span.from && at <= span.to).sort((a, b) => a.at - b.at);
    this.price.setAttribute(
      'd',
      pathOf(bars, (at) => this.#x(at)),
    );
    fill(
      this.events,
      this.#marks.slice(-MOST_STROKES).map((one) => this.#eventStroke(one)),
    );
    const prices = bars.length === 0 ? '' : `, price from ${priceText(bars[0]?.close ?? '')} to ${priceText(bars.at(-1)?.close ?? '')}`;
    const [fills, decisions] = [this.#marks.filter(isFill).length, this.#marks.filter((one) => !isFill(one)).length];
    say(this.words, `${dayAndTime(span.from)} to ${dayAndTime(span.to)} ${zoneWord()}: ${decisions} decisions, ${fills} fills${prices}`);
    this.pointAt(this.#at);
  }

  /** @param {readonly { readonly version: number, readonly at: string }[]} steps Those that are at hand. */
  setSteps(steps) {
    const shown = steps.filter(({ at }) => Date.parse(at) >= this.#span.from && Date.parse(at) <= this.#span.to);
    fill(
      this.steps,
      shown.slice(-MOST_STROKES).map(({ version, at }) => this.#stroke(Date.parse(at), 3, LANE - 2, 'lane-step', `step ${version}`)),
    );
  }

  /** @param {number | null} at */
  pointAt(at) {
    this.#at = at;
    const x = String(at === null ? WIDTH : Math.min(WIDTH, Math.max(0, this.#x(at))));
    this.cursor.setAttribute('x1', x);
    this.cursor.setAttribute('x2', x);
  }

  /** @param {number} at */
  #x(at) {
    return (WIDTH * (at - this.#span.from)) / (this.#span.to - this.#span.from);
  }

  /** @param {number} at @param {number} y1 @param {number} y2 @param {string} kind @param {string} title */
  #stroke(at, y1, y2, kind, title) {
    const x = this.#x(at);
    return s(
      'line',
      { class: `lane-stroke ${kind}`, x1: x, x2: x, y1, y2, 'vector-effect': 'non-scaling-stroke' },
      s('title', {}, `${title}, ${dayAndTime(at)}`),
    );
  }

  /** Draws a mark. Purchases are in the upper half of their lane, sales in the lower. @param {Mark} one */
  #eventStroke({ at, kind, text }) {
    if (kind === 'entry') return this.#stroke(at, 2 * LANE + 1, 2.6 * LANE, 'lane-entry', text);
    if (kind === 'exit') return this.#stroke(at, 2.4 * LANE, 3 * LANE - 1, 'lane-exit', text);
    return this.#stroke(at, LANE + 3, 2 * LANE - 2, `lane-${kind}`, text);
  }

  /** @param {MouseEvent} event */
  #pick(event) {
    const { left, right, width } = this.picture.getBoundingClientRect();
    const { from, to } = this.#span;
    this.choose(event.clientX > right - EDGE_PX ? to : from + ((event.clientX - left) / width) * (to - from));
  }

  /** To the decision or fill before or after what is looked at. @param {1 | -1} way */
  #leap(way) {
    const at = this.#at ?? this.#span.to;
    const found = way > 0 ? this.#marks.find((one) => one.at > at) : this.#marks.findLast((one) => one.at < at);
    if (found !== undefined) this.choose(found.at);
    else say(this.words, `No ${way > 0 ? 'later' : 'earlier'} decision or fill in this period.`);
  }
}

/** @param {Mark} one */
function isFill({ kind }) {
  return kind === 'entry' || kind === 'exit';
}

/** The closes as a path in the lowest lane. Only for the eye. @param {readonly Bar[]} bars @param {(at: number) => number} x */
function pathOf(bars, x) {
  const closes = bars.map(({ close }) => Number(close));
  const [low, high] = [Math.min(...closes), Math.max(...closes)];
  const y = (/** @type {number} */ close) => 3 * LANE + 4 + (PRICE_HEIGHT - 8) * (high === low ? 0.5 : (high - close) / (high - low));
  return bars
    .map(({ openTime, close }, index) => `${index === 0 ? 'M' : 'L'}${x(Date.parse(openTime)).toFixed(1)} ${y(Number(close)).toFixed(1)}`)
    .join('');
}
