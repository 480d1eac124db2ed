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
 * @param {(item: Item) => number} options.keyOf
 * @param {(key: number) => number} options.indexOf Where the item of a key lies, whether it is here or not.
 * @param {(item: Item) => void} options.choose
 */
export function createWindowList({ label, rowHeight, size, at, want, row, keyOf, indexOf, choose }) {
  const name = `list-${++lists}`;
  const spacer = h('div', { class: 'window-space' });
  const element = h('div', { class: 'window-list', role: 'listbox', tabindex: '0', 'aria-label': label }, spacer);
  const rows = builtRows({ name, spacer, rowHeight, row });
  /** The key of the chosen item. @type {number | null} */
  let chosen = null;
  /** A place that was asked for before its page was here. @type {number | null} */
  let pending = null;
  let scheduled = false;

  element.addEventListener('scroll', schedule, { passive: true });
  element.addEventListener('keydown', (event) => {
    const { length } = size();
    const page = Math.max(1, Math.floor(element.clientHeight / rowHeight) - 1);
    const to = movedTo(event.key, pending ?? indexOfChosen(), page, length);
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

  const indexOfChosen = () => (chosen === null ? -1 : indexOf(chosen));

  /** @param {number} index */
  function pick(index) {
    reveal(index);
    const item = at(index);
    pending = item === null ? index : null;
    if (item === null) return schedule();
    chosen = keyOf(item);
    draw();
    choose(item);
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
    rows.keep(first, last);
    let active = null;
    for (let index = first; index <= last; index++) {
      const item = at(index);
      const key = item === null ? null : keyOf(item);
      const shown = rows.at(index, item, key);
      const isChosen = key !== null && key === chosen;
      mark(shown, 'aria-selected', String(isChosen));
      mark(shown, 'aria-setsize', complete ? String(length) : '-1');
      mark(shown, 'aria-posinset', String(index + 1));
      if (isChosen) active = shown.id;
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
     * @param {number | null} key
     */
    show(key) {
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

/**
 * The place that a key leads to from another one; undefined for a key that leads nowhere.
 * @param {string} key
 * @param {number} place
 * @param {number} page Rows that are seen at once, less one.
 * @param {number} length
 * @returns {number | undefined}
 */
function movedTo(key, place, page, length) {
  return { ArrowDown: place + 1, ArrowUp: place - 1, PageDown: place + page, PageUp: place - page, Home: 0, End: length - 1 }[key];
}

/**
 * The rows that are in the document, by their place in the list.
 * @template Item
 * @param {object} options
 * @param {string} options.name Begins the rows' ids.
 * @param {HTMLElement} options.spacer Holds them.
 * @param {number} options.rowHeight
 * @param {(item: Item) => readonly Node[]} options.row
 */
function builtRows({ name, spacer, rowHeight, row }) {
  /** @type {Map<number, { readonly element: HTMLElement, key: number | null }>} */
  const rows = new Map();

  /** @param {number} index */
  function built(index) {
    const element = h('div', { class: 'window-row', role: 'option', id: `${name}-${index}`, 'data-index': index });
    element.style.transform = `translateY(${index * rowHeight}px)`;
    element.style.height = `${rowHeight}px`;
    const made = { element, key: null };
    rows.set(index, made);
    spacer.append(element);
    fill(element, h('span', { class: 'faint' }, '…'));
    return made;
  }

  return {
    /** Takes away what lies outside of these places. @param {number} first @param {number} last */
    keep(first, last) {
      for (const [index, { element }] of rows) {
        if (index >= first && index <= last) continue;
        element.remove();
        rows.delete(index);
      }
    },
    /**
     * The row of a place with what its item says; with an ellipsis until the item is here.
     * @param {number} index
     * @param {Item | null} item
     * @param {number | null} key
     */
    at(index, item, key) {
      /** @type {{ readonly element: HTMLElement, key: number | null }} */
      const shown = rows.get(index) ?? built(index);
      if (shown.key !== key && item !== null) fill(shown.element, row(item));
      shown.key = key;
      return shown.element;
    },
  };
}
