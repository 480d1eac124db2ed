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
 * @property {string} [cards] Selects what is a row where it is no row of a table.
 * @property {HTMLInputElement} [search] A field that is there already.
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
  constructor({ place, label, fail, cards = '', search, onShown }) {
    this.place = place;
    this.fail = fail;
    this.selector = `tbody > tr${cards === '' ? '' : `, ${cards}`}`;
    this.onShown = onShown;
    this.search = search ?? h('input', { type: 'search', placeholder: 'Search, or column:word', 'aria-label': label });
    this.search.addEventListener('input', () => this.#look({ ...this.#view, search: this.search.value.trim() }));
    this.note = h('span', { class: 'faint', role: 'status' });
    this.views = h('select', { 'aria-label': 'Saved views', onchange: () => this.#open() });
    this.keep = h('button', { type: 'button', onclick: () => this.#ask() }, 'Save view');
    this.forget = h('button', { type: 'button', onclick: () => this.#forget() }, 'Forget view');
    this.element = h(
      'div',
      { class: 'list-tools' },
      search === undefined ? this.search : null,
      this.note,
      this.views,
      this.keep,
      this.forget,
    );
    place.addEventListener('focusin', ({ target }) => {
      this.#focused = (target instanceof Element && target.closest('thead th')?.getAttribute('data-column')) || '';
    });
    this.#observer.observe(place, { childList: true, subtree: true, characterData: true });
    this.search.value = this.#view.search;
    // A page that searches by itself hears of it too.
    this.search.dispatchEvent(new Event('input'));
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

  /** Hides, orders and marks; what it changes itself is not heard of. */
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
    say(this.note, search === '' ? '' : shown === 0 ? 'Nothing here is like this.' : `${shown} of ${this.#rows.length} here`);
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

  /** @param {string} column */
  #turn(column) {
    const { search, sort, way } = this.#view;
    this.#look({ search, sort: column, way: sort === column && way > 0 ? -1 : 1 });
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
      text: 'Kept in this browser. Its address shows the same to whoever may see the page.',
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
      h('option', { value: '' }, 'All, as it came'),
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
 * The texts of a row with the heads of their columns; of a card, its text alone. The full digits count where a number is cut.
 * @param {Element} row
 * @returns {readonly (readonly [column: string, text: string])[]}
 */
function cellsOf(row) {
  if (!(row instanceof HTMLTableRowElement)) return [['', row.textContent ?? '']];
  const heads = row.closest('table')?.querySelectorAll('thead th') ?? [];
  return [...row.cells].map((cell, index) => [heads[index]?.getAttribute('data-column') ?? '', cell.textContent ?? '']);
}

/** What a cell is sorted by: the full digits of a number, the instant of a time, or its text. @param {Element | undefined} cell */
function sortText(cell) {
  const marked = cell?.querySelector('[data-sort]')?.getAttribute('data-sort') ?? cell?.querySelector('time')?.getAttribute('datetime');
  const number =
    cell?.querySelector('.number[title]')?.getAttribute('title') ?? (cell?.matches('.number[title]') ? cell.getAttribute('title') : null);
  return marked ?? number ?? cell?.textContent ?? '';
}

/** @param {HTMLTableSectionElement} body @param {string} column @param {1 | -1} way */
function sortRows(body, column, way) {
  const heads = [...(body.closest('table')?.querySelectorAll('thead th') ?? [])];
  const at = heads.findIndex((head) => head.getAttribute('data-column') === column);
  if (at < 0) return;
  const rows = [...body.rows];
  const sorted = rows
    .map((row) => ({ row, text: sortText(row.cells[at]) }))
    .sort((a, b) => compareTexts(a.text, b.text, way))
    .map(({ row }) => row);
  const focused = document.activeElement;
  for (const [index, row] of sorted.entries()) if (body.rows[index] !== row) body.insertBefore(row, body.rows[index] ?? null);
  if (focused instanceof HTMLElement && focused !== document.activeElement && body.contains(focused))
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
