/** List of the actor kinds. Worker, API, replays and tests are built from it. */
import type { ActivityWorker } from '../../../actors/runtime/activities.ts';
import type { ActorKind } from '../../../actors/runtime/actor-kind.ts';
import type { RecurringWork } from '../../../actors/runtime/recurring.ts';
import type { ShardTicker } from '../../../actors/ticking/shard-ticker.ts';
import { agentCapability } from './agent.ts';
import { bridgeTransferCapability } from './bridge-transfer.ts';
import type { ActorCapability, CallerDeps, TickerDeps, WorkerDeps } from './capability.ts';
import { checkoutCapability } from './checkout.ts';
import { evaluationCapability } from './evaluation.ts';
import { launchCapability } from './launch.ts';
import { launcherLaunchCapability } from './launcher-launch.ts';
import { marketOrderCapability } from './market-order.ts';
import { predictionOrderCapability } from './prediction-order.ts';
import { preparedTransactionCapability } from './prepared-transaction.ts';
import { proposalCapability } from './proposal.ts';
import { takeCapability } from './take.ts';

const LISTED = [
  agentCapability,
  bridgeTransferCapability,
  checkoutCapability,
  evaluationCapability,
  launchCapability,
  launcherLaunchCapability,
  marketOrderCapability,
  predictionOrderCapability,
  preparedTransactionCapability,
  proposalCapability,
  takeCapability,
] as const;

export const ACTOR_CAPABILITIES: readonly ActorCapability[] = LISTED;

export const ACTOR_KINDS: readonly ActorKind[] = ACTOR_CAPABILITIES.map(({ kind }) => kind);

type CallersOf<Capability> = Capability extends { readonly callers: (deps: never) => infer Ports } ? Ports : never;
type Together<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void ? All : never;

/** Caller ports of all kinds. */
export type CapabilityPorts = Together<CallersOf<(typeof LISTED)[number]>>;

export function createCallerPorts(deps: CallerDeps): CapabilityPorts {
  return Object.assign({}, ...ACTOR_CAPABILITIES.map(({ callers }) => callers?.(deps) ?? {})) as CapabilityPorts;
}

/** Returns the activity workers of all kinds. @throws Error if two kinds execute the same kind of activity */
export function createActivityWorkers(deps: WorkerDeps): Readonly<Record<string, ActivityWorker>> {
  const all: { [kind: string]: ActivityWorker } = {};
  for (const { kind, workers } of ACTOR_CAPABILITIES)
    for (const [activity, worker] of Object.entries(workers?.(deps) ?? {})) {
      if (activity in all) throw new Error(`${kind.kind} carries out ${activity}, which another kind of actor does already`);
      all[activity] = worker;
    }
  return all;
}

/** Returns the tickers by period in milliseconds. @throws Error if two kinds have the same period */
export function createTickers(deps: TickerDeps): ReadonlyMap<number, ShardTicker> {
  const tickers = new Map<number, ShardTicker>();
  for (const { kind, ticks } of ACTOR_CAPABILITIES) {
    if (ticks === undefined) continue;
    const periodMs = deps.periodsMs[kind.kind] ?? ticks.periodMs;
    if (tickers.has(periodMs)) throw new Error(`${kind.kind} is ticked every ${periodMs} ms, as another kind of actor is`);
    tickers.set(periodMs, ticks.ticker(deps));
  }
  return tickers;
}

export function listRecurringWork(deps: WorkerDeps): readonly RecurringWork[] {
  return ACTOR_CAPABILITIES.flatMap(({ recurring }) => recurring?.(deps) ?? []);
}

export function listWatches(deps: WorkerDeps): readonly RecurringWork[] {
  return ACTOR_CAPABILITIES.flatMap(({ watches }) => watches?.(deps) ?? []);
}
