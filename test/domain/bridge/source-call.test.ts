// Instruction that moves the amount on the primary chain: every field that differs from the request is named.
import { Keypair, PublicKey, SystemProgram, TransactionInstruction, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { describe, expect, test } from 'vitest';
import { burnCall } from '../../../src/adapters/bridge/cctp/burn.ts';
import { depositCall } from '../../../src/adapters/bridge/relay/provider.ts';
import { type SourceCall, sourceCallObjection } from '../../../src/domain/bridge/source-call.ts';
import { USDC_MINT } from '../../../src/domain/catalog/catalog.ts';
import { readTransaction } from '../../../src/domain/solana/message.ts';

const SENDER = Keypair.fromSeed(new Uint8Array(32).fill(3)).publicKey.toBase58();
const OTHER = Keypair.fromSeed(new Uint8Array(32).fill(4)).publicKey;
const EVENT = Keypair.fromSeed(new Uint8Array(32).fill(5)).publicKey.toBase58();
const ORDER = `0x${'5c'.repeat(32)}`;

const CALLS: Readonly<Record<string, SourceCall>> = {
  deposit: depositCall(SENDER, USDC_MINT, 25_000_000n, ORDER),
  burn: burnCall(
    { amount: 25_000_000n, maxFee: 9n, finality: 1_000, domain: 3 },
    { sender: SENDER, recipient: `0x${'7a'.repeat(20)}`, mint: USDC_MINT },
    EVENT,
  ),
};

function instructionOf({ program, accounts, data }: SourceCall, change: { account?: number; byte?: number } = {}): TransactionInstruction {
  const bytes = Buffer.from(data.map(({ hex }) => hex).join(''), 'hex');
  if (change.byte !== undefined) bytes[change.byte] = (bytes[change.byte] as number) ^ 1;
  return new TransactionInstruction({
    programId: new PublicKey(program),
    keys: accounts.map(({ address }, place) => ({
      pubkey: place === change.account ? OTHER : new PublicKey(address),
      isSigner: address === SENDER,
      isWritable: false,
    })),
    data: bytes,
  });
}

function objectionTo(call: SourceCall, ...instructions: readonly TransactionInstruction[]): string | null {
  const payerKey = new PublicKey(SENDER);
  const message = new TransactionMessage({ payerKey, recentBlockhash: EVENT, instructions: [...instructions] }).compileToV0Message();
  const read = readTransaction(new VersionedTransaction(message).serialize());
  if (!read.ok) throw new Error(read.refusal.detail);
  return sourceCallObjection(read.value, call);
}

test('the deposit is encoded like a recorded one of the real program', () => {
  // Recorded on the chain: depository and vault of a native deposit by the same program.
  expect(CALLS['deposit']?.accounts.map(({ address }) => address)).toEqual(
    expect.arrayContaining(['Dodg2HifwU8rmaVVyMyUZDGTRbqAJTyVYxXPwcbNpBKc', '7uTT8Xi5RWXzy7h9XL244GRgEycDYDhLjr3ZyNdXi8pZ']),
  );
});

describe.each(Object.entries(CALLS))('%s', (_, call) => {
  test('is accepted as requested', () => {
    expect(objectionTo(call, instructionOf(call))).toBeNull();
  });

  test('with any account swapped is refused by the account’s name', () => {
    for (const [place, { name, address }] of call.accounts.entries())
      expect(objectionTo(call, instructionOf(call, { account: place }))).toBe(`its ${name} is ${OTHER.toBase58()} instead of ${address}`);
  });

  test('with any byte of its data changed is refused by the field’s name', () => {
    let byte = 0;
    for (const { name, hex } of call.data)
      for (let at = 0; at < hex.length / 2; at++)
        expect(objectionTo(call, instructionOf(call, { byte: byte++ }))).toContain(`its ${name} is `);
  });

  test('twice, with additional instructions, shorter or longer is refused', () => {
    const own = instructionOf(call);
    const gift = SystemProgram.transfer({ fromPubkey: new PublicKey(SENDER), toPubkey: OTHER, lamports: 5 });
    expect(objectionTo(call, own, own)).toContain('2 times, and once is right');
    expect(objectionTo(call, own, gift)).toContain('it calls the program System');
    expect(objectionTo(call)).toContain('it does not call the program');
    const short = new TransactionInstruction({ programId: own.programId, keys: own.keys, data: own.data.subarray(1) });
    expect(objectionTo(call, short)).toContain(`its data has ${own.data.length - 1} bytes`);
    const keys = [...own.keys, { pubkey: OTHER, isSigner: false, isWritable: true }];
    const long = new TransactionInstruction({ programId: own.programId, keys, data: own.data });
    expect(objectionTo(call, long)).toContain('accounts instead of');
  });

  test('numbers are shown as numbers', () => {
    const at = Buffer.from(call.data[0]?.hex ?? '', 'hex').length;
    expect(objectionTo(call, instructionOf(call, { byte: at }))).toBe('its amount is 25000001 instead of 25000000');
  });
});
