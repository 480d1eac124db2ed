/** Order and hidden columns of a table as texts, as they are stored. Columns are named by their places. */
import type { ColumnVisibilityState, SortingState } from '@tanstack/react-table';
import { useMemo, useState } from 'react';
import { keep, readKept } from './store.ts';

export interface Order {
  readonly sorting: SortingState;
  readonly sortBy: (sorting: SortingState) => void;
}

const WRITTEN = /^(\d{1,2})(up|down)$/;

/** Reads `3down`: by the fourth column, largest first. */
function readSorting(text: string): SortingState {
  const [, id, way] = WRITTEN.exec(text) ?? [];
  return id === undefined ? [] : [{ id, desc: way === 'down' }];
}

const sortingText = ([sort]: SortingState): string => (sort === undefined ? '' : `${sort.id}${sort.desc ? 'down' : 'up'}`);

export function useOrder(text: string, write: (text: string) => void): Order {
  const sorting = useMemo(() => readSorting(text), [text]);
  return { sorting, sortBy: (next) => write(sortingText(next)) };
}

/** Order of a table, stored in this browser under the table's name. */
export function useKeptOrder(label: string): Order {
  const key = `sevengate.terminal.sort.${label}`;
  const [text, setText] = useState(() => readKept(key) ?? '');
  return useOrder(text, (next) => {
    setText(next);
    keep(key, next);
  });
}

/** Columns that are not shown. @param hidden Their places from 1, such as `2 3`. */
export const useHidden = (hidden: string): ColumnVisibilityState =>
  useMemo(
    () =>
      Object.fromEntries(
        hidden
          .split(' ')
          .filter(Boolean)
          .map((place) => [String(Number(place) - 1), false]),
      ),
    [hidden],
  );
