/** The writer's signature under a transaction: one over the Merkle root of all rows of logged tables that it has changed. */
import { batchRoot, batchText, type ChangeOp, type Writer } from '../../../domain/trail/batch.ts';
import type { Transaction } from '../database.ts';
import { protectionOf } from './guarded-tables.ts';

/** Signing dependencies of a writer's connections. */
export interface BatchSigner {
  readonly writer: Writer;
  /** Eight hexadecimal digits of the public key. */
  readonly id: string;
  /** Proof that each of its connections shows when it opens: a secret. */
  readonly sessionProof: string;
  /** Returns the proof of a transaction for an organization, 64 hexadecimal digits: a secret that is valid for that organization alone. */
  organizationProof(orgId: string): string;
  /** An Ed25519 signature of 64 bytes. */
  sign(text: Uint8Array): Buffer;
}

interface OpenChange {
  readonly xid: string;
  readonly at: number;
  readonly name: string;
  readonly op: ChangeOp;
  readonly key: string;
  readonly digest: string;
}

/**
 * Signs what the transaction has changed so far; it must be the last that happens in it. Nothing if it changed no logged
 * table, or where no writer is registered in the database. @returns how many changes were signed.
 */
export async function sealBatch(transaction: Transaction, signer: BatchSigner): Promise<number> {
  const { changes, sealed } = await beginSeal(transaction, signer);
  await sealed;
  return changes;
}

/** The same, answered as soon as the signature is on its way: the commit may follow it. `sealed` rejects where it was refused. */
export async function beginSeal(
  transaction: Transaction,
  signer: BatchSigner,
): Promise<{ readonly changes: number; readonly sealed: Promise<unknown> }> {
  const changes = await transaction<OpenChange[]>`select xid, at, name, op, key, digest from trail_open_changes()`;
  const [first] = changes;
  if (first === undefined) return { changes: 0, sealed: Promise.resolve() };
  const { xid, at } = first;
  const root = batchRoot(
    xid,
    changes.map(({ name, op, key, digest }) => ({ table: name, op, key, digest })),
  );
  const text = batchText({ xid, writer: signer.writer, keyId: signer.id, at, changes: changes.length, root });
  const signature = signer.sign(Buffer.from(text)).toString('base64');
  const sealed = transaction`select trail_seal(${signer.id}, ${at}, ${changes.length}, ${root}, ${signature})`.execute();
  // Told by the transaction, which may have ended by then.
  sealed.catch(() => {});
  return { changes: changes.length, sealed };
}

/** Guarded tables whose triggers write a logged one, so that a change of them is signed: bars leave their stretch. */
const SUMMED_BY_TRIGGERS: ReadonlySet<string> = new Set(['candles']);

/** True if a table's changes leave nothing to sign. A transaction that changes only such tables is not queried for changes at its end. */
export function leavesNothingToSign(table: string): boolean {
  return protectionOf(table) === 'guarded' && !SUMMED_BY_TRIGGERS.has(table);
}

const TARGET = /\b(?:insert\s+into|(?<!for\s)(?<!do\s)(?<!no\s+key\s)update|delete\s+from|merge\s+into|copy)\s+(\w*)/gi;
/** Functions of the database that change rows which are signed, where the words of the statement that calls them say nothing of it. */
export const SIGNED_FUNCTIONS: ReadonlySet<string> = new Set([
  'accept_invitation',
  'change_member',
  'forget_outside_inputs',
  'invite_member',
  'renew_activities',
  'revoke_invitation',
  'revoke_tokens',
  'set_member_role',
  'take_activities',
]);
const CALL = /\b(\w+)\s*\(/g;
const signing = new WeakMap<TemplateStringsArray, boolean>();

/** True if a statement may change signed rows, by the tables that it writes to and the functions that it calls. */
export function mayNeedSigning(strings: TemplateStringsArray): boolean {
  let may = signing.get(strings);
  if (may === undefined) {
    may = strings.some(
      (part) =>
        [...part.matchAll(TARGET)].some(([, table = '']) => !leavesNothingToSign(table.toLowerCase())) ||
        [...part.matchAll(CALL)].some(([, name = '']) => SIGNED_FUNCTIONS.has(name.toLowerCase())),
    );
    signing.set(strings, may);
  }
  return may;
}
