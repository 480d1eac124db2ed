/** Submission of a signed transaction, shared by all routes that accept one. */
import { Type } from 'typebox';
import type { ProblemCode } from '../../src/domain/values/problems.ts';
import { objectSchema } from '../shapes.ts';

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
