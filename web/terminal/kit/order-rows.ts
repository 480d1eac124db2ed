/** Sorts and filters the rows of a table by their cell texts, the same way for every table. */
import { type RefObject, useLayoutEffect, useState } from 'react';
import { numberIn, orderOf } from './order-texts.ts';
import { keep, readKept } from './store.ts';

export interface Sort {
  /** Index of the column, from 0. */
  readonly column: number;
  readonly isDown: boolean;
}

/** Returns the exact value of a cell: its time, or every digit of its number. */
function textOf(cell: Element | undefined): string {
  const instant = cell?.querySelector('time')?.dateTime;
  if (instant !== undefined) return instant;
  const shown = cell?.textContent.trim() ?? '';
  const whole = cell?.querySelector('.num[title]')?.getAttribute('title') ?? '';
  return numberIn(shown) !== null && numberIn(whole) !== null ? whole : shown;
}

interface Found {
  readonly order: readonly string[];
  readonly hidden: ReadonlySet<string>;
}

const ALL: Found = { order: [], hidden: new Set() };

/**
 * Sorts and filters the rows of a table after each rendering.
 * @param wanted Text that a row must contain.
 * @returns Keys of the rows in order (empty if unsorted), and keys of the rows without the text.
 */
export function useFoundRows(body: RefObject<HTMLTableSectionElement | null>, sort: Sort | null, wanted: string): Found {
  const [found, setFound] = useState(ALL);
  useLayoutEffect(() => {
    const next = sort === null && wanted === '' ? ALL : find(body.current, sort, wanted.toLowerCase());
    if (String(next.order) !== String(found.order) || String([...next.hidden]) !== String([...found.hidden])) setFound(next);
  });
  return found;
}

function find(body: HTMLTableSectionElement | null, sort: Sort | null, wanted: string): Found {
  const rows = [...(body?.rows ?? [])];
  const keyOf = (row: HTMLTableRowElement): string => row.dataset['row'] ?? '';
  // Equal rows keep their given order: the table may be sorted already.
  const given = rows.toSorted((a, b) => Number(a.dataset['place']) - Number(b.dataset['place']));
  const places =
    sort === null
      ? []
      : orderOf(
          given.map((row) => textOf(row.cells[sort.column])),
          sort,
        );
  const holds = (row: HTMLTableRowElement): boolean =>
    [...row.cells].some((cell) => !cell.classList.contains('action') && cell.textContent.toLowerCase().includes(wanted));
  return {
    order: places.map((place) => keyOf(given[place] as HTMLTableRowElement)),
    hidden: new Set(wanted === '' ? [] : given.filter((row) => !holds(row)).map(keyOf)),
  };
}

const WRITTEN = /^(\d{1,2})(up|down)$/;

/** Reads an order that `sortText` has written, or null if there is none. */
export function readSort(text: string): Sort | null {
  const [, column, way] = WRITTEN.exec(text) ?? [];
  return column === undefined ? null : { column: Number(column), isDown: way === 'down' };
}

export const sortText = (sort: Sort | null): string => (sort === null ? '' : `${sort.column}${sort.isDown ? 'down' : 'up'}`);

/** Returns the order after a press on a column's head. A third press on the same head removes it. */
export function pressed(sort: Sort | null, column: number): Sort | null {
  if (sort?.column !== column) return { column, isDown: false };
  return sort.isDown ? null : { column, isDown: true };
}

/** Sort order of a table, stored in this browser under the table's name. */
export function useSort(label: string): readonly [Sort | null, (column: number) => void] {
  const key = `sevengate.terminal.sort.${label}`;
  const [sort, setSort] = useState(() => readSort(readKept(key) ?? ''));
  const press = (column: number): void => {
    const next = pressed(sort, column);
    setSort(next);
    keep(key, sortText(next));
  };
  return [sort, press];
}
