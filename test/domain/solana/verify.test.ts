// Signed bytes compared with the prepared message: only unchanged ones pass, however small the change.
import { Keypair, PublicKey, SystemProgram, VersionedTransaction } from '@solana/web3.js';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { verifyEd25519 } from '../../../src/adapters/solana/ed25519.ts';
import type { Outcome } from '../../../src/domain/values/refusal.ts';
import { base58, fromBase58, isAddress } from '../../../src/domain/solana/base58.ts';
import { readMessage, readTransaction } from '../../../src/domain/solana/message.ts';
import { type PreparedMessage, toPreparedMessage, type VerifiedTransaction, verifySigned } from '../../../src/domain/solana/verify.ts';
import { rounds } from '../../harness/rounds.ts';
import {
  aliasesOf,
  BLOCKHASH,
  countPlaces,
  type Honest,
  honestTransactions,
  keyOf,
  LIGHTHOUSE,
  maker,
  memo,
  route,
  spliced,
  versioned,
  wallet,
} from './honest-transactions.ts';

let honest: readonly Honest[];
beforeAll(async () => {
  honest = await honestTransactions();
});

function read(bytes: Uint8Array) {
  const outcome = readTransaction(bytes);
  if (!outcome.ok) throw new Error(outcome.refusal.detail);
  return outcome.value;
}
const prepared = ({ unsigned }: Pick<Honest, 'unsigned'>): PreparedMessage => toPreparedMessage(read(unsigned), 1_000);
const check = (one: Pick<Honest, 'unsigned'>, bytes: Uint8Array): Outcome<VerifiedTransaction> =>
  verifySigned(prepared(one), bytes, verifyEd25519);
const codeOf = (outcome: Outcome<unknown>): string => (outcome.ok ? 'accepted' : outcome.refusal.code);

test('transactions of honest encoders pass, with the signature that names them on the chain', () => {
  expect(honest).toHaveLength(8);
  for (const one of honest) {
    const outcome = check(one, one.signed);
    expect([one.name, codeOf(outcome)]).toEqual([one.name, 'accepted']);
    if (!outcome.ok) continue;
    const first = VersionedTransaction.deserialize(one.signed).signatures[0] as Uint8Array;
    expect(outcome.value.signature).toBe(base58(first));
    expect(Buffer.from(outcome.value.transaction.message)).toEqual(
      Buffer.from(VersionedTransaction.deserialize(one.signed).message.serialize()),
    );
  }
});

test('the decoder sees what web3.js sees', () => {
  for (const { name, signed } of honest) {
    const ours = read(signed);
    const theirs = VersionedTransaction.deserialize(signed).message;
    expect([name, ours.version]).toEqual([name, theirs.version]);
    expect(ours.staticKeys).toEqual(theirs.staticAccountKeys.map((key) => key.toBase58()));
    expect(ours.blockhash).toBe(theirs.recentBlockhash);
    expect(ours.header).toEqual({
      requiredSignatures: theirs.header.numRequiredSignatures,
      readonlySigned: theirs.header.numReadonlySignedAccounts,
      readonlyUnsigned: theirs.header.numReadonlyUnsignedAccounts,
    });
    expect(ours.instructions).toEqual(
      theirs.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
        program: theirs.staticAccountKeys[programIdIndex]?.toBase58(),
        accounts: [...accountKeyIndexes],
        data: new Uint8Array(data),
      })),
    );
    expect(ours.lookups).toEqual(
      theirs.addressTableLookups.map(({ accountKey, writableIndexes, readonlyIndexes }) => ({
        table: accountKey.toBase58(),
        writable: [...writableIndexes],
        readonly: [...readonlyIndexes],
      })),
    );
  }
});

/** Number of bits flipped per byte, another one from byte to byte; all of them in the proof. */
const BITS = rounds({ suite: 1, proof: 8 });

test(`every byte of every honest transaction with a flipped bit is refused (${BITS} of 8 bits)`, () => {
  const refused: Record<string, number> = {};
  let flips = 0;
  for (const one of honest) {
    const message = prepared(one);
    const bytes = Uint8Array.from(one.signed);
    for (let flip = 0; flip < bytes.length * BITS; flip++) {
      const place = Math.floor(flip / BITS);
      const bit = 1 << ((place + flip) % 8);
      bytes[place] = (bytes[place] as number) ^ bit;
      const code = codeOf(verifySigned(message, bytes, verifyEd25519));
      refused[code] = (refused[code] ?? 0) + 1;
      if (code === 'accepted') throw new Error(`${one.name}: bit ${bit} of byte ${place} flipped, and it passed`);
      bytes[place] = (bytes[place] as number) ^ bit;
      flips++;
    }
  }
  expect(flips).toBe(honest.reduce((sum, { signed }) => sum + signed.length * BITS, 0));
  expect(flips).toBeGreaterThan(2_500 * BITS);
  // A flipped bit in a signature leaves the message unchanged.
  expect(refused['signature_invalid']).toBe(honest.reduce((sum, { signed }) => sum + read(signed).signatures.length * 64 * BITS, 0));
  expect(Object.keys(refused).sort()).toEqual(['malformed_transaction', 'signature_invalid', 'signed_bytes_differ']);
});

test('every truncation and every padding of 1 to 64 bytes is refused', () => {
  let cases = 0;
  for (const one of honest) {
    for (let length = 0; length < one.signed.length; length++, cases++)
      expect([one.name, length, codeOf(check(one, one.signed.subarray(0, length)))]).not.toContain('accepted');
    for (let length = 1; length <= 64; length++)
      for (const fill of [0, 1, 0xff]) {
        const padding = new Uint8Array(length).fill(fill);
        for (const bytes of [Uint8Array.from([...one.signed, ...padding]), Uint8Array.from([...padding, ...one.signed])]) {
          cases++;
          expect([one.name, length, fill, codeOf(check(one, bytes))]).not.toContain('accepted');
        }
      }
  }
  expect(cases).toBe(honest.reduce((sum, { signed }) => sum + signed.length + 64 * 3 * 2, 0));
});

test('every longer spelling of every count is refused, though lenient readers take it for the same', () => {
  let cases = 0;
  let misread = 0;
  for (const one of honest)
    for (const { at, length, value } of countPlaces(one.signed))
      for (const alias of aliasesOf(value)) {
        const bytes = spliced(one.signed, at, length, alias);
        cases++;
        expect([one.name, at, codeOf(check(one, bytes))]).toEqual([
          one.name,
          at,
          expect.stringMatching(/malformed_transaction|signed_bytes_differ/),
        ]);
        misread += isTakenForTheSame(bytes, one.signed) ? 1 : 0;
      }
  expect(cases).toBeGreaterThan(150);
  // The test is meaningful only if a lenient reader would be fooled.
  expect(misread).toBeGreaterThan(50);
});

/** True if deserializing and serializing gives the original. */
function isTakenForTheSame(bytes: Uint8Array, original: Uint8Array): boolean {
  try {
    return Buffer.from(VersionedTransaction.deserialize(bytes).serialize()).equals(Buffer.from(original));
  } catch {
    return false;
  }
}

const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const fromLittle = (bytes: Uint8Array): bigint => bytes.reduceRight((sum, byte) => (sum << 8n) + BigInt(byte), 0n);
const little = (value: bigint): Uint8Array => Uint8Array.from({ length: 32 }, (_, index) => Number((value >> BigInt(8 * index)) & 0xffn));

test('a signature in its second spelling (s + L), of another, swapped, doubled or missing is refused', () => {
  for (const one of honest) {
    const { signatures } = read(one.signed);
    for (const [index, signature] of signatures.entries()) {
      const at = 1 + index * 64;
      const put = (bytes: Uint8Array): string => codeOf(check(one, spliced(one.signed, at, 64, bytes)));
      for (let times = 1n; times <= 15n; times++) {
        const scalar = fromLittle(signature.subarray(32)) + times * ORDER;
        if (scalar < 2n ** 256n) expect(put(Uint8Array.from([...signature.subarray(0, 32), ...little(scalar)]))).toBe('signature_invalid');
      }
      expect(put(new Uint8Array(64))).toBe('signature_missing');
      expect(put(new Uint8Array(64).fill(0xff))).toBe('signature_invalid');
      expect(put(Uint8Array.from([...signature.subarray(32), ...signature.subarray(0, 32)]))).toBe('signature_invalid');
      if (signatures.length === 2) expect(put(signatures[1 - index] as Uint8Array)).toBe('signature_invalid');
    }
  }
  const two = honest.filter(({ signed }) => read(signed).signatures.length === 2);
  expect(two).toHaveLength(2);
  for (const one of two) {
    const [first, second] = read(one.signed).signatures as [Uint8Array, Uint8Array];
    expect(codeOf(check(one, spliced(one.signed, 1, 128, Uint8Array.from([...second, ...first]))))).toBe('signature_invalid');
  }
});

test('a key of small order signs nothing, though it would verify everything', () => {
  // Neutral element: with R neutral and s zero, its equation holds for every message.
  const neutral = Uint8Array.from({ length: 32 }, (_, index) => (index === 0 ? 1 : 0));
  const payer = new PublicKey(neutral);
  const { unsigned } = versioned([SystemProgram.transfer({ fromPubkey: payer, toPubkey: maker.publicKey, lamports: 1 })], [], { payer });
  const forged = spliced(unsigned, 1, 64, Uint8Array.from([...neutral, ...new Uint8Array(32)]));
  expect(codeOf(check({ unsigned }, forged))).toBe('signature_invalid');
});

test('an unsigned transaction and one that another key signed are refused', () => {
  const one = versioned([route([], [wallet.publicKey])]);
  expect(codeOf(check(one, one.unsigned))).toBe('signature_missing');
  const stranger = Keypair.fromSeed(new Uint8Array(32).fill(9));
  const other = versioned([route([], [stranger.publicKey])], [stranger], { payer: stranger.publicKey });
  expect(codeOf(check(one, other.signed))).toBe('signed_bytes_differ');
});

test('an invalid transaction is described', () => {
  const detail = (bytes: Uint8Array): string => {
    const outcome = readTransaction(bytes);
    return outcome.ok ? 'accepted' : outcome.refusal.detail;
  };
  expect(detail(new Uint8Array())).toContain('it ends at byte 0, before the count of signatures');
  expect(detail(new Uint8Array(1_233))).toContain('no more than 1232');
  expect(detail(Uint8Array.of(0x81, 0, 0))).toContain('message version 1');
  const [one] = honest as [Honest];
  const message = read(one.signed).message;
  const start = one.signed.length - message.length;
  expect(detail(spliced(one.signed, start, 1, Uint8Array.of(2)))).toContain('carries 1 signatures');
  expect(readMessage(Uint8Array.of(0x85, 1, 0, 0))).toMatchObject({ ok: false });
});

test('random bytes are never taken for the prepared transaction, and never break the reader (seed 7)', () => {
  const [one] = honest as [Honest];
  const message = prepared(one);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 1_300 }), (bytes) => {
      expect(codeOf(verifySigned(message, bytes, verifyEd25519))).not.toBe('accepted');
    }),
    { numRuns: 500, seed: 7 },
  );
});

test('a random splice of an honest transaction is refused unless it changes nothing (seed 8)', () => {
  fc.assert(
    fc.property(fc.nat(7), fc.nat(), fc.nat(8), fc.uint8Array({ maxLength: 8 }), (which, place, length, by) => {
      const one = honest[which] as Honest;
      const at = place % one.signed.length;
      const bytes = spliced(one.signed, at, length, by);
      const same = Buffer.from(bytes).equals(Buffer.from(one.signed));
      expect(codeOf(check(one, bytes)) === 'accepted').toBe(same);
    }),
    { numRuns: 1_000, seed: 8 },
  );
});

const swap = route([keyOf(60).publicKey], [wallet.publicKey]);
const budget = (microLamports: number) => {
  const data = Buffer.alloc(9);
  data[0] = 3;
  data.writeBigUInt64LE(BigInt(microLamports), 1);
  return { programId: new PublicKey('ComputeBudget111111111111111111111111111111'), keys: [], data };
};
const guard = { programId: LIGHTHOUSE, keys: [{ pubkey: wallet.publicKey, isSigner: false, isWritable: false }], data: Buffer.of(1, 2, 3) };
const differenceTo = (given: Honest, from: Honest = versioned([swap, memo('a')])) => {
  const outcome = check(from, given.signed);
  if (outcome.ok) throw new Error('it passed');
  expect(outcome.refusal.code).toBe('signed_bytes_differ');
  return { detail: outcome.refusal.detail, ...outcome.refusal.difference };
};
const names = (list: readonly { readonly name: string | null }[] | undefined) => list?.map(({ name }) => name);

test('a wallet that appends its guard gets its program named', () => {
  const { detail, inserted, removed, altered, reordered } = differenceTo(versioned([swap, memo('a'), guard]));
  expect([names(inserted), removed, altered, reordered]).toEqual([['Lighthouse'], [], [], false]);
  expect(detail).toContain(`instructions were inserted of Lighthouse (${LIGHTHOUSE.toBase58()})`);
  expect(detail).toContain('sign exactly the prepared bytes');
});

test('a fee in front and two guards behind added by a wallet are all named', () => {
  const { inserted } = differenceTo(versioned([budget(100_000), swap, memo('a'), guard, { ...guard, data: Buffer.of(9) }]));
  expect(names(inserted)).toEqual(['Compute Budget', 'Lighthouse', 'Lighthouse']);
});

test('a raised fee is an alteration', () => {
  const { altered, inserted, removed } = differenceTo(versioned([budget(100_000), swap]), versioned([budget(1_000), swap]));
  expect([names(altered), inserted, removed]).toEqual([['Compute Budget'], [], []]);
});

test('removed, altered and reordered instructions are named', () => {
  expect(names(differenceTo(versioned([swap])).removed)).toEqual(['Memo']);
  expect(names(differenceTo(versioned([memo('a')])).removed)).toEqual(['Jupiter v6']);
  expect(names(differenceTo(versioned([route([keyOf(61).publicKey], [wallet.publicKey]), memo('a')])).altered)).toEqual(['Jupiter v6']);
  expect(differenceTo(versioned([memo('a'), swap]))).toMatchObject({ reordered: true, inserted: [], removed: [], altered: [] });
});

test('another blockhash, payer or version is named, though every instruction is the same', () => {
  expect(differenceTo(versioned([swap, memo('a')], [wallet], { recent: keyOf(201).publicKey.toBase58() }))).toMatchObject({
    parts: ['blockhash'],
    inserted: [],
  });
  expect(differenceTo(versioned([swap, memo('a')], [wallet, maker], { payer: maker.publicKey })).parts).toEqual(
    expect.arrayContaining(['fee_payer', 'signers', 'keys']),
  );
});

test('base58 is what web3.js writes, and addresses are 32 bytes of it', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
      const text = new PublicKey(bytes).toBase58();
      expect(base58(bytes)).toBe(text);
      expect(fromBase58(text)).toEqual(bytes);
      expect(isAddress(text)).toBe(true);
    }),
    { seed: 3 },
  );
  for (const wrong of ['', '0', 'l', 'O', 'I', `${BLOCKHASH}1`, BLOCKHASH.slice(3), '1'.repeat(200)]) expect(isAddress(wrong)).toBe(false);
});
