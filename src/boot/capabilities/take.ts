/** Takes: commands and lists for callers, and their evaluation every half minute. */
import { createTakeHandler } from '../../../actors/take/command-handler.ts';
import { takeKind } from '../../../actors/take/effects.ts';
import { createTradingTicker } from '../../../actors/ticking/trading-ticker.ts';
import type { ApiPorts } from '../../../api/ports.ts';
import { createDecisionReads } from '../../adapters/store/agents/decision-reads.ts';
import { createTickStore } from '../../adapters/store/agents/tick-store.ts';
import { createTakeReads } from '../../adapters/store/takes/take-reads.ts';
import { CATALOG } from '../../domain/catalog.ts';
import { TAKE_TICK_MS } from '../../domain/time.ts';
import { createBreakersOfTakes, FILL_LOOK_MS } from '../breakers.ts';
import type { ActorCapability } from './capability.ts';

export const takeCapability = {
  kind: takeKind,
  machineFile: 'actors/take/machine.ts',

  ticks: {
    periodMs: TAKE_TICK_MS,
    ticker(deps) {
      const { runtime, trading } = deps;
      return createTradingTicker({
        store: deps.tickStore ?? createTickStore(deps.sql, deps.store.incident),
        now: deps.now,
        clock: deps.clock,
        alone: deps.alone,
        ...(trading === null ? {} : { approvalMs: trading.approvalMs }),
        ...(trading?.disabledVenues === undefined ? {} : { disabledVenues: trading.disabledVenues }),
        onMarked: createBreakersOfTakes({ ...deps, onError: deps.onError('breakers of Takes') }).onMarked,
        pause: async (takeId) => {
          await runtime.deliver(takeId, { type: 'pause', cause: 'tick_crash' }, { cause: 'system' });
        },
      });
    },
  },

  watches(deps) {
    const breakers = createBreakersOfTakes({ ...deps, onError: deps.onError('breakers of Takes') });
    return [{ what: 'breakers of Takes', everyMs: FILL_LOOK_MS, run: breakers.look }];
  },

  callers({ sql, runtime, risk, clock, newId }): Pick<ApiPorts, 'takes'> {
    const takes = createTakeReads(sql);
    const decisions = createDecisionReads(sql, 'take');
    return {
      takes: {
        reads: takes,
        commands: createTakeHandler({ runtime, takes, catalog: CATALOG, clock, newId, disabledVenues: risk.disabledVenues }),
        decisions: { list: decisions.list, get: decisions.get },
      },
    };
  },
} satisfies ActorCapability;
