/** Calls the service with its TypeScript client and caches the answers. */
import { MutationCache, QueryCache, QueryClient, type QueryKey, type UndefinedInitialDataOptions, useQuery } from '@tanstack/react-query';
import { ApiError, createClient, NetworkError } from '../../clients/typescript/src/index.ts';
import { createStore } from './kit/store.ts';

export type * from '../../clients/typescript/src/index.ts';
export { ApiError, NetworkError } from '../../clients/typescript/src/index.ts';

/** Trouble with calls: refused until `busyUntil` (milliseconds since the epoch), and the number of `slow` calls under way. */
export const strain = createStore({ busyUntil: 0, slow: 0 });
const SLOW_MS = 4_000;
const BUSY = [429, 503];
/** Pause after a refusal without `Retry-After`. */
const PAUSE_S = 2;

async function watchedFetch(...call: Parameters<typeof fetch>): Promise<Response> {
  let isSlow = false;
  const count = (by: number) => strain.set({ ...strain.get(), slow: strain.get().slow + by });
  const timer = setTimeout(() => {
    isSlow = true;
    count(1);
  }, SLOW_MS);
  try {
    const response = await fetch(...call);
    if (BUSY.includes(response.status)) {
      const busyUntil = Date.now() + (Number(response.headers.get('retry-after')) || PAUSE_S) * 1_000;
      strain.set({ ...strain.get(), busyUntil: Math.max(busyUntil, strain.get().busyUntil) });
    }
    return response;
  } finally {
    clearTimeout(timer);
    if (isSlow) count(-1);
  }
}

/** Client of the service of this page. The session cookie identifies the member. */
export const api = createClient({ fetch: watchedFetch });

/** Client for calls that must arrive although the page closes. */
export const lastCall = createClient({ fetch: (input, init) => fetch(input, { ...init, keepalive: true }) });

/** True once the service has refused a call without a session. */
export const signedOut = createStore(false);

export const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

/** True if the service refused a change, which then had no effect. Without an answer, or with an error of the service, it may have had one. */
export const hadNoEffect = (error: unknown): boolean =>
  error instanceof ApiError && error.status < 500 && error.code !== 'idempotency_in_flight';

const onError = (error: unknown): void => signedOut.set(signedOut.get() || isSignedOut(error));

/** Pause before a part of the page that got no answer is read again. */
const AGAIN_MS = 5_000;
const mayPass = (error: unknown): boolean =>
  error instanceof NetworkError || (error instanceof ApiError && (error.status === 429 || error.status >= 500));

export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError(error, query) {
      onError(error);
      if (mayPass(error))
        setTimeout(() => {
          if (query.state.status === 'error') void queries.refetchQueries({ queryKey: query.queryKey, exact: true, type: 'active' });
        }, AGAIN_MS);
    },
  }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    // The client itself retries where that may help. The service may be on this computer, which needs no network.
    queries: { retry: false, staleTime: 5_000, networkMode: 'always' },
    // An order that waited for the network would be sent at a later price.
    mutations: { networkMode: 'always' },
  },
});

/** Reads a part of the page, and ends the call with the part. @param ask Sends the call with these options. */
export const useRead = <Data>(
  key: QueryKey,
  ask: (call: { readonly signal: AbortSignal }) => Promise<Data>,
  options: Omit<UndefinedInitialDataOptions<Data>, 'queryKey' | 'queryFn'> = {},
) => useQuery({ ...options, queryKey: key, queryFn: ({ signal }) => ask({ signal }) });

/** Reads these queries again after a change. */
export const refresh = (...names: readonly string[]): void => {
  for (const name of names) void queries.invalidateQueries({ queryKey: [name] });
};

/** Pause between two reads that announcements cause. Adding up a portfolio costs far more than an announcement, and has a limit per minute. */
const ANNOUNCED_READS_MS = 5_000;
/** Time of the last announced read by query, on the page's own clock. A page reads everything as it opens. */
const lastReads = new Map<string, number>();
const planned = new Set<string>();

/** Reads these queries again after an announcement, each at most every 5 s. The last announcement of a burst is read too. */
export function refreshSoon(...names: readonly string[]): void {
  for (const name of names.filter((one) => !planned.has(one))) {
    planned.add(name);
    const read = () => {
      planned.delete(name);
      lastReads.set(name, performance.now());
      refresh(name);
    };
    setTimeout(read, (lastReads.get(name) ?? 0) + ANNOUNCED_READS_MS - performance.now());
  }
}

/** Reads a list to its end. @param items Items over all pages, as the client iterates them. */
export async function readAll<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Merges lists without duplicates, in the order of first appearance. */
export const eachOnce = <Item extends { readonly id: string }>(...lists: readonly (readonly Item[])[]): readonly Item[] => [
  ...new Map(lists.flat().map((item) => [item.id, item])).values(),
];
