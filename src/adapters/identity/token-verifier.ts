/** Bearer tokens of the identity provider: every request's token is verified cryptographically, claim by claim (decisions "Identity"). */
import { isUtf8 } from 'node:buffer';
import { verify as verifySignature } from 'node:crypto';
import { decodeProtectedHeader } from 'jose';
import type { Clock } from '../../../streams/clock.ts';
import type { EpochMs } from '../../domain/time.ts';
import { type KeyLookup, KeySet, type KeySetOptions, TOKEN_ALGORITHMS, type TokenAlgorithm, type VerificationKey } from './key-set.ts';

export const TOKEN_REFUSAL_CODES = [
  'token_too_large',
  'token_malformed',
  'header_refused',
  'algorithm_refused',
  'type_refused',
  'key_unknown',
  'keys_unavailable',
  'signature_invalid',
  'claim_missing',
  'claim_malformed',
  'issuer_mismatch',
  'audience_mismatch',
  'token_expired',
  'token_not_yet_valid',
  'lifetime_too_long',
  'token_revoked',
] as const;
export type TokenRefusalCode = (typeof TOKEN_REFUSAL_CODES)[number];

/** Whom a token speaks for. Nothing else of it is believed: organization, role and permissions come from the database. */
export interface VerifiedToken {
  readonly ok: true;
  readonly subject: string;
  readonly issuedAt: EpochMs;
  readonly expiresAt: EpochMs;
  /** `sid`, the provider's session, where it names one. */
  readonly sessionId: string | null;
  /** `jti`, where the token has one. */
  readonly tokenId: string | null;
  readonly keyId: string;
  /** True where the provider is silent and its last known keys were used: reads may pass, trading must not. */
  readonly lastGoodKeys: boolean;
}

export interface TokenRefusal {
  readonly ok: false;
  readonly code: TokenRefusalCode;
  /** What was wrong and what would be right. Never repeats the token. */
  readonly detail: string;
}

export type TokenVerdict = VerifiedToken | TokenRefusal;

export interface TokenVerifierOptions {
  readonly issuer: string;
  readonly audience: string;
  readonly clock: Clock;
  /** Default: all of ES256, RS256 and EdDSA. Others are never accepted. */
  readonly algorithms?: readonly TokenAlgorithm[];
  /** Accepted values of the header's `typ`, lower case. Default `jwt` and `at+jwt`. */
  readonly types?: readonly string[];
  /** Longest exp - iat. Default 60 min. */
  readonly maxLifetimeS?: number;
  /** How far the provider's clock may differ. Default 5 s. */
  readonly clockToleranceS?: number;
  /** Asked last: whether this session or token was taken back. */
  readonly isRevoked?: (sessionId: string | null, tokenId: string | null) => boolean;
}

export interface TokenVerifier {
  /** Verifies one token. Never throws and never remembers a verdict. */
  verify(token: string): Promise<TokenVerdict>;
  /** For metrics and `/readyz`: fetches so far and why the last one failed. */
  readonly keySet: Pick<KeySet, 'fetches' | 'problem'>;
}

const MAX_TOKEN_BYTES = 8 * 1024;
const MAX_SUBJECT = 255;
/** Three parts of unpadded base64url. */
const COMPACT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
/** Headers that point to a key of the sender's choice, or change what is signed. */
const FORBIDDEN_HEADERS = ['jwk', 'jku', 'x5u', 'x5c', 'crit', 'b64', 'zip', 'enc'] as const;
const HEADER_CACHE = 64;

interface Header {
  readonly algorithm: TokenAlgorithm;
  readonly kid: string;
}

function refuse(code: TokenRefusalCode, detail: string): TokenRefusal {
  return { ok: false, code, detail };
}

/** What a claim is, for a sentence: never a value that could be long or secret. */
function shown(value: unknown): string {
  return typeof value === 'string'
    ? JSON.stringify(value.slice(0, 40))
    : typeof value === 'number'
      ? String(value)
      : value === null
        ? 'null'
        : typeof value;
}

const DIGEST: Readonly<Record<TokenAlgorithm, string | null>> = { ES256: 'sha256', RS256: 'sha256', EdDSA: null };

function signatureHolds(found: VerificationKey, signed: Buffer, signature: Buffer): boolean {
  // Tokens carry ECDSA signatures as r and s side by side, not as DER.
  const key = found.algorithm === 'ES256' ? ({ key: found.key, dsaEncoding: 'ieee-p1363' } as const) : found.key;
  return verifySignature(DIGEST[found.algorithm], signed, key, signature);
}

function whole(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 && value < 1e11;
}

/**
 * Makes a verifier of the provider's tokens. Signatures are checked with node:crypto on keys that were imported once,
 * which is more than twice as fast as Web Crypto; the header goes through jose, the key comes from the configured
 * URL only, and never from the token.
 */
export function createTokenVerifier(options: TokenVerifierOptions & Omit<KeySetOptions, 'clock'>): TokenVerifier {
  const { issuer, audience, clock } = options;
  const algorithms: ReadonlySet<string> = new Set(options.algorithms ?? TOKEN_ALGORITHMS);
  for (const algorithm of algorithms) {
    if (!(TOKEN_ALGORITHMS as readonly string[]).includes(algorithm))
      throw new TypeError(`"${algorithm}" is not accepted; ${TOKEN_ALGORITHMS.join(', ')} are`);
  }
  const types: ReadonlySet<string> = new Set(options.types ?? ['jwt', 'at+jwt']);
  const maxLifetimeS = options.maxLifetimeS ?? 3_600;
  const toleranceS = options.clockToleranceS ?? 5;
  const keySet = new KeySet(options);
  // Headers of one key are all the same text; what is remembered is their reading, never a verdict.
  const headers = new Map<string, Header>();

  function readHeader(text: string, token: string): Header | TokenRefusal {
    const cached = headers.get(text);
    if (cached !== undefined) return cached;
    let header: Record<string, unknown>;
    try {
      header = decodeProtectedHeader(token) as Record<string, unknown>;
    } catch {
      return refuse('token_malformed', "the token's header is no JSON object");
    }
    const forbidden = FORBIDDEN_HEADERS.find((name) => Object.hasOwn(header, name));
    if (forbidden !== undefined) return refuse('header_refused', `the token's header carries "${forbidden}", which is never followed`);
    const { alg, typ, kid } = header;
    if (typeof alg !== 'string' || !algorithms.has(alg)) {
      return refuse('algorithm_refused', `the token is signed with ${shown(alg)}; accepted are ${[...algorithms].join(', ')}`);
    }
    const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : '';
    if (!types.has(type)) return refuse('type_refused', `the token's "typ" is ${shown(typ)}; accepted are ${[...types].join(', ')}`);
    if (typeof kid !== 'string' || kid === '' || kid.length > 200)
      return refuse('header_refused', 'the token\'s header has no "kid" that names its key');
    const read = { algorithm: alg as TokenAlgorithm, kid };
    if (headers.size >= HEADER_CACHE) headers.delete(headers.keys().next().value as string);
    headers.set(text, read);
    return read;
  }

  function judgeClaims(payload: Buffer, kid: string, lastGoodKeys: boolean): TokenVerdict {
    let claims: Record<string, unknown>;
    try {
      if (!isUtf8(payload)) throw new SyntaxError('not UTF-8');
      claims = JSON.parse(payload.toString('utf8')) as Record<string, unknown>;
      if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) throw new SyntaxError('no object');
    } catch {
      return refuse('token_malformed', "the token's claims are no JSON object");
    }
    const { iss, aud, sub, exp, iat, nbf, sid, jti } = claims;
    for (const [name, value] of [
      ['iss', iss],
      ['aud', aud],
      ['sub', sub],
      ['exp', exp],
      ['iat', iat],
    ] as const) {
      if (value === undefined) return refuse('claim_missing', `the token has no "${name}"`);
    }
    if (iss !== issuer) return refuse('issuer_mismatch', `the token is issued by ${shown(iss)}, not by ${issuer}`);
    const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
    if (!audiences.includes(audience)) return refuse('audience_mismatch', `the token is not meant for ${audience}`);
    if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT || !sub.isWellFormed())
      return refuse('claim_malformed', `"sub" must be a text of 1 to ${MAX_SUBJECT} characters`);
    if (!whole(exp)) return refuse('claim_malformed', `"exp" must be a time in seconds, not ${shown(exp)}`);
    if (!whole(iat)) return refuse('claim_malformed', `"iat" must be a time in seconds, not ${shown(iat)}`);
    if (nbf !== undefined && !whole(nbf)) return refuse('claim_malformed', `"nbf" must be a time in seconds, not ${shown(nbf)}`);
    if (sid !== undefined && (typeof sid !== 'string' || sid.length > MAX_SUBJECT))
      return refuse('claim_malformed', '"sid" must be a short text');
    if (jti !== undefined && (typeof jti !== 'string' || jti.length > MAX_SUBJECT))
      return refuse('claim_malformed', '"jti" must be a short text');
    if (exp <= iat) return refuse('claim_malformed', '"exp" must be later than "iat"');
    if (exp - iat > maxLifetimeS)
      return refuse('lifetime_too_long', `the token lives ${Math.round(exp - iat)} s; at most ${maxLifetimeS} s are accepted`);
    const now = clock.now() / 1000;
    if (now >= exp + toleranceS)
      return refuse('token_expired', `the token expired ${Math.floor(now - exp)} s ago; ask the identity provider for a new one`);
    const ahead = Math.max(iat, typeof nbf === 'number' ? nbf : iat) - now;
    if (ahead > toleranceS)
      return refuse('token_not_yet_valid', `the token is valid only in ${Math.ceil(ahead)} s; the clocks may differ by ${toleranceS} s`);
    const sessionId = typeof sid === 'string' ? sid : null;
    const tokenId = typeof jti === 'string' ? jti : null;
    if (options.isRevoked?.(sessionId, tokenId) === true) return refuse('token_revoked', 'the session of this token was ended');
    return { ok: true, subject: sub, issuedAt: iat * 1000, expiresAt: exp * 1000, sessionId, tokenId, keyId: kid, lastGoodKeys };
  }

  function judge(token: string, header: Header, found: VerificationKey, lastGoodKeys: boolean): TokenVerdict {
    if (found.algorithm !== header.algorithm) {
      return refuse('algorithm_refused', `the token says ${header.algorithm}, but its key is for ${found.algorithm}`);
    }
    const dot = token.lastIndexOf('.');
    const text = token.slice(dot + 1);
    const signature = Buffer.from(text, 'base64url');
    // One signature, one spelling: spare bits at the end would make a second token out of the same bytes.
    if (signature.toString('base64url') !== text) return refuse('token_malformed', "the token's signature is not spelled canonically");
    if (!signatureHolds(found, Buffer.from(token.slice(0, dot), 'latin1'), signature)) {
      return refuse('signature_invalid', "the token's signature does not hold");
    }
    return judgeClaims(Buffer.from(token.slice(token.indexOf('.') + 1, dot), 'base64url'), header.kid, lastGoodKeys);
  }

  function judgeLookup(token: string, header: Header, found: KeyLookup): TokenVerdict {
    if (found === 'unavailable')
      return refuse('keys_unavailable', `the identity provider's keys cannot be read: ${keySet.problem || 'no answer yet'}`);
    if (found === 'unknown') return refuse('key_unknown', `the identity provider publishes no key ${shown(header.kid)}`);
    return judge(token, header, found.key, found.lastGood);
  }

  return {
    keySet,
    async verify(token) {
      if (token.length > MAX_TOKEN_BYTES) return refuse('token_too_large', `the token is larger than ${MAX_TOKEN_BYTES} bytes`);
      if (!COMPACT.test(token)) return refuse('token_malformed', 'the token is no signed token of three base64url parts');
      const header = readHeader(token.slice(0, token.indexOf('.')), token);
      if ('ok' in header) return header;
      const key = keySet.peek(header.kid);
      if (key !== undefined) return judge(token, header, key, false);
      return judgeLookup(token, header, await keySet.lookup(header.kid));
    },
  };
}
