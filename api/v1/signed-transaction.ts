/** Submission of a signed transaction, shared by all routes that accept one. */
import { Type } from 'typebox';
import type { ProblemCode } from '../problem.ts';
import { objectOf } from '../shapes.ts';

/**
 * Far more than the longest transaction that a chain carries (1,232 bytes): what is too long is read as a transaction and
 * refused as one, naming its bytes, and not as a body. What is longer still is beyond the body's own limit soon.
 */
const LONGEST_TEXT = 200_000;

export const SignedTransaction = objectOf({
  signedTransaction: Type.String({
    minLength: 4,
    maxLength: LONGEST_TEXT,
    pattern: '^[A-Za-z0-9+/]+={0,2}$',
    description: 'The signed bytes, base64.',
  }),
});

/** Declarations shared by the routes that accept a signed transaction, besides path and description. */
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
