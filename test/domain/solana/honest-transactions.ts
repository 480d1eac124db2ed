// Honest transactions by wallets' own encoders and signers, and a walk over their counts that is independent of the reader under test.

import {
  appendTransactionMessageInstructions,
  blockhash,
  compileTransaction,
  createKeyPairSignerFromPrivateKeyBytes,
  createTransactionMessage,
  getTransactionEncoder,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransaction,
} from '@solana/kit';
import {
  AddressLookupTableAccount,
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';

export interface Honest {
  readonly name: string;
  readonly unsigned: Uint8Array;
  readonly signed: Uint8Array;
}

/** Returns a key pair that is the same in every run. */
export function keyOf(seed: number): Keypair {
  return Keypair.fromSeed(Uint8Array.from({ length: 32 }, (_, index) => (seed * 31 + index * 7) & 0xff));
}

export const BLOCKHASH = keyOf(200).publicKey.toBase58();
export const LIGHTHOUSE = new PublicKey('L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95');
export const AGGREGATOR = new PublicKey('JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4');
const MEMO = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

export const wallet = keyOf(1);
export const maker = keyOf(2);

export function memo(text: string): TransactionInstruction {
  return new TransactionInstruction({ programId: MEMO, keys: [], data: Buffer.from(text) });
}

/** Returns a route's instruction as an aggregator builds it: many accounts, some signing, opaque data. */
export function route(accounts: readonly PublicKey[], signers: readonly PublicKey[], length = 40): TransactionInstruction {
  return new TransactionInstruction({
    programId: AGGREGATOR,
    keys: [
      ...signers.map((pubkey) => ({ pubkey, isSigner: true, isWritable: true })),
      ...accounts.map((pubkey, index) => ({ pubkey, isSigner: false, isWritable: index % 2 === 0 })),
    ],
    data: Buffer.from(Uint8Array.from({ length }, (_, index) => index & 0xff)),
  });
}

const BUDGET = [
  ComputeBudgetProgram.setComputeUnitLimit({ units: 200_000 }),
  ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1_000 }),
];
const transfer = SystemProgram.transfer({ fromPubkey: wallet.publicKey, toPubkey: maker.publicKey, lamports: 12_345 });
const addresses = Array.from({ length: 12 }, (_, index) => keyOf(50 + index).publicKey);

/** Returns a v0 transaction of web3.js, signed by these keys. */
export function versioned(
  instructions: readonly TransactionInstruction[],
  signers: readonly Keypair[] = [wallet],
  { tables = [] as AddressLookupTableAccount[], payer = wallet.publicKey, recent = BLOCKHASH } = {},
): Honest {
  const message = new TransactionMessage({ payerKey: payer, recentBlockhash: recent, instructions: [...instructions] }).compileToV0Message(
    tables,
  );
  const transaction = new VersionedTransaction(message);
  const unsigned = transaction.serialize();
  transaction.sign([...signers]);
  return { name: 'web3.js v0', unsigned, signed: transaction.serialize() };
}

function legacy(instructions: readonly TransactionInstruction[], signers: readonly Keypair[]): Honest {
  const transaction = new Transaction({ recentBlockhash: BLOCKHASH, feePayer: wallet.publicKey }).add(...instructions);
  const unsigned = transaction.serialize({ requireAllSignatures: false, verifySignatures: false });
  transaction.sign(...signers);
  return { name: 'web3.js legacy', unsigned: new Uint8Array(unsigned), signed: new Uint8Array(transaction.serialize()) };
}

const table = new AddressLookupTableAccount({
  key: keyOf(90).publicKey,
  state: { deactivationSlot: 0xffff_ffff_ffff_ffffn, lastExtendedSlot: 1, lastExtendedSlotStartIndex: 0, addresses },
});

async function byKit(version: 'legacy' | 0): Promise<Honest> {
  const signer = await createKeyPairSignerFromPrivateKeyBytes(wallet.secretKey.slice(0, 32));
  const instruction = {
    programAddress: AGGREGATOR.toBase58(),
    accounts: [
      { address: signer.address, role: 3 },
      { address: maker.publicKey.toBase58(), role: 1 },
      { address: addresses[0]?.toBase58(), role: 0 },
    ],
    data: Uint8Array.of(9, 8, 7, 6, 5),
  };
  const message = pipe(
    createTransactionMessage({ version } as { version: 0 }),
    (empty) => setTransactionMessageFeePayer(signer.address, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash({ blockhash: blockhash(BLOCKHASH), lastValidBlockHeight: 1_000n }, paid),
    (living) => appendTransactionMessageInstructions([instruction as never], living),
  );
  const compiled = compileTransaction(message);
  const encode = (transaction: unknown): Uint8Array => new Uint8Array(getTransactionEncoder().encode(transaction as never));
  return { name: `kit ${version}`, unsigned: encode(compiled), signed: encode(await signTransaction([signer.keyPair], compiled as never)) };
}

/** Returns legacy and v0 transactions, with one signer and two, with and without a lookup table, short and long data, by two encoders. */
export async function honestTransactions(): Promise<readonly Honest[]> {
  const named = (name: string, honest: Honest): Honest => ({ ...honest, name: `${honest.name}, ${name}` });
  return [
    named('a transfer', legacy([transfer], [wallet])),
    named('two signers', legacy([...BUDGET, route(addresses.slice(0, 4), [wallet.publicKey, maker.publicKey])], [wallet, maker])),
    named('a route', versioned([...BUDGET, route(addresses.slice(0, 6), [wallet.publicKey])])),
    named('two signers', versioned([transfer, route([], [wallet.publicKey, maker.publicKey])], [wallet, maker])),
    named('a lookup table', versioned([...BUDGET, route(addresses, [wallet.publicKey])], [wallet], { tables: [table] })),
    named('data of more than 127 bytes', versioned([route(addresses.slice(0, 2), [wallet.publicKey], 300), memo('é'.repeat(80))])),
    await byKit('legacy'),
    await byKit(0),
  ];
}

/** Returns the places of counts in a transaction, found by a plain walk. */
export function countPlaces(bytes: Uint8Array): readonly { readonly at: number; readonly length: number; readonly value: number }[] {
  const places: { at: number; length: number; value: number }[] = [];
  let at = 0;
  const count = (): number => {
    const begin = at;
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] as number;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    places.push({ at: begin, length: at - begin, value });
    return value;
  };
  /** The count is passed before its items. */
  const skip = (unit: number): void => {
    const items = count();
    at += items * unit;
  };
  skip(64);
  const isVersioned = (bytes[at] as number) >= 0x80;
  at += (isVersioned ? 1 : 0) + 3;
  skip(32);
  at += 32;
  for (let left = count(); left > 0; left--) {
    at++;
    skip(1);
    skip(1);
  }
  if (!isVersioned) return places;
  for (let left = count(); left > 0; left--) {
    at += 32;
    skip(1);
    skip(1);
  }
  return places;
}

/** Returns longer encodings of a count that a lenient reader accepts as the same number. */
export function aliasesOf(value: number): readonly Uint8Array[] {
  const low = value & 0x7f;
  const middle = (value >> 7) & 0x7f;
  const aliases = [Uint8Array.of(low | 0x80, middle | 0x80, 0), Uint8Array.of(low | 0x80, middle | 0x80, 0x80, 0)];
  return value < 0x80 ? [Uint8Array.of(low | 0x80, 0), ...aliases] : aliases;
}

/** Returns the bytes with a part replaced. */
export function spliced(bytes: Uint8Array, at: number, length: number, by: Uint8Array): Uint8Array {
  return Uint8Array.from([...bytes.subarray(0, at), ...by, ...bytes.subarray(at + length)]);
}
