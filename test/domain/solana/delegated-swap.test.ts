// What a delegated wallet signs is the swap of the order and nothing else, over generated messages.
import { TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { delegatedSwapObjection } from '../../../src/domain/solana/delegated-swap.ts';
import { readTransaction } from '../../../src/domain/solana/message.ts';
import {
  assessedMessages,
  MAKER,
  own,
  SHARE,
  STRANGER,
  SWAP,
  TABLE,
  TABLE_ADDRESSES,
  transfer,
  USDC,
  WALLET,
  walletKey,
} from './delegated-messages.ts';
import { BLOCKHASH } from './honest-transactions.ts';

const MESSAGES = 3_000;

test(`of ${MESSAGES} generated messages none is passed that does more than the order, and every one that is the order is`, () => {
  const { passed, short, hostile } = assessedMessages(MESSAGES, 20_261_122);
  expect(passed).toBeGreaterThan(MESSAGES / 50);
  expect(short).toBeGreaterThan(MESSAGES / 50);
  expect(hostile).toBeGreaterThan(MESSAGES / 10);
});

test('an account of a lookup table is believed only as the chain itself holds it', () => {
  const parts = [transfer(WALLET, USDC, own(MAKER, USDC), 1_000n, true), transfer(MAKER, SHARE, own(WALLET, SHARE), 1_000n, true)];
  const message = new TransactionMessage({ payerKey: walletKey.publicKey, recentBlockhash: BLOCKHASH, instructions: parts });
  const transaction = new VersionedTransaction(message.compileToV0Message([TABLE]));
  transaction.signatures[1] = new Uint8Array(64).fill(7);
  const read = readTransaction(transaction.serialize());
  if (!read.ok) throw new Error(read.refusal.detail);
  const under = (addresses: readonly string[] | null) =>
    delegatedSwapObjection(read.value, { ...SWAP, tables: new Map(addresses === null ? [] : [[TABLE.key.toBase58(), addresses]]) });
  expect(under(TABLE_ADDRESSES)).toBeNull();
  expect(under(null)).toContain('instruction 0');
  expect(under([own(STRANGER, USDC), ...TABLE_ADDRESSES.slice(1)])).toContain('would go to');
});
