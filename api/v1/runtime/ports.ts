/** Ports of the runtime routes: waiting work, incidents and interventions. */
import type { Intervention, InterventionCommands } from '../../../actors/intervention/commands.ts';
import type { Json } from '../../../src/domain/values/canonical-json.ts';
import type { EpochMs } from '../../../src/domain/values/time.ts';
import type { Venue } from '../../../src/domain/market/venue.ts';
import type { TrackedWork } from '../../../src/domain/values/work-progress.ts';
import type { Page, PageOf } from '../../page.ts';
import type { ActorStatus } from '../actors/ports.ts';

/** The actor that something belongs to. */
export interface OfActor {
  readonly actorId: string;
  readonly actorKind: string;
  /** Name of an agent; null for other actors. */
  readonly actorName: string | null;
  readonly actorStatus: ActorStatus;
}

export interface WaitingActivity extends OfActor {
  readonly key: string;
  readonly kind: string;
  readonly state: 'pending' | 'given_up';
  readonly attempts: number;
  /** Time at which it is tried next. */
  readonly dueAt: EpochMs;
  readonly createdAt: EpochMs;
  /** Null while it is pending. */
  readonly endedAt: EpochMs | null;
  /** Final answer of the activity, with the reason for giving up. */
  readonly answer: Json;
  /** True if its actor has moved on since. Then it cannot be retried. */
  readonly isLeft: boolean;
}

export interface WaitingTimer extends OfActor {
  readonly timerId: string;
  readonly dueAt: EpochMs;
  readonly event: Json;
}

/** An announcement on the channel `alerts`. */
export interface AnnouncedAlert {
  /** Position among all announcements. */
  readonly position: string;
  readonly at: EpochMs;
  readonly what: string;
  readonly agentId: string | null;
  readonly agentName: string | null;
  /** Venue names as announced. They are unverified and may be unknown. */
  readonly venues: readonly string[];
  readonly detail: string | null;
  /** True if it concerns the whole service. */
  readonly ofService: boolean;
  /** The body as the feed announced it. */
  readonly body: { readonly [field: string]: Json };
}

export interface ActorIncident extends OfActor {
  readonly id: number;
  readonly at: EpochMs;
  readonly kind: string;
  /** Summary in one line. */
  readonly detail: string;
}

/** The number is its place in the list. */
export type RecordedIntervention = Intervention & OfActor & { readonly number: number };

export interface RuntimeCounts {
  readonly actors: readonly { readonly kind: string; readonly status: ActorStatus; readonly count: number }[];
  readonly activities: readonly {
    readonly kind: string;
    readonly state: 'pending' | 'given_up';
    readonly count: number;
    /** The most attempts of one of them. */
    readonly attempts: number;
    /** Time at which the first of them is or was due. */
    readonly firstDueAt: EpochMs;
  }[];
  readonly timers: { readonly count: number; readonly overdue: number; readonly nextDueAt: EpochMs | null };
  /** Incidents of the last 24 hours. */
  readonly incidents: readonly { readonly kind: string; readonly count: number; readonly lastAt: EpochMs }[];
}

/** Progress of the work of all organizations. */
export interface WorkQueues {
  readonly ticks: readonly {
    readonly periodMs: number;
    readonly shard: number;
    /** The last slot that every actor of the shard was ticked at. */
    readonly lastSlot: EpochMs;
    readonly isStalled: boolean;
  }[];
  readonly recurring: readonly {
    readonly name: string;
    /** The last slot that was done; null before the first. */
    readonly lastSlot: EpochMs | null;
    readonly isUnderWay: boolean;
    /** True if the last attempt failed. */
    readonly hasFailed: boolean;
  }[];
}

export interface RuntimeReads {
  counts(orgId: string): Promise<RuntimeCounts>;
  activities(orgId: string, state: WaitingActivity['state'], page: Page): Promise<PageOf<WaitingActivity>>;
  timers(orgId: string, page: Page): Promise<PageOf<WaitingTimer>>;
  incidents(orgId: string, page: Page): Promise<PageOf<ActorIncident>>;
  /** Announced alerts to the organization or to all, newest first. */
  alerts(orgId: string, page: Page): Promise<PageOf<AnnouncedAlert>>;
  interventions(orgId: string, page: Page): Promise<PageOf<RecordedIntervention>>;
}

export interface RuntimePorts {
  readonly reads: RuntimeReads;
  readonly commands: InterventionCommands;
  queues(): Promise<WorkQueues>;
}

/** Kinds of long work that have no record of their own. */
export const WORK_KINDS = ['import', 'backfill', 'event_import', 'fact_import', 'archive_move', 'sandbox_advance'] as const;
export type WorkKind = (typeof WORK_KINDS)[number];

/** Long work that is under way or ended lately. The number is its place in the list. */
export interface LongWork extends TrackedWork {
  readonly number: number;
  readonly kind: WorkKind;
  /** Subject of the work, in a few words. */
  readonly subject: string;
  /** Names of the files, without their folders, or the venue that is asked. */
  readonly source: string;
  /** The command or the part of the service that works, and its process. */
  readonly workedOnBy: string;
  /** The series of an import or a backfill of bars; null of other work. */
  readonly venue: Venue | null;
  readonly instrument: string | null;
  readonly timeframe: string | null;
  /** Time at which this was read, by the clock that the other times are of. */
  readonly at: EpochMs;
}

export interface LongWorkReads {
  /** Newest first, of all kinds where `kinds` is null; the position is the last number. */
  list(page: Page, kinds: readonly WorkKind[] | null): Promise<PageOf<LongWork>>;
  find(number: number): Promise<LongWork | null>;
}
