/** Returns a function that does the work with its first call, and returns the same value with every later one. After an error the next call tries again. */
export function once<Value>(work: () => Value): () => Value {
  let done: { readonly value: Value } | undefined;
  return () => (done ??= { value: work() }).value;
}
