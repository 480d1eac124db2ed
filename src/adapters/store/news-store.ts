/** News events at rest (spec section 6.4). */
import type { NewsEvent } from '../../domain/market-event.ts';
import type { Sql } from './database.ts';

/** Keeps an event; one that is known may become graver or confirmed, and is never told twice. */
export async function saveNews(sql: Sql, event: NewsEvent): Promise<void> {
  await sql`
    insert into news_events (id, source, observed_at, received_at, symbols, severity, negative, rumor, headline)
    values (${event.id}, ${event.source}, ${event.observedAt}, ${event.receivedAt}, ${event.symbols as string[]}, ${event.severity}, ${event.negative}, ${event.rumor}, ${event.headline})
    on conflict (id) do update set severity = excluded.severity, negative = excluded.negative, rumor = excluded.rumor, headline = excluded.headline, received_at = excluded.received_at
    where news_events.received_at < excluded.received_at`;
}
