/** A long list that is read page by page through cursors: only the pages near the reader are kept, the others are fetched again. */

/**
 * @template Item
 * @typedef {object} PageSlot
 * @property {string | null} cursor What it is fetched with; null for the first.
 * @property {readonly Item[] | null} items Null while it is not here.
 * @property {number} count How many items it holds.
 * @property {boolean} fetching
 */

const PAGES_KEPT = 12;

/**
 * Newest first. Items that happen while it is looked at are put in front; the pages behind keep their place.
 * @template Item
 * @param {object} options
 * @param {(cursor: string | null) => Promise<import('./wire.ts').Page<Item>>} options.fetchPage
 * @param {(item: Item) => number | string} options.keyOf
 * @param {() => void} options.onChange
 * @param {(error: unknown) => void} options.onError
 */
export function createPagedList({ fetchPage, keyOf, onChange, onError }) {
  /** @type {Item[]} */
  let fresh = [];
  /** @type {PageSlot<Item>[]} */
  let pages = [];
  let complete = false;
  let generation = 0;
  const known = new Set();

  /** @param {PageSlot<Item>} page */
  async function load(page) {
    if (page.fetching || page.items !== null) return;
    page.fetching = true;
    const begun = generation;
    try {
      const { items, nextCursor } = await fetchPage(page.cursor);
      if (begun !== generation) return;
      const first = page.count === 0;
      // What was received live meanwhile stands in front already.
      page.items = first ? items.filter((item) => !known.has(keyOf(item))) : items.slice(items.length - page.count);
      page.count = page.items.length;
      for (const item of items) known.add(keyOf(item));
      if (first && nextCursor === null) complete = true;
      else if (first) pages.push({ cursor: nextCursor, items: null, count: 0, fetching: false });
      onChange();
    } catch (error) {
      if (begun === generation) onError(error);
    } finally {
      page.fetching = false;
    }
  }

  return {
    /** How many items are known of; more may follow unless it is complete. */
    get length() {
      return pages.reduce((sum, { count }) => sum + count, fresh.length);
    },
    get complete() {
      return complete;
    },
    /** Forgets everything and reads the first page. */
    restart() {
      generation++;
      fresh = [];
      known.clear();
      complete = false;
      pages = [{ cursor: null, items: null, count: 0, fetching: false }];
      void load(/** @type {PageSlot<Item>} */ (pages[0]));
    },
    /**
     * Puts a new item in front, unless it is known.
     * @param {Item} item
     */
    add(item) {
      if (known.has(keyOf(item))) return false;
      known.add(keyOf(item));
      fresh.unshift(item);
      onChange();
      return true;
    },
    /**
     * The item at a place; null while it is not here.
     * @param {number} index
     * @returns {Item | null}
     */
    at(index) {
      if (index < 0) return null;
      if (index < fresh.length) return fresh[index] ?? null;
      let begin = fresh.length;
      for (const { items, count } of pages) {
        if (index < begin + count) return items?.[index - begin] ?? null;
        begin += count;
      }
      return null;
    },
    /**
     * Sees to it that these places are here, one page ahead, and lets go of the pages far from them.
     * @param {number} first
     * @param {number} last
     */
    want(first, last) {
      let begin = fresh.length;
      const near = [];
      for (const [index, page] of pages.entries()) {
        const end = begin + page.count;
        if (end >= first && begin <= last + 50) {
          near.push(index);
          void load(page);
        }
        begin = end;
      }
      const middle = near[Math.floor(near.length / 2)] ?? 0;
      for (const [index, page] of pages.entries()) {
        if (page.items !== null && Math.abs(index - middle) > PAGES_KEPT / 2) page.items = null;
      }
    },
  };
}
