/** Effects of a launch's committed actions. */
import type { ActorState } from '../../src/domain/agents/actor-step.ts';
import type { CurveLaunchState } from '../../src/domain/launch/launch-state.ts';
import type { TokenOrigin } from '../../src/domain/catalog/listed-token.ts';
import { TOKEN_PROGRAM } from '../../src/domain/solana/programs.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import { type ActorKind, activity, type Effect, record, type StepInfo } from '../runtime/actor-kind.ts';
import { launchMachine, type LaunchContext } from './machine.ts';
import { type Launch, launch } from './resource.ts';

export const CARRY_LAUNCH = 'carry_launch';
export const LOOK_AT_CURVE = 'look_at_curve';

export function launchContext(state: Pick<ActorState, 'context'>): LaunchContext {
  return state.context as unknown as LaunchContext;
}

/** Returns the outer state. While the token trades, the chart is in a nested state. */
export function launchState({ value }: Pick<ActorState, 'value'>): CurveLaunchState {
  return (typeof value === 'string' ? value : Object.keys(value as object)[0]) as CurveLaunchState;
}

/** Returns the launch after a step. */
export function launchView(id: string, state: Pick<ActorState, 'context' | 'value'>, changedAt: EpochMs): Launch {
  return launch.pick({ id, kind: 'curve', state: launchState(state), changedAt }, launchContext(state));
}

const projected = (info: StepInfo): Effect => record('launch', launch.record(info.orgId, launchView(info.actorId, info, info.now)));

const announced = (info: StepInfo): Effect => {
  const { mint, symbol, reason, detail, standing } = launchContext(info);
  const body = { launchId: info.actorId, kind: 'curve', state: launchState(info), mint, symbol, reason, detail, standing };
  return { kind: 'announcement', announcement: { channel: 'launches', body } };
};

export const launchKind: ActorKind = {
  kind: 'launch',
  machine: launchMachine,
  validate: () => null,
  migrations: {},
  effects: {
    projectLaunch: (_: undefined, info) => [projected(info), announced(info)],
    carryTransactions: (_: undefined, info) => [activity(CARRY_LAUNCH, { launchId: info.actorId })],
    lookAtCurve: (_: undefined, info) => [activity(LOOK_AT_CURVE, { launchId: info.actorId })],
    listToken: (_: undefined, info) => {
      const { mint, symbol, name, decimals, pairedStock, creator, pool, config, quoteMint } = launchContext(info);
      const origin: TokenOrigin = { creator, pool, config, quoteMint };
      const token = { mint, program: TOKEN_PROGRAM, symbol, name, decimals, pairedStock, launcher: 'dbc', listedAt: info.now, origin };
      return [record('listed_token', token)];
    },
    alertOperators: ({ what }: { readonly what: string }, info) => {
      const { mint, symbol, reason, detail } = launchContext(info);
      const body = { what, launchId: info.actorId, state: launchState(info), mint, symbol, reason, detail };
      return [{ kind: 'announcement', announcement: { channel: 'alerts', body } }];
    },
  },
};
