/** Takes: commands and lists for callers, and their evaluation every half minute. */
import { FILL_LOOK_MS } from '../../../actors/agent/book-breakers.ts';
import { createTakeHandler } from '../../../actors/take/commands.ts';
import { takeKind } from '../../../actors/take/effects.ts';
import { rereadArmed } from '../../../actors/take/reread-armed.ts';
import type { ApiPorts } from '../../../api/route.ts';
import { createDecisionReads } from '../../adapters/store/agents/decision-reads.ts';
import { createTakeReads, unaskedTakes } from '../../adapters/store/takes/take-reads.ts';
import { CATALOG } from '../../domain/catalog/catalog.ts';
import { MINUTE_MS, TAKE_TICK_MS } from '../../domain/values/time.ts';
import { createBreakersOfTakes } from '../wiring/breakers.ts';
import { createLiveRounds } from '../sandbox/live-rounds.ts';
import type { ActorCapability } from './capability.ts';
import { tradingTicker } from './trading-ticks.ts';

/** Interval of the check for Takes that another version of the service armed, in milliseconds. */
const REREAD_MS = MINUTE_MS;

export const takeCapability = {
  kind: takeKind,
  machineFile: 'actors/take/machine.ts',

  ticks: {
    periodMs: TAKE_TICK_MS,
    ticker: (deps) => tradingTicker(deps, createBreakersOfTakes({ ...deps, onError: deps.onError('breakers of Takes') })),
  },

  watches(deps) {
    const breakers = createBreakersOfTakes({ ...deps, onError: deps.onError('breakers of Takes') });
    return [{ what: 'breakers of Takes', everyMs: FILL_LOOK_MS, run: breakers.look }];
  },

  recurring({ sql, runtime, containment }) {
    const what = 'reading Takes of older readings';
    return [
      { what, everyMs: REREAD_MS, run: () => rereadArmed({ unasked: () => unaskedTakes(sql), runtime, contained: containment(what) }) },
    ];
  },

  callers({ sql, runtime, risk, clock, newId, quotesPerMinute, isSimulatedMoney }): Pick<ApiPorts, 'takes'> {
    const takes = createTakeReads(sql);
    const decisions = createDecisionReads(sql, 'take');
    return {
      takes: {
        reads: takes,
        commands: createTakeHandler({
          runtime,
          takes,
          catalog: CATALOG,
          clock,
          newId,
          disabledVenues: risk.disabledVenues,
          funding: { isSimulated: isSimulatedMoney },
          lateRound: createLiveRounds(sql, quotesPerMinute),
        }),
        decisions: { list: decisions.list, get: decisions.get },
      },
    };
  },
} satisfies ActorCapability;
