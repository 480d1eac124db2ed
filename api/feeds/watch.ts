/** Watches open connections: heartbeats, dead peers, expired tokens and withdrawn permissions. */
import type { Permission } from '../../src/domain/agents/agent.ts';
import { isTakenBack } from '../../src/domain/identity/member.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import type { Caller } from '../caller.ts';
import { VIEWER_PERMISSIONS } from '../permission.ts';
import type { FeedPorts } from './feed-ports.ts';

/** Number of turns in an interval. */
const TURNS = 20;

interface Beating {
  beat(at: EpochMs): void;
}

/** Connections whose heartbeats come together. */
interface Turn {
  /** Milliseconds after the first connection at which its intervals begin. */
  readonly afterMs: number;
  readonly connections: Set<Beating>;
  cancel: (() => void) | null;
}

/**
 * Creates the heartbeats. Each connection gets one per `everyMs`, the first of all after a whole interval, and a later one after at most
 * that. @param pace measures the intervals @param clock dates the heartbeats
 */
function createHeartbeats(pace: Pick<Clock, 'now' | 'deadline'>, clock: Pick<Clock, 'now'>, everyMs: number) {
  const turns = Array.from({ length: TURNS }, (_, index): Turn => {
    return { afterMs: index === 0 ? 0 : Math.round((index * everyMs) / TURNS) - everyMs, connections: new Set(), cancel: null };
  });
  let began = 0;
  let size = 0;
  /** Number of connections added since `began`. */
  let added = 0;

  function arm(turn: Turn): void {
    const passed = Math.floor((pace.now() - began - turn.afterMs) / everyMs);
    turn.cancel ??= pace.deadline(began + turn.afterMs + Math.max(1, passed + 1) * everyMs, () => {
      turn.cancel = null;
      const at = clock.now();
      for (const connection of turn.connections) connection.beat(at);
      if (turn.connections.size > 0) arm(turn);
    });
  }

  return {
    /** Adds a connection to the next turn. Returns a function that removes it once. */
    add(connection: Beating): () => void {
      if (size++ === 0) [began, added] = [pace.now(), 0];
      const turn = turns[added++ % TURNS] as Turn;
      turn.connections.add(connection);
      arm(turn);
      return () => {
        if (!turn.connections.delete(connection)) return;
        size--;
        if (turn.connections.size > 0) return;
        turn.cancel?.();
        turn.cancel = null;
      };
    },
  };
}

/** Present permissions of a connected caller. */
export interface AccessScope {
  readonly orgId: string | null;
  readonly permissions: readonly Permission[];
}

export type EndReason = 'token_expired' | 'token_revoked' | 'permission_lost' | 'unverifiable' | 'restarting';

/** Token of a connection, and the claims by which it can be revoked. */
type WatchedToken = Pick<Caller, 'subject' | 'expiresAt' | 'claims'>;

export const pickToken = ({ subject, expiresAt, claims }: WatchedToken): WatchedToken => ({ subject, expiresAt, claims });

/** A watched connection of either transport. */
export interface Watched extends WatchedToken {
  /** Applies the subject's present permissions. Returns false if the connection must end. */
  stand(scope: AccessScope): boolean;
  /** Sends a heartbeat and checks the peer's. Ends a peer that has been silent for too long. */
  beat(at: EpochMs): void;
  end(reason: EndReason): void;
  /** Ends a connection that did not close by itself. */
  terminate(): void;
}

export interface WatchOptions {
  /** Interval of heartbeats in milliseconds. Default 5,000. */
  readonly heartbeatMs?: number;
  /** Interval in milliseconds at which every subject's grants are read again. Default 3,000. */
  readonly verifyMs?: number;
  /** Maximum connections per subject. Default 20. */
  readonly connectionsPerSubject?: number;
  /** Maximum milliseconds for closing a connection. Default 5,000. */
  readonly drainMs?: number;
}

export type Watch = ReturnType<typeof createWatch>;

/** Interval of heartbeats in milliseconds. Clients treat a longer silence as a lost connection, as `/v1/asyncapi.json` says. */
export const HEARTBEAT_MS = 5_000;
/** Number of heartbeats in a row without a sign of the peer after which the connection ends: 45 s. */
export const UNANSWERED_BEATS = 9;
const VERIFY_MS = 3_000;
const CONNECTIONS_PER_SUBJECT = 20;
const DRAIN_MS = 5_000;
/** Maximum milliseconds of a connection whose grants cannot be read again. */
const UNVERIFIED_MS = 30_000;
const READS_AT_ONCE = 8;

/** Returns why a connection has to end with its subject's current grants, or null if it may go on. */
function findEndReason(connection: Watched, member: Awaited<ReturnType<FeedPorts['members']['find']>>): EndReason | null {
  if (isTakenBack(connection.claims, member?.revocations)) return 'token_revoked';
  const granted = member !== null && member.permissions.length > 0;
  const scope: AccessScope = { orgId: member?.orgId ?? null, permissions: granted ? member.permissions : VIEWER_PERMISSIONS };
  return connection.stand(scope) ? null : 'permission_lost';
}

export function createWatch(ports: Pick<FeedPorts, 'clock' | 'pace' | 'members' | 'reportDefect'>, options: WatchOptions = {}) {
  const clock = ports.pace ?? ports.clock;
  const heartbeatMs = options.heartbeatMs ?? HEARTBEAT_MS;
  const verifyMs = options.verifyMs ?? VERIFY_MS;
  const drainMs = options.drainMs ?? DRAIN_MS;
  const connectionsPerSubject = options.connectionsPerSubject ?? CONNECTIONS_PER_SUBJECT;
  const connections = new Map<Watched, { cancelExpiry: () => void; cancelEnd: (() => void) | null }>();
  const beats = createHeartbeats(clock, ports.clock, heartbeatMs);
  const bySubject = new Map<string, Set<Watched>>();
  const verifiedAt = new Map<string, number>();
  let cancelVerify: (() => void) | null = null;

  function arm(): void {
    cancelVerify ??= clock.deadline(clock.now() + verifyMs, () => void verify());
  }

  async function verify(): Promise<void> {
    const subjects = [...bySubject.keys()];
    const next = subjects.values();
    const line = async (): Promise<void> => {
      for (const subject of next) await verifySubject(subject);
    };
    await Promise.all(Array.from({ length: Math.min(READS_AT_ONCE, subjects.length) }, line));
    cancelVerify = null;
    if (connections.size > 0) arm();
  }

  async function verifySubject(subject: string): Promise<void> {
    try {
      const member = await ports.members.find(subject);
      verifiedAt.set(subject, clock.elapsed());
      for (const connection of bySubject.get(subject) ?? []) end(connection, findEndReason(connection, member));
    } catch (error) {
      ports.reportDefect(error, 'feeds: reading grants again');
      if (clock.elapsed() - (verifiedAt.get(subject) ?? Number.NEGATIVE_INFINITY) < UNVERIFIED_MS) return;
      for (const connection of bySubject.get(subject) ?? []) end(connection, 'unverifiable');
    }
  }

  function end(connection: Watched, reason: EndReason | null): void {
    if (reason === null) return;
    connection.end(reason);
    terminateSoon(connection);
  }

  /** Terminates the connection unless it was removed within the drain time. */
  function terminateSoon(connection: Watched): void {
    const entry = connections.get(connection);
    if (entry) entry.cancelEnd ??= clock.deadline(clock.now() + drainMs, () => connection.terminate());
  }

  return {
    connectionsPerSubject,
    /** True if the subject may open another connection. */
    hasCapacity: (subject: string): boolean => (bySubject.get(subject)?.size ?? 0) < connectionsPerSubject,
    get size() {
      return connections.size;
    },

    /** Watches a connection until the returned function is called. */
    add(connection: Watched): () => void {
      const { subject, expiresAt } = connection;
      connections.set(connection, { cancelExpiry: clock.deadline(expiresAt, () => end(connection, 'token_expired')), cancelEnd: null });
      const own = bySubject.get(subject) ?? new Set();
      bySubject.set(subject, own.add(connection));
      // The gate has just read the grants.
      verifiedAt.set(subject, clock.elapsed());
      const endBeats = beats.add(connection);
      arm();
      return () => {
        const entry = connections.get(connection);
        if (!entry) return;
        endBeats();
        entry.cancelExpiry();
        entry.cancelEnd?.();
        connections.delete(connection);
        own.delete(connection);
        if (own.size === 0) {
          bySubject.delete(subject);
          verifiedAt.delete(subject);
        }
      };
    },

    terminateSoon,

    /** Closes all connections. Those still open after the drain time are terminated. */
    drain() {
      for (const connection of connections.keys()) end(connection, 'restarting');
    },
  };
}
