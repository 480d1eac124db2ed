/** Async iterables that restart for each reader, stop at once, and are observables for RxJS too. */
import { linkedController } from './timing.ts';

interface Observer<Item> {
  next(item: Item): void;
  error(error: unknown): void;
  complete(): void;
}

/**
 * Items as they arrive. Each `for await`, and each subscription of an observable made by `from(…)` of RxJS, starts anew. Leaving the
 * loop or unsubscribing ends its requests at once.
 */
export interface Stream<Item> extends AsyncIterable<Item> {
  [Symbol.asyncIterator](): AsyncIterator<Item, undefined>;
}

const DONE = { done: true, value: undefined } as const;

/** @param start Produces items until its signal is aborted. @param outer Aborts every reader, which then throws its reason. */
export function createStream<Item>(start: (signal: AbortSignal) => AsyncGenerator<Item, void>, outer?: AbortSignal): Stream<Item> {
  const iterate = (): AsyncIterator<Item, undefined> => {
    const { controller, release } = linkedController(outer);
    const items = start(controller.signal);
    let hasLeft = false;
    return {
      async next() {
        try {
          const { done, value } = await items.next();
          if (done !== true) return { done: false, value };
        } catch (error) {
          release();
          // Leaving the loop aborts a pending read.
          if (!hasLeft) throw error;
        }
        release();
        return DONE;
      },
      async return() {
        hasLeft = true;
        controller.abort();
        release();
        await items.return();
        return DONE;
      },
    };
  };
  const observe = () => ({ subscribe: (observer: Observer<Item>) => push(iterate(), observer) });
  return { [Symbol.asyncIterator]: iterate, [OBSERVABLE]: observe };
}

/**
 * Key by which RxJS and similar libraries recognize an observable. An unsubscribed observable ends, while an async iterable waits for its
 * next reader.
 */
const OBSERVABLE: symbol | string = (Symbol as { readonly observable?: symbol }).observable ?? '@@observable';

function push<Item>(items: AsyncIterator<Item, undefined>, observer: Observer<Item>): { unsubscribe(): void } {
  let isOpen = true;
  void (async () => {
    try {
      for (let found = await items.next(); isOpen && found.done !== true; found = await items.next()) observer.next(found.value);
      if (isOpen) observer.complete();
    } catch (error) {
      if (isOpen) observer.error(error);
    }
  })();
  return {
    unsubscribe() {
      isOpen = false;
      void items.return?.();
    },
  };
}
