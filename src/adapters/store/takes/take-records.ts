/** Checks the capital of Takes, and notifies them of their proposals. */
import type { TakeFunding } from '../../../../actors/take/commands.ts';
import type { ActorRecord } from '../../../domain/agents/actor-step.ts';
import { isPosition, type Position } from '../../../domain/books/book.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import { toDollarVenue } from '../../../domain/books/reserves.ts';
import {
  type DollarsForTake,
  dollarsForTake,
  LiveCapitalUsed,
  LiveDollarsLacking,
  type PayingPlace,
} from '../../../domain/take/live-capital.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { InstrumentKey } from '../../../domain/market/venue.ts';
import type { Transaction } from '../database.ts';
import { runQuery } from '../queries.ts';
import { readPreferences } from '../risk/risk-preferences-store.ts';
import { accountFacts, type Bound, boundDollars } from '../vaults/account-facts.ts';

/**
 * Notifies Takes that a proposal was created or has ended, by timers that are due at once, in the proposal's transaction. Proposals of
 * agents notify nobody.
 */
export async function tellTakes(transaction: Transaction, proposals: readonly ActorRecord[]): Promise<void> {
  await transaction`
    insert into timers (actor_id, timer_id, due_at, event)
    select t.id, 'proposal ' || r.id || ' ' || r.state, case when r.state in ('pending_approval', 'approved') then 0 else 1 end,
      case when r.state in ('pending_approval', 'approved')
        then jsonb_build_object('type', 'triggered', 'proposalId', r.id, 'decisionId', r."decisionId", 'side', r.side)
        else jsonb_build_object('type', 'proposal.ended', 'proposalId', r.id, 'decisionId', r."decisionId", 'side', r.side, 'state', r.state, 'reason', r.reason, 'at', r."changedAt") end
    from jsonb_to_recordset(${transaction.json(proposals)})
      as r(id uuid, "agentId" uuid, "decisionId" uuid, side text, state text, reason text, "changedAt" bigint)
    join takes t on t.id = r."agentId"
    where r.state not in ('executing', 'unknown')
    on conflict (actor_id, timer_id) do nothing`;
}

/**
 * Checks that the allocations of an organization's live Takes stay within its mandate's capital, and that unreserved dollars cover each.
 * Armings are serialized. @throws LiveCapitalUsed, LiveDollarsLacking
 */
export async function requireLiveCapital(transaction: Transaction, rows: readonly ActorRecord[]): Promise<void> {
  for (const row of rows) {
    const arming = row as unknown as LiveArming;
    const { orgId, takeId, allocationUsd } = arming;
    // Deposits into vaults take this lock too, so that both never use the same dollars.
    await transaction`select 1 from control where org_id = ${orgId} for no key update`;
    const others = await runQuery(boundDollars(transaction, orgId, takeId));
    const { maxCapitalUsd } = (await readPreferences(transaction, orgId)).preferences;
    if (new Decimal(others.allocatedUsd).plus(allocationUsd).gt(maxCapitalUsd))
      throw new LiveCapitalUsed(others.allocatedUsd, allocationUsd, maxCapitalUsd);
    await requireFreeDollars(transaction, arming, others);
  }
}

/** Content of a record of live arming. */
interface LiveArming extends TakeFunding {
  readonly orgId: string;
  readonly takeId: string;
  readonly allocationUsd: DecimalString;
  readonly instrument: InstrumentKey;
  readonly at: EpochMs;
}

/**
 * Checks the dollars of a live Take: its allocation, or what is left of it when it is armed again. A Take that holds its position needs
 * none. @throws LiveDollarsLacking
 */
async function requireFreeDollars(
  transaction: Transaction,
  arming: LiveArming,
  others: Bound & { readonly allocatedUsd: DecimalString },
): Promise<void> {
  const { orgId, takeId, allocationUsd, instrument, at } = arming;
  const [own] = await transaction<{ cash: string; holdings: readonly Position[] }[]>`
    select cash_usd::text as cash, holdings from books where agent_id = ${takeId} and mode = 'live'`;
  if (own?.holdings.some(isPosition) === true) return;
  const neededUsd = plainDecimal(own?.cash ?? allocationUsd);
  const dollars = arming.isSimulated
    ? await simulatedDollars(transaction, orgId, others.allocatedUsd)
    : dollarsForTake(
        { ...others, facts: await runQuery(accountFacts(transaction, orgId)) },
        await findPayingPlace(transaction, takeId, instrument),
        at,
      );
  if ('unknown' in dollars || new Decimal(dollars.freeUsd).lt(neededUsd)) throw new LiveDollarsLacking(dollars, neededUsd);
}

/** Returns the sandbox's simulated dollars that neither vaults nor other live Takes use. */
async function simulatedDollars(transaction: Transaction, orgId: string, allocatedUsd: DecimalString): Promise<DollarsForTake> {
  const [row] = await transaction<[{ held: string; claimed: string }]>`
    select sandbox_dollars()::text as held, sandbox_claims(${orgId})::text as claimed`;
  const free = new Decimal(row.held).minus(row.claimed).minus(allocatedUsd);
  return { freeUsd: plainDecimal(Decimal.max(0, free)), heldUsd: plainDecimal(row.held) };
}

/** Returns the venue whose dollars pay for a Take. */
async function findPayingPlace(transaction: Transaction, takeId: string, instrument: InstrumentKey): Promise<PayingPlace> {
  const venue = toDollarVenue(instrument);
  if (venue === 'spotexchange') return { venue, wallet: null };
  const [row] = await transaction<[{ wallet: string | null }]>`select wallet_of_take(${takeId}) as wallet`;
  return { venue, wallet: row.wallet };
}
