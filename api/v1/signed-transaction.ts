/** Wallets and signed transactions in requests, shared by all routes that accept them. */
import { Type } from 'typebox';
import { isAddress } from '../../src/domain/solana/base58.ts';
import type { ProblemCode } from '../../src/domain/values/problems.ts';
import { malformed } from '../http/strict-json.ts';
import { objectSchema } from '../shapes.ts';

/** Returns the address. @throws InputError if the text does not decode to 32 bytes, which its pattern cannot tell. */
export function checkedAddress(wallet: string): string {
  if (!isAddress(wallet)) throw malformed('$.wallet', 'it is not an address', '32 bytes in base58');
  return wallet;
}

/**
 * Maximum characters of a submission, far more than the longest transaction (1,232 bytes), so that a too long one is refused as a
 * transaction, naming its bytes. Anything longer soon exceeds the body limit.
 */
const LONGEST_TEXT = 200_000;

export const SignedTransaction = objectSchema({
  signedTransaction: Type.String({
    minLength: 4,
    maxLength: LONGEST_TEXT,
    pattern: '^[A-Za-z0-9+/]+={0,2}$',
    description: 'The signed bytes, base64.',
  }),
});

/** Declarations shared by routes that accept a signed transaction. */
export const TAKES_SIGNED_TRANSACTION = {
  cost: 'write',
  carriesTransaction: true,
  idempotent: true,
  refusals: [
    'not_found',
    'state_conflict',
    'halted',
    'feature_disabled',
    'blocked_by_risk',
    'malformed_transaction',
    'signed_bytes_differ',
    'signature_missing',
    'signature_invalid',
  ] satisfies readonly ProblemCode[],
} as const;
