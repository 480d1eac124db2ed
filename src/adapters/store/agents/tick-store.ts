/** Store of ticks: their inputs, and the commit of a shard's decisions in one batch. */
import { decision, type PackedDecision } from '../../../../actors/ticking/resource.ts';
import type { OrganizationRisk, TickCommit, TickStore, TickTrades } from '../../../../actors/ticking/tick-store.ts';
import type { TradingDuty } from '../../../../actors/ticking/trading-decisions.ts';
import type { ColumnType } from '../../../core/resource.ts';
import type { Incident } from '../../../domain/agents/actor-step.ts';
import type { Autonomy, Stage } from '../../../domain/agents/agent.ts';
import type { DecisionRow } from '../../../domain/agents/decision.ts';
import type { TradingBook } from '../../../domain/books/book.ts';
import { NO_ACCOUNTS } from '../../../domain/books/free-dollars.ts';
import type { Manifest } from '../../../domain/manifest/manifest.ts';
import { STOP_LOSS, supersededBy } from '../../../domain/orders/execution.ts';
import { DEFAULT_PREFERENCES } from '../../../domain/risk/preferences.ts';
import { NO_INPUTS } from '../../../domain/tape/tick-inputs.ts';
import { decisionsDigest } from '../../../domain/trail/batch.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { UnreadableRow } from '../../../domain/values/value-text.ts';
import { readPermitFacts, writeRecords } from '../actors/actor-records.ts';
import { hintAnnouncements, inTransaction, writeStarts } from '../actors/actor-store.ts';
import { booksOfOrganizations, readTradedBooks } from '../books/book-store.ts';
import { copyText, isRetryable, type Sql, type Transaction } from '../database.ts';
import { part } from '../resource-rows.ts';
import { preferencesOfAll } from '../risk/risk-preferences-store.ts';
import { readAccountFacts } from '../vaults/account-facts.ts';
import { readCut } from './cut-store.ts';
import { readOutsideProposals } from './outside-store.ts';

const NO_RESTS: readonly never[] = [];
const NO_BOOKS: ReadonlyMap<string, TradingBook> = new Map();

export function createTickStore(sql: Sql, incident: (incident: Incident) => Promise<void>): TickStore<TradingDuty> {
  return {
    incident,
    ...shardProgress(sql),
    ...slotInputs(sql),
    commit: (tick) => commitTick(sql, tick),
    inTheWay: (tick) => inTheWay(sql, tick),
    ...crashCounts(sql),
  };
}

/** Reads the slot at which a shard was begun, its actors, and the actor whose tick was running when a worker died. */
function shardProgress(sql: Sql): Pick<TickStore<TradingDuty>, 'begin' | 'agents' | 'suspect'> {
  return {
    async begin(periodMs: number, shard: number, slot: EpochMs) {
      // Not flushed to disk: after a server crash the running actor is forgotten at worst, and the count begins again.
      const [, [row]] = await sql.begin((transaction) => [
        transaction`set local synchronous_commit to off`,
        transaction<{ last_slot: number; begun_times: number; suspect: string | null; suspect_times: number }[]>`
          update tick_shards set begun_times = begun_times + 1, begun_slot = ${slot}
          where period_ms = ${periodMs} and shard = ${shard} and last_slot < ${slot}
          returning last_slot, begun_times, suspect, suspect_times`,
      ]);
      return row ? { lastSlot: row.last_slot, begunTimes: row.begun_times, suspect: row.suspect, suspectTimes: row.suspect_times } : null;
    },

    async agents(periodMs: number, shard: number) {
      const rows = await sql<
        { id: string; version: number; tick_from: number; tick_until: number | null; rests: { from: number; until: number }[] | null }[]
      >`
        select id, version, tick_from, tick_until, case when not isempty(rests) then (
          select jsonb_agg(jsonb_build_object('from', lower(rest), 'until', upper(rest)) order by rest) from unnest(rests) as rest
        ) end as rests from actors
        where tick_period_ms = ${periodMs} and shard = ${shard} and tick_from is not null order by number`;
      return rows.map((row) => ({
        id: row.id,
        version: row.version,
        tickFrom: row.tick_from,
        tickUntil: row.tick_until,
        rests: row.rests ?? NO_RESTS,
      }));
    },

    async suspect(periodMs: number, shard: number, agentId: string | null): Promise<void> {
      await sql`
        update tick_shards set
          suspect_times = case when ${agentId}::uuid is null then 0 when suspect = ${agentId}::uuid then suspect_times + 1 else 1 end,
          suspect = ${agentId}::uuid
        where period_ms = ${periodMs} and shard = ${shard}`;
    },
  };
}

/** Creates the reads of a slot's inputs. */
function slotInputs(sql: Sql): Pick<TickStore<TradingDuty>, 'duties' | 'heads' | 'cut' | 'books' | 'outsideProposals' | 'organizations'> {
  return {
    async duties(ids: readonly string[]) {
      const rows = await sql<DutyRow[]>`
        select a.id, a.version, a.org_id, g.stage, g.autonomy, g.manifest_version, m.hash, m.canonical from actors a
        join traders g on g.id = a.id join manifests m on m.agent_id = g.id and m.version = g.manifest_version
        where a.id = any(${ids as string[]}::uuid[])`;
      return rows.map(toDuty);
    },

    async heads(ids: readonly string[], lastSlot: EpochMs): Promise<ReadonlyMap<string, string>> {
      const rows = await sql<{ id: string; hash: string }[]>`
        select a.id, encode(d.hash, 'hex') as hash from unnest(${ids as string[]}::uuid[]) as a(id)
        cross join lateral (select hash from decisions where agent_id = a.id and slot <= ${lastSlot} order by slot desc limit 1) d`;
      return new Map(rows.map(({ id, hash }) => [id, hash]));
    },

    cut: (slot: EpochMs) => readCut(sql, slot),

    async books(agentIds: readonly string[]): Promise<ReadonlyMap<string, TradingBook | UnreadableRow>> {
      const ids = agentIds as string[];
      // Most agents have no orders: two index lookups find those that do.
      const touched = await sql<{ agent_id: string }[]>`
        select agent_id from books where agent_id = any(${ids}::uuid[]) union select agent_id from proposals
        where agent_id = any(${ids}::uuid[]) and state in ('pending_approval', 'approved', 'executing', 'unknown')`;
      return touched.length === 0
        ? NO_BOOKS
        : readBooks(
            sql,
            touched.map(({ agent_id }) => agent_id),
          );
    },

    outsideProposals: (agentIds: readonly string[], slot: EpochMs) => readOutsideProposals(sql, agentIds, slot),

    async organizations(orgIds: readonly string[], agentIds: readonly string[]) {
      try {
        return await organizationRisks(sql, orgIds, agentIds);
      } catch (error) {
        if (isRetryable(error)) throw error;
        // One row cannot be read, so each organization is read by itself.
        const found = new Map<string, OrganizationRisk>();
        for (const id of orgIds) {
          const one = await organizationRisks(sql, [id], agentIds).catch((failure: unknown) =>
            isRetryable(failure) ? Promise.reject(failure) : null,
          );
          const risk = one?.get(id);
          if (risk !== undefined) found.set(id, risk);
        }
        return found;
      }
    },
  };
}

/** Commits a tick's decisions and their consequences in one transaction; false if another worker has moved the shard. */
async function commitTick(sql: Sql, tick: TickCommit): Promise<boolean> {
  return inTransaction(sql, async (transaction) => {
    const moved = await transaction`
      update tick_shards set last_slot = ${tick.slot}, begun_times = case when ${tick.decided} then 0 else begun_times end,
        suspect = case when ${tick.decided} then null else suspect end, suspect_times = case when ${tick.decided} then 0 else suspect_times end
      where period_ms = ${tick.periodMs} and shard = ${tick.shard} and last_slot = ${tick.lastSlot}`;
    if (moved.count === 0) return false;
    if (tick.rows.length === 0) return true;
    await copyDecisions(transaction, tick.rows);
    await transaction`
      insert into tick_batches (period_ms, shard, from_slot, slot, decisions, digest)
      values (${tick.periodMs}, ${tick.shard}, ${tick.lastSlot}, ${tick.slot}, ${tick.rows.length}, ${decisionsDigest(tick.rows)})`;
    if (tick.trades !== undefined) await writeTrades(transaction, tick.trades, tick.at);
    await transaction`
      insert into announcements (channel, at, body)
      values ('decisions', ${tick.at}, ${transaction.json({ periodMs: tick.periodMs, shard: tick.shard, fromSlot: tick.lastSlot + tick.periodMs, slot: tick.slot, actors: tick.rows.length })})`;
    await hintAnnouncements(transaction);
    return true;
  });
}

/** Counts consecutive crashes of an actor's ticks, and marks the actor that crashed a worker. */
function crashCounts(sql: Sql): Pick<TickStore<TradingDuty>, 'poisoned' | 'markPoisoned' | 'countCrash' | 'clearCrashes'> {
  return {
    async poisoned(periodMs: number, shard: number, slot: EpochMs): Promise<ReadonlySet<string>> {
      const rows = await sql<{ actor_id: string }[]>`
        select c.actor_id from tick_crashes c join actors a on a.id = c.actor_id
        where c.poisoned and a.tick_period_ms = ${periodMs} and a.shard = ${shard}
          and c.slot >= a.tick_from and not exists (select 1 from unnest(a.rests) as rest where c.slot < upper(rest) and upper(rest) <= ${slot})`;
      return new Set(rows.map(({ actor_id }) => actor_id));
    },

    async markPoisoned(agentId: string, slot: EpochMs): Promise<void> {
      await sql`
        insert into tick_crashes (actor_id, crashes, slot, poisoned) values (${agentId}, 1, ${slot}, true)
        on conflict (actor_id) do update set crashes = tick_crashes.crashes + 1, slot = excluded.slot, poisoned = true`;
    },

    async countCrash(agentId: string, slot: EpochMs): Promise<number> {
      const [row] = await sql<{ crashes: number }[]>`
        insert into tick_crashes (actor_id, crashes, slot) values (${agentId}, 1, ${slot})
        on conflict (actor_id) do update set slot = excluded.slot, poisoned = false, crashes = case
          when tick_crashes.slot = excluded.slot then tick_crashes.crashes
          -- In a row: its last tick, by whatever worker, crashed too.
          when (
            select reason from decisions d where d.agent_id = excluded.actor_id and d.slot < excluded.slot and d.reason is distinct from 'late_tick'
            order by d.slot desc limit 1
          ) = 'tick_crash' then tick_crashes.crashes + 1
          else 1 end
        returning crashes`;
      return row?.crashes ?? 1;
    },

    async clearCrashes(ids: readonly string[]): Promise<void> {
      await sql`delete from tick_crashes where actor_id = any(${ids as string[]}::uuid[])`;
    },
  };
}

/** Reads the agents' books by book id. Unreadable books are returned as errors by agent id. */
async function readBooks(sql: Sql, agentIds: readonly string[]): Promise<ReadonlyMap<string, TradingBook | UnreadableRow>> {
  try {
    return new Map([...(await readTradedBooks(sql, agentIds))].map(([id, { state }]) => [id, state]));
  } catch (error) {
    if (isRetryable(error)) throw error;
    const [agentId] = agentIds;
    if (agentId !== undefined && agentIds.length === 1) return new Map([[agentId, new UnreadableRow(`what ${agentId} holds`, error)]]);
  }
  const half = agentIds.length >> 1;
  const [first, second] = [await readBooks(sql, agentIds.slice(0, half)), await readBooks(sql, agentIds.slice(half))];
  return new Map([...first, ...second]);
}

async function organizationRisks(
  sql: Sql,
  orgIds: readonly string[],
  agentIds: readonly string[],
): Promise<ReadonlyMap<string, OrganizationRisk>> {
  const unreadable = new Map<string, UnreadableRow>();
  const note = (agentId: string | null, row: UnreadableRow): void => {
    if (agentId === null) throw row;
    unreadable.set(agentId, row);
  };
  const [controls, preferences, paper, live, accounts, paused] = await Promise.all([
    sql<{ org_id: string; epoch: number }[]>`select org_id, epoch from control where org_id = any(${orgIds as string[]}::uuid[])`,
    preferencesOfAll(sql, orgIds),
    booksOfOrganizations(sql, orgIds, 'paper', note),
    booksOfOrganizations(sql, orgIds, 'live', note),
    readAccountFacts(sql, orgIds),
    sql<{ id: string }[]>`select id from traders where id = any(${agentIds as string[]}::uuid[]) and kind = 'agent' and paused`,
  ]);
  const resting = new Set(paused.map(({ id }) => id));
  const books = [...paper, ...live];
  return new Map(
    controls.map(({ org_id, epoch }) => [
      org_id,
      {
        epoch,
        preferences: preferences.get(org_id)?.preferences ?? DEFAULT_PREFERENCES,
        books: books.filter(({ orgId }) => orgId === org_id).map(({ state }) => state),
        accounts: accounts.get(org_id) ?? NO_ACCOUNTS,
        unreadable,
        paused: resting,
      },
    ]),
  );
}

interface DutyRow {
  id: string;
  version: number;
  org_id: string;
  stage: Stage;
  autonomy: Autonomy;
  manifest_version: number;
  hash: string;
  canonical: string;
}

function toDuty(row: DutyRow): TradingDuty {
  let manifest: Manifest | undefined;
  return {
    id: row.id,
    version: row.version,
    orgId: row.org_id,
    stage: row.stage,
    autonomy: row.autonomy,
    manifestVersion: row.manifest_version,
    manifestHash: row.hash,
    // Parsed within the agent's own tick, so that an unreadable manifest affects only that agent.
    get manifest() {
      manifest ??= readManifestText(row.id, row.canonical);
      return manifest;
    },
  };
}

function readManifestText(agentId: string, canonical: string): Manifest {
  try {
    return JSON.parse(canonical) as Manifest;
  } catch (error) {
    throw new UnreadableRow(`the manifest of ${agentId}`, error);
  }
}

/** Returns the actors that block a refused commit: those with existing decisions, else those whose rows are refused individually. */
async function inTheWay(sql: Sql, tick: TickCommit): Promise<ReadonlyMap<string, UnreadableRow>> {
  const ids = [...new Set(tick.rows.map(({ agentId }) => agentId))];
  // If the answer of an earlier commit was lost, its rows exist because they were written.
  const [shard] = await sql<{ last_slot: number }[]>`
    select last_slot from tick_shards where period_ms = ${tick.periodMs} and shard = ${tick.shard}`;
  if (shard?.last_slot !== tick.lastSlot) return new Map();
  const forged = await sql<{ agent_id: string; slot: number }[]>`
    select agent_id, min(slot) as slot from decisions where agent_id = any(${ids}::uuid[]) and slot > ${tick.lastSlot} and slot <= ${tick.slot} group by agent_id`;
  if (forged.length > 0)
    return new Map(
      forged.map(({ agent_id, slot }) => [
        agent_id,
        new UnreadableRow(`the decision of slot ${slot}`, 'it was there before the slot was ticked'),
      ]),
    );
  const refused = new Map<string, UnreadableRow>();
  for (const agentId of ids) {
    const one = selectRows(tick, agentId);
    // Inserted and rolled back, only to get the database's verdict.
    await sql
      .begin(async (transaction) => {
        await copyDecisions(transaction, one.rows);
        await transaction`select 1`;
        if (one.trades !== undefined) await writeTrades(transaction, one.trades, tick.at);
        throw new TriedOut();
      })
      .catch((error: unknown) => {
        if (error instanceof TriedOut) return;
        if (isRetryable(error)) throw error;
        refused.set(agentId, new UnreadableRow(`what the tick of ${agentId} writes`, error));
      });
  }
  // If all rows are refused, none of them is the cause.
  return refused.size === ids.length && ids.length > 1 ? new Map() : refused;
}

class TriedOut extends Error {}

function selectRows(tick: TickCommit, agentId: string): Pick<TickCommit, 'rows' | 'trades'> {
  const its = (one: { readonly agentId: string }): boolean => one.agentId === agentId;
  const rows = tick.rows.filter(its);
  const { trades } = tick;
  if (trades === undefined) return { rows };
  const days = trades.days.filter(({ bookId }) => bookId.includes(agentId));
  const records = trades.records.filter((record) => record['agentId'] === agentId);
  const { proposals, announcements, inputs } = trades;
  return {
    rows,
    trades: { proposals: proposals.filter(its), announcements: announcements.filter(its), inputs: inputs.filter(its), days, records },
  };
}

/** Ends entries so that they send nothing further. A timer that is due at once notifies each. */
async function endEntries(transaction: Transaction, ids: readonly string[]): Promise<void> {
  await transaction`
    insert into timers (actor_id, timer_id, due_at, event)
    select id, 'cancelled', 0, jsonb_build_object('type', 'cancel', 'reason', ${STOP_LOSS}::text) from proposals
    where id = any(${ids as string[]}::uuid[]) and state in ('pending_approval', 'approved', 'executing', 'unknown')
    on conflict (actor_id, timer_id) do nothing`;
}

/**
 * Writes the consequences of decisions in the same transaction. A proposal that was superseded after its tick was read (by a halt, a pause,
 * a change of the agent, or another proposal) is created as cancelled; the decision stays.
 */
async function writeTrades(transaction: Transaction, trades: TickTrades, at: EpochMs): Promise<void> {
  if (trades.proposals.length > 0) {
    const agentIds = trades.proposals.map(({ agentId }) => agentId);
    const factsOf = await readPermitFacts(transaction, agentIds);
    const open = await transaction<{ id: string; book_id: string; instrument: string }[]>`
      select id, book_id, instrument from proposals
      where agent_id = any(${agentIds}::uuid[]) and state in ('pending_approval', 'approved', 'executing', 'unknown')`;
    // A Take waits for the result of its last proposal before it makes another one.
    const busy = await transaction<{ id: string }[]>`
      select id from takes where id = any(${agentIds}::uuid[]) and state in ('triggered', 'proposed')`;
    const busyIds = new Set(busy.map(({ id }) => id));
    const isTaken = (bookId: string, instrument: string, ends: readonly string[]): boolean =>
      open.some((one) => one.book_id === bookId && one.instrument === instrument && !ends.includes(one.id));
    const ended: string[] = [];
    const starts = trades.proposals.map(({ agentId, permit, start, superseded, ends }) => {
      const facts = factsOf.get(agentId);
      const { bookId, instrument } = (start.input as unknown as { order: { bookId: string; instrument: string } }).order;
      const reason =
        facts === undefined
          ? 'halted'
          : (supersededBy(permit, facts) ?? (busyIds.has(agentId) || isTaken(bookId, instrument, ends) ? 'proposal_pending' : null));
      if (reason !== null) return superseded(reason);
      ended.push(...ends);
      return start;
    });
    await writeStarts(transaction, starts);
    if (ended.length > 0) await endEntries(transaction, ended);
  }
  const days = trades.days.map((day) => ({ type: 'book_day', ...day }));
  if (days.length + trades.records.length > 0) await writeRecords(transaction, [...days, ...trades.records]);
  if (trades.inputs.length > 0) {
    await transaction`
      insert into tick_inputs (agent_id, slot, body) select "agentId", slot, text
      from jsonb_to_recordset(${transaction.json(trades.inputs)}) as r("agentId" uuid, slot bigint, text text)
      where text <> ${NO_INPUTS} or exists (select 1 from tick_inputs i where i.agent_id = r."agentId") on conflict do nothing`;
  }
  if (trades.announcements.length > 0) {
    await transaction`
      insert into announcements (channel, org_id, actor_id, at, body) select channel, "orgId", "agentId", ${at}, body
      from jsonb_to_recordset(${transaction.json(trades.announcements)}) as r(channel text, "orgId" uuid, "agentId" uuid, body jsonb)`;
  }
}

/**
 * Copies the rows by one COPY into the partition behind `decisions`. Returns once all rows are sent. If the server refuses them,
 * postgres.js lets the stream hang and the transaction's next statement fails with 25P02, so a statement must follow.
 */
async function copyDecisions(transaction: Transaction, rows: readonly DecisionRow[]): Promise<void> {
  const names = part(transaction, decision.columns.map(({ sql }) => sql).join(', '));
  const writable = await transaction`copy decision_rows (${names}) from stdin`.writable();
  let text = '';
  for (const row of rows) {
    const values = decision.columns.map(({ key, type }) => copyValue(row[key as keyof PackedDecision], type));
    text += `${values.join('\t')}\n`;
  }
  await new Promise<void>((sent, lost) => {
    const final = writable._final.bind(writable);
    writable._final = (done) => {
      final(done);
      sent();
    };
    // After a lost connection an unhandled stream error would end the process.
    writable.on('error', lost);
    writable.end(text);
  });
}

/** Writes a value as a field of COPY. */
function copyValue(value: DecisionRow[keyof PackedDecision], type: ColumnType): string | number {
  if (value === null) return '\\N';
  if (typeof value === 'object') return copyText(JSON.stringify(value));
  if (type === 'bytea') return `\\\\x${value}`;
  return type === 'text' ? copyText(value as string) : value;
}
