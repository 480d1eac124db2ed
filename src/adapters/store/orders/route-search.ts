/** Searches signed transactions for routes that paid a foreign account. The transactions stay; findings are reported. */
import { readMessage } from '../../../domain/solana/message.ts';
import { routeFindings } from '../../../domain/solana/route-findings.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { Transaction } from '../database.ts';

const PAGE = 500;

/** Signed transaction that paid an account other than its wallet's, or whose route cannot be parsed. */
interface RouteFinding {
  readonly transactionId: string;
  readonly orgId: string;
  readonly wallet: string;
  readonly executor: 'user' | 'delegated';
  readonly state: string;
  readonly at: EpochMs;
  /** Sentences, one per instruction. */
  readonly findings: readonly string[];
}

export interface RouteSearch {
  /** Number of signed transactions that were searched. */
  readonly searched: number;
  readonly found: readonly RouteFinding[];
}

interface SignedRow {
  readonly id: string;
  readonly number: number;
  readonly org_id: string;
  readonly wallet: string;
  readonly executor: 'user' | 'delegated';
  readonly state: string;
  readonly at: EpochMs;
  readonly message: string;
}

/** Searches every signed transaction, oldest first. */
export async function searchSignedRoutes(sql: Transaction): Promise<RouteSearch> {
  const found: RouteFinding[] = [];
  let searched = 0;
  for (let after: number | null = 0; after !== null; ) {
    const rows: readonly SignedRow[] = await sql<SignedRow[]>`
      select id, number, org_id, wallet, executor, state, changed_at as at, message ->> 'messageBase64' as message from prepared_transactions
      where signature is not null and number > ${after} order by number limit ${PAGE}`;
    for (const { id, org_id: orgId, wallet, executor, state, at, message } of rows) {
      const read = readMessage(new Uint8Array(Buffer.from(message, 'base64')));
      const findings = read.ok ? routeFindings(read.value, wallet) : [`its message cannot be read: ${read.refusal.detail}`];
      if (findings.length > 0) found.push({ transactionId: id, orgId, wallet, executor, state, at, findings });
    }
    searched += rows.length;
    after = rows.at(-1)?.number ?? null;
  }
  return { searched, found };
}
