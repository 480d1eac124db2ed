/** Tables of lists: loading, empty and refused states, and a button for the next page. */
import { Button, TextInput } from '@mantine/core';
import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery, type UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { NetworkError } from '../api.ts';
import { Heads } from './heads.tsx';
import { useFoundRows, useSort } from './order-rows.ts';
import { Refusal } from './refusal.tsx';
import type { View } from './views.tsx';

export interface Column<Row> {
  readonly title: string;
  /** Aligned left as text, not right as a number. */
  readonly isText?: boolean;
  readonly cell: (row: Row) => ReactNode;
}

interface Page<Row> {
  readonly items: readonly Row[];
  readonly nextCursor: string | null;
}

interface Cursor {
  readonly limit: number;
  readonly cursor?: string;
}

const PER_PAGE = 100;

/** Part of a page with its title. */
export const Card = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section className="card claims stack" aria-label={title}>
    <h2>{title}</h2>
    {children}
  </section>
);

/** One figure of a `figures` list. */
export function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** List of named figures; null is shown as no value. */
export function FigureList({
  lines,
  look = 'figures tall',
}: {
  readonly lines: readonly (readonly [string, ReactNode])[];
  readonly look?: string;
}) {
  return (
    <dl className={look}>
      {lines.map(([name, content]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="num">{content ?? '–'}</dd>
        </div>
      ))}
    </dl>
  );
}

/** @param read Reads one page. @param everyMs Interval for reading the list again, in milliseconds. */
export function useList<Row>(
  key: readonly unknown[],
  read: (page: Cursor, options: { readonly signal: AbortSignal }) => Promise<Page<Row>>,
  { everyMs, isWanted = true }: { readonly everyMs?: number; readonly isWanted?: boolean } = {},
) {
  return useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => read({ limit: PER_PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: everyMs ?? false,
    enabled: isWanted,
  });
}

interface TableProps<Row> {
  /** Accessible name of the table. */
  readonly label: string;
  /** The first column names the row. A column without a title holds buttons. */
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** Attribute of a row, by its state. */
  readonly markOf?: (row: Row) => string | undefined;
  /** View that keeps the order and the hidden columns. Without it, the order alone is kept. */
  readonly view?: Pick<View, 'values' | 'sorting'>;
}

/** Number of rows from which a table has a search field. */
const MANY_ROWS = 20;
/** Number of rows that a browser draws without a noticeable pause. */
const DRAWN_ROWS = 1_000;

export function Table<Row>({ rows: all, label, columns, keyOf, markOf, view }: TableProps<Row> & { readonly rows: readonly Row[] }) {
  const [most, setMost] = useState(DRAWN_ROWS);
  const rows = all.length > most ? all.slice(0, most) : all;
  const body = useRef<HTMLTableSectionElement>(null);
  const [wanted, setWanted] = useState('');
  const [ownSort, ownPress] = useSort(label);
  const { sort, press } = view?.sorting ?? { sort: ownSort, press: ownPress };
  const isLong = rows.length >= MANY_ROWS;
  const { order, hidden } = useFoundRows(body, rows.length > 1 ? sort : null, isLong ? wanted.trim() : '');
  const ordered = inOrder(
    rows.map((row, place) => ({ row, place, key: keyOf(row) })),
    order,
  );
  const hasButtons = columns.at(-1)?.title === '';
  const titled = hasButtons ? columns.slice(0, -1) : columns;
  return (
    <>
      {isLong && <Search label={label} wanted={wanted} search={setWanted} found={rows.length - hidden.size} of={rows.length} />}
      <div className="table-place scroll-x" tabIndex={0} role="region" aria-label={label}>
        <table className="rows wide" data-hidden={view?.values.hidden}>
          <Heads
            titles={titled.map(({ title }) => title)}
            words={titled.filter(({ isText }) => isText === true).map(({ title }) => title)}
            {...(hasButtons ? { buttons: 'Actions' } : {})}
            {...(rows.length > 1 ? { sorting: { sort, press } } : {})}
          />
          <tbody ref={body}>
            {ordered.map(({ row, place, key }) => (
              <tr key={key} data-row={key} data-place={place} data-mark={markOf?.(row)} hidden={hidden.has(key)}>
                <Cells row={row} columns={columns} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {all.length > most && (
        <Button variant="default" className="more" onClick={() => setMost(most + DRAWN_ROWS)}>
          Show more than {most} of {all.length} rows
        </Button>
      )}
    </>
  );
}

function Cells<Row>({ row, columns: [first, ...rest] }: { readonly row: Row; readonly columns: readonly Column<Row>[] }) {
  return (
    <>
      <th scope="row">{first?.cell(row)}</th>
      {rest.map(({ title, isText, cell }) => (
        <td key={title} className={title === '' ? 'action' : isText === true ? 'text' : 'num'}>
          {cell(row)}
        </td>
      ))}
    </>
  );
}

/** Returns the rows in the order of these keys. A new row keeps its given place. */
function inOrder<Row extends { readonly key: string; readonly place: number }>(
  rows: readonly Row[],
  order: readonly string[],
): readonly Row[] {
  if (order.length === 0) return rows;
  const places = new Map(order.map((key, place) => [key, place]));
  return rows.toSorted((a, b) => (places.get(a.key) ?? a.place) - (places.get(b.key) ?? b.place));
}

interface SearchProps {
  readonly label: string;
  readonly wanted: string;
  readonly search: (text: string) => void;
  readonly found: number;
  readonly of: number;
}

function Search({ label, wanted, search, found, of }: SearchProps) {
  return (
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
}

interface ListProps<Row> extends TableProps<Row> {
  readonly list: UseInfiniteQueryResult<InfiniteData<Page<Row>>>;
  /** Text of an empty list: what will be here, and how to get it. */
  readonly empty: ReactNode;
}

export function List<Row>({ list, empty, ...table }: ListProps<Row>) {
  const rows = (list.data?.pages ?? []).flatMap(({ items }) => items);
  return (
    <Loaded query={list}>
      {() => (
        <>
          {rows.length === 0 ? <p className="empty">{empty}</p> : <Table rows={rows} {...table} />}
          {list.hasNextPage && (
            <Button
              variant="default"
              className="more"
              loading={list.isFetchingNextPage}
              onClick={() => void list.fetchNextPage()}
            >{`Show more than ${rows.length}`}</Button>
          )}
        </>
      )}
    </Loaded>
  );
}

type Read<Data> = Pick<UseQueryResult<Data>, 'data' | 'error'> & { refetch(): unknown };

/** Shows loading, refusal or data. After a failed reload the old data stays below the reason. @param props.children Renders the data. */
export function Loaded<Data>({ query, children }: { readonly query: Read<Data>; readonly children?: (data: Data) => ReactNode }) {
  const { data, error } = query;
  return (
    <>
      <NotRead query={query} />
      {data === undefined ? error === null && <Reading /> : children?.(data)}
    </>
  );
}

/** Reason of a failed read, with a button to retry. Renders nothing after a success. */
export function NotRead({ query: { data, error, refetch } }: { readonly query: Read<unknown> }) {
  if (error === null) return null;
  return (
    <div className="not-read">
      {error instanceof NetworkError ? (
        <p className="refusal" role="alert">
          The service did not answer. {data === undefined ? '' : 'The rows below may be old.'}
        </p>
      ) : (
        <Refusal error={error} />
      )}
      <Button size="compact-xs" variant="default" onClick={() => void refetch()}>
        Try again
      </Button>
    </div>
  );
}

function Reading() {
  return (
    <div className="reading" role="status">
      <span className="sr-only">Loading…</span>
      <span className="bone" />
      <span className="bone" />
      <span className="bone" />
    </div>
  );
}
