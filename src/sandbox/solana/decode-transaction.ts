/** Transactions as the sandbox's node decodes them from the wire. */
import {
  type Address,
  type CompiledTransactionMessage,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  getTransactionEncoder,
  type Transaction,
} from '@solana/kit';
import { signatureHolds } from './keys.ts';

/** Maximum size of a transaction in bytes. */
export const LONGEST_TRANSACTION = 1_232;

interface LookedUpTable {
  readonly table: Address;
  readonly writable: readonly number[];
  readonly readonly: readonly number[];
}

interface WireInstruction {
  readonly programIndex: number;
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
}

export interface ReadTransaction {
  readonly bytes: Uint8Array;
  /** Form that the virtual machine runs. */
  readonly transaction: Transaction;
  readonly message: Uint8Array;
  readonly version: 'legacy' | 0;
  /** First signature in base58, which identifies the transaction. */
  readonly signature: string;
  readonly signatures: readonly string[];
  readonly header: { readonly signers: number; readonly readonlySigners: number; readonly readonlyOthers: number };
  readonly staticKeys: readonly Address[];
  readonly blockhash: string;
  readonly instructions: readonly WireInstruction[];
  readonly lookups: readonly LookedUpTable[];
}

/** Bytes that a node cannot decode. The message is the node's. */
export class UnreadableTransaction extends Error {}

/** Decodes wire bytes like a node, which refuses trailing bytes. @throws UnreadableTransaction */
export function decodeTransaction(bytes: Uint8Array): ReadTransaction {
  try {
    const transaction = getTransactionDecoder().decode(bytes);
    const again = getTransactionEncoder().encode(transaction);
    if (again.length !== bytes.length || !again.every((byte, at) => byte === bytes[at])) throw new Error('invalid value');
    const message = transaction.messageBytes as unknown as Uint8Array;
    const read = decodeMessage(message);
    const signatures = signatureTexts(transaction);
    if (signatures.length !== read.header.signers) throw new Error('signatures do not match the header');
    return { bytes, transaction, message, signature: signatures[0] as string, signatures, ...read };
  } catch (error) {
    throw new UnreadableTransaction(
      `failed to deserialize solana_transaction::versioned::VersionedTransaction: ${(error as Error).message}`,
    );
  }
}

function signatureTexts(transaction: Transaction): string[] {
  const none = new Uint8Array(64);
  return Object.values(transaction.signatures).map((signature) => getBase58Decoder().decode((signature as Uint8Array | null) ?? none));
}

type MessageParts = Omit<ReadTransaction, 'bytes' | 'transaction' | 'message' | 'signature' | 'signatures'>;

/** Decodes a message without signatures. @throws if it cannot be decoded */
export function decodeMessage(bytes: Uint8Array): MessageParts {
  const compiled = getCompiledTransactionMessageDecoder().decode(bytes) as CompiledTransactionMessage & { readonly lifetimeToken: string };
  if (compiled.version !== 0 && compiled.version !== 'legacy')
    throw new Error(`message version ${String(compiled.version)} is not supported`);
  const parts = compiled as typeof compiled & {
    readonly instructions: readonly { programAddressIndex: number; accountIndices?: number[]; data?: Uint8Array }[];
    readonly addressTableLookups?: readonly { lookupTableAddress: Address; writableIndexes: number[]; readonlyIndexes: number[] }[];
  };
  return {
    version: compiled.version,
    header: {
      signers: compiled.header.numSignerAccounts,
      readonlySigners: compiled.header.numReadonlySignerAccounts,
      readonlyOthers: compiled.header.numReadonlyNonSignerAccounts,
    },
    staticKeys: compiled.staticAccounts,
    blockhash: compiled.lifetimeToken,
    instructions: parts.instructions.map(({ programAddressIndex, accountIndices, data }) => ({
      programIndex: programAddressIndex,
      accounts: accountIndices ?? [],
      data: (data as Uint8Array | undefined) ?? new Uint8Array(),
    })),
    lookups: (parts.addressTableLookups ?? []).map(({ lookupTableAddress, writableIndexes, readonlyIndexes }) => ({
      table: lookupTableAddress,
      writable: writableIndexes,
      readonly: readonlyIndexes,
    })),
  };
}

/** Cached results of signature checks, which node, leader and machine each need. */
const CHECKED = new WeakMap<ReadTransaction, boolean>();

/** True if every signature of a transaction is present and valid. */
export function fullySigned(read: ReadTransaction): boolean {
  const known = CHECKED.get(read);
  if (known !== undefined) return known;
  const { transaction, message } = read;
  const holds = Object.entries(transaction.signatures).every(
    ([signer, signature]) => signature !== null && signatureHolds(signer as Address, message, signature as unknown as Uint8Array),
  );
  CHECKED.set(read, holds);
  return holds;
}

/** True if the static key at an index is writable. */
export function isWritable({ header, staticKeys }: Pick<ReadTransaction, 'header' | 'staticKeys'>, index: number): boolean {
  if (index < header.signers) return index < header.signers - header.readonlySigners;
  return index < staticKeys.length - header.readonlyOthers;
}
