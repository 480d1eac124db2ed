/** Signs a transaction: one signature over the Merkle root of all changed rows of logged tables. */
import { batchRoot, batchText, type ChangeOp, type Writer } from '../../../domain/trail/batch.ts';
import type { Transaction } from '../database.ts';
import { findProtection } from './table-writers.ts';

/** Signing dependencies of a writer's connections. */
export interface BatchSigner {
  readonly writer: Writer;
  /** Eight hexadecimal digits of the public key. */
  readonly id: string;
  /** Secret that each connection presents when it opens. */
  readonly sessionProof: string;
  /** Returns the proof of a transaction for an organization, 64 hexadecimal digits: a secret valid for that organization only. */
  organizationProof(orgId: string): string;
  /** Returns an Ed25519 signature of 64 bytes. */
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
 * Signs the changes of a transaction, as its last statement, and returns their number. Signs nothing if no logged table changed or no
 * writer is registered.
 */
export async function sealBatch(transaction: Transaction, signer: BatchSigner): Promise<number> {
  const { changes, sealed } = await beginSeal(transaction, signer);
  await sealed;
  return changes;
}

/** Starts signing and returns when the signature is sent, so that COMMIT can follow. `sealed` rejects if the signature is refused. */
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
  // The transaction reports the error; it may have ended by then.
  sealed.catch(() => {});
  return { changes: changes.length, sealed };
}

/** Guarded tables whose triggers write a logged one, so that their changes need a signature. */
const SUMMED_BY_TRIGGERS: ReadonlySet<string> = new Set(['candles']);

/** Returns true if changes of a table need no signature. A transaction with only such changes is not signed. */
export function leavesNothingToSign(table: string): boolean {
  return findProtection(table) === 'guarded' && !SUMMED_BY_TRIGGERS.has(table);
}

const TARGET = /\b(?:insert\s+into|(?<!for\s)(?<!do\s)(?<!no\s+key\s)update|delete\s+from|merge\s+into|copy)\s+(\w*)/gi;
/** Database functions that change signed rows, which the calling statement does not show. */
export const SIGNED_FUNCTIONS: ReadonlySet<string> = new Set([
  'accept_invitation',
  'change_member',
  'forget_moved_steps',
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

/** Returns true if a statement may change signed rows, by its tables and functions. */
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
