/** Table of every page. TanStack Table sorts and hides columns; TanStack Virtual draws the rows in sight. */
import { TextInput } from '@mantine/core';
import {
  columnVisibilityFeature,
  createSortedRowModel,
  type RowData,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { isPhone } from './browser.ts';
import { type Attributes, type Column, renderCell, readCellValue } from './columns.tsx';
import { compareCells, type Sortable, toSortable } from './order-texts.ts';
import { useHidden, useKeptOrder } from './table-order.ts';
import type { View } from './views.tsx';

/** Number of rows from which a table has a search field. It is decided by the first rows: a later field would move those that are read. */
const MANY_ROWS = 20;
/** Number of rows from which a table scrolls by itself, so that only the rows in sight are drawn. */
const LONG_ROWS = 300;
/** Number of rows drawn beyond the edges, so that scrolling shows no gap. */
const BEYOND = 8;
/** Height of the head, which stays above the rows. */
const HEAD_PX = 26;
/** Size of the scrolling area before it is measured. */
const FIRST_SIGHT = { width: 0, height: 600 };

const FEATURES = tableFeatures({ columnVisibilityFeature, rowSortingFeature, sortedRowModel: createSortedRowModel() });

interface LookProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** Accessible name. Without it, the table is a bare part of a card: it does not scroll, sort or search. */
  readonly label?: string;
  /** Mark of a row, by its state. */
  readonly markOf?: (row: Row) => string | undefined;
  readonly attributesOf?: (row: Row) => Attributes<'tr'>;
  /** Title of the group of a row. The rows of a group follow each other. */
  readonly groupOf?: (row: Row) => string;
  /** Classes of a scrolling area with a limited height. Only the rows in sight are drawn in it. */
  readonly area?: string;
  /** Height of a row before it is drawn. */
  readonly rowPx?: number;
  /** Place of the row to scroll to when it changes. */
  readonly shown?: number;
  /** Receives the drawn range, `to` excluded. */
  readonly onRows?: (from: number, to: number) => void;
  /** Runs when the last rows come into sight. */
  readonly onEnd?: (() => void) | undefined;
}

export interface TableProps<Row> extends LookProps<Row> {
  /** View that keeps the order and the hidden columns. Without it, the order alone is kept. */
  readonly view?: Pick<View, 'values' | 'order'>;
  /** False if the page has a filter of its own. */
  readonly isSearched?: boolean;
  /** Text in place of a table without rows: what will be here, and how to get it. */
  readonly empty?: ReactNode;
}

/** Table that sorts by its heads and can be searched. @param props.rows A new list whenever a value of a column changes. */
export function Table<Row extends RowData>({
  rows,
  view,
  isSearched = true,
  empty,
  ...look
}: TableProps<Row> & { readonly rows: readonly Row[] }) {
  const { columns, keyOf, label } = look;
  const [wanted, setWanted] = useState('');
  const kept = useKeptOrder(label ?? '');
  const { sorting, sortBy } = view?.order ?? kept;
  const isLongList = useFirst(rows.length > 0 ? rows.length >= MANY_ROWS : null) ?? false;
  const hasSearch = label !== undefined && isSearched && isLongList;
  const table = useTable({
    features: FEATURES,
    data: hasSearch && wanted.trim() !== '' ? rows.filter((row) => isFound(row, columns, wanted.trim().toLowerCase())) : rows,
    columns: columns.map((column, place) => ({
      id: String(place),
      accessorFn: (row: Row) => toSortable(String(readCellValue(column, row) ?? '')),
      sortFn: compareLines,
      // An empty cell is last in both directions.
      sortUndefined: 'last',
      enableSorting: column.isSorted ?? !('buttons' in column),
    })),
    getRowId: keyOf,
    state: { sorting, columnVisibility: useHidden(view?.values.hidden ?? '') },
    onSortingChange: (next) => sortBy(typeof next === 'function' ? next(sorting) : next),
    enableSorting: label !== undefined && rows.length > 1,
    enableMultiSort: false,
    sortDescFirst: false,
  });
  const lines = table.getRowModel().rows;
  if (rows.length === 0 && empty !== undefined) return <p className="empty">{empty}</p>;
  return (
    <>
      {hasSearch && <Search label={label} wanted={wanted} search={setWanted} found={lines.length} of={rows.length} />}
      <Rows
        {...look}
        columns={figuresFirst(table.getVisibleLeafColumns().map(({ id }) => columns[Number(id)] as Column<Row>))}
        count={lines.length}
        rowAt={(place) => lines[place]?.original as Row}
        isLong={rows.length > LONG_ROWS}
        sorted={sorting[0] && { column: columns[Number(sorting[0].id)] as Column<Row>, isDown: sorting[0].desc }}
        sort={(column) => {
          const own = table.getColumn(String(columns.indexOf(column)));
          return own?.getCanSort() === true ? () => own.toggleSorting() : undefined;
        }}
      />
    </>
  );
}

/** Keeps the first value that is not null. */
function useFirst<Value>(value: Value | null): Value | null {
  const [first, setFirst] = useState(value);
  if (first === null && value !== null) setFirst(value);
  return first ?? value;
}

const nameIn = <Row,>(columns: readonly Column<Row>[]) => columns.find(({ isName }) => isName === true) ?? columns[0];

/** Returns the columns in the order of the screen: a phone shows the name first, then the figures, numbers before words, then the buttons. */
function figuresFirst<Row>(columns: readonly Column<Row>[]): readonly Column<Row>[] {
  if (!isPhone()) return columns;
  const name = nameIn(columns);
  const rank = (column: Column<Row>): number => {
    if (column === name) return 0;
    if (column.isFigure === true) return column.isText === true ? 2 : 1;
    return 'buttons' in column ? 3 : 4;
  };
  return columns.toSorted((a, b) => rank(a) - rank(b));
}

interface Line {
  readonly getValue: (column: string) => unknown;
}

const compareLines = (a: Line, b: Line, column: string): number =>
  compareCells(a.getValue(column) as Sortable, b.getValue(column) as Sortable);

const isFound = <Row,>(row: Row, columns: readonly Column<Row>[], wanted: string): boolean =>
  columns.some((column) =>
    String(readCellValue(column, row) ?? '')
      .toLowerCase()
      .includes(wanted),
  );

interface RowsProps<Row> extends LookProps<Row> {
  readonly count: number;
  readonly rowAt: (place: number) => Row;
  /** True if the table limits its own height. */
  readonly isLong?: boolean;
  readonly sorted?: { readonly column: Column<Row>; readonly isDown: boolean } | undefined;
  /** Returns what a press on the head of a column does. */
  readonly sort?: (column: Column<Row>) => (() => void) | undefined;
}

/** Table of rows in their given order. In a scrolling area, only the rows in sight are asked for. */
export function Rows<Row>(props: RowsProps<Row>) {
  const { columns, label, area, count, isLong = false, sorted, sort } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const isVirtual = area !== undefined || isLong;
  const drawn = (
    <table className={label === undefined ? 'rows' : 'rows wide'} aria-rowcount={isVirtual ? count + 1 : undefined}>
      <thead>
        <tr>
          {columns.map((column) => (
            <Title key={column.title} column={column} sorted={sorted?.column === column ? sorted : undefined} sort={sort?.(column)} />
          ))}
        </tr>
      </thead>
      {isVirtual ? <RowsInSight {...props} scroller={scroller} /> : <AllRows {...props} />}
    </table>
  );
  if (label === undefined) return drawn;
  return (
    <div ref={scroller} className={area ?? 'table-place scroll-x'} data-long={isLong} tabIndex={0} role="region" aria-label={label}>
      {drawn}
    </div>
  );
}

interface TitleProps<Row> {
  readonly column: Column<Row>;
  readonly sorted: { readonly isDown: boolean } | undefined;
  readonly sort: (() => void) | undefined;
}

function Title<Row>({ column, sorted, sort }: TitleProps<Row>) {
  const { title, hint, isText } = column;
  if ('buttons' in column)
    return (
      <th scope="col">
        <span className="sr-only">{title}</span>
      </th>
    );
  return (
    <th
      scope="col"
      title={hint}
      className={isText === true ? 'text' : undefined}
      aria-sort={sorted && (sorted.isDown ? 'descending' : 'ascending')}
    >
      {sort === undefined ? (
        title
      ) : (
        <button type="button" className="sort" onClick={sort}>
          {title}
        </button>
      )}
    </th>
  );
}

function AllRows<Row>(props: RowsProps<Row>) {
  const { columns, count, rowAt, keyOf, groupOf = () => '' } = props;
  const groups = new Map<string, Row[]>();
  for (let place = 0; place < count; place++) {
    const row = rowAt(place);
    const group = groups.get(groupOf(row));
    if (group === undefined) groups.set(groupOf(row), [row]);
    else group.push(row);
  }
  return [...groups].map(([group, rows]) => (
    <tbody key={group}>
      {group !== '' && (
        <tr className="row-group">
          <th colSpan={columns.length} scope="rowgroup">
            {group}
          </th>
        </tr>
      )}
      {rows.map((row) => (
        <Cells key={keyOf(row)} row={row} {...props} />
      ))}
    </tbody>
  ));
}

interface ScrolledProps {
  readonly scroller: RefObject<HTMLDivElement | null>;
}

/** Rows in sight, with one spacer row above and one below. */
function RowsInSight<Row>({ scroller, ...props }: RowsProps<Row> & ScrolledProps) {
  const { columns, count, rowAt, keyOf, rowPx = 28, shown, onRows, onEnd } = props;
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    getItemKey: (place) => keyOf(rowAt(place)),
    initialRect: FIRST_SIGHT,
    overscan: BEYOND,
    scrollMargin: HEAD_PX,
    scrollPaddingStart: HEAD_PX,
  });
  const drawn = virtual.getVirtualItems();
  const [first, last] = [drawn[0], drawn.at(-1)];
  const [from, to] = [first?.index ?? 0, (last?.index ?? -1) + 1];
  useEffect(() => {
    if (to > from) onRows?.(from, to);
    // A changed callback alone must not run this again.
  }, [from, to]);
  useEffect(() => {
    if (shown !== undefined) virtual.scrollToIndex(shown);
  }, [shown, count]);
  useEffect(() => {
    if (to === count && count > 0) onEnd?.();
  }, [to, count, onEnd]);
  return (
    <tbody>
      <Gap px={(first?.start ?? HEAD_PX) - HEAD_PX} columns={columns.length} />
      {drawn.map(({ key, index }) => (
        <Cells key={String(key)} row={rowAt(index)} {...props} place={index} measure={virtual.measureElement} />
      ))}
      <Gap px={virtual.getTotalSize() + HEAD_PX - (last?.end ?? HEAD_PX)} columns={columns.length} />
    </tbody>
  );
}

const Gap = ({ px, columns }: { readonly px: number; readonly columns: number }) =>
  px <= 0 ? null : (
    <tr className="gap" aria-hidden="true">
      <td colSpan={columns} style={{ height: px }} />
    </tr>
  );

interface CellsProps<Row> extends LookProps<Row> {
  readonly row: Row;
  /** Place among all rows, if not all are drawn. */
  readonly place?: number;
  readonly measure?: (row: HTMLTableRowElement | null) => void;
}

function Cells<Row>({ row, columns, markOf, attributesOf, place, measure }: CellsProps<Row>) {
  const named = nameIn(columns);
  return (
    <tr
      ref={measure}
      data-index={place}
      aria-rowindex={place === undefined ? undefined : place + 2}
      data-mark={markOf?.(row)}
      {...attributesOf?.(row)}
    >
      {columns.map((column) => {
        const content = renderCell(column, row);
        if (column === named)
          return (
            <th key={column.title} scope="row">
              {content}
            </th>
          );
        const look = 'buttons' in column ? 'action' : column.isText === true ? 'text' : 'num';
        return (
          <td key={column.title} className={column.isFaint === true ? `${look} faint` : look} {...column.attributesOf?.(row)}>
            {content}
          </td>
        );
      })}
    </tr>
  );
}

interface SearchProps {
  readonly label: string;
  readonly wanted: string;
  readonly search: (text: string) => void;
  readonly found: number;
  readonly of: number;
}

const Search = ({ label, wanted, search, found, of }: SearchProps) => (
  <div className="table-search">
    <TextInput
      type="search"
      size="xs"
      placeholder="Search these rows"
      aria-label={`Search: ${label}`}
      value={wanted}
      onChange={({ currentTarget }) => search(currentTarget.value)}
    />
    <span className="faint num" role="status">
      {found === of ? `${of} rows` : `${found} of ${of} rows`}
    </span>
  </div>
);
