/** Shared value that several parts of the page read. It outlives each of them. */
import { useSyncExternalStore } from 'react';

export interface Store<Value> {
  get(): Value;
  set(value: Value): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<Value>(first: Value): Store<Value> {
  let value = first;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Creates a store whose text is kept in this browser. */
export function createKeptStore(key: string, first: string): Store<string> {
  const store = createStore(readKept(key) ?? first);
  store.subscribe(() => keep(key, store.get()));
  return store;
}

export function readKept(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function keep(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // Without storage, the value lasts until the page is closed.
  }
}

export const useStore = <Value>(store: Store<Value>): Value => useSyncExternalStore(store.subscribe, store.get);

/** Current time of the browser, updated in steps and shared by all clocks and countdowns. */
const ticking = createStore(Date.now());
setInterval(() => ticking.set(Date.now()), 500);

/** Renders again twice a second. */
export const useTicking = (): number => useStore(ticking);
