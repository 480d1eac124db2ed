/** Results of token verification for callers of the API. */
import { CLOCK_ERROR_MS, type VerifiedToken } from '../../domain/identity/member.ts';
import type { ProblemCode } from '../../domain/values/problems.ts';
import type { Outcome } from '../../domain/values/refusal.ts';
import type { TokenVerifier } from './token-verifier.ts';

/** Refusals that are not `unauthenticated`; every other problem makes the token invalid. */
const TOKEN_REFUSALS: { readonly [code: string]: ProblemCode } = { token_expired: 'token_expired', keys_unavailable: 'unavailable' };

export function accessBy(verifier: TokenVerifier) {
  return async (token: string, toStop = false): Promise<Outcome<VerifiedToken>> => {
    const verdict = await (toStop ? verifier.verify(token, CLOCK_ERROR_MS / 1_000) : verifier.verify(token));
    if (verdict.ok) {
      const { subject, issuedAt, expiresAt, sessionId, tokenId, lastGoodKeys: readOnly } = verdict;
      return { ok: true, value: { subject, issuedAt, expiresAt, sessionId, tokenId, readOnly } };
    }
    return { ok: false, refusal: { code: TOKEN_REFUSALS[verdict.code] ?? 'unauthenticated', detail: verdict.detail } };
  };
}
