/** Trade proposals: decided by operators and executed by any worker that can trade, with the kill switch that closes positions. */
import { createProposalHandler } from '../../../actors/proposal/commands.ts';
import { proposalKind } from '../../../actors/proposal/effects.ts';
import { executionWorkers } from '../../../actors/proposal/execution.ts';
import { createKillSwitch } from '../../../actors/proposal/kill-switch.ts';
import type { ApiPorts } from '../../../api/route.ts';
import { createKillSwitchStore } from '../../adapters/store/orders/kill-switch-store.ts';
import { createProposalStore } from '../../adapters/store/orders/proposal-store.ts';
import type { ActorCapability } from './capability.ts';

/** Interval at which the kill switch and requested closes are checked. */
const KILL_SWITCH_MS = 1_000;

export const proposalCapability = {
  kind: proposalKind,
  machineFile: 'actors/proposal/machine.ts',

  workers: (deps) => (deps.trading === null ? {} : executionWorkers({ ...deps, ...deps.trading, load: deps.store.load })),

  watches({ sql, trading, runtime, clock, containment }) {
    if (trading === null) return [];
    const killSwitch = createKillSwitch({
      ...trading,
      runtime,
      store: createKillSwitchStore(sql),
      clock,
      contained: containment('closing positions'),
    });
    return [{ what: 'closing positions', everyMs: KILL_SWITCH_MS, run: killSwitch.look }];
  },

  callers({ sql, runtime, preTrade, clock }): Pick<ApiPorts, 'proposals'> {
    const proposals = createProposalStore(sql);
    return {
      proposals: {
        reads: { list: proposals.list, find: proposals.find },
        commands: createProposalHandler({ runtime, proposals, preTrade, clock }),
      },
    };
  },
} satisfies ActorCapability;
