/** What a process has started, so that it is stopped in the opposite order. */
import type { Logger } from '../adapters/log.ts';

export interface Lifecycle {
  /** Registers how something that was just started is stopped. `what` names it in the log where stopping fails. */
  onStop(what: string, stop: () => Promise<unknown>): void;
  /** Stops everything, newest first. An error is logged and does not keep the rest running. */
  stop(): Promise<void>;
}

export function createLifecycle(log: Pick<Logger, 'warn'>): Lifecycle {
  const stops: { readonly what: string; readonly stop: () => Promise<unknown> }[] = [];
  return {
    onStop: (what, stop) => void stops.push({ what, stop }),
    async stop() {
      for (const { what, stop } of stops.splice(0).reverse()) {
        await stop().catch((error: unknown) => log.warn({ err: error }, `stopping ${what}`));
      }
    },
  };
}
