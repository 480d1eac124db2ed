/**
 * A strict reader of the primary chain's wire transactions. It accepts one encoding per transaction: shortest counts, nothing after the
 * end, every index in range. A second encoding that a lenient reader would accept is refused, so that comparing bytes is comparing
 * transactions.
 */
import { type Outcome, refuse } from '../values/refusal.ts';
import { base58 } from './base58.ts';

/** Maximum length of a transaction on the chain, in bytes. */
export const LONGEST_TRANSACTION = 1_232;
const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;
/** Maximum accounts per message, because an index is one byte. */
const MOST_ACCOUNTS = 256;
const VERSIONED = 0x80;

interface MessageHeader {
  readonly requiredSignatures: number;
  readonly readonlySigned: number;
  readonly readonlyUnsigned: number;
}

export interface WireInstruction {
  /** Address of the program, always one of the static keys. */
  readonly program: string;
  /** Indexes into the static keys, followed by the writable, then the read-only addresses of the lookups. */
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
}

/** Addresses from a table on the chain. The message contains only their indexes. */
interface AddressLookup {
  readonly table: string;
  readonly writable: readonly number[];
  readonly readonly: readonly number[];
}

export interface WireMessage {
  readonly version: 'legacy' | 0;
  readonly header: MessageHeader;
  /** Base58. The first `requiredSignatures` of them sign, and the very first one pays. */
  readonly staticKeys: readonly string[];
  readonly blockhash: string;
  readonly instructions: readonly WireInstruction[];
  readonly lookups: readonly AddressLookup[];
}

export interface WireTransaction extends WireMessage {
  /** One per required signer, in the order of the keys. Zeros mean not signed yet. */
  readonly signatures: readonly Uint8Array[];
  /** Signed bytes: everything after the signatures, as received. */
  readonly message: Uint8Array;
}

/** Error of malformed bytes. */
class Unreadable extends Error {}

/** Reads consecutive bytes. Refuses to read past the end. */
class Reader {
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.at = 0;
  }

  byte(what: string): number {
    const value = this.bytes[this.at];
    if (value === undefined) throw new Unreadable(`it ends at byte ${this.at}, before ${what}`);
    this.at++;
    return value;
  }

  take(length: number, what: string): Uint8Array {
    if (this.at + length > this.bytes.length) throw new Unreadable(`it ends at byte ${this.bytes.length}, within ${what}`);
    const part = this.bytes.subarray(this.at, this.at + length);
    this.at += length;
    return part;
  }

  /** Reads a compact-u16 in its shortest form: seven bits per byte, at most three bytes, the last one not zero. */
  count(what: string): number {
    const begin = this.at;
    let value = 0;
    for (let place = 0; place < 3; place++) {
      const byte = this.byte(what);
      value |= (byte & 0x7f) << (7 * place);
      if ((byte & 0x80) !== 0) continue;
      if (place > 0 && byte === 0) throw new Unreadable(`${what} at byte ${begin} is not in its shortest form`);
      if (value > 0xffff) break;
      return value;
    }
    throw new Unreadable(`${what} at byte ${begin} is more than 65535`);
  }

  key(what: string): string {
    return base58(this.take(KEY_BYTES, what));
  }

  indexes(what: string): number[] {
    return [...this.take(this.count(`the count of ${what}`), what)];
  }
}

/** Reads a transaction. Refuses with `malformed_transaction` and the place of the fault. */
export function readTransaction(bytes: Uint8Array): Outcome<WireTransaction> {
  return reading(() => {
    if (bytes.length > LONGEST_TRANSACTION)
      throw new Unreadable(`it has ${bytes.length} bytes; the chain carries no more than ${LONGEST_TRANSACTION}`);
    if (bytes[0] === (VERSIONED | 1)) throw new Unreadable('it is of message version 1, which is not supported: legacy or 0');
    const reader = new Reader(bytes);
    const count = reader.count('the count of signatures');
    const signatures = Array.from({ length: count }, (_, index) => reader.take(SIGNATURE_BYTES, `signature ${index}`));
    const message = bytes.subarray(reader.at);
    const read = messageFrom(reader);
    if (read.header.requiredSignatures !== count)
      throw new Unreadable(`it carries ${count} signatures, and its message asks for ${read.header.requiredSignatures}`);
    return { signatures, message, ...read };
  });
}

/** Reads a message without signatures. Refuses like `readTransaction`. */
export function readMessage(bytes: Uint8Array): Outcome<WireMessage> {
  return reading(() => messageFrom(new Reader(bytes)));
}

function reading<Value>(read: () => Value): Outcome<Value> {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return refuse('malformed_transaction', `the transaction cannot be read: ${error.message}`);
  }
}

function messageFrom(reader: Reader): WireMessage {
  const version = readVersion(reader);
  const header = {
    requiredSignatures: reader.byte('the header'),
    readonlySigned: reader.byte('the header'),
    readonlyUnsigned: reader.byte('the header'),
  };
  const keys = reader.count('the count of keys');
  const staticKeys = Array.from({ length: keys }, (_, index) => reader.key(`key ${index}`));
  assertKeys(header, staticKeys);
  const blockhash = reader.key('the blockhash');
  const count = reader.count('the count of instructions');
  const instructions = Array.from({ length: count }, (_, index) => instructionFrom(reader, index, staticKeys));
  const lookups = version === 0 ? lookupsFrom(reader) : [];
  assertIndexes(staticKeys, instructions, lookups);
  if (reader.at !== reader.bytes.length) throw new Unreadable(`${reader.bytes.length - reader.at} bytes follow its end`);
  return { version, header, staticKeys, blockhash, instructions, lookups };
}

function readVersion(reader: Reader): WireMessage['version'] {
  const first = reader.bytes[reader.at];
  if (first === undefined || (first & VERSIONED) === 0) return 'legacy';
  const version = reader.byte('the version') & ~VERSIONED;
  if (version !== 0) throw new Unreadable(`it is of message version ${version}, which is not supported: legacy or 0`);
  return 0;
}

function assertKeys({ requiredSignatures, readonlySigned, readonlyUnsigned }: MessageHeader, keys: readonly string[]): void {
  if (requiredSignatures === 0) throw new Unreadable('its header asks for no signature');
  if (readonlySigned >= requiredSignatures) throw new Unreadable('its header leaves nobody who pays');
  if (requiredSignatures + readonlyUnsigned > keys.length)
    throw new Unreadable(`its header counts more keys than the ${keys.length} there are`);
  if (new Set(keys).size !== keys.length) throw new Unreadable('it names a key twice');
}

function instructionFrom(reader: Reader, index: number, keys: readonly string[]): WireInstruction {
  const what = `instruction ${index}`;
  const programIndex = reader.byte(`the program of ${what}`);
  const program = keys[programIndex];
  if (program === undefined || programIndex === 0) throw new Unreadable(`${what} names no program of its static keys`);
  const accounts = reader.indexes(`the accounts of ${what}`);
  const data = reader.take(reader.count(`the length of the data of ${what}`), `the data of ${what}`);
  return { program, accounts, data };
}

function lookupsFrom(reader: Reader): AddressLookup[] {
  const count = reader.count('the count of lookups');
  return Array.from({ length: count }, (_, index) => {
    const table = reader.key(`the table of lookup ${index}`);
    const writable = reader.indexes(`the writable places of lookup ${index}`);
    const readonly = reader.indexes(`the readonly places of lookup ${index}`);
    if (writable.length + readonly.length === 0) throw new Unreadable(`lookup ${index} looks nothing up`);
    return { table, writable, readonly };
  });
}

function assertIndexes(keys: readonly string[], instructions: readonly WireInstruction[], lookups: readonly AddressLookup[]): void {
  const looked = lookups.reduce((sum, { writable, readonly }) => sum + writable.length + readonly.length, 0);
  const accounts = keys.length + looked;
  if (accounts > MOST_ACCOUNTS) throw new Unreadable(`it names ${accounts} accounts; at most ${MOST_ACCOUNTS} can be told apart`);
  for (const [index, instruction] of instructions.entries())
    if (instruction.accounts.some((account) => account >= accounts))
      throw new Unreadable(`instruction ${index} names an account that it lacks`);
}

/** Returns the signers in the order of their signatures. The first one pays. */
export function listSigners({ header, staticKeys }: Pick<WireMessage, 'header' | 'staticKeys'>): readonly string[] {
  return staticKeys.slice(0, header.requiredSignatures);
}

/** Lists every account in the order of the instructions' indexes. An address of a missing table is written `table[index]`. */
export function listAccounts(
  { staticKeys, lookups }: Pick<WireMessage, 'staticKeys' | 'lookups'>,
  tables: ReadonlyMap<string, readonly string[]> = new Map(),
): readonly string[] {
  const named = ({ table }: AddressLookup, place: number): string => tables.get(table)?.[place] ?? `${table}[${place}]`;
  return [
    ...staticKeys,
    ...lookups.flatMap((lookup) => lookup.writable.map((place) => named(lookup, place))),
    ...lookups.flatMap((lookup) => lookup.readonly.map((place) => named(lookup, place))),
  ];
}
