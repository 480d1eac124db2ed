/** Parameters of JSON-RPC methods, parsed as strictly as by a node. */
import { type Address, getBase58Encoder, isAddress } from '@solana/kit';
import type { TransactionError } from './transaction-error.ts';
import { COMMITMENTS, type Commitment } from './slot-clock.ts';
import { LONGEST_TRANSACTION, type ReadTransaction, decodeTransaction, UnreadableTransaction } from './decode-transaction.ts';

/** JSON-RPC refusal. */
export class RpcRefusal extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export type Settings = Readonly<Record<string, unknown>>;

const invalid = (why: string): RpcRefusal => new RpcRefusal(-32602, `Invalid params: ${why}.`);

export function readSettings(value: unknown): Settings {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw invalid(`invalid type: ${JSON.stringify(value)}, expected a configuration object`);
  return value as Settings;
}

export function readText(value: unknown, what: string): string {
  if (typeof value !== 'string') throw invalid(`invalid type: ${JSON.stringify(value) ?? 'nothing'}, expected ${what} as a string`);
  return value;
}

export function readAddress(value: unknown): Address {
  const text = readText(value, 'an address');
  if (!isAddress(text)) throw new RpcRefusal(-32602, `Invalid param: ${/^[1-9A-HJ-NP-Za-km-z]*$/.test(text) ? 'WrongSize' : 'Invalid'}`);
  return text;
}

export function readSignature(value: unknown): string {
  const text = readText(value, 'a signature');
  const fits = /^[1-9A-HJ-NP-Za-km-z]{64,90}$/.test(text) && getBase58Encoder().encode(text).length === 64;
  if (!fits) throw new RpcRefusal(-32602, 'Invalid param: WrongSize');
  return text;
}

export function readWhole(value: unknown, what: string, most = Number.MAX_SAFE_INTEGER): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0 || value > most)
    throw invalid(`invalid type: ${JSON.stringify(value) ?? 'nothing'}, expected ${what} from 0 to ${most}`);
  return value;
}

export function readList(value: unknown, most: number, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw invalid(`invalid type: ${JSON.stringify(value) ?? 'nothing'}, expected a list of ${what}`);
  if (value.length > most) throw new RpcRefusal(-32602, `Too many inputs provided; max ${most}`);
  return value;
}

export function readFlag(value: unknown, otherwise = false): boolean {
  if (value === undefined || value === null) return otherwise;
  if (typeof value !== 'boolean') throw invalid(`invalid type: ${JSON.stringify(value)}, expected a boolean`);
  return value;
}

/** Parses a commitment. Deprecated names are refused. */
export function readCommitment(value: unknown): Commitment {
  if (value === undefined || value === null) return 'finalized';
  const found = COMMITMENTS.find((one) => one === value);
  if (found === undefined) throw invalid(`unknown variant ${JSON.stringify(value)}, expected one of processed, confirmed, finalized`);
  return found;
}

/** Returns the requested encoding if the method supports it, or `otherwise` if none is named. */
export function readEncoding<const Encoding extends string>(settings: Settings, known: readonly Encoding[], otherwise: Encoding): Encoding {
  const { encoding } = settings;
  if (encoding === undefined || encoding === null) return otherwise;
  const found = known.find((one) => one === encoding);
  if (found === undefined) throw invalid(`unknown variant ${JSON.stringify(encoding)}, expected one of ${known.join(', ')}`);
  return found;
}

/** Decodes a transaction from base64 or, as in old clients, base58. */
export function readTransaction(value: unknown, settings: Settings): ReadTransaction {
  const text = readText(value, 'a transaction');
  const encoding = readEncoding(settings, ['base58', 'base64'], 'base58');
  const bytes = encoding === 'base64' ? base64Bytes(text) : base58Bytes(text);
  if (bytes.length > LONGEST_TRANSACTION)
    throw new RpcRefusal(
      -32602,
      `decoded solana_transaction::versioned::VersionedTransaction too large: ${bytes.length} bytes (max: ${LONGEST_TRANSACTION} bytes)`,
    );
  try {
    return decodeTransaction(bytes);
  } catch (error) {
    if (error instanceof UnreadableTransaction) throw new RpcRefusal(-32602, error.message);
    throw error;
  }
}

function base64Bytes(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw new RpcRefusal(-32602, 'invalid base64 encoding: InvalidByte');
  return bytes;
}

function base58Bytes(text: string): Uint8Array {
  try {
    return getBase58Encoder().encode(text) as Uint8Array;
  } catch {
    throw new RpcRefusal(-32602, 'invalid base58 encoding: InvalidCharacter');
  }
}

/** Returns a node's answer to a failed preflight. */
export function preflightFailure(
  sentence: string,
  error: TransactionError,
  found: { readonly logs: readonly string[]; readonly units: bigint },
): RpcRefusal {
  return new RpcRefusal(-32002, `Transaction simulation failed: ${sentence}`, {
    accounts: null,
    err: error,
    innerInstructions: null,
    loadedAccountsDataSize: 0,
    logs: found.logs,
    replacementBlockhash: null,
    returnData: null,
    unitsConsumed: Number(found.units),
  });
}
