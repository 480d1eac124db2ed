// Attacks of somebody with a database password: each is raw SQL of one role, and returns how many rows it took.
import type { Transaction } from '../../src/adapters/store/database.ts';
import { MINUTE, OURS, type SignedFixture, THEIRS } from './signed-fixture.ts';

export interface Attack {
  readonly name: string;
  readonly role: 'app' | 'callers';
  /** Returns the number of rows changed or seen illegally. Throws if refused. */
  run(sql: Transaction, world: SignedFixture): Promise<number>;
  /**
   * Protection against the holder of a service's session, with its secret but without its signing key: refused by the database with a
   * reason, shown nothing, or found by the verifier.
   */
  readonly session: 'refused' | 'sees nothing' | 'found';
}

const ORDER = {
  id: '00000000-0000-7000-9000-000000000001',
  instrument: 'spotchain:AAPLx',
  side: 'buy',
  quantity: '1',
};
const NEW_ID = '00000000-0000-7000-9000-0000000000f1';
const count = (rows: { readonly count: number }): number => rows.count;
/** Switches to an organization with the proof that the stolen session has seen, which is ours. */
const asOurs = (sql: Transaction, { proofOfOurs }: SignedFixture, orgId = OURS) =>
  sql`select set_config('sevengate.organization', ${orgId}, true), set_config('sevengate.organization_proof', ${proofOfOurs}, true)`;

export const ATTACKS: readonly Attack[] = [
  {
    name: "end others' connections",
    role: 'app',
    run: async (sql) =>
      (
        await sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = session_user and pid <> pg_backend_pid() and application_name = 'signed worker'`
      ).count,
    session: 'refused',
  },
  {
    name: 'take a thousand advisory locks',
    role: 'app',
    run: async (sql) => count(await sql`select pg_advisory_lock(n) from generate_series(1, 1000) n`),
    session: 'refused',
  },
  {
    name: 'grant oneself risk:manage',
    role: 'app',
    run: async (sql) => count(await sql`update members set permissions = '{agent:read,trade:execute,risk:manage}' where subject = 'ann'`),
    session: 'refused',
  },
  {
    name: 'raise the autonomy of an agent',
    role: 'app',
    run: async (sql, { agents }) => count(await sql`update agents set autonomy = 'autonomous' where id = ${agents[0]}`),
    session: 'found',
  },
  {
    name: "clear a breaker's pause",
    role: 'app',
    run: async (sql, { agents }) => count(await sql`update agents set pause_cause = null where id = ${agents[1]}`),
    session: 'found',
  },
  {
    name: "move a snapshot's stage to live",
    role: 'app',
    run: async (sql, { agents }) =>
      count(await sql`update actors set snapshot = jsonb_set(snapshot, '{value,stage}', '"live"') where id = ${agents[0]}`),
    session: 'found',
  },
  {
    name: 'forge a step "resumed by the risk manager"',
    role: 'app',
    run: async (sql, { agents, slot }) =>
      count(
        await sql`
        insert into steps (actor_id, version, at, machine, event, from_value, to_value, cause)
        select actor_id, max(version) + 1, ${slot}, 'agent@1', '{"type":"resume"}', '{"duty":"paused"}', '{"duty":"active"}', 'risk manager'
        from steps where actor_id = ${agents[1]} group by 1`,
      ),
    session: 'found',
  },
  {
    name: 'bump the control epoch',
    role: 'app',
    run: async (sql) => count(await sql`update control set epoch = epoch + 1000, halted_at = null`),
    session: 'found',
  },
  {
    name: 'take an emergency halt back',
    role: 'app',
    run: async (sql) => count(await sql`update control set epoch = epoch - 1`),
    session: 'refused',
  },
  {
    name: "loosen risk preferences in another's name",
    role: 'app',
    run: async (sql) =>
      count(
        await sql`insert into risk_preferences (org_id, version, body, set_by) values (${OURS}, 1, '{"maxOrderUsd":"1000000000"}', 'ann')`,
      ),
    session: 'found',
  },
  {
    name: 'forge audit rows',
    role: 'app',
    run: async (sql, { agents }) =>
      count(
        await sql`insert into audit (org_id, subject, action, request_id, target) values (${OURS}, 'ann', 'agent.resume', 'r', ${agents[1]})`,
      ),
    session: 'found',
  },
  {
    name: 'store an idempotent answer',
    role: 'app',
    run: async (sql) =>
      count(
        await sql`insert into idempotency_keys (org_id, subject, route, key, request_hash, status, body) values (${OURS}, 'ann', 'POST /v1/orders', 'k', 'h', 200, '{}')`,
      ),
    session: 'found',
  },
  {
    name: 'send alerts to all clients',
    role: 'app',
    run: async (sql, { slot }) =>
      count(await sql`insert into announcements (channel, at, body) values ('alerts', ${slot}, '{"what":"all is lost"}')`),
    session: 'found',
  },
  {
    name: "steal the feed's lease",
    role: 'app',
    run: async (sql) => count(await sql`update leases set holder = 'thief', held_until = 'infinity' where duty = 'feed'`),
    session: 'refused',
  },
  {
    name: "end the feed's lease",
    role: 'app',
    run: async (sql) => count(await sql`delete from leases where duty = 'feed'`),
    session: 'found',
  },
  {
    name: 'be on duty for ever',
    role: 'app',
    run: async (sql) => count(await sql`insert into leases (duty, holder, held_until) values ('another', 'thief', 'infinity')`),
    session: 'refused',
  },
  {
    name: 'write a cut before its minute',
    role: 'app',
    run: async (sql, { slot }) =>
      count(await sql`insert into cuts (slot, source, instruments) values (${slot + 120 * MINUTE}, 'streams', 0)`),
    session: 'refused',
  },
  {
    name: 'write a cut that nobody received',
    role: 'app',
    run: async (sql, { slot }) =>
      count(await sql`insert into cuts (slot, source, instruments) values (${slot - 10 * MINUTE}, 'streams', 0)`),
    session: 'found',
  },
  {
    name: 'delegate with an invented signature',
    role: 'app',
    run: async (sql, { agents, slot }) =>
      count(
        await sql`
        insert into delegations (id, org_id, trader, agent_id, wallet, signer_wallet, max_notional_usd, expires_at, issued_at, nonce, challenge, owner_signature, granted_by, granted_at)
        values (${NEW_ID}, ${OURS}, 'agent', ${agents[1]}, '11111111111111111111111111111111', 'signer', 1000000, ${slot + 1e9}, ${slot}, ${NEW_ID}, 'x', ${'A'.repeat(86)} || '==', 'ann', ${slot})`,
      ),
    session: 'found',
  },
  {
    name: 'delete all news',
    role: 'app',
    run: async (sql) => count(await sql`delete from intelligence_events`),
    session: 'refused',
  },
  {
    name: 'make up news',
    role: 'app',
    run: async (sql) => count(await sql`update intelligence_events set severity = 'low', headline = 'all is well'`),
    session: 'refused',
  },
  {
    name: 'rewrite candles',
    role: 'app',
    run: async (sql) => count(await sql`update candles set close = high`),
    session: 'found',
  },
  {
    name: "hide a drawdown in a book's start of day",
    role: 'app',
    run: async (sql) => count(await sql`update books set day = 0, day_start_equity_usd = 1`),
    session: 'found',
  },
  {
    name: 'insert an approved live order',
    role: 'app',
    run: async (sql, { slot }) => {
      await sql`insert into actors (id, org_id, kind, machine, version, snapshot, status) values (${NEW_ID}, ${OURS}, 'market_order', 'market_order@1', 1, '{}', 'running')`;
      return count(
        await sql`
        insert into market_orders (id, org_id, mode, book_id, instrument, order_body, decision_price, risk, placed_by, epoch, state, created_at, changed_at)
        values (${NEW_ID}, ${OURS}, 'live', 'manual', 'spotchain:AAPLx', ${sql.json(ORDER)}, 1, '{}', 'ann', 0, 'approved', ${slot}, ${slot})`,
      );
    },
    session: 'found',
  },
  {
    name: 'have an arbitrary activity carried out',
    role: 'app',
    run: async (sql, { agents, slot }) =>
      count(
        await sql`insert into activities (key, actor_id, kind, payload, due_at) values ('thief', ${agents[1]}, 'execute', '{}', ${slot})`,
      ),
    session: 'found',
  },
  {
    name: 'give up an activity that is under way',
    role: 'app',
    run: async (sql) => count(await sql`update activities set state = 'given_up', answer = '{}'`),
    session: 'found',
  },
  {
    name: 'delete all timers',
    role: 'app',
    run: async (sql) => count(await sql`delete from timers`),
    session: 'found',
  },
  {
    name: 'delete execution leases',
    role: 'app',
    run: async (sql) => count(await sql`delete from execution_leases`),
    session: 'refused',
  },
  {
    name: 'end execution leases early',
    role: 'app',
    run: async (sql) => count(await sql`update execution_leases set held_until = held_until - interval '1 day'`),
    session: 'refused',
  },
  {
    name: 'keep an order under way for ever, and with it the answer to a halt',
    role: 'app',
    run: async (sql, { agents }) =>
      count(
        await sql`insert into execution_leases (key, org_id, epoch, held_until) values (${agents[0]}, ${OURS}, 0, clock_timestamp() + interval '1 year')`,
      ),
    session: 'refused',
  },
  {
    name: 'say that slots to come were ticked',
    role: 'app',
    run: async (sql, { slot }) => count(await sql`update tick_shards set last_slot = ${slot + 60 * MINUTE}`),
    session: 'refused',
  },
  {
    name: 'have slots ticked that were ticked',
    role: 'app',
    run: async (sql) => count(await sql`update tick_shards set last_slot = last_slot - ${MINUTE}`),
    session: 'refused',
  },
  {
    name: 'say that recurring work of days to come is done',
    role: 'app',
    run: async (sql, { slot }) =>
      count(await sql`insert into recurring_work (name, done_slot) values ('the breakers', ${slot + 24 * 60 * MINUTE})`),
    session: 'refused',
  },
  {
    name: 'put outside work off for a year',
    role: 'app',
    run: async (sql) => count(await sql`update activities set due_at = due_at + 31536000000`),
    session: 'refused',
  },
  {
    name: 'end the log with a checkpoint of entries to come',
    role: 'app',
    run: async (sql, { slot }) => count(await sql`select trail_checkpoint(1000000, 'a note', array[]::bytea[], ${slot})`),
    session: 'refused',
  },
  {
    name: 'read another organization by set_config',
    role: 'callers',
    run: async (sql, world) => {
      await asOurs(sql, world, THEIRS);
      return count(await sql`select id from agents`);
    },
    session: 'sees nothing',
  },
  {
    name: 'pay into a vault at a price of 0.000001',
    role: 'callers',
    run: async (sql, world) => {
      const { agents, slot } = world;
      await asOurs(sql, world);
      return count(
        await sql`
        insert into vault_changes (agent_id, change, kind, depositor, amount_usd, shares, share_price_usd, rounding_usd, stage, at, request_id)
        values (${agents[1]}, 2, 'deposit', 'mallory', 1, 1000000, 0.000001, 0, 'live', ${slot}, 'r')`,
      );
    },
    session: 'refused',
  },
  {
    name: 'forge a fill in a live book',
    role: 'callers',
    run: async (sql, world) => {
      const { agents, slot } = world;
      await asOurs(sql, world);
      const book = `agent:${agents[1]}:live`;
      await sql`insert into ledger_transactions (id, book_id, kind, at, legs) values ('fill:forged', ${book}, 'fill', ${slot}, 4)`;
      await sql`insert into ledger_accounts (book_id, kind, asset) values (${book}, 'position', 'spotchain:AAPLx'), (${book}, 'trading', 'spotchain:AAPLx'), (${book}, 'trading', 'USD') on conflict do nothing`;
      await sql`
        insert into ledger_legs (transaction_id, leg, account_id, amount)
        select 'fill:forged', row_number() over (), id, case when kind = 'cash' then -1 when asset = 'USD' then 1 when kind = 'position' then 1 else -1 end
        from ledger_accounts where book_id = ${book} and (kind, asset) in (('position', 'spotchain:AAPLx'), ('trading', 'spotchain:AAPLx'), ('trading', 'USD'), ('cash', 'USD'))`;
      await sql`update books set cash_usd = cash_usd - 1, holdings = '[{"instrument":"spotchain:AAPLx","quantity":"1","costUsd":"1","openedAt":0}]' where id = ${book}`;
      return count(
        await sql`
        insert into fills (id, order_id, book_id, instrument, side, quantity, fill_price, fee_usd, notional_usd, decision_price, slippage_bps, at, quotes)
        values ('forged', 'o', ${book}, 'spotchain:AAPLx', 'buy', 1, 1, 0, 1, 1, 0, ${slot}, '[]')`,
      );
    },
    session: 'found',
  },
  {
    name: 'raise autonomy and unpause an agent',
    role: 'callers',
    run: async (sql, world) => {
      const { agents } = world;
      await asOurs(sql, world);
      return count(await sql`update agents set autonomy = 'autonomous', pause_cause = null where id = ${agents[1]}`);
    },
    session: 'found',
  },
  {
    name: 'forge an approval',
    role: 'callers',
    run: async (sql, world) => {
      const { agents, slot } = world;
      await asOurs(sql, world);
      return count(
        await sql`
        insert into steps (actor_id, version, at, machine, event, from_value, to_value, cause)
        select id, version + 1, ${slot}, machine, '{"type":"approve"}', null, '"approved"', 'eve' from actors where id = ${agents[1]}`,
      );
    },
    session: 'found',
  },
  {
    name: 'read the members of all organizations',
    role: 'callers',
    run: async (sql, world) => {
      const seen = new Set<string>();
      for (const orgId of [OURS, THEIRS]) {
        await asOurs(sql, world, orgId);
        for (const row of await sql<{ org_id: string }[]>`select org_id from members`) seen.add(row.org_id);
      }
      return seen.has(THEIRS) ? seen.size : 0;
    },
    session: 'sees nothing',
  },
];
