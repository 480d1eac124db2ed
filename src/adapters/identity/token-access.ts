/** Results of token verification for callers of the API. */
import type { AccessPorts } from '../../../api/access.ts';
import { CLOCK_ERROR_MS } from '../../domain/identity/member.ts';
import type { RefusalCode } from '../../domain/values/refusal.ts';
import type { TokenVerifier } from './token-verifier.ts';

/** Every other refusal says that the token is no good. */
const TOKEN_REFUSALS: { readonly [code: string]: RefusalCode } = { token_expired: 'token_expired', keys_unavailable: 'unavailable' };

export function accessBy(verifier: TokenVerifier): AccessPorts['verifyToken'] {
  return async (token, toStop = false) => {
    const verdict = await (toStop ? verifier.verify(token, CLOCK_ERROR_MS / 1_000) : verifier.verify(token));
    if (verdict.ok) {
      const { subject, issuedAt, expiresAt, sessionId, tokenId, lastGoodKeys: readOnly } = verdict;
      return { ok: true, value: { subject, issuedAt, expiresAt, sessionId, tokenId, readOnly } };
    }
    return { ok: false, refusal: { code: TOKEN_REFUSALS[verdict.code] ?? 'unauthenticated', detail: verdict.detail } };
  };
}
