/** Reads of active manifests: the instruments to observe and the traders that need them. */
import { CATALOG } from '../../../domain/catalog/catalog.ts';
import type { Manifest } from '../../../domain/manifest/manifest.ts';
import type { InstrumentKey, Venue } from '../../../domain/market/venue.ts';
import { askedTogether } from '../asked-together.ts';
import type { Sql } from '../database.ts';

/** Reads one version of a trader's manifest, or null. */
export async function readManifestVersion(sql: Sql, traderId: string, version: number): Promise<Manifest | null> {
  const [row] = await sql<{ canonical: string }[]>`select canonical from manifests where agent_id = ${traderId} and version = ${version}`;
  return row === undefined ? null : (JSON.parse(row.canonical) as Manifest);
}

/** Reads every active manifest of agents and Takes once. `manifest` throws a SyntaxError if the stored text is not JSON. */
export async function activeManifests(sql: Sql) {
  const rows = await sql<{ hash: string; canonical: string }[]>`
    select distinct on (m.hash) m.hash, m.canonical from traders g
    join manifests m on m.agent_id = g.id and m.version = g.manifest_version order by m.hash`;
  return rows.map(({ hash, canonical }) => ({ hash, manifest: () => JSON.parse(canonical) as Manifest }));
}

/**
 * Returns the instruments with live capital or open live orders in all organizations: those that agents and Takes with live capital
 * observe, those in live books, and those of open live orders.
 */
export async function liveInstruments(sql: Sql): Promise<readonly InstrumentKey[]> {
  const rows = await sql<{ key: InstrumentKey }[]>`select key from live_instruments() order by key`;
  return rows.map(({ key }) => key);
}

/**
 * Counts the live instruments of a venue over all organizations, and those of `added` that this connection's organization does not trade
 * live yet.
 */
export async function addedLiveInstruments(sql: Sql, venue: Venue, added: readonly InstrumentKey[]): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select live_instrument_count(${venue}) + (
      select count(distinct a.key)::int from unnest(${added as string[]}::text[]) as a(key)
      where not exists (select 1 from visible_live_instruments() v where v.key = a.key)) as count`;
  return row?.count as number;
}

/** Returns the instruments whose basis uses a venue's prices (its mark or spot) or one spot book. */
function basisOn(subject: Venue | InstrumentKey): readonly InstrumentKey[] {
  const isAffected = (key: InstrumentKey | null): boolean => key === subject || (key?.startsWith(`${subject}:`) ?? false);
  const isVenue = !subject.includes(':');
  return CATALOG.entries
    .filter(({ pairedPerp, pairedSpot }) => isAffected(pairedSpot) || (isVenue && isAffected(pairedPerp)))
    .map(({ key }) => key);
}

/**
 * Returns agents and armed Takes that depend on a venue or an instrument: by an instrument of their manifest, by a rule on a basis, or by a
 * benchmark for reference prices. Includes those that still wait for its recovery after a later manifest dropped it. A Take is included
 * from its first arming until its end. Concurrent calls are combined into one statement, because the loss of a venue affects all of its
 * instruments at once.
 */
export function tradersSubscribedTo(sql: Sql): (subject: Venue | InstrumentKey) => Promise<readonly string[]> {
  return askedTogether(async (subjects) => {
    const found = await readSubscribers(sql, subjects);
    return (subject) => found.get(subject) ?? [];
  });
}

async function readSubscribers(sql: Sql, subjects: readonly (Venue | InstrumentKey)[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const asked = subjects.map((subject) => ({ subject, basis: basisOn(subject) }));
  const rows = await sql<{ subject: string; ids: string[] }[]>`
    with asked as (select * from jsonb_to_recordset(${sql.json(asked)}) as a(subject text, basis text[])),
    watching as materialized (
      select g.id, array(select u->>'key' from readable_elements(c.body->'universe') u) as keys,
        exists (select 1 from readable_elements((c.body->'entry') || (c.body->'exit')) c where c->>'type' in ('basis_above', 'basis_below')) as on_basis,
        a.snapshot #> '{context,degradedVenues}' as degraded
      from traders g join actors a on a.id = g.id join manifests m on m.agent_id = g.id and m.version = g.manifest_version
      cross join lateral (select readable_json(m.canonical) as body) c left join takes t on t.id = g.id
      where a.status = 'running' and (t.id is null or t.on_duty or t.state = 'disarmed')),
    seen as (
      select id, key, split_part(key, ':', 1) as venue from watching cross join lateral unnest(keys) as key)
    select subject, array_agg(id order by id) as ids from (
      select a.subject, s.id from asked a join seen s on s.key = a.subject
      union select a.subject, s.id from asked a join seen s on s.venue = case a.subject when 'reference' then 'spotchain' else a.subject end
      union select a.subject, w.id from asked a join watching w on w.on_basis and w.keys && a.basis or w.degraded ? a.subject
    ) found group by subject`;
  return new Map(rows.map(({ subject, ids }) => [subject, ids]));
}
