// Signed routes are searched for fees and destinations other than the wallet's, from the stored message alone.
import type { TransactionInstruction } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { readTransaction } from '../../../src/domain/solana/message.ts';
import { routeFindings } from '../../../src/domain/solana/route-findings.ts';
import { own, route, SHARE, STRANGER, sharedRoute, WALLET } from './delegated-messages.ts';
import { BLOCKHASH } from './honest-transactions.ts';
import { wireMessage } from './wire-message.ts';

const TERMS = { given: 1_000n, quoted: 1_000n, slippage: 50 };
const FEES = own(STRANGER, SHARE);

function findings(instruction: TransactionInstruction): readonly string[] {
  const { message, signers } = wireMessage(WALLET, BLOCKHASH, [instruction], null);
  const read = readTransaction(Buffer.concat([Uint8Array.of(signers.length), ...signers.map(() => new Uint8Array(64)), message]));
  if (!read.ok) throw new Error(read.refusal.detail);
  return routeFindings(read.value, WALLET);
}

test.each([
  ['route', route, 6, 3],
  ['shared_accounts_route', sharedRoute, 9, 6],
] as const)('%s: a fee and a foreign destination are named, and an honest route is not', (_, made, feePlace, endPlace) => {
  expect(findings(made(TERMS))).toEqual([]);
  expect(findings(made({ ...TERMS, fee: 255, instead: { [feePlace]: FEES } }))).toEqual([
    `instruction 0 pays a fee of 255 basis points to ${FEES}`,
  ]);
  expect(findings(made({ ...TERMS, instead: { [endPlace]: FEES } }))).toEqual([
    `instruction 0 ends at ${FEES}, which is not the wallet's account of ${SHARE.mint}`,
  ]);
});

test('an unreadable route is reported as such: its payments are unknown', () => {
  for (const instruction of [route({ ...TERMS, trailing: Uint8Array.of(0) }), route({ ...TERMS, kind: 'route_v2' })])
    expect(findings(instruction)).toEqual([expect.stringMatching(/^instruction 0 is a route that is not known/)]);
});
