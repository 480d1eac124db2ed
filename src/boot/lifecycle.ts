/** Started parts of a process, which are stopped in reverse order. */
import type { Clock } from '../../streams/clock/clock.ts';
import type { Logger } from '../adapters/log/log.ts';

/** Time after which a slow stop is logged, in milliseconds. */
const SLOW_MS = 2_000;

export function createLifecycle(log: Pick<Logger, 'warn'>, clock: Pick<Clock, 'elapsed'>) {
  const stops: { readonly what: string; readonly stop: () => Promise<unknown> }[] = [];
  return {
    /** Registers how to stop a part that was just started. `what` names it in the log if stopping fails. */
    onStop: (what: string, stop: () => Promise<unknown>): void => void stops.push({ what, stop }),
    /** Stops everything, newest first. Logs errors and slow parts, and continues with the rest. */
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
