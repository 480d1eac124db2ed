/** A scrolling list that builds only the rows that can be seen, however long it is; the arrow keys move its selection. */
import { fill, h, mark } from './dom.js';

const SPARE_ROWS = 6;
/** Browsers cannot lay out elements of any height. */
const TALLEST_PX = 8_000_000;
let lists = 0;

/**
 * @template Item
 * @param {object} options
 * @param {string} options.label For screen readers.
 * @param {number} options.rowHeight Of every row, in pixels.
 * @param {() => { readonly length: number, readonly complete: boolean }} options.size
 * @param {(index: number) => Item | null} options.at
 * @param {(first: number, last: number) => void} options.want
 * @param {(item: Item) => readonly Node[]} options.row
 * @param {(item: Item) => string | number} options.keyOf
 * @param {(item: Item, index: number) => void} options.choose
 * @param {string} options.empty What is said of an empty list.
 */
export function createWindowList({ label, rowHeight, size, at, want, row, keyOf, choose, empty }) {
  const name = `list-${++lists}`;
  const spacer = h('div', { class: 'window-space' });
  const element = h('div', { class: 'window-list', role: 'listbox', tabindex: '0', 'aria-label': label }, spacer);
  /** @type {Map<number, { readonly element: HTMLElement, key: string | number | null }>} */
  const rows = new Map();
  /** @type {string | number | null} */
  let chosen = null;
  /** Where it was last. */
  let chosenIndex = -1;
  /** A place that was asked for before its page was here. @type {number | null} */
  let pending = null;
  let scheduled = false;

  element.addEventListener('scroll', schedule, { passive: true });
  element.addEventListener('keydown', (event) => {
    const { length } = size();
    const place = pending ?? indexOfChosen();
    const page = Math.max(1, Math.floor(element.clientHeight / rowHeight) - 1);
    const to = { ArrowDown: place + 1, ArrowUp: place - 1, PageDown: place + page, PageUp: place - page, Home: 0, End: length - 1 }[
      event.key
    ];
    if (to === undefined || length === 0) return;
    event.preventDefault();
    pick(Math.min(Math.max(to, 0), length - 1));
  });
  element.addEventListener('click', ({ target }) => {
    const found = target instanceof Element ? target.closest('[data-index]') : null;
    if (found !== null) pick(Number(found.getAttribute('data-index')));
  });
  const sized = new ResizeObserver(schedule);
  sized.observe(element);

  function indexOfChosen() {
    if (chosen === null) return -1;
    const there = at(chosenIndex);
    if (there !== null && keyOf(there) === chosen) return chosenIndex;
    for (let index = 0; index < size().length; index++) {
      const item = at(index);
      if (item !== null && keyOf(item) === chosen) {
        chosenIndex = index;
        return index;
      }
    }
    // It is on a page that is not here at the moment.
    return chosenIndex;
  }

  /** @param {number} index */
  function pick(index) {
    reveal(index);
    const item = at(index);
    pending = item === null ? index : null;
    if (item === null) return schedule();
    chosen = keyOf(item);
    chosenIndex = index;
    draw();
    choose(item, index);
  }

  /** @param {number} index */
  function reveal(index) {
    const top = index * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight) element.scrollTop = top + rowHeight - element.clientHeight;
  }

  function schedule() {
    if (scheduled) return;
    scheduled = true;
    requestAnimationFrame(() => {
      scheduled = false;
      draw();
    });
  }

  function draw() {
    const { length, complete } = size();
    const first = Math.max(0, Math.floor(element.scrollTop / rowHeight) - SPARE_ROWS);
    const last = Math.min(length - 1, Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + SPARE_ROWS);
    want(first, last);
    spacer.style.height = `${Math.min(TALLEST_PX, length * rowHeight)}px`;
    mark(spacer, 'data-empty', complete && length === 0 ? empty : null);
    for (const [index, { element: gone }] of rows) {
      if (index >= first && index <= last) continue;
      gone.remove();
      rows.delete(index);
    }
    let active = null;
    for (let index = first; index <= last; index++) {
      const item = at(index);
      const key = item === null ? null : keyOf(item);
      let shown = rows.get(index);
      if (shown === undefined) {
        const made = h('div', { class: 'window-row', role: 'option', id: `${name}-${index}`, 'data-index': index });
        made.style.transform = `translateY(${index * rowHeight}px)`;
        made.style.height = `${rowHeight}px`;
        shown = { element: made, key: null };
        rows.set(index, shown);
        spacer.append(made);
        fill(made, h('span', { class: 'faint' }, '…'));
      }
      if (shown.key !== key && item !== null) fill(shown.element, row(item));
      shown.key = key;
      const isChosen = key !== null && key === chosen;
      mark(shown.element, 'aria-selected', String(isChosen));
      mark(shown.element, 'aria-setsize', complete ? String(length) : '-1');
      mark(shown.element, 'aria-posinset', String(index + 1));
      if (isChosen) active = shown.element.id;
    }
    mark(element, 'aria-activedescendant', active);
    if (pending !== null && at(pending) !== null) pick(pending);
  }

  return {
    element,
    /** Draws again: the list has changed. */
    refresh: schedule,
    /**
     * Chooses without telling anybody; null for nothing.
     * @param {string | number | null} key
     */
    show(key) {
      if (key === null || chosen === null) chosenIndex = -1;
      chosen = key;
      schedule();
    },
    /** Chooses the next newer (-1) or older (1) item. @param {-1 | 1} by */
    move(by) {
      const to = Math.max(0, indexOfChosen()) + by;
      if (to >= 0 && to < size().length) pick(to);
    },
    end() {
      sized.disconnect();
    },
  };
}
