/** Progress of long work, its remaining time, and what it waits for, in one shape for all kinds. */
import type { ArrivalState, SourceState, TransferState } from '../bridge/axes.ts';
import type { CurveLaunchState } from '../launch/launch-state.ts';
import type { LauncherLaunchState } from '../launch/launcher.ts';
import type { Urgency } from '../manifest/manifest.ts';
import type { Venue } from '../market/venue.ts';
import type { ProposalState } from '../orders/execution.ts';
import { SLICES, sliceCount } from '../orders/execution-plan.ts';
import type { Order } from '../orders/order.ts';
import type { ReplayPosition } from '../tape/replay-position.ts';
import type { EpochMs } from './time.ts';

/** Causes of waiting. Never rename a published one. */
export const WAIT_CAUSES = ['queue', 'venue', 'approval', 'signature', 'confirmation', 'provider', 'slot', 'market'] as const;
type WaitCause = (typeof WAIT_CAUSES)[number];

export interface Waiting {
  readonly cause: WaitCause;
  /** One sentence: what the work waits for, and who provides it. */
  readonly detail: string;
}

export interface Counted {
  readonly done: number;
  readonly total: number;
  /** Unit of the count, in the plural. */
  readonly unit: string;
}

export interface WorkProgress {
  /** Null if nothing is counted, and for work that has ended. */
  readonly progress: Counted | null;
  /** Milliseconds, or null if unknown or the work has ended. */
  readonly remainingMs: number | null;
  /** Null while it is being worked on, and for work that has ended. */
  readonly waitingFor: Waiting | null;
}

export const NOTHING_LEFT: WorkProgress = { progress: null, remainingMs: null, waitingFor: null };

/**
 * Returns the progress of work at an instant. The remaining time follows from its known end, or else from the work done so far. @param work
 * `begunAt` is the start of the first counted unit, or null if it does not predict the rest.
 */
export function workProgress(work: {
  readonly counted?: Counted | null;
  readonly begunAt?: EpochMs | null;
  readonly endsAt?: EpochMs | null;
  readonly waitingFor?: Waiting | null;
  readonly at: EpochMs;
}): WorkProgress {
  const { counted = null, begunAt = null, endsAt = null, waitingFor = null, at } = work;
  return {
    progress: counted,
    remainingMs: endsAt !== null ? Math.max(0, endsAt - at) : estimateRemaining(counted, begunAt, at),
    waitingFor,
  };
}

function estimateRemaining(counted: Counted | null, begunAt: EpochMs | null, at: EpochMs): number | null {
  if (counted === null || begunAt === null || counted.done <= 0 || counted.done > counted.total) return null;
  return Math.round((Math.max(0, at - begunAt) * (counted.total - counted.done)) / counted.done);
}

/** Last report of an evaluation's worker, and the start of that phase. */
export interface ToldProgress {
  readonly done: number;
  readonly total: number;
  readonly doing: string;
  readonly since: EpochMs;
  /** Import or backfill that it waits for, if on record. */
  readonly waitsForWork?: string | null;
}

/** Last phase of an evaluation, and its unit. Its rest is the rest of the run. */
const LAST_PHASES: ReadonlyMap<string, string> = new Map([
  ['simulating', 'bars'],
  ['trying variants', 'variants'],
]);

/** Phases in which this process makes bars itself. It waits for no venue. */
const MAKING = /^making .+ by (.+)$/;

export function evaluationProgress(state: string, told: ToldProgress | null, at: EpochMs): WorkProgress {
  if (state === 'queued') return workProgress({ waitingFor: { cause: 'queue', detail: 'the run starts when a worker has capacity' }, at });
  if (state !== 'running' || told === null) return NOTHING_LEFT;
  const fetches = told.doing.startsWith('fetching ');
  const maker = MAKING.exec(told.doing)?.[1];
  const lastUnit = LAST_PHASES.get(told.doing);
  const counted = {
    done: told.done,
    total: told.total,
    unit: lastUnit ?? (maker === undefined ? (fetches ? 'bars' : told.doing) : `bars made by ${maker}`),
  };
  return workProgress({
    counted,
    begunAt: lastUnit === undefined ? null : told.since,
    waitingFor: fetches ? { cause: 'venue', detail: `${told.doing}: as fast as the venue's request budget allows` } : null,
    at,
  });
}

/** Returns the backfill that an evaluation waits for, or null. */
export function awaitedWork(state: string, told: ToldProgress | null): string | null {
  return state === 'running' ? (told?.waitsForWork ?? null) : null;
}

/** Returns the progress of a tape's replay: the rest of its period at its speed while it plays. A loop has no known end. */
export function replayProgress({ mode, at, from, to, speed, loop }: ReplayPosition): WorkProgress {
  if (mode === 'ended' || mode === 'failed') return NOTHING_LEFT;
  const seconds = (ms: number): number => Math.floor(ms / 1_000);
  const progress = { done: seconds(at - from), total: seconds(to - from), unit: 'seconds of the tape' };
  return { progress, remainingMs: mode === 'playing' && !loop ? Math.max(0, Math.round((to - at) / speed)) : null, waitingFor: null };
}

/** Fields of a proposal that determine its progress. */
export interface TrackedProposal {
  readonly state: ProposalState;
  readonly order: Pick<Order, 'instrument' | 'quantity' | 'limitPrice'>;
  readonly execution: {
    readonly algorithm: string;
    readonly urgency: Urgency;
    readonly phase: string;
    readonly restingAt: string | null;
    readonly parts: readonly { readonly dueAt: EpochMs | null }[];
  } | null;
  readonly transaction: { readonly state: string; readonly executor: 'user' | 'delegated' } | null;
  readonly expiresAt: EpochMs;
}

export function proposalProgress({ state, order, execution, transaction, expiresAt }: TrackedProposal, at: EpochMs): WorkProgress {
  if (state === 'pending_approval')
    return workProgress({
      endsAt: expiresAt,
      waitingFor: { cause: 'approval', detail: 'a member approves or declines it before it expires' },
      at,
    });
  if (state === 'unknown')
    return workProgress({ waitingFor: { cause: 'confirmation', detail: 'the venue or the chain reports its result' }, at });
  if (state !== 'approved' && state !== 'executing') return NOTHING_LEFT;
  if (transaction?.state === 'prepared') {
    const who =
      transaction.executor === 'user' ? 'the owner of the wallet signs its transaction' : 'the delegated signer signs its transaction';
    return workProgress({ waitingFor: { cause: 'signature', detail: who }, at });
  }
  if (state === 'approved' || execution === null)
    return workProgress({ waitingFor: { cause: 'queue', detail: 'a worker executes it as soon as it has capacity' }, at });
  return executionProgress(execution, order, at);
}

function executionProgress(
  { algorithm, urgency, phase, restingAt, parts }: NonNullable<TrackedProposal['execution']>,
  order: TrackedProposal['order'],
  at: EpochMs,
): WorkProgress {
  const waitingFor: Waiting | null =
    phase === 'resting'
      ? { cause: 'market', detail: `it rests at ${restingAt ?? 'its price'} until it is filled or expires` }
      : phase === 'withdrawing'
        ? { cause: 'confirmation', detail: 'the venue confirms the cancellation' }
        : phase === 'waiting'
          ? { cause: 'slot', detail: 'the next part is not due yet' }
          : null;
  if (algorithm !== 'twap') return workProgress({ waitingFor, at });
  const total = Math.max(sliceCount(order, urgency), parts.length);
  const first = parts[0]?.dueAt ?? null;
  const endsAt = first === null ? null : first + (total - 1) * SLICES[urgency].everyMs;
  return workProgress({ counted: { done: parts.length, total, unit: 'slices' }, endsAt, waitingFor, at });
}

/** Fields of a transfer that determine its progress. */
export interface TrackedTransfer {
  readonly state: TransferState;
  readonly axes: {
    readonly source: { readonly state: SourceState; readonly confirmations: number };
    readonly destination: { readonly state: ArrivalState };
    readonly provider: { readonly silentSince: EpochMs | null };
  };
  readonly estimatedSeconds: number;
  readonly expiresAt: EpochMs;
  readonly submittedAt: EpochMs | null;
}

const OPEN_TRANSFERS: readonly TransferState[] = ['submitted', 'source_confirmed', 'source_final', 'filling', 'refunding', 'unknown'];

export function transferProgress({ state, axes, estimatedSeconds, expiresAt, submittedAt }: TrackedTransfer, at: EpochMs): WorkProgress {
  if (state === 'quoted')
    return workProgress({ endsAt: expiresAt, waitingFor: { cause: 'signature', detail: 'the sender signs before the quote expires' }, at });
  if (!OPEN_TRANSFERS.includes(state)) return NOTHING_LEFT;
  const expected = submittedAt === null ? null : submittedAt + estimatedSeconds * 1_000;
  // A late transfer has no known end.
  const endsAt = expected === null || expected <= at || state === 'refunding' || state === 'unknown' ? null : expected;
  return workProgress({ endsAt, waitingFor: transferWaits(state, axes), at });
}

function transferWaits(state: TransferState, { source, destination, provider }: TrackedTransfer['axes']): Waiting {
  if (state === 'unknown') return { cause: 'confirmation', detail: 'the provider and the chains disagree; both are queried again' };
  if (source.state === 'unseen') return { cause: 'confirmation', detail: 'the source chain shows the transaction' };
  if (source.state === 'included')
    return { cause: 'confirmation', detail: `the source chain makes it final; it is ${source.confirmations} deep` };
  if (destination.state === 'included') return { cause: 'confirmation', detail: 'the destination chain makes the payment final' };
  const silent = provider.silentSince === null ? '' : ', which does not answer now';
  return { cause: 'provider', detail: state === 'refunding' ? `the provider pays back${silent}` : `the provider pays out${silent}` };
}

const CURVE_WAITS: Readonly<Partial<Record<CurveLaunchState, Waiting>>> = {
  prepared: { cause: 'signature', detail: 'the wallet of the creator signs its transactions before their blockhash is too old' },
  submitted: { cause: 'confirmation', detail: 'the chain confirms its transactions, one after the other' },
  confirmed: { cause: 'confirmation', detail: 'the chain makes its transactions final' },
  trading: { cause: 'market', detail: 'buyers buy the rest of the curve' },
  graduating: { cause: 'provider', detail: 'a keeper of the network opens the successor pool' },
};

/**
 * Returns the progress of a bonding-curve launch toward graduation. `filledPct` is of the graduation threshold, or null before the first
 * read of the curve.
 */
export function curveLaunchProgress(state: CurveLaunchState, filledPct: number | null, at: EpochMs): WorkProgress {
  const waitingFor = CURVE_WAITS[state];
  if (waitingFor === undefined) return NOTHING_LEFT;
  const counted =
    state === 'trading' && filledPct !== null ? { done: filledPct, total: 100, unit: 'percent of the graduation threshold' } : null;
  return workProgress({ counted, waitingFor, at });
}

const LAUNCHER_WAITS: Readonly<Partial<Record<LauncherLaunchState, Waiting>>> = {
  quoted: { cause: 'queue', detail: 'its payment is prepared' },
  prepared: { cause: 'signature', detail: 'the wallet that pays signs the payment before the offer ends' },
  payment_submitted: { cause: 'confirmation', detail: 'the chain confirms the payment' },
  payment_confirmed: { cause: 'confirmation', detail: 'the chain makes the payment final; then the service reports it to the launcher' },
  launching: { cause: 'provider', detail: 'the launcher creates the token, and the chain shows its mint' },
  failed_paid: { cause: 'provider', detail: 'the launcher declined: submit the same payment again to ask it once more' },
};

/**
 * Returns the progress of a launch by the external launcher. `validUntil` is the end of the offer, which limits the wait for its payment.
 */
export function launcherLaunchProgress(state: LauncherLaunchState, validUntil: EpochMs, at: EpochMs): WorkProgress {
  const waitingFor = LAUNCHER_WAITS[state];
  if (waitingFor === undefined) return NOTHING_LEFT;
  return workProgress({ endsAt: state === 'quoted' || state === 'prepared' ? validUntil : null, waitingFor, at });
}

/** States of long work without a record of its own. `silent`: there was no recent report, so its worker is gone. */
export const LONG_WORK_STATES = ['running', 'silent', 'done', 'failed'] as const;
type LongWorkState = (typeof LONG_WORK_STATES)[number];

/** Maximum time between two reports of running work. */
const SILENT_AFTER_MS = 30_000;

/** Self-report of such work. */
interface TrackedWork {
  readonly unit: string;
  readonly done: number;
  /** Null before it is counted. */
  readonly total: number | null;
  readonly waitingFor: Waiting | null;
  readonly begunAt: EpochMs;
  /** Time of the last report. */
  readonly seenAt: EpochMs;
  readonly endedAt: EpochMs | null;
  /** Reason of a premature end, or null. */
  readonly error: string | null;
}

export function longWorkState({ seenAt, endedAt, error }: TrackedWork, at: EpochMs): LongWorkState {
  if (endedAt !== null) return error === null ? 'done' : 'failed';
  return at - seenAt > SILENT_AFTER_MS ? 'silent' : 'running';
}

/** Returns the progress of long work. Abandoned work has no remaining time and waits for nothing, but shows how far it came. */
export function longWorkProgress(work: TrackedWork, at: EpochMs): WorkProgress {
  const state = longWorkState(work, at);
  if (state === 'done' || state === 'failed') return NOTHING_LEFT;
  const { unit, done, total, waitingFor, begunAt } = work;
  const counted = total === null ? null : { done, total, unit };
  return state === 'silent' ? workProgress({ counted, at }) : workProgress({ counted, begunAt, waitingFor, at });
}

/** Kinds of long work without a record of their own. */
export const WORK_KINDS = ['import', 'backfill', 'event_import', 'fact_import', 'archive_move', 'sandbox_advance'] as const;

export type WorkKind = (typeof WORK_KINDS)[number];

/** Long work that is running or ended recently. The number is its position in the list. */
export interface LongWork extends TrackedWork {
  readonly number: number;
  readonly kind: WorkKind;
  /** Subject of the work, in a few words. */
  readonly subject: string;
  /** Names of the files without their folders, or the venue. */
  readonly source: string;
  /** Command or part of the service that does the work, and its process. */
  readonly workedOnBy: string;
  /** Series of an import or backfill of bars, or null for other work. */
  readonly venue: Venue | null;
  readonly instrument: string | null;
  readonly timeframe: string | null;
  /** Time of the read, by the clock of the other times. */
  readonly at: EpochMs;
}
