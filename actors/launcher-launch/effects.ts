/** Effects of the committed actions of a launch by the external launcher. */
import type { ActorState } from '../../src/domain/agents/actor-step.ts';
import type { LauncherLaunchState } from '../../src/domain/launch/launcher.ts';
import type { TokenOrigin } from '../../src/domain/catalog/listed-token.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import { type ActorKind, activity, type Effect, record, type StepInfo } from '../runtime/actor-kind.ts';
import { launcherLaunchMachine, type LauncherLaunchContext } from './machine.ts';
import { type LauncherLaunch, launcherLaunch } from './resource.ts';

export const CARRY_PAYMENT = 'carry_launch_payment';
export const ASK_LAUNCHER = 'ask_launcher';

export function launcherContext(state: Pick<ActorState, 'context'>): LauncherLaunchContext {
  return state.context as unknown as LauncherLaunchContext;
}

/** Returns the outer state. While the launcher is asked again, the chart is in a nested state. */
export function launcherState({ value }: Pick<ActorState, 'value'>): LauncherLaunchState {
  return (typeof value === 'string' ? value : Object.keys(value as object)[0]) as LauncherLaunchState;
}

/** Returns the launch after a step. */
export function launcherView(id: string, state: Pick<ActorState, 'context' | 'value'>, changedAt: EpochMs): LauncherLaunch {
  const context = launcherContext(state);
  const { intent, offer, token, signature } = context;
  return {
    id,
    kind: 'launcher',
    state: launcherState(state),
    mint: token?.mint ?? null,
    name: intent.name,
    symbol: intent.symbol,
    description: intent.description,
    imageUrl: intent.imageUrl,
    creator: intent.wallet,
    quoteMint: intent.pairMint,
    quoteSymbol: context.quoteSymbol,
    pairedStock: context.pairedStock,
    creatorFeeBps: intent.creatorFeeBps,
    agentId: intent.agentId,
    lamports: offer.lamports,
    payTo: offer.payTo,
    validUntil: offer.validUntil,
    launchTransaction: token?.transaction ?? null,
    signatures: signature === null ? [] : [signature],
    reason: context.reason,
    detail: context.detail,
    preparedBy: context.preparedBy,
    submittedBy: context.submittedBy,
    createdAt: context.createdAt,
    changedAt,
  };
}

const projected = (info: StepInfo): Effect =>
  record('launcher_launch', launcherLaunch.record(info.orgId, launcherView(info.actorId, info, info.now)));

const announced = (info: StepInfo): Effect => {
  const { mint, symbol, reason, detail, state } = launcherView(info.actorId, info, info.now);
  const body = { launchId: info.actorId, kind: 'launcher', state, mint, symbol, reason, detail, standing: null };
  return { kind: 'announcement', announcement: { channel: 'launches', body } };
};

const toCarry = (kind: string, { actorId }: StepInfo): readonly Effect[] => [activity(kind, { launchId: actorId })];

export const launcherLaunchKind: ActorKind = {
  kind: 'launcher_launch',
  machine: launcherLaunchMachine,
  validate: () => null,
  migrations: {},
  effects: {
    projectLaunch: (_: undefined, info) => [projected(info), announced(info)],
    carryPayment: (_: undefined, info) => toCarry(CARRY_PAYMENT, info),
    askLauncher: (_: undefined, info) => toCarry(ASK_LAUNCHER, info),
    listToken: (_: undefined, info) => {
      const { intent, token, pairedStock } = launcherContext(info);
      if (token === null) return [];
      const { mint, program, decimals } = token;
      const origin: TokenOrigin = { creator: intent.wallet, pool: null, config: null, quoteMint: intent.pairMint };
      const { symbol, name } = intent;
      return [
        record('listed_token', { mint, program, symbol, name, decimals, pairedStock, launcher: 'agentlaunch', listedAt: info.now, origin }),
      ];
    },
    alertOperators: ({ what }: { readonly what: string }, info) => {
      const { state, mint, symbol, reason, detail, signatures } = launcherView(info.actorId, info, info.now);
      const body = { what, launchId: info.actorId, state, mint, symbol, reason, detail, signatures };
      return [{ kind: 'announcement', announcement: { channel: 'alerts', body } }];
    },
  },
};
