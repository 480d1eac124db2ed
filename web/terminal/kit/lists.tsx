/** Lists: loading, empty and refused states, and a button for the next page. */
import { Button } from '@mantine/core';
import type { RowData } from '@tanstack/react-table';
import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery, type UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { NetworkError } from '../api.ts';
import { Refusal } from './refusal.tsx';
import { Table, type TableProps } from './table.tsx';

export interface Page<Row> {
  readonly items: readonly Row[];
  readonly nextCursor: string | null;
}

interface Cursor {
  readonly limit: number;
  readonly cursor?: string;
}

const PER_PAGE = 100;

/** Link from a page to the list that it belongs to. */
export const Trail = ({ to, name }: { readonly to: string; readonly name: string }) => (
  <a className="trail" href={`#/${to}`}>
    ← {name}
  </a>
);

/** Part of a page with its title. */
export const Card = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section className="card claims stack" aria-label={title}>
    <h2>{title}</h2>
    {children}
  </section>
);

/** Items of a list of sentences. */
export const renderItems = (sentences: readonly string[]): ReactNode =>
  sentences.map((sentence, place) => <li key={`${place} ${sentence}`}>{sentence}</li>);

export const renderTags = (words: readonly string[]): ReactNode =>
  words.map((word) => (
    <span key={word} className="tag">
      {word}
    </span>
  ));

export const Figure = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** List of named figures; null is shown as no value. */
export const FigureList = ({
  lines,
  look = 'figures tall',
}: {
  /** Name and content of each figure, and what the name means, on hover. */
  readonly lines: readonly (readonly [name: string, content: ReactNode, hint?: string])[];
  readonly look?: string;
}) => (
  <dl className={look}>
    {lines.map(([name, content, hint]) => (
      <div key={name}>
        <dt title={hint}>{name}</dt>
        <dd className="num">{content ?? '–'}</dd>
      </div>
    ))}
  </dl>
);

interface ListOptions {
  /** Interval for reading the list again, in milliseconds. */
  readonly everyMs?: number;
  readonly isWanted?: boolean;
  readonly perPage?: number;
  readonly staleTime?: number;
}

/** @param read Reads one page. */
export const useList = <Row,>(
  key: readonly unknown[],
  read: (page: Cursor, options: { readonly signal: AbortSignal }) => Promise<Page<Row>>,
  { everyMs, isWanted = true, perPage = PER_PAGE, staleTime }: ListOptions = {},
) =>
  useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => read({ limit: perPage, ...(pageParam === null ? {} : { cursor: pageParam }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: everyMs ?? false,
    enabled: isWanted,
    ...(staleTime === undefined ? {} : { staleTime }),
  });

interface ListProps<Row extends RowData> extends TableProps<Row> {
  readonly list: UseInfiniteQueryResult<InfiniteData<Page<Row>>>;
  readonly empty: ReactNode;
}

export function List<Row extends RowData>({ list, ...table }: ListProps<Row>) {
  const rows = useMemo(() => (list.data?.pages ?? []).flatMap(({ items }) => items), [list.data]);
  return (
    <Loaded query={list}>
      {() => (
        <>
          <Table rows={rows} {...table} />
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

const Reading = () => (
  <div className="reading" role="status">
    <span className="sr-only">Loading…</span>
    <span className="bone" />
    <span className="bone" />
    <span className="bone" />
  </div>
);
