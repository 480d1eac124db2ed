/** Opens the buses of newest quotes and market states, through Redis or within this process. */
import type { Clock } from '../../../streams/clock/clock.ts';
import { createInProcessMarketStateBus, createRedisMarketStateBus } from './market-state-bus.ts';
import { createInProcessQuoteBus, createRedisQuoteBus } from './quote-bus.ts';

/** @param warn receives errors from which a bus recovers, with their source */
export function openBuses(deps: {
  readonly redisUrl: string | null;
  readonly clock: Clock;
  readonly random: () => number;
  readonly warn: (what: string) => (error: unknown) => void;
}) {
  const { redisUrl: url, clock, random, warn } = deps;
  const onError = warn('the bus of market states');
  const bus =
    url === null ? createInProcessQuoteBus({ clock }) : createRedisQuoteBus({ clock, random, url, onError: warn('the quote bus') });
  const states =
    url === null ? createInProcessMarketStateBus({ clock, onError }) : createRedisMarketStateBus({ clock, random, url, onError });
  return {
    bus,
    states,
    async close() {
      await states.close();
      await bus.close();
    },
  };
}
