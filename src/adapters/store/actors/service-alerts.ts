/** Alerts that concern the whole service and every organization: a server that was started again, a clock that is wrong. */
import type { EpochMs } from '../../../domain/values/time.ts';
import type { Sql } from '../database.ts';
import { hintAnnouncements, inTransaction } from './actor-store.ts';

/** Announces an alert on the channel `alerts` of every organization. `what` names the kind of alert. */
export async function announceServiceAlert(
  sql: Sql,
  at: EpochMs,
  alert: { readonly what: string; readonly [detail: string]: string | number },
): Promise<void> {
  await inTransaction(sql, async (transaction) => {
    await transaction`
      insert into announcements (channel, org_id, actor_id, at, body)
      values ('alerts', null, null, ${at}, ${transaction.json(alert)})`;
    await hintAnnouncements(transaction);
  });
}
