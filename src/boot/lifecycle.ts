/** Started parts of a process, which are stopped in the opposite order. */
import type { Clock } from '../../streams/clock/clock.ts';
import type { Logger } from '../adapters/log/log.ts';

/** Time after which a slow stop is named in the log. Milliseconds. */
const SLOW_MS = 2_000;

export function createLifecycle(log: Pick<Logger, 'warn'>, clock: Pick<Clock, 'elapsed'>) {
  const stops: { readonly what: string; readonly stop: () => Promise<unknown> }[] = [];
  return {
    /** Registers how something that was just started is stopped. `what` names it in the log where stopping fails. */
    onStop: (what: string, stop: () => Promise<unknown>): void => void stops.push({ what, stop }),
    /** Stops everything, newest first. An error is logged and does not keep the rest running, and so is what takes long. */
    async stop(): Promise<void> {
      for (const { what, stop } of stops.splice(0).reverse()) {
        const began = clock.elapsed();
        await stop().catch((error: unknown) => log.warn({ err: error }, `stopping ${what}`));
        const tookMs = Math.round(clock.elapsed() - began);
        if (tookMs > SLOW_MS) log.warn({ tookMs }, `stopping ${what} took ${tookMs} ms`);
      }
    },
  };
}

export type Lifecycle = ReturnType<typeof createLifecycle>;
