/** Alerts that concern the whole service, such as a restarted server or a wrong clock. */
import type { EpochMs } from '../../../domain/values/time.ts';
import type { Sql } from '../database.ts';
import { hintAnnouncements, inTransaction } from './actor-store.ts';

/** Announces an alert to every organization on the channel `alerts`. `what` is the kind of alert. */
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
