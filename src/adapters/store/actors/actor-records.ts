/** Writers of the rows that steps create besides state, by type; each batch of one type is one statement. */
import { agent, agentNames, agentProjection } from '../../../../actors/agent/resource.ts';
import { bridgeTransfer } from '../../../../actors/bridge-transfer/resource.ts';
import { checkout, licence, marketplaceImport } from '../../../../actors/checkout/resource.ts';
import { delegation } from '../../../../actors/delegation/resource.ts';
import { launch } from '../../../../actors/launch/resource.ts';
import { launcherLaunch } from '../../../../actors/launcher-launch/resource.ts';
import { marketOrder } from '../../../../actors/market-order/resource.ts';
import { predictionOrder } from '../../../../actors/prediction-order/resource.ts';
import { preparedTransaction } from '../../../../actors/prepared-transaction/resource.ts';
import { proposal } from '../../../../actors/proposal/resource.ts';
import { take, takeProjection } from '../../../../actors/take/resource.ts';
import type { ActorRecord } from '../../../domain/agents/actor-step.ts';
import type { Autonomy, Stage } from '../../../domain/agents/agent.ts';
import {
  BREAKER_PAUSES,
  type ExecutionPermit,
  MandateMoved,
  type PermitFacts,
  PermitLost,
  supersededBy,
} from '../../../domain/orders/execution.ts';
import type { ExecutionMode } from '../../../domain/orders/order.ts';
import { CLOSING } from '../../../domain/take/take.ts';
import { lockBookOfFills, writeBookDays, writeFills, writeTransfers } from '../books/book-store.ts';
import { writeBridgeArrivals } from '../bridge/bridge-transfer-store.ts';
import { send, type Transaction } from '../database.ts';
import { requireDelegations, writeRevocations } from '../delegations/execution-permit.ts';
import { writeEvaluationReports, writeEvaluationRuns, writeTrials } from '../evaluations/evaluation-records.ts';
import { isStatement } from '../gathered-statements.ts';
import { writeListedTokens } from '../launches/launch-store.ts';
import { tellPredictionOrders } from '../orders/prediction-order-store.ts';
import { requireCapacities } from '../orders/prepared-transaction-store.ts';
import { append, lastOfEach, project, revise } from '../resource-rows.ts';
import { writePreferences } from '../risk/risk-preferences-store.ts';
import { requireLiveCapital, tellTakes } from '../takes/take-records.ts';
import { requireUnboundDollars } from '../vaults/account-facts.ts';

type Writer = (transaction: Transaction, rows: readonly ActorRecord[], ahead?: unknown) => Promise<unknown>;

/** Writers in order: referenced rows come first. */
const WRITERS: { readonly [type: string]: Writer } = {
  // Before the control row is locked for sharing: two transactions that share it and both need it exclusively would deadlock.
  dollars_spent: requireUnboundDollars,
  // Without a valid permit nothing is written.
  execution_permit: (transaction, rows) => requirePermits(transaction, rows),
  epoch_check: (transaction, rows) => requireEpochs(transaction, rows),
  mandate_check: (transaction, rows) => requireMandates(transaction, rows),
  delegation_check: requireDelegations,
  transaction_capacity: requireCapacities,
  take_capital: requireLiveCapital,

  manifest: (transaction, rows) => transaction`
    insert into manifests (agent_id, version, hash, canonical, created_by)
    select "agentId", version, hash, canonical, "createdBy" from jsonb_to_recordset(${transaction.json(rows)})
      as r("agentId" uuid, version int, hash text, canonical text, "createdBy" text)`,

  agent_created: append(agent),
  agent_renamed: revise(agentNames),
  agent_projection: revise(agentProjection),

  // If slots of the earlier duty are still unticked (late), that duty is kept and the time between counts as rest.
  tick_window: (transaction, rows) => transaction`
    update actors set
      tick_from = case when w.from_now then r."from" else actors.tick_from end,
      tick_until = r."until",
      rests = case
        when w.from_now then '{}'
        when r."from" is null then actors.rests
        else actors.rests + int8multirange(int8range(least(actors.tick_until, r."from"), r."from")) end
    from jsonb_to_recordset(${transaction.json(rows)}) as r("actorId" uuid, "from" bigint, "until" bigint)
    join lateral (
      select r."from" is not null and (
        a.tick_from is null or a.tick_until is null or a.tick_until <= a.tick_from or t.last_slot >= a.tick_until - a.tick_period_ms
      ) is true as from_now
      from actors a left join tick_shards t on t.period_ms = a.tick_period_ms and t.shard = a.shard where a.id = r."actorId"
    ) w on true
    where actors.id = r."actorId"`,

  take_created: append(take),
  take_projection: revise(takeProjection),
  delegation: append(delegation),
  delegation_revocation: writeRevocations,

  proposal: async (transaction, rows) => {
    await project(proposal)(transaction, rows);
    await tellTakes(transaction, lastOfEach(rows));
  },
  market_order: project(marketOrder),
  prediction_order: project(predictionOrder),
  prepared_transaction: project(preparedTransaction),
  bridge_transfer: project(bridgeTransfer),
  bridge_arrival: writeBridgeArrivals,
  prediction_order_told: tellPredictionOrders,
  checkout: project(checkout),
  licence: append(licence),
  marketplace_import: append(marketplaceImport),
  launch: project(launch),
  launcher_launch: project(launcherLaunch),
  listed_token: writeListedTokens,

  // A timer that is due at once notifies each open proposal. The agent's row is locked first: a tick that is creating a proposal holds it,
  // and its proposal is then seen here. A breaker with `halt_only` keeps waiting proposals: they cannot be approved while the agent is
  // paused, and expire.
  proposals_cancelled: async (transaction, rows) => {
    const ids = rows.map(({ agentId }) => agentId as string);
    await transaction`select 1 from agents where id = any(${ids}::uuid[]) order by id for update`;
    await transaction`select 1 from takes where id = any(${ids}::uuid[]) order by id for update`;
    await transaction`
      insert into timers (actor_id, timer_id, due_at, event)
      select p.id, 'cancelled', 0, jsonb_build_object('type', 'cancel', 'reason', r.reason)
      from jsonb_to_recordset(${transaction.json(rows)}) as r("agentId" uuid, reason text)
      join proposals p on p.agent_id = r."agentId" and p.state in ('pending_approval', 'approved', 'executing')
      left join traders a on a.id = p.agent_id and a.kind = 'agent' left join manifests m on m.agent_id = a.id and m.version = a.manifest_version
      where not coalesce(a.paused_by_breaker and m.canonical::jsonb->>'killSwitchAction' = 'halt_only', false)
      on conflict (actor_id, timer_id) do nothing`;
  },

  execution_lease: async (transaction, rows) => {
    const taken = await transaction`
      insert into execution_leases (key, org_id, epoch, held_until)
      select key, "orgId", epoch, clock_timestamp() + "forMs" * interval '1 millisecond' from jsonb_to_recordset(${transaction.json(rows)})
        as r(key text, "orgId" uuid, epoch bigint, "forMs" bigint)
      on conflict (key) do update set epoch = excluded.epoch, held_until = excluded.held_until where execution_leases.held_until <= clock_timestamp()`;
    if (taken.count < rows.length) throw new Error('another worker holds the lease to execute');
  },

  execution_lease_ended: (transaction, rows) =>
    transaction`delete from execution_leases where key = any(${rows.map(({ key }) => key as string)}::text[])`,

  evaluation_run: writeEvaluationRuns,
  evaluation_report: writeEvaluationReports,
  trial: writeTrials,

  vault_change: (transaction, rows) => transaction`
    insert into vault_changes (agent_id, change, kind, depositor, amount_usd, shares, share_price_usd, rounding_usd, stage, at, request_id, reserve_check)
    select "agentId", change, kind, depositor, "amountUsd", shares, "sharePriceUsd", "roundingUsd", stage, at, "requestId", "reserveCheck"
    from jsonb_to_recordset(${transaction.json(rows)}) as r("agentId" uuid, change int, kind text, depositor text, "amountUsd" numeric,
      shares numeric, "sharePriceUsd" numeric, "roundingUsd" numeric, stage text, at bigint, "requestId" text, "reserveCheck" bigint)`,

  ledger: writeTransfers,

  fill: (transaction, rows, book) => writeFills(transaction, rows, book as Awaited<ReturnType<typeof lockBookOfFills>>),

  book_day: writeBookDays,

  risk_preferences: writePreferences,

  intervention: (transaction, rows) => transaction`
    insert into interventions (org_id, actor_id, action, activity_key, activities, reason, subject, request_id, at)
    select "orgId", "actorId", action, activity, activities, reason, subject, "requestId", at from jsonb_to_recordset(${transaction.json(rows)})
      as r("orgId" uuid, "actorId" uuid, action text, activity text, activities int, reason text, subject text, "requestId" text, at bigint)`,

  audit: (transaction, rows) => transaction`
    insert into audit (org_id, subject, permission, action, request_id, target, before_hash, after_hash)
    select "orgId", subject, permission, action, "requestId", target, "beforeHash", "afterHash" from jsonb_to_recordset(${transaction.json(rows)})
      as r("orgId" uuid, subject text, permission text, action text, "requestId" text, target text, "beforeHash" text, "afterHash" text)`,

  answer: (transaction, rows) => transaction`
    insert into idempotency_keys (org_id, subject, route, key, request_hash, status, body)
    select "orgId", subject, route, key, "requestHash", status, body from jsonb_to_recordset(${transaction.json(rows)})
      as r("orgId" uuid, subject text, route text, key text, "requestHash" text, status int, body text)`,
};

/** Checks that lock the rows that they read and depend on no other record of the step; they run concurrently. */
const CHECKS: ReadonlySet<string> = new Set(['execution_permit', 'epoch_check', 'mandate_check']);
/** Locks for later writes, taken while the checks run. */
const AHEAD: { readonly [type: string]: Writer } = { fill: lockBookOfFills };
/** Records with locks that must precede those taken ahead. */
const LOCKS_FIRST: ReadonlySet<string> = new Set(['delegation_check', 'transaction_capacity', 'take_capital']);

/** Writes the records of a step. @throws Error for a type without a writer: a defect */
export async function writeRecords(transaction: Transaction, records: readonly ActorRecord[]): Promise<void> {
  const rowsOf = new Map<string, ActorRecord[]>();
  for (const record of records) {
    if (!(record.type in WRITERS)) throw new Error(`no table is known for records of type ${record.type}`);
    const rows = rowsOf.get(record.type);
    if (rows === undefined) rowsOf.set(record.type, [record]);
    else rows.push(record);
  }
  const asked: Promise<unknown>[] = [];
  const ahead = new Map<string, Promise<unknown>>();
  const answered = async (): Promise<void> => {
    if (asked.length === 0) return;
    if (![...LOCKS_FIRST].some((type) => rowsOf.has(type)))
      for (const [type, lock] of Object.entries(AHEAD)) {
        const rows = rowsOf.get(type);
        if (rows !== undefined) ahead.set(type, lock(transaction, rows));
      }
    await Promise.all([...asked.splice(0), ...ahead.values()]);
  };
  for (const [type, write] of Object.entries(WRITERS)) {
    const rows = rowsOf.get(type);
    if (rows === undefined) continue;
    if (CHECKS.has(type)) {
      asked.push(write(transaction, rows));
      continue;
    }
    await answered();
    const written = write(transaction, rows, await ahead.get(type));
    // A single statement is not awaited: later statements run after it.
    if (isStatement(written)) send(transaction, written);
    else await written;
  }
  await answered();
}

/** Checks the organization's epoch, the only requirement of an order without an agent. @throws PermitLost after a halt */
async function requireEpochs(transaction: Transaction, rows: readonly ActorRecord[]): Promise<void> {
  const orgIds = [...new Set(rows.map(({ orgId }) => orgId as string))];
  const found = await transaction<{ org_id: string; epoch: number }[]>`
    select org_id, epoch from control where org_id = any(${orgIds}::uuid[]) order by org_id for share`;
  const epochs = new Map(found.map(({ org_id, epoch }) => [org_id, epoch]));
  for (const { orgId, epoch } of rows) if (epochs.get(orgId as string) !== epoch) throw new PermitLost('halted');
}

/** @throws PermitLost if a permit does not hold; the rows that were read stay locked until the transaction ends */
async function requirePermits(transaction: Transaction, rows: readonly ActorRecord[]): Promise<void> {
  const permits = rows as unknown as readonly (ExecutionPermit & { readonly orgId: string; readonly agentId: string })[];
  const factsOf = await readPermitFacts(transaction, [...new Set(permits.map(({ agentId }) => agentId))]);
  for (const permit of permits) {
    const facts = factsOf.get(permit.agentId);
    if (facts === undefined || facts.orgId !== permit.orgId)
      throw new Error(`agent ${permit.agentId} does not belong to organization ${permit.orgId}`);
    const reason = supersededBy(permit, facts);
    if (reason !== null) throw new PermitLost(reason);
  }
}

/**
 * Checks that the mandate of a risk assessment is still in force. A new version requires the control row, which this step's permit locks
 * until the transaction ends. @throws MandateMoved
 */
async function requireMandates(transaction: Transaction, rows: readonly ActorRecord[]): Promise<void> {
  const orgIds = [...new Set(rows.map(({ orgId }) => orgId as string))];
  const found = await transaction<{ org_id: string; version: number }[]>`
    select org_id, max(version) as version from risk_preferences where org_id = any(${orgIds}::uuid[]) group by org_id`;
  const versions = new Map(found.map(({ org_id, version }) => [org_id, version]));
  for (const { orgId, version } of rows) {
    const now = versions.get(orgId as string) ?? 0;
    if (now !== version)
      throw new MandateMoved(`the mandate of organization ${orgId as string} is at version ${now}, not ${version as number}`);
  }
}

/** Reads agents and Takes with their organizations' control rows, locked until the transaction ends against a halt, a pause or a change. */
export async function readPermitFacts(
  transaction: Transaction,
  agentIds: readonly string[],
): Promise<ReadonlyMap<string, PermitFacts & { readonly orgId: string }>> {
  const ofAgents = transaction<
    {
      id: string;
      org_id: string;
      epoch: number;
      halting: boolean;
      pause_cause: string | null;
      closing: boolean;
      manifest_hash: string;
      stage: Stage;
      autonomy: Autonomy;
    }[]
  >`
    select a.id, a.org_id, c.epoch, c.swept_epoch < c.epoch as halting, a.pause_cause, a.closing <> '[]' as closing, a.manifest_hash, a.stage, a.autonomy from agents a join control c on c.org_id = a.org_id
    where a.id = any(${agentIds as string[]}::uuid[]) order by a.id for share of a, c`;
  const takesFound = transaction<
    {
      id: string;
      org_id: string;
      epoch: number;
      halting: boolean;
      on_duty: boolean;
      mode: ExecutionMode | null;
      reason: string | null;
      manifest_hash: string;
    }[]
  >`
    select t.id, t.org_id, c.epoch, c.swept_epoch < c.epoch as halting, t.on_duty, t.mode, t.reason, t.manifest_hash from takes t join control c on c.org_id = t.org_id
    where t.id = any(${agentIds as string[]}::uuid[]) order by t.id for share of t, c`;
  // Sent together and locked in this order.
  const [rows, takes] = await Promise.all([ofAgents.execute(), takesFound.execute()]);
  const ofTakes = takes.map((row): [string, PermitFacts & { readonly orgId: string }] => [
    row.id,
    {
      orgId: row.org_id,
      epoch: row.epoch,
      halting: row.halting,
      paused: !row.on_duty,
      closedByHand: !row.on_duty && row.reason === CLOSING,
      manifestHash: row.manifest_hash,
      stage: row.mode === 'live' ? 'live' : 'paper',
      autonomy: 'policy_auto',
    },
  ]);
  return new Map([
    ...ofTakes,
    ...rows.map((row): [string, PermitFacts & { readonly orgId: string }] => [
      row.id,
      {
        orgId: row.org_id,
        epoch: row.epoch,
        halting: row.halting,
        paused: row.pause_cause !== null,
        pausedByBreaker: (BREAKER_PAUSES as readonly (string | null)[]).includes(row.pause_cause),
        closedByHand: row.closing,
        manifestHash: row.manifest_hash,
        stage: row.stage,
        autonomy: row.autonomy,
      },
    ]),
  ]);
}
