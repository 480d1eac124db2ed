/** Keeps watch over open connections: heartbeats, dead peers, expired tokens and withdrawn permissions. */
import type { Permission } from '../../src/domain/agents/agent.ts';
import { isTakenBack } from '../../src/domain/identity/member.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { Caller } from '../caller.ts';
import { VIEWER_PERMISSIONS } from '../permission.ts';
import type { FeedPorts } from './feed-ports.ts';

/** Connected callers, as far as known at the moment. */
export interface AccessScope {
  readonly orgId: string | null;
  readonly permissions: readonly Permission[];
}

export type EndReason = 'token_expired' | 'token_revoked' | 'permission_lost' | 'unverifiable' | 'restarting';

/** The token that opened a connection and what it can be revoked by. */
export type WatchedToken = Pick<Caller, 'subject' | 'expiresAt' | 'claims'>;

export const tokenOf = ({ subject, expiresAt, claims }: WatchedToken): WatchedToken => ({ subject, expiresAt, claims });

/** A watched connection of either transport. */
export interface Watched extends WatchedToken {
  /** Takes the subject's state; false if the connection must not go on with it. */
  stand(scope: AccessScope): boolean;
  /** Sends a sign of life and looks for the peer's; ends a peer that has shown none for too long. */
  beat(at: EpochMs): void;
  end(reason: EndReason): void;
  /** Ends without ceremony what did not end by itself. */
  terminate(): void;
}

export interface WatchOptions {
  /** 5 s unless told. */
  readonly heartbeatMs?: number;
  /** Interval at which every subject's grants are read again; default 3 s. */
  readonly verifyMs?: number;
  /** Connections of one subject; 20 unless told. */
  readonly connectionsPerSubject?: number;
  /** Maximum time for closing a connection; default 5 s. */
  readonly drainMs?: number;
}

export interface Watch {
  /** True if the subject may open another connection. */
  hasCapacity(subject: string): boolean;
  readonly connectionsPerSubject: number;
  readonly size: number;
  /** Watches a connection until the returned function is called. */
  add(connection: Watched): () => void;
  /** Terminates the connection unless it was removed within the drain time. */
  terminateSoon(connection: Watched): void;
  /** Ends all of them; those that do not go are terminated after the drain time. */
  drain(): void;
}

/** Readers of the feed take a longer silence for a lost connection: 5 s, as `/v1/asyncapi.json` says. */
export const HEARTBEAT_MS = 5_000;
/** Heartbeats in a row without a sign of the peer, the last of which ends the connection: 45 s. */
export const UNANSWERED_BEATS = 9;
const VERIFY_MS = 3_000;
const CONNECTIONS_PER_SUBJECT = 20;
const DRAIN_MS = 5_000;
/** Maximum life of a connection whose grants cannot be read again. */
const UNVERIFIED_MS = 30_000;
const READS_AT_ONCE = 8;

/** Returns why a connection has to end with its subject's current grants, or null if it may go on. */
function endOf(connection: Watched, member: Awaited<ReturnType<FeedPorts['members']['find']>>): EndReason | null {
  if (isTakenBack(connection.claims, member?.revocations)) return 'token_revoked';
  const granted = member !== null && member.permissions.length > 0;
  const scope: AccessScope = { orgId: member?.orgId ?? null, permissions: granted ? member.permissions : VIEWER_PERMISSIONS };
  return connection.stand(scope) ? null : 'permission_lost';
}

export function createWatch(ports: Pick<FeedPorts, 'clock' | 'pace' | 'members' | 'reportDefect'>, options: WatchOptions = {}): Watch {
  const clock = ports.pace ?? ports.clock;
  const heartbeatMs = options.heartbeatMs ?? HEARTBEAT_MS;
  const verifyMs = options.verifyMs ?? VERIFY_MS;
  const drainMs = options.drainMs ?? DRAIN_MS;
  const connectionsPerSubject = options.connectionsPerSubject ?? CONNECTIONS_PER_SUBJECT;
  const connections = new Map<Watched, { cancelExpiry: () => void; cancelEnd: (() => void) | null }>();
  const bySubject = new Map<string, Set<Watched>>();
  const verifiedAt = new Map<string, number>();
  let cancelBeat: (() => void) | null = null;
  let cancelVerify: (() => void) | null = null;

  function arm(): void {
    cancelBeat ??= clock.deadline(clock.now() + heartbeatMs, beat);
    cancelVerify ??= clock.deadline(clock.now() + verifyMs, () => void verify());
  }

  function beat(): void {
    cancelBeat = null;
    if (connections.size === 0) return;
    const at = ports.clock.now();
    for (const connection of connections.keys()) connection.beat(at);
    arm();
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
      for (const connection of bySubject.get(subject) ?? []) end(connection, endOf(connection, member));
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

  function terminateSoon(connection: Watched): void {
    const entry = connections.get(connection);
    if (entry) entry.cancelEnd ??= clock.deadline(clock.now() + drainMs, () => connection.terminate());
  }

  return {
    connectionsPerSubject,
    hasCapacity: (subject) => (bySubject.get(subject)?.size ?? 0) < connectionsPerSubject,
    get size() {
      return connections.size;
    },

    add(connection) {
      const { subject, expiresAt } = connection;
      connections.set(connection, { cancelExpiry: clock.deadline(expiresAt, () => end(connection, 'token_expired')), cancelEnd: null });
      const own = bySubject.get(subject) ?? new Set();
      bySubject.set(subject, own.add(connection));
      // The gate has just read the grants.
      verifiedAt.set(subject, clock.elapsed());
      arm();
      return () => {
        const entry = connections.get(connection);
        if (!entry) return;
        entry.cancelExpiry();
        entry.cancelEnd?.();
        connections.delete(connection);
        own.delete(connection);
        if (own.size === 0) {
          bySubject.delete(subject);
          verifiedAt.delete(subject);
        }
        if (connections.size === 0) {
          cancelBeat?.();
          cancelBeat = null;
        }
      };
    },

    terminateSoon,

    drain() {
      for (const connection of connections.keys()) end(connection, 'restarting');
    },
  };
}
