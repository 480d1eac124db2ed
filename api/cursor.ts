/** Opaque cursors: a list's position, written so that nobody is tempted to build one. */
import { UUID_PATTERN } from '../src/domain/values/ids.ts';
import type { Page, PageOf } from '../src/domain/values/page.ts';
import { DEFAULT_LIMIT, type PageQuery } from './shapes.ts';
import { malformed } from './http/strict-json.ts';

/** Patterns of list positions, of values that the database can read. A cursor with anything else is refused. */
export const POSITIONS = {
  number: /^\d{1,15}$/,
  date: /^\d{4}-\d{2}-\d{2}$/,
  uuid: new RegExp(`^${UUID_PATTERN}$`),
  announcement: /^\d{1,19}:\d{1,18}$/,
  activity: new RegExp(`^${UUID_PATTERN}:\\d{1,12}:\\d{1,6}$`),
  decision: new RegExp(`^\\d{1,15}\\|${UUID_PATTERN}$`),
  timer: new RegExp(`^\\d{1,15}\\|${UUID_PATTERN}\\|\\S{1,200}$`),
  instrument: /^[a-z]+:[A-Za-z0-9._@:/-]{1,64}$/,
} as const;

/** Returns the page that a query requests. @throws InputError `malformed` if the cursor is not one of this list. */
export function pageOfQuery(query: PageQuery, list: string, positions: RegExp): Page {
  const limit = query.limit ?? DEFAULT_LIMIT;
  if (query.cursor === undefined) return { limit, after: null };
  const [name, position] = Buffer.from(query.cursor, 'base64url').toString('utf8').split(' ');
  if (name !== list || position === undefined || !positions.test(position) || encodeCursor(list, position) !== query.cursor) {
    throw malformed('query.cursor', 'not a cursor of this list; use `nextCursor` of the previous page', 'nextCursor of the page before');
  }
  return { limit, after: position };
}

export function encodeCursor(list: string, position: string): string {
  return Buffer.from(`${list} ${position}`).toString('base64url');
}

/** Returns a page of a list in memory, in the order of its keys, which are the positions. */
export function pageOfKeyed<Item>(items: readonly Item[], keyOf: (item: Item) => string, { limit, after }: Page): PageOf<Item> {
  const keyed = items.map((item) => ({ key: keyOf(item), item })).sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const begin = after === null ? 0 : keyed.findIndex(({ key }) => key > after);
  const page = begin < 0 ? [] : keyed.slice(begin, begin + limit);
  const last = page.at(-1);
  return { items: page.map(({ item }) => item), next: last !== undefined && begin + limit < keyed.length ? last.key : null };
}

/** Returns the wire form of a page. */
export function pageBody<Item, Body>(
  page: PageOf<Item>,
  list: string,
  body: (item: Item) => Body,
): { items: Body[]; nextCursor: string | null } {
  return { items: page.items.map(body), nextCursor: page.next === null ? null : encodeCursor(list, page.next) };
}
