/** One value that several parts of the page read, and that outlives each of them. */
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

/** A store whose text outlives the page in this browser. */
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
    // A browser that keeps nothing has it until the page is closed.
  }
}

export const useStore = <Value>(store: Store<Value>): Value => useSyncExternalStore(store.subscribe, store.get);

/** Time of the browser in steps, which every clock and countdown of the page shares. */
const ticking = createStore(Date.now());
setInterval(() => ticking.set(Date.now()), 500);

/** Renders again twice a second. */
export const useTicking = (): number => useStore(ticking);
