/**
 * Verifies the steps of every actor: each begins in the state where the previous one ended, and the actor is in the state of the last one.
 */
import type { EpochMs } from '../../../domain/values/time.ts';
import type { Transaction } from '../database.ts';

const MOST = 100;

interface BrokenStep {
  readonly actor_id: string;
  readonly version: number;
  readonly at: EpochMs;
}

/** Reports steps that do not follow from the previous one, versions without a step, and actors whose state differs from their last step. */
export async function verifySteps(
  sql: Transaction,
  complain: (at: EpochMs, actorId: string, part: string, detail: string) => unknown,
): Promise<void> {
  const broken = await sql<BrokenStep[]>`
    select actor_id, version, at from (
      select actor_id, version, at, from_value, lag(to_value) over (partition by actor_id order by version) as before from steps) s
    where from_value is distinct from before order by at, actor_id limit ${MOST}`;
  for (const { actor_id, version, at } of broken)
    complain(at, actor_id, 'step', `step ${version} of actor ${actor_id} does not begin where the step before it has ended`);
  // A quarantine and its release raise the version without a step.
  const missing = await sql<(BrokenStep & { readonly steps: number })[]>`
    select actor_id, max(version) as version, max(at) as at, count(*)::int as steps from steps s group by 1
    having max(version) - count(*) > 2 * (select count(*) from incidents i where i.actor_id = s.actor_id and i.kind = 'quarantined')
    order by 3, 1 limit ${MOST}`;
  for (const { actor_id, version, at, steps } of missing)
    complain(at, actor_id, 'step', `${steps} steps of actor ${actor_id} are there, and the last one says that it is number ${version}`);
  const astray = await sql<BrokenStep[]>`
    select a.id as actor_id, l.version, l.at from actors a join lateral (
      select version, at, to_value from steps where actor_id = a.id order by version desc limit 1) l on true
    where a.snapshot -> 'value' is distinct from l.to_value order by 3, 1 limit ${MOST}`;
  for (const { actor_id, version, at } of astray)
    complain(at, actor_id, 'step', `actor ${actor_id} stands elsewhere than its last step ${version} has led to`);
}
