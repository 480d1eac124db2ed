/**
 * Search, sort and saved views of any list. It works on the rows as they stand on the page, whoever draws them: what is
 * redrawn or added is searched and sorted again before it is seen.
 */
import { askDialog } from './ask-dialog.js';
import { compareTexts } from './compare-texts.js';
import { fill, h, mark, say } from './dom.js';
import { holds, pageOfAddress, putInAddress, queryOf, savedViews, saveView, viewInAddress } from './list-view.js';

/** Prices that move change what a row says: it is looked at again so often at most. */
const AGAIN_MS = 1_000;

/**
 * @typedef {object} Options
 * @property {HTMLElement} place Holds the tables or cards, now or later.
 * @property {string} label Names the field of the search.
 * @property {(error: unknown) => void} fail
 * @property {string} [cards] Selects what is a row where it is no row of a table: its columns are its parts with `data-column`.
 * @property {HTMLInputElement} [search] A field that is there already.
 * @property {readonly HTMLSelectElement[]} [filters] Fields of the page that choose what is read, each with a name: they are part of a view.
 * @property {(shown: number) => void} [onShown] Told how many rows are left, each time.
 */

export class ListTools {
  #view = viewInAddress();
  /** The address of the page, which stays the list's while it is shown. */
  #page = pageOfAddress();
  #observer = new MutationObserver((records) => this.#changed(records));
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #soon;
  /** The column whose head has the focus: it is given back where the head is drawn anew. */
  #focused = '';
  /** @type {readonly HTMLElement[]} */
  #rows = [];

  /** @param {Options} options */
  constructor({ place, label, fail, cards = '', search, filters = [], onShown }) {
    this.place = place;
    this.fail = fail;
    this.selector = `tbody > tr${cards === '' ? '' : `, ${cards}`}`;
    this.onShown = onShown;
    this.filters = filters;
    this.search = search ?? h('input', { type: 'search', placeholder: 'Search, or column:word', 'aria-label': label });
    this.search.addEventListener('input', () => this.#look({ ...this.#view, search: this.search.value.trim() }));
    this.note = h('span', { class: 'faint', role: 'status' });
    this.order = h('select', { 'aria-label': 'Sort by', hidden: true, onchange: () => this.#turnCards() });
    this.views = h('select', { 'aria-label': 'Saved views', onchange: () => this.#open() });
    this.keep = h('button', { type: 'button', onclick: () => this.#ask() }, 'Save view');
    this.forget = h('button', { type: 'button', onclick: () => this.#forget() }, 'Delete view');
    this.element = h(
      'div',
      { class: 'list-tools' },
      search === undefined ? this.search : null,
      this.note,
      this.order,
      this.views,
      this.keep,
      this.forget,
    );
    place.addEventListener('focusin', ({ target }) => {
      this.#focused = (target instanceof Element && target.closest('thead th')?.getAttribute('data-column')) || '';
    });
    this.#observer.observe(place, { childList: true, subtree: true, characterData: true });
    this.search.value = this.#view.search;
    for (const filter of filters) this.#followFilter(filter);
    // A page that searches by itself is told of it too.
    this.search.dispatchEvent(new Event('input'));
  }

  /** It shows what the address says, and the address what it says. @param {HTMLSelectElement} filter */
  #followFilter(filter) {
    const wanted = this.#view.filters[filter.name] ?? '';
    const isKnown = [...filter.options].some(({ value }) => value === wanted);
    filter.addEventListener('change', () => {
      const chosen = Object.fromEntries(this.filters.map(({ name, value }) => [name, value]));
      this.#look({ ...this.#view, filters: chosen });
    });
    if (!isKnown || wanted === '' || filter.value === wanted) return;
    filter.value = wanted;
    filter.dispatchEvent(new Event('change'));
  }

  end() {
    this.#observer.disconnect();
    clearTimeout(this.#soon);
  }

  /** @param {readonly MutationRecord[]} records */
  #changed(records) {
    const isRows = records.some(({ target, addedNodes, removedNodes }) =>
      [...addedNodes, ...removedNodes].some(
        (node) => node instanceof Element && (target === this.place || node.matches(this.selector) || node.querySelector?.('tr') !== null),
      ),
    );
    if (isRows) return this.#apply();
    if (this.#view.search === '' && this.#view.sort === '') return;
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.#apply();
    }, AGAIN_MS);
  }

  /** @param {import('./list-view.js').ListView} view */
  #look(view) {
    this.#view = view;
    if (pageOfAddress() === this.#page) putInAddress(view);
    this.#apply();
    this.#drawViews();
  }

  /** Hides, orders and marks; what it changes itself is not observed. */
  #apply() {
    const { search, sort, way } = this.#view;
    for (const table of this.place.querySelectorAll('table')) this.#head(table);
    this.#rows = /** @type {HTMLElement[]} */ ([...this.place.querySelectorAll(this.selector)]);
    let shown = 0;
    for (const row of this.#rows) {
      const isShown = search === '' || holds(search, cellsOf(row));
      mark(row, 'data-left-out', isShown ? null : '');
      if (isShown && !row.hidden) shown++;
    }
    if (sort !== '') for (const body of this.place.querySelectorAll('tbody')) sortRows(body, sort, way);
    this.#arrangeCards();
    say(this.note, search === '' ? '' : shown === 0 ? 'No matches.' : `${shown} of ${this.#rows.length} shown`);
    this.#observer.takeRecords();
    this.onShown?.(shown);
    this.#observer.takeRecords();
  }

  /** Its heads become buttons that sort. @param {HTMLTableElement} table */
  #head(table) {
    for (const head of table.querySelectorAll('thead th')) {
      const column = head.getAttribute('data-column') ?? head.textContent ?? '';
      if (column === '') continue;
      if (!head.hasAttribute('data-column')) {
        mark(head, 'data-column', column);
        const button = h('button', { type: 'button', class: 'sorter', onclick: () => this.#turn(column) }, column);
        fill(head, button);
        if (column === this.#focused && document.activeElement === document.body) button.focus({ preventScroll: true });
      }
      mark(head, 'aria-sort', column !== this.#view.sort ? null : this.#view.way > 0 ? 'ascending' : 'descending');
    }
  }

  /** Cards have no heads: what they are sorted by is chosen from a list of their columns. */
  #arrangeCards() {
    const { sort, way } = this.#view;
    const cards = this.#rows.filter((row) => !(row instanceof HTMLTableRowElement));
    const columns = [...new Set(cards.flatMap((card) => columnsOf(card).map(([column]) => column)))];
    this.order.hidden = columns.length === 0;
    const shown = ['', ...columns.flatMap((column) => [`${column} up`, `${column} down`])];
    if (shown.join('\n') !== [...this.order.options].map(({ value }) => value).join('\n'))
      fill(
        this.order,
        shown.map((value) =>
          h('option', { value }, value === '' ? 'default order' : value.replace(/ up$/, ', ascending').replace(/ down$/, ', descending')),
        ),
      );
    this.order.value = columns.includes(sort) ? `${sort} ${way > 0 ? 'up' : 'down'}` : '';
    if (!columns.includes(sort)) return;
    for (const parent of new Set(cards.map(({ parentElement }) => parentElement)))
      if (parent !== null)
        arrange(
          parent,
          cards.filter((card) => card.parentElement === parent),
          (card) => sortText(columnOf(card, sort)),
          way,
        );
  }

  #turnCards() {
    const [, sort = '', way = ''] = /^(.+) (up|down)$/.exec(this.order.value) ?? [];
    this.#look({ ...this.#view, sort, way: way === 'down' ? -1 : 1 });
  }

  /** @param {string} column */
  #turn(column) {
    const { sort, way } = this.#view;
    this.#look({ ...this.#view, sort: column, way: sort === column && way > 0 ? -1 : 1 });
  }

  #open() {
    if (this.views.value === '-') return;
    history.replaceState(null, '', `${this.#page}${this.views.value === '' ? '' : `?${this.views.value}`}`);
    // Read as if somebody had followed a link to it.
    dispatchEvent(new HashChangeEvent('hashchange'));
  }

  #ask() {
    const name = h('input', { type: 'text', required: true, maxlength: 40, autocomplete: 'off' });
    askDialog({
      title: 'Save this view',
      text: 'Saved in this browser. Share the page address to show the same view to others.',
      fields: [h('label', {}, 'Name ', name)],
      confirm: 'Save',
      carryOut: async () => {
        saveView(this.#page, name.value.trim(), queryOf(this.#view));
        this.#drawViews();
      },
      fail: this.fail,
    });
  }

  #forget() {
    const query = queryOf(this.#view);
    for (const [name, kept] of savedViews(this.#page)) if (kept === query) saveView(this.#page, name, null);
    this.#drawViews();
  }

  #drawViews() {
    const all = savedViews(this.#page);
    const query = queryOf(this.#view);
    const isKept = all.some(([, one]) => one === query);
    fill(
      this.views,
      h('option', { value: '' }, 'All, default order'),
      all.map(([name, one]) => h('option', { value: one }, name)),
      query === '' || isKept ? null : h('option', { value: '-' }, 'this view'),
    );
    this.views.value = query === '' || isKept ? query : '-';
    this.views.hidden = all.length === 0 && query === '';
    this.keep.hidden = query === '' || isKept;
    this.forget.hidden = !isKept;
  }
}

/**
 * The texts of a row with the heads of their columns; of a card, its text and its parts. What is shown shorter than it is -
 * a number, a name that stands for an id - is found by its title too.
 * @param {Element} row
 * @returns {readonly (readonly [column: string, text: string])[]}
 */
function cellsOf(row) {
  if (!(row instanceof HTMLTableRowElement)) return [['', wholeText(row)], ...columnsOf(row)];
  const heads = row.closest('table')?.querySelectorAll('thead th') ?? [];
  return [...row.cells].map((cell, index) => [heads[index]?.getAttribute('data-column') ?? '', wholeText(cell)]);
}

/** @param {Element} element */
function wholeText(element) {
  const titled = [element, ...element.querySelectorAll('[title]')];
  return [element.textContent ?? '', ...titled.map((one) => one.getAttribute('title') ?? '')].join(' ');
}

/** The parts of a card that are columns. @param {Element} card @returns {readonly (readonly [column: string, text: string])[]} */
function columnsOf(card) {
  return [...card.querySelectorAll('[data-column]')].map((part) => [part.getAttribute('data-column') ?? '', wholeText(part)]);
}

/** @param {Element} card @param {string} column */
function columnOf(card, column) {
  return [...card.querySelectorAll('[data-column]')].find((part) => part.getAttribute('data-column') === column);
}

/** Returns the sort key of a cell: the full digits of a number, the instant of a time, or its text. @param {Element | undefined} cell */
function sortText(cell) {
  const time = cell?.matches('time') ? cell : cell?.querySelector('time');
  const marked = cell?.querySelector('[data-sort]')?.getAttribute('data-sort') ?? time?.getAttribute('datetime');
  const number =
    cell?.querySelector('.number[title]')?.getAttribute('title') ?? (cell?.matches('.number[title]') ? cell.getAttribute('title') : null);
  return marked ?? number ?? cell?.textContent ?? '';
}

/** @param {HTMLTableSectionElement} body @param {string} column @param {1 | -1} way */
function sortRows(body, column, way) {
  const heads = [...(body.closest('table')?.querySelectorAll('thead th') ?? [])];
  const at = heads.findIndex((head) => head.getAttribute('data-column') === column);
  if (at < 0) return;
  arrange(body, [...body.rows], (row) => sortText(row.cells[at]), way);
}

/**
 * Puts children of one parent into order; what had the focus keeps it.
 * @template {Element} Row
 * @param {Element} parent
 * @param {readonly Row[]} rows All of them, as they stand.
 * @param {(row: Row) => string} textOf
 * @param {1 | -1} way
 */
function arrange(parent, rows, textOf, way) {
  const sorted = rows
    .map((row) => ({ row, text: textOf(row) }))
    .sort((a, b) => compareTexts(a.text, b.text, way))
    .map(({ row }) => row);
  const focused = document.activeElement;
  const present = [...rows];
  for (const [index, row] of sorted.entries()) {
    if (present[index] === row) continue;
    parent.insertBefore(row, present[index] ?? null);
    present.splice(present.indexOf(row), 1);
    present.splice(index, 0, row);
  }
  if (focused instanceof HTMLElement && focused !== document.activeElement && parent.contains(focused))
    focused.focus({ preventScroll: true });
}

/**
 * A view whose list can be searched and sorted; any other one stays as it is.
 * @param {import('./shell.js').View} view
 * @param {(error: unknown) => void} fail
 * @returns {import('./shell.js').View}
 */
export function withListTools(view, fail) {
  const { element, title, list } = view;
  if (list === undefined) return view;
  const tools = new ListTools({ place: element, fail, ...list });
  element.querySelector('.page-head')?.after(tools.element);
  return {
    element,
    title,
    end() {
      tools.end();
      view.end();
    },
  };
}
