/** Rows of the runtime as read: waiting work, incidents, alerts, counts. */
import type { Intervention } from '../../../../actors/intervention/commands.ts';
import type { Json } from '../../../domain/values/canonical-json.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { ActorStatus } from './actor-reads.ts';

/** Actor that a row belongs to. */
interface OfActor {
  readonly actorId: string;
  readonly actorKind: string;
  /** Agent's name; null for other actors. */
  readonly actorName: string | null;
  readonly actorStatus: ActorStatus;
}

export interface WaitingActivity extends OfActor {
  readonly key: string;
  readonly kind: string;
  readonly state: 'pending' | 'given_up';
  readonly attempts: number;
  /** Time of the next attempt. */
  readonly dueAt: EpochMs;
  readonly createdAt: EpochMs;
  /** Null while it is pending. */
  readonly endedAt: EpochMs | null;
  /** Final answer, or the reason for giving up. */
  readonly answer: Json;
  /** True if the actor has moved on, so that a retry is not possible. */
  readonly isLeft: boolean;
}

export interface WaitingTimer extends OfActor {
  readonly timerId: string;
  readonly dueAt: EpochMs;
  readonly event: Json;
}

/** Announcement on the channel `alerts`. */
export interface AnnouncedAlert {
  /** Position in the order of all announcements. */
  readonly position: string;
  readonly at: EpochMs;
  readonly what: string;
  readonly agentId: string | null;
  readonly agentName: string | null;
  /** Venue names as announced, possibly unknown. */
  readonly venues: readonly string[];
  readonly detail: string | null;
  /** True if it concerns the whole service. */
  readonly ofService: boolean;
  /** Body as announced. */
  readonly body: { readonly [field: string]: Json };
}

export interface ActorIncident extends OfActor {
  readonly id: number;
  readonly at: EpochMs;
  readonly kind: string;
  /** Summary in one line. */
  readonly detail: string;
}

/** Intervention with its number in the list. */
export type RecordedIntervention = Intervention & OfActor & { readonly number: number };

export interface RuntimeCounts {
  readonly actors: readonly { readonly kind: string; readonly status: ActorStatus; readonly count: number }[];
  readonly activities: readonly {
    readonly kind: string;
    readonly state: 'pending' | 'given_up';
    readonly count: number;
    /** Largest number of attempts of one of them. */
    readonly attempts: number;
    /** Due time of the earliest one. */
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
    /** Last slot for which every actor of the shard was ticked. */
    readonly lastSlot: EpochMs;
    readonly isStalled: boolean;
  }[];
  readonly recurring: readonly {
    readonly name: string;
    /** Last completed slot; null before the first. */
    readonly lastSlot: EpochMs | null;
    readonly isUnderWay: boolean;
    /** True if the last attempt failed. */
    readonly hasFailed: boolean;
  }[];
}
