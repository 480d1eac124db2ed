/** Tries variants in several threads over columns that lie in memory once. */
import { inThread } from '../evaluation-thread.ts';
import type { Tried, Trying, TryVariants } from './trials.ts';

const ENTRY = new URL('./trial-thread.mjs', import.meta.url);
/** Fewer variants than this for each thread are tried sooner than a thread starts. */
const LEAST_PER_THREAD = 4;

/** Input of a thread. */
export interface TrialThread {
  readonly trying: Trying;
}

/** Tries variants in threads of their own, which end with it or with its failure. @param threads at most so many. */
export function tryInThreads(threads: number): TryVariants {
  return async ({ history, variants, assumptions }, onDone) => {
    const count = Math.max(1, Math.min(threads, Math.floor(variants.length / LEAST_PER_THREAD)));
    const shared = inSharedMemory(history);
    // Dealt out in turn: neighbours differ by one step of a threshold and take about as long.
    const parts = Array.from({ length: count }, (_, nth) => variants.filter((_variant, place) => place % count === nth));
    const done = parts.map(() => 0);
    const failure = new AbortController();
    const work = parts.map((part, nth) => {
      const progress = (tried: number): void => {
        done[nth] = tried;
        onDone(done.reduce((sum, each) => sum + each, 0));
      };
      const data: TrialThread = { trying: { history: shared, variants: part, assumptions } };
      return inThread<readonly Tried[]>(ENTRY, data, { signal: failure.signal, progress }, 'a part of a sweep');
    });
    try {
      const tried = await Promise.all(work);
      return variants.map((_, place) => tried[place % count]?.[Math.floor(place / count)] as Tried);
    } catch (error) {
      failure.abort();
      await Promise.allSettled(work);
      throw error;
    }
  };
}

/** Returns a value with its columns in memory that threads share instead of copying it. */
function inSharedMemory<Value>(value: Value): Value {
  if (value instanceof Float64Array) return new Float64Array(shared(value)) as Value;
  if (value instanceof Uint8Array) return new Uint8Array(shared(value)) as Value;
  if (Array.isArray(value)) return value.map(inSharedMemory) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inSharedMemory(member)])) as Value;
}

function shared(column: Float64Array | Uint8Array): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(column.byteLength);
  new Uint8Array(memory).set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
  return memory;
}
