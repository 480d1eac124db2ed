/** Trials in several threads over columns in shared memory. */
import { inThread } from '../evaluation-thread.ts';
import { type Tried, type Trying, tryVariants } from './trials.ts';

const ENTRY = new URL('./trial-thread.mjs', import.meta.url);
/** Variants per thread below which starting a thread costs more than it saves. */
const LEAST_PER_THREAD = 4;

export interface TrialThread {
  readonly trying: Trying;
}

/**
 * Tries variants and returns them in order. Threads end with the work or with a failure.
 * @param threads maximum number of threads; 1 uses the current thread
 * @param onDone receives the number of completed variants
 * @throws Error for a defect
 */
export async function tryInThreads(trying: Trying, threads: number, onDone: (done: number) => void): Promise<readonly Tried[]> {
  const { variants } = trying;
  const count = Math.min(threads, Math.floor(variants.length / LEAST_PER_THREAD));
  if (count < 2) return tryVariants(trying, onDone);
  const history = inSharedMemory(trying.history);
  const done = Array.from({ length: count }, () => 0);
  const failure = new AbortController();
  const work = done.map((_, nth) => {
    // Dealt in turn, because neighbors differ by one threshold step and take about as long.
    const part = variants.filter((_variant, place) => place % count === nth);
    const progress = (tried: number): void => {
      done[nth] = tried;
      onDone(done.reduce((sum, each) => sum + each, 0));
    };
    const data: TrialThread = { trying: { ...trying, history, variants: part } };
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
}

/** Moves a value's columns to memory that threads share instead of copying. */
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
