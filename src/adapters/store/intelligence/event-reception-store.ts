/** Store of the periods in which each source of events was received without a gap (`event_receptions`). */
import type { Observable } from 'rxjs';
import type { EventStretch } from '../../../domain/backtest/known-events.ts';
import { listEventSources, readEventRound } from '../../../domain/intelligence/listening.ts';
import type { FeedMessage } from '../../../domain/market/market-event.ts';
import { type EpochMs, MINUTE_MS } from '../../../domain/values/time.ts';
import type { Sql } from '../database.ts';

interface EventReception extends EventStretch {
  /** Underlyings whose events the source was asked for. */
  readonly underlyings: readonly string[];
}

/** Returns the periods in which the sources of an underlying were received. */
export async function eventReceptions(sql: Sql, underlying: string): Promise<readonly EventStretch[]> {
  return sql`
    select source, from_at as "from", to_at as "to" from event_receptions where ${underlying} = any(underlyings)
      and is_real = reads_real(replace(source, 'news:', '')) order by from_at`;
}

/** Stores a period, or extends it. Idempotent. */
export async function keepReception(sql: Sql, { source, underlyings, from, to }: EventReception): Promise<void> {
  await sql`
    insert into event_receptions (source, is_real, from_at, to_at, underlyings)
    values (${source}, writes_real(replace(${source}, 'news:', '')), ${from}, ${to}, ${underlyings as string[]})
    on conflict (source, is_real, from_at) do update set to_at = excluded.to_at
    where event_receptions.to_at < excluded.to_at and event_receptions.underlyings = excluded.underlyings`;
}

/**
 * Starts storing: a source is received from the end of its first round, which its heartbeat reports, until `silenceMs` after its last one,
 * as live rules take it for known. Another set of underlyings that a round read begins another period. `write` must also queue the reports
 * before, so that a period is not stored before them. Returns the stop function.
 */
export function keepReceptions(deps: {
  readonly sql: Sql;
  readonly received: Observable<FeedMessage>;
  /** Underlyings whose events are asked for. */
  readonly underlyings: readonly string[];
  readonly silenceMs: number;
  /** Milliseconds between two writes of a source. Default: one minute. */
  readonly everyMs?: number;
  readonly write: (what: string, work: () => Promise<unknown>) => void;
  readonly onFailure: (error: unknown) => void;
}): () => void {
  const { sql, silenceMs, everyMs = MINUTE_MS, write } = deps;
  const asked = new Map<string, string[]>();
  for (const underlying of deps.underlyings)
    for (const source of listEventSources(underlying)) asked.set(source, [...(asked.get(source) ?? []), underlying]);
  const open = new Map<string, EventReception>();
  const keptTo = new Map<string, EpochMs>();

  function keep(reception: EventReception): void {
    keptTo.set(reception.source, reception.to);
    write('keeping the reception of events', () => keepReception(sql, reception));
  }

  const subscription = deps.received.subscribe({
    next(message) {
      if (message.kind !== 'heartbeat') return;
      const { receivedAt } = message;
      const { source, unread } = readEventRound(message.source);
      const all = asked.get(source);
      if (all === undefined) return;
      const underlyings = unread.size === 0 ? all : all.filter((underlying) => !unread.has(underlying));
      if (underlyings.length === 0) return;
      const before = open.get(source);
      const goesOn = before !== undefined && receivedAt < before.to && before.underlyings.join() === underlyings.join();
      const reception = { source, underlyings, from: goesOn ? before.from : receivedAt, to: receivedAt + silenceMs + 1 };
      open.set(source, reception);
      if (!goesOn || reception.to - (keptTo.get(source) ?? 0) >= everyMs) keep(reception);
    },
    error: deps.onFailure,
  });
  return () => {
    subscription.unsubscribe();
    for (const reception of open.values()) if (reception.to > (keptTo.get(reception.source) ?? 0)) keep(reception);
  };
}
