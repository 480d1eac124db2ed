// Messages of the primary chain, encoded without decoding a key twice: a million in minutes. The chain's own library is the oracle.
import { PublicKey, type TransactionInstruction } from '@solana/web3.js';

const named = new Map<string, PublicKey>();
const texts = new WeakMap<PublicKey, string>();
const bytesOf = new Map<string, Uint8Array>();

/** Returns the same object for the same address, so that it is encoded once. */
export function keyNamed(address: string): PublicKey {
  const key = named.get(address) ?? new PublicKey(address);
  named.set(address, key);
  texts.set(key, address);
  return key;
}

function textOf(key: PublicKey): string {
  const text = texts.get(key) ?? key.toBase58();
  texts.set(key, text);
  return text;
}

function bytesNamed(address: string): Uint8Array {
  const bytes = bytesOf.get(address) ?? keyNamed(address).toBytes();
  bytesOf.set(address, bytes);
  return bytes;
}

interface Use {
  signs: boolean;
  isWritable: boolean;
  isInvoked: boolean;
}

/** Returns every account with its use, payer first, in order of first mention. */
function usesOf(payer: string, instructions: readonly TransactionInstruction[]): Map<string, Use> {
  const uses = new Map<string, Use>([[payer, { signs: true, isWritable: true, isInvoked: false }]]);
  const use = (key: PublicKey): Use => {
    const text = textOf(key);
    const one = uses.get(text) ?? { signs: false, isWritable: false, isInvoked: false };
    uses.set(text, one);
    return one;
  };
  for (const { programId, keys } of instructions) {
    use(programId).isInvoked = true;
    for (const { pubkey, isSigner, isWritable } of keys) {
      const one = use(pubkey);
      one.signs ||= isSigner;
      one.isWritable ||= isWritable;
    }
  }
  return uses;
}

/** Encodes a count as the chain does: seven bits a byte, lowest first. */
function counted(count: number): readonly number[] {
  return count < 128 ? [count] : [(count & 127) | 128, ...counted(count >> 7)];
}

interface Table {
  readonly key: string;
  readonly addresses: readonly string[];
}

/** Returns the table's accounts as indexes: neither signers nor called programs. */
function lookedUp(uses: ReadonlyMap<string, Use>, table: Table, isWritable: boolean): readonly number[] {
  return [...uses].flatMap(([address, use]) => {
    const index = use.signs || use.isInvoked || use.isWritable !== isWritable ? -1 : table.addresses.indexOf(address);
    return index < 0 ? [] : [index];
  });
}

/** Returns the bytes to sign and their signers; with a table a message of version 0, without one a legacy message. */
export function wireMessage(
  payer: string,
  blockhash: string,
  instructions: readonly TransactionInstruction[],
  table: Table | null,
): { readonly message: Uint8Array; readonly signers: readonly string[] } {
  const uses = usesOf(payer, instructions);
  const [writable, readonly] = table === null ? [[], []] : [lookedUp(uses, table, true), lookedUp(uses, table, false)];
  const found = [...writable, ...readonly].map((index) => table?.addresses[index] as string);
  const stated = [...uses].filter(([address]) => !found.includes(address));
  const such = (signs: boolean, isWritable: boolean) =>
    stated.filter(([, use]) => use.signs === signs && use.isWritable === isWritable).map(([address]) => address);
  const [signing, looking, changed, read] = [such(true, true), such(true, false), such(false, true), such(false, false)];
  const keys = [...signing, ...looking, ...changed, ...read];
  const indexes = new Map([...keys, ...found].map((address, index) => [address, index]));
  const indexOf = (key: PublicKey): number => indexes.get(textOf(key)) as number;
  const called = instructions.map(({ programId, keys: accounts, data }) =>
    Buffer.concat([
      Uint8Array.of(
        indexOf(programId),
        ...counted(accounts.length),
        ...accounts.map(({ pubkey }) => indexOf(pubkey)),
        ...counted(data.length),
      ),
      data,
    ]),
  );
  const lookups = found.length === 0 || table === null ? [] : [table];
  const message = Buffer.concat([
    Uint8Array.of(...(table === null ? [] : [0x80]), signing.length + looking.length, looking.length, read.length, ...counted(keys.length)),
    ...keys.map(bytesNamed),
    bytesNamed(blockhash),
    Uint8Array.of(...counted(instructions.length)),
    ...called,
    ...(table === null ? [] : [Uint8Array.of(lookups.length)]),
    ...lookups.flatMap(({ key }) => [
      bytesNamed(key),
      Uint8Array.of(...counted(writable.length), ...writable, ...counted(readonly.length), ...readonly),
    ]),
  ]);
  return { message, signers: [...signing, ...looking] };
}
