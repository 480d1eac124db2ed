/** The audit trail: who changed what, newest first. */
import { type PageRows, type PageWindow, pageOfRows } from './agent-reads.ts';
import type { Sql } from './database.ts';

export interface AuditEntry {
  readonly seq: number;
  readonly subject: string;
  /** The permissions that the subject held. */
  readonly permission: string | null;
  readonly action: string;
  readonly requestId: string;
  readonly target: string;
  readonly beforeHash: string | null;
  readonly afterHash: string | null;
  /** ISO 8601. */
  readonly at: string;
}

export function createAuditReads(sql: Sql) {
  return {
    /** The position is the last entry's number. */
    async list(orgId: string, { limit, after }: PageWindow): Promise<PageRows<AuditEntry>> {
      const rows = await sql<(Omit<AuditEntry, 'at'> & { at: Date })[]>`
        select seq, subject, permission, action, request_id as "requestId", target, before_hash as "beforeHash", after_hash as "afterHash", at
        from audit where org_id = ${orgId} ${after === null ? sql`` : sql`and seq < ${Number(after)}`}
        order by seq desc limit ${limit + 1}`;
      const page = pageOfRows(rows, limit, (row) => String(row.seq));
      return { items: page.items.map((row) => ({ ...row, at: row.at.toISOString() })), next: page.next };
    },
  };
}
