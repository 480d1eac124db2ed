/** Store of linked wallets, and of texts that wait for an owner's signature. */
import type { WalletDirectory } from '../../../../actors/linked-wallet/commands.ts';
import { type LinkedWallet, linkedWallet } from '../../../../actors/linked-wallet/resource.ts';
import type { ActorRecord } from '../../../domain/agents/actor-step.ts';
import type { WalletChallenge } from '../../../domain/identity/linked-wallet.ts';
import { writeRecords } from '../actors/actor-records.ts';
import { inTransaction } from '../actors/actor-store.ts';
import type { Sql } from '../database.ts';
import { selectColumns, createRowReads } from '../resource-rows.ts';

export function createLinkedWalletStore(sql: Sql) {
  return {
    async issue(orgId: string, { address, text, issuedAt }: WalletChallenge): Promise<void> {
      await sql`
        insert into wallet_challenges (org_id, address, text, issued_at) values (${orgId}, ${address}, ${text}, ${issuedAt})
        on conflict (org_id, address) do update set text = excluded.text, issued_at = excluded.issued_at`;
    },

    /** Returns the newest challenge of an address; null if there is none. */
    async challengeOf(orgId: string, address: string): Promise<WalletChallenge | null> {
      const [row] = await sql<{ text: string; issued_at: number }[]>`
        select text, issued_at from wallet_challenges where org_id = ${orgId} and address = ${address}`;
      return row === undefined ? null : { address, text: row.text, issuedAt: row.issued_at };
    },

    /** Links a wallet. Returns null and writes nothing if the text was used or replaced. A linked wallet keeps its id. */
    async link(
      orgId: string,
      wallet: LinkedWallet,
      proof: WalletChallenge & { readonly signature: string },
      recordsOf: (linked: LinkedWallet) => readonly ActorRecord[],
    ): Promise<LinkedWallet | null> {
      return inTransaction(sql, async (transaction) => {
        const used = await transaction`
          delete from wallet_challenges where org_id = ${orgId} and address = ${wallet.address} and text = ${proof.text}`;
        if (used.count === 0) return null;
        const [row] = await transaction<[Readonly<Record<string, unknown>>]>`
          insert into linked_wallets as t (id, org_id, chain, address, label, challenge, signature, proved_by, proved_at)
          values (${wallet.id}, ${orgId}, ${wallet.chain}, ${wallet.address}, ${wallet.label}, ${proof.text}, ${proof.signature}, ${wallet.provedBy}, ${wallet.provedAt})
          on conflict (org_id, address) do update set label = coalesce(excluded.label, t.label), challenge = excluded.challenge,
            signature = excluded.signature, proved_by = excluded.proved_by, proved_at = excluded.proved_at
          returning ${selectColumns(transaction, linkedWallet)}`;
        const linked = linkedWallet.view(row);
        await writeRecords(transaction, recordsOf(linked));
        return linked;
      });
    },

    change: changeWallet(sql),

    /** Returns wallets whose id or label is among the names, oldest first. */
    async named(orgId: string, names: readonly string[]): Promise<readonly LinkedWallet[]> {
      const rows = await sql`
        select ${selectColumns(sql, linkedWallet)} from linked_wallets t
        where t.org_id = ${orgId} and (t.id::text = any(${[...names]}::text[]) or t.label = any(${[...names]}::text[])) order by t.number`;
      return rows.map(linkedWallet.view);
    },

    /** Lists wallets, newest first. The position is the last one's number. */
    list: createRowReads(sql, linkedWallet).list,
  };
}

export type LinkedWalletStore = ReturnType<typeof createLinkedWalletStore>;

/**
 * Changes a wallet; null if the organization has none with the id. If `changed` refuses, nothing is written; if it returns null, the wallet
 * is deleted.
 */
function changeWallet(sql: Sql): WalletDirectory['change'] {
  return (orgId, id, changed, recordsOf) =>
    inTransaction(sql, async (transaction) => {
      const [row] = await transaction`
        select ${selectColumns(transaction, linkedWallet)} from linked_wallets t where t.org_id = ${orgId} and t.id = ${id} for update`;
      if (row === undefined) return null;
      const before = linkedWallet.view(row);
      const outcome = changed(before);
      if (!outcome.ok) return outcome;
      const after = outcome.value;
      if (after === null) await transaction`delete from linked_wallets where org_id = ${orgId} and id = ${id}`;
      else await transaction`update linked_wallets set label = ${after.label} where org_id = ${orgId} and id = ${id}`;
      await writeRecords(transaction, recordsOf(before, after));
      return { ok: true, value: after ?? before };
    });
}
