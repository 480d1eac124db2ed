/** Head of a table: numbers are aligned right, words left. A column of buttons has a name for screen readers only. */
import type { Sort } from './order-rows.ts';

interface HeadsProps {
  readonly titles: readonly string[];
  /** Titles of text columns. The first column is one. */
  readonly words?: readonly string[];
  /** Name of a last column of buttons. */
  readonly buttons?: string;
  /** Makes the titles buttons that sort by their columns. */
  /** Number of first columns that sort. All by default. */
  readonly sorted?: number;
  readonly sorting?: { readonly sort: Sort | null; readonly press: (column: number) => void };
}

export function Heads({ titles, words = [], buttons, sorting, sorted = titles.length }: HeadsProps) {
  return (
    <thead>
      <tr>
        {titles.map((title, column) => (
          <th key={title} scope="col" className={words.includes(title) ? 'text' : undefined} aria-sort={wayOf(sorting?.sort, column)}>
            {sorting === undefined || column >= sorted ? (
              title
            ) : (
              <button type="button" className="sort" onClick={() => sorting.press(column)}>
                {title}
              </button>
            )}
          </th>
        ))}
        {buttons !== undefined && (
          <th scope="col">
            <span className="sr-only">{buttons}</span>
          </th>
        )}
      </tr>
    </thead>
  );
}

function wayOf(sort: Sort | null | undefined, column: number): 'ascending' | 'descending' | undefined {
  if (sort?.column !== column) return undefined;
  return sort.isDown ? 'descending' : 'ascending';
}
