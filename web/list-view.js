/** State of a list - search and sort order - kept in the address, so that a link shows the same, and under names in this browser. */

/** @typedef {{ readonly search: string, readonly sort: string, readonly way: 1 | -1, readonly filters: { readonly [name: string]: string } }} ListView `sort` is the head of a column, empty for the order that it came in; `filters` are chosen words by the name of their field. */

const KEPT = 'sevengate.views';

/** The page that the address names, without how its list is looked at. */
export function pageOfAddress() {
  return location.hash.split('?')[0] ?? '';
}

/** @returns {ListView} */
export function viewInAddress() {
  const { search = '', sort = '', way = '', ...filters } = Object.fromEntries(new URLSearchParams(location.hash.split('?')[1] ?? ''));
  return { search, sort, way: way === 'down' ? -1 : 1, filters };
}

/** The same as a query: `search=btc&sort=change&way=down`; empty for a list as it came. @param {ListView} view */
export function queryOf({ search, sort, way, filters }) {
  const query = new URLSearchParams();
  if (search !== '') query.set('search', search);
  if (sort !== '') query.set('sort', sort);
  if (sort !== '' && way < 0) query.set('way', 'down');
  for (const [name, word] of Object.entries(filters)) if (word !== '') query.set(name, word);
  return query.toString();
}

/** Writes it into the address without leaving the page. @param {ListView} view */
export function putInAddress(view) {
  const query = queryOf(view);
  history.replaceState(null, '', `${pageOfAddress()}${query === '' ? '' : `?${query}`}`);
}

/** The views of this browser by the page that they are of. @returns {{ [page: string]: { [name: string]: string } }} */
function kept() {
  try {
    const found = JSON.parse(localStorage.getItem(KEPT) ?? '{}');
    return typeof found === 'object' && found !== null && !Array.isArray(found) ? found : {};
  } catch {
    return {};
  }
}

/** @param {string} page @returns {readonly (readonly [name: string, query: string])[]} */
export function savedViews(page) {
  return Object.entries(kept()[page] ?? {}).filter(([, query]) => typeof query === 'string');
}

/** @param {string} page @param {string} name @param {string | null} query Null forgets it. */
export function saveView(page, name, query) {
  const views = Object.entries(kept()[page] ?? {}).filter(([known]) => known !== name);
  localStorage.setItem(KEPT, JSON.stringify({ ...kept(), [page]: Object.fromEntries(query === null ? views : [...views, [name, query]]) }));
}

/**
 * True if a row holds every word of a search; `stage:paper` searches one column.
 * @param {string} search
 * @param {readonly (readonly [column: string, text: string])[]} cells
 */
export function holds(search, cells) {
  const all = cells.map(([, text]) => text.toLowerCase()).join(' ');
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => {
      const [column = '', wanted] = word.split(':', 2);
      if (wanted === undefined) return all.includes(word);
      const within = cells.filter(([name]) => name.toLowerCase().replaceAll(' ', '').startsWith(column));
      // `spotexchange:BTCUSDT` names an instrument, and no column.
      return within.length === 0 ? all.includes(word) : within.some(([, text]) => text.toLowerCase().includes(wanted));
    });
}
