/** The rows that Takes write: themselves, where they stand, and what they are told of their proposals. */
import type { ActorRecord } from '../../../domain/actor-step.ts';
import { isPosition, type Position } from '../../../domain/book.ts';
import { Decimal, plainDecimal } from '../../../domain/decimal.ts';
import { LiveCapitalUsed } from '../../../domain/take/live-capital.ts';
import type { Transaction } from '../database.ts';
import { preferencesOf } from '../risk/risk-preferences-store.ts';

export async function writeTakesCreated(transaction: Transaction, rows: readonly ActorRecord[]): Promise<void> {
  await transaction`
    insert into takes (id, org_id, origin, symbol, canonical, hash, manifest_hash, compiled, state, on_duty, lineage, created_by, created_at, expires_at, changed_at)
    select "takeId", "orgId", origin, symbol, canonical, hash, "manifestHash", compiled, 'draft', false, lineage, "createdBy", "createdAt", "expiresAt", "createdAt"
    from jsonb_to_recordset(${transaction.json(rows as never)}) as r("takeId" uuid, "orgId" uuid, origin text, symbol text, canonical text, hash text,
      "manifestHash" text, compiled jsonb, lineage text[], "createdBy" text, "createdAt" bigint, "expiresAt" bigint)`;
}

/** Where a step leaves its Take; of one that projects twice the last word counts. */
export async function writeTakeProjections(transaction: Transaction, rows: readonly ActorRecord[]): Promise<void> {
  const last = [...new Map(rows.map((row) => [row['takeId'], row])).values()];
  await transaction`
    update takes set state = r.state, on_duty = r."onDuty", mode = r.mode, reason = r.reason, armed_at = r."armedAt", published_at = r."publishedAt", changed_at = r."changedAt"
    from jsonb_to_recordset(${transaction.json(last as never)})
      as r("takeId" uuid, state text, "onDuty" boolean, mode text, reason text, "armedAt" bigint, "publishedAt" bigint, "changedAt" bigint)
    where takes.id = r."takeId"`;
}

/**
 * Takes are told of their proposals by timers that are due at once, in the transaction of the proposal's own step: that it was
 * made, and how it ended. Proposals of agents tell nobody.
 */
export async function tellTakes(transaction: Transaction, proposals: readonly ActorRecord[]): Promise<void> {
  await transaction`
    insert into timers (actor_id, timer_id, due_at, event)
    select t.id, 'proposal ' || r.id || ' ' || r.state, case when r.state in ('pending_approval', 'approved') then 0 else 1 end,
      case when r.state in ('pending_approval', 'approved')
        then jsonb_build_object('type', 'triggered', 'proposalId', r.id, 'decisionId', r."decisionId", 'side', r.side)
        else jsonb_build_object('type', 'proposal.ended', 'proposalId', r.id, 'decisionId', r."decisionId", 'side', r.side, 'state', r.state, 'reason', r.reason, 'at', r."changedAt") end
    from jsonb_to_recordset(${transaction.json(proposals as never)})
      as r(id uuid, "agentId" uuid, "decisionId" uuid, side text, state text, reason text, "changedAt" bigint)
    join takes t on t.id = r."agentId"
    where r.state not in ('executing', 'unknown')
    on conflict (actor_id, timer_id) do nothing`;
}

/**
 * What live Takes of an organization are allocated together stays within the capital of its mandate: those that are on duty,
 * and those that hold a position or have an open order. One arming after the other. @throws LiveCapitalUsed
 */
export async function requireLiveCapital(transaction: Transaction, rows: readonly ActorRecord[]): Promise<void> {
  for (const row of rows) {
    const { orgId, takeId, allocationUsd } = row as unknown as { orgId: string; takeId: string; allocationUsd: string };
    await transaction`select 1 from control where org_id = ${orgId} for no key update`;
    const others = await transaction<{ usd: string; working: boolean; held: readonly Position[] }[]>`
      select coalesce(t.canonical::jsonb ->> 'allocationUsd', '0') as usd,
        t.on_duty or exists (select 1 from proposals p where p.agent_id = t.id and p.state in ('pending_approval', 'approved', 'executing', 'unknown')) as working,
        coalesce((select b.holdings from books b where b.agent_id = t.id and b.mode = 'live'), '[]') as held
      from takes t where t.org_id = ${orgId} and t.mode = 'live' and t.id <> ${takeId}`;
    const committed = others.filter(({ working, held }) => working || held.some(isPosition));
    const committedUsd = plainDecimal(committed.reduce((sum, { usd }) => sum.plus(usd), new Decimal(0)));
    const { maxCapitalUsd } = (await preferencesOf(transaction, orgId)).preferences;
    if (new Decimal(committedUsd).plus(allocationUsd).gt(maxCapitalUsd))
      throw new LiveCapitalUsed(committedUsd, allocationUsd, maxCapitalUsd);
  }
}
