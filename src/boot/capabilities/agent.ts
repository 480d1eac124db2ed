/** Agents: commands, gates and lists for callers, the tick of every minute, breakers and vaults. */
import { randomBytes } from 'node:crypto';
import { createAgentTokens } from '../../../actors/agent/agent-tokens.ts';
import { FILL_LOOK_MS } from '../../../actors/agent/book-breakers.ts';
import { createCommandHandler } from '../../../actors/agent/commands.ts';
import { agentKind } from '../../../actors/agent/effects.ts';
import { createEmergencyHalt } from '../../../actors/agent/emergency-halt.ts';
import { createOutsideHandler } from '../../../actors/agent/outside-proposals.ts';
import { createSignalHooks } from '../../../actors/agent/signal-hooks.ts';
import { createVaultHandler } from '../../../actors/agent/vault-handler.ts';
import { createActorHistory } from '../../../actors/runtime/actor-history.ts';
import { createDirectory } from '../../../actors/runtime/directory.ts';
import type { ApiPorts } from '../../../api/route.ts';
import { createHistoryStore } from '../../adapters/store/actors/history-store.ts';
import { createAgentDirectory } from '../../adapters/store/agents/agent-directory.ts';
import { createAgentReads, createHeldReads, readLastHalt } from '../../adapters/store/agents/agent-reads.ts';
import { createAgentTokenStore } from '../../adapters/store/agents/agent-token-store.ts';
import { createDecisionReads, createRecommendations } from '../../adapters/store/agents/decision-reads.ts';
import { createOutsideStore } from '../../adapters/store/agents/outside-store.ts';
import { createSignalHookStore } from '../../adapters/store/agents/signal-hook-store.ts';
import { readCalibration } from '../../adapters/store/gates/calibration-store.ts';
import { createProposalStore } from '../../adapters/store/orders/proposal-store.ts';
import { createSignedRows } from '../../adapters/store/trail/signed-rows.ts';
import { createVaultCourse } from '../../adapters/store/vaults/vault-course.ts';
import { createVaultStore } from '../../adapters/store/vaults/vault-store.ts';
import { EXCHANGE_KEY } from '../../domain/risk/index.ts';
import { AGENT_TICK_MS } from '../../domain/values/time.ts';
import { createClosingFacts } from '../../trading/closing-facts.ts';
import { createLiveMarks } from '../../trading/live-marks.ts';
import { createLiveRounds } from '../sandbox/live-rounds.ts';
import { createBreakers } from '../wiring/breakers.ts';
import { openGates } from '../wiring/gates.ts';
import type { ActorCapability } from './capability.ts';
import { evaluationsFor } from './evaluation.ts';
import { tradingTicker } from './trading-ticks.ts';

/** Creates a secret of 256 bits for tokens and signal hooks. */
const newSecret = (): string => randomBytes(32).toString('base64url');
/** Interval at which workers check for halts whose process died. */
const HALT_LOOK_MS = 1_000;
/** Interval of vault marks. A vault is priced once per cut. */
const VAULT_MARK_MS = AGENT_TICK_MS / 2;

export const agentCapability = {
  kind: agentKind,
  machineFile: 'actors/agent/machine.ts',

  ticks: {
    periodMs: AGENT_TICK_MS,
    ticker: (deps) => tradingTicker(deps, createBreakers({ ...deps, onError: deps.onError('breakers') })),
  },

  watches(deps) {
    const breakers = createBreakers({ ...deps, onError: deps.onError('breakers') });
    const halts = createEmergencyHalt({ ...deps, store: createAgentDirectory(deps.sql) });
    return [
      { what: 'breakers', everyMs: FILL_LOOK_MS, run: breakers.look },
      { what: 'going on with halts', everyMs: HALT_LOOK_MS, run: () => halts.sweepAbandoned(deps.containment('going on with halts')) },
    ];
  },

  recurring({ sql, containment }) {
    const vaults = createVaultStore(sql, createSignedRows(sql));
    return [{ what: 'pricing vaults', everyMs: VAULT_MARK_MS, run: () => vaults.mark(containment('pricing vaults')) }];
  },

  callers(deps): Pick<ApiPorts, 'agents' | 'vaults'> {
    const { sql, runtime, bus, clock, newId, evaluator, obtainable, risk } = deps;
    const lacksExchangeKey = (orgId: string): boolean => risk.disabledVenues(null, orgId).spotexchange === EXCHANGE_KEY;
    const lateRound = createLiveRounds(sql, deps.quotesPerMinute);
    const signed = createSignedRows(evaluator);
    const vaults = createVaultStore(sql, signed);
    const reserves = deps.reservesOn(sql);
    const decisions = createDecisionReads(sql);
    return {
      agents: {
        reads: createAgentReads(sql),
        past: createActorHistory({ store: createHistoryStore(sql), directory: createDirectory([agentKind]) }),
        commands: createCommandHandler({ runtime, agents: createAgentDirectory(sql), clock, newId }),
        decisions: { list: decisions.list, get: decisions.get },
        recommendations: createRecommendations(sql, decisions),
        outside: createOutsideHandler({ store: createOutsideStore(sql), clock, newId }),
        tokens: createAgentTokens({ store: createAgentTokenStore(sql), clock, newId, newSecret }),
        signals: createSignalHooks({ store: createSignalHookStore(sql), clock, newId, newSecret }),
        gates: openGates({ sql, evaluator, runtime, clock, newId, obtainable, lacksExchangeKey, lateRound }).commands,
        evaluations: evaluationsFor(deps),
        calibration: (orgId, agentId) => readCalibration(sql, orgId, agentId),
        lastHalt: (orgId) => readLastHalt(sql, orgId),
        closingFacts: createClosingFacts({ held: createHeldReads(sql), proposals: createProposalStore(sql).list }, bus, clock),
      },
      vaults: {
        commands: createVaultHandler({ vaults, marks: createLiveMarks(bus, clock), clock, reserves }),
        reserves,
        course: createVaultCourse(sql, signed).course,
        ranking: { rank: vaults.rank },
      },
    };
  },
} satisfies ActorCapability;
