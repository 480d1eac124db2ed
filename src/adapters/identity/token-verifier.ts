/**
 * Verification of the identity provider's bearer tokens on every request, claim by claim. See docs/reference/outside/identity-provider.md.
 */
import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose';
import type { Clock } from '../../../streams/clock/clock.ts';
import { CLOCK_ERROR_MS, type VerifiedToken } from '../../domain/identity/member.ts';
import type { ProblemCode } from '../../domain/values/problems.ts';
import type { Outcome } from '../../domain/values/refusal.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import { type KeyLookup, KeySet, type KeySetOptions, TOKEN_ALGORITHMS, type TokenAlgorithm } from './key-set.ts';

const TOKEN_REFUSAL_CODES = [
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
] as const;
export type TokenRefusalCode = (typeof TOKEN_REFUSAL_CODES)[number];

/** Subject of a token. Organization, role and permissions come from the database and not from the token. */
interface TokenAcceptance {
  readonly ok: true;
  readonly subject: string;
  readonly issuedAt: EpochMs;
  readonly expiresAt: EpochMs;
  /** Claim `sid`, the provider's session, if present. */
  readonly sessionId: string | null;
  /** Claim `jti`, if present. */
  readonly tokenId: string | null;
  readonly keyId: string;
  /** True if the provider does not answer and its last known keys were used: reads are allowed, trading is not. */
  readonly lastGoodKeys: boolean;
}

interface TokenRefusal {
  readonly ok: false;
  readonly code: TokenRefusalCode;
  /** Sentence with the problem and the accepted value. Never repeats the token. */
  readonly detail: string;
}

type TokenVerdict = TokenAcceptance | TokenRefusal;

interface TokenVerifierOptions {
  readonly issuer: string;
  readonly audience: string;
  readonly clock: Clock;
  /** Accepted algorithms. Default: ES256, RS256 and EdDSA, which are also the only possible ones. */
  readonly algorithms?: readonly TokenAlgorithm[];
  /** Accepted values of the header's `typ`, lower case. Default `jwt` and `at+jwt`. */
  readonly types?: readonly string[];
  /** Maximum `exp - iat`. Default 60 min. */
  readonly maxLifetimeS?: number;
  /** Tolerated difference of the provider's clock. Default 5 s. */
  readonly clockToleranceS?: number;
}

export interface TokenVerifier {
  /**
   * Verifies one token. Never throws. A valid signature is cached for `VERIFIED_MS`; expiry and published keys are checked on every call.
   * The caller checks revocation with the subject's grants. `toleranceS` replaces the accepted clock difference for this call.
   */
  verify(token: string, toleranceS?: number): Promise<TokenVerdict>;
  /** Number of fetches and the last problem, for metrics and `/readyz`. */
  readonly keySet: Pick<KeySet, 'fetches' | 'problem'>;
}

const MAX_TOKEN_BYTES = 8 * 1024;
const MAX_SUBJECT = 255;
/** Three parts of unpadded base64url, separated by dots. */
const COMPACT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
/** Headers that would let the sender choose the key, or change what is signed. */
const FORBIDDEN_HEADERS = ['jwk', 'jku', 'x5u', 'x5c', 'crit', 'b64', 'zip', 'enc'] as const;
const HEADER_CACHE = 64;
/** Milliseconds for which a valid signature is cached. */
const VERIFIED_MS = 5_000;
/** Maximum number of cached tokens; the maximum length follows. */
const MAX_REMEMBERED = 4_096;
const MAX_REMEMBERED_BYTES = 2 * 1024;

interface Header {
  readonly algorithm: TokenAlgorithm;
  readonly kid: string;
}

function refuse(code: TokenRefusalCode, detail: string): TokenRefusal {
  return { ok: false, code, detail };
}

/** Formats a claim for a sentence without long or secret values. */
function shown(value: unknown): string {
  return typeof value === 'string'
    ? JSON.stringify(value.slice(0, 40))
    : typeof value === 'number'
      ? String(value)
      : value === null
        ? 'null'
        : typeof value;
}

/** Returns true for well-formed Unicode without characters that PostgreSQL rejects. */
function isPlainText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000');
}

function whole(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 && value < 1e11;
}

/** Verified content of a token and the time until which its signature is cached. */
interface Verified {
  readonly verdict: TokenAcceptance;
  /** Time from which the token is valid. */
  readonly beginsAt: EpochMs;
  /** Time of the next check, by elapsed time. */
  readonly checkAgainAt: number;
}

/** Returns the refusal for an error of jose. */
function toRefusal(error: unknown, issuer: string, audience: string): TokenRefusal {
  if (error instanceof errors.JWKSNoMatchingKey) return refuse('key_unknown', 'the identity provider publishes no key of this token');
  if (error instanceof errors.JWSSignatureVerificationFailed) return refuse('signature_invalid', "the token's signature does not hold");
  if (error instanceof errors.JWTClaimValidationFailed) {
    const { claim, reason, payload } = error;
    if (reason === 'missing') return refuse('claim_missing', `the token has no "${claim}"`);
    if (claim === 'iss') return refuse('issuer_mismatch', `the token is issued by ${shown(payload.iss)}, not by ${issuer}`);
    if (claim === 'aud') return refuse('audience_mismatch', `the token is not meant for ${audience}`);
    return refuse('claim_malformed', `"${claim}" must be a time in seconds, not ${shown(payload[claim])}`);
  }
  // Every other error of jose was handled above.
  return refuse('token_malformed', "the token's claims are not a JSON object");
}

/**
 * Creates a verifier. jose checks signature, issuer and audience; the key comes only from the configured URL. Stricter rules are checked
 * here.
 */
export function createTokenVerifier(options: TokenVerifierOptions & Omit<KeySetOptions, 'clock'>): TokenVerifier {
  return new KeySetVerifier(options);
}

class KeySetVerifier implements TokenVerifier {
  readonly #issuer;
  readonly #audience;
  readonly #clock;
  readonly #algorithms: ReadonlySet<string>;
  readonly #types: ReadonlySet<string>;
  readonly #maxLifetimeS;
  readonly #toleranceS;
  readonly #keySet;
  // Tokens signed by one key share their header text.
  readonly #headers = new Map<string, Header>();
  readonly #verified = new Map<string, Verified>();
  #generation;

  constructor(options: TokenVerifierOptions & Omit<KeySetOptions, 'clock'>) {
    const { issuer, audience, clock } = options;
    this.#issuer = issuer;
    this.#audience = audience;
    this.#clock = clock;
    this.#algorithms = new Set(options.algorithms ?? TOKEN_ALGORITHMS);
    for (const algorithm of this.#algorithms) {
      if (!(TOKEN_ALGORITHMS as readonly string[]).includes(algorithm))
        throw new TypeError(`"${algorithm}" is not accepted; ${TOKEN_ALGORITHMS.join(', ')} are`);
    }
    this.#types = new Set(options.types ?? ['jwt', 'at+jwt']);
    this.#maxLifetimeS = options.maxLifetimeS ?? 3_600;
    this.#toleranceS = options.clockToleranceS ?? 5;
    this.#keySet = new KeySet(options);
    this.#generation = this.#keySet.generation;
  }

  get keySet() {
    return this.#keySet;
  }

  async verify(token: string, toleranceS = this.#toleranceS): Promise<TokenVerdict> {
    if (token.length > MAX_TOKEN_BYTES) return refuse('token_too_large', `the token is larger than ${MAX_TOKEN_BYTES} bytes`);
    if (!COMPACT.test(token)) return refuse('token_malformed', 'the token is no signed token of three base64url parts');
    const header = this.#readHeader(token.slice(0, token.indexOf('.')), token);
    if ('ok' in header) return header;
    const found = this.#keySet.peek(header.kid) ?? (await this.#keySet.lookup(header.kid));
    return this.#assess(token, header, found, toleranceS);
  }

  #readHeader(text: string, token: string): Header | TokenRefusal {
    const cached = this.#headers.get(text);
    if (cached !== undefined) return cached;
    let header: Record<string, unknown>;
    try {
      header = decodeProtectedHeader(token) as Record<string, unknown>;
    } catch {
      return refuse('token_malformed', "the token's header is not a JSON object");
    }
    const forbidden = FORBIDDEN_HEADERS.find((name) => Object.hasOwn(header, name));
    if (forbidden !== undefined) return refuse('header_refused', `the token's header carries "${forbidden}", which is never followed`);
    const { alg, typ, kid } = header;
    if (typeof alg !== 'string' || !this.#algorithms.has(alg)) {
      return refuse('algorithm_refused', `the token is signed with ${shown(alg)}; accepted are ${[...this.#algorithms].join(', ')}`);
    }
    const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : '';
    if (!this.#types.has(type))
      return refuse('type_refused', `the token's "typ" is ${shown(typ)}; accepted are ${[...this.#types].join(', ')}`);
    if (typeof kid !== 'string' || kid === '' || kid.length > 200)
      return refuse('header_refused', 'the token\'s header has no "kid" that names its key');
    const read = { algorithm: alg as TokenAlgorithm, kid };
    if (this.#headers.size >= HEADER_CACHE) this.#headers.delete(this.#headers.keys().next().value as string);
    this.#headers.set(text, read);
    return read;
  }

  #readClaims(claims: JWTPayload, kid: string): Verified | TokenRefusal {
    const { sub, exp, iat, nbf, sid, jti } = claims as Record<string, unknown>;
    if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT || !isPlainText(sub))
      return refuse('claim_malformed', `"sub" must be a text of 1 to ${MAX_SUBJECT} characters without U+0000`);
    if (!whole(exp)) return refuse('claim_malformed', `"exp" must be a time in seconds, not ${shown(exp)}`);
    if (!whole(iat)) return refuse('claim_malformed', `"iat" must be a time in seconds, not ${shown(iat)}`);
    if (nbf !== undefined && !whole(nbf)) return refuse('claim_malformed', `"nbf" must be a time in seconds, not ${shown(nbf)}`);
    for (const [name, value] of [
      ['sid', sid],
      ['jti', jti],
    ] as const)
      if (value !== undefined && (typeof value !== 'string' || value.length > MAX_SUBJECT || !isPlainText(value)))
        return refuse('claim_malformed', `"${name}" must be a short text`);
    if (exp <= iat) return refuse('claim_malformed', '"exp" must be later than "iat"');
    if (exp - iat > this.#maxLifetimeS)
      return refuse('lifetime_too_long', `the token lives ${Math.round(exp - iat)} s; at most ${this.#maxLifetimeS} s are accepted`);
    const verdict: TokenAcceptance = {
      ok: true,
      subject: sub,
      issuedAt: iat * 1000,
      expiresAt: exp * 1000,
      sessionId: typeof sid === 'string' ? sid : null,
      tokenId: typeof jti === 'string' ? jti : null,
      keyId: kid,
      lastGoodKeys: false,
    };
    const beginsAt = Math.max(iat, typeof nbf === 'number' ? nbf : iat) * 1000;
    return { verdict, beginsAt, checkAgainAt: this.#clock.elapsed() + VERIFIED_MS };
  }

  /** Checks what may have changed since the signature was verified. */
  #atThisMoment({ verdict, beginsAt }: Verified, lastGoodKeys: boolean, toleranceS: number): TokenVerdict {
    const now = this.#clock.now();
    const late = now - verdict.expiresAt;
    if (late >= toleranceS * 1000)
      return refuse('token_expired', `the token expired ${Math.floor(late / 1000)} s ago; ask the identity provider for a new one`);
    const ahead = beginsAt - now;
    if (ahead > toleranceS * 1000)
      return refuse(
        'token_not_yet_valid',
        `the token is valid only in ${Math.ceil(ahead / 1000)} s; the clocks may differ by ${toleranceS} s`,
      );
    return lastGoodKeys ? { ...verdict, lastGoodKeys } : verdict;
  }

  async #check(token: string, header: Header): Promise<Verified | TokenRefusal> {
    const signature = token.slice(token.lastIndexOf('.') + 1);
    // Only the canonical encoding is accepted: spare bits at the end would allow a second token with the same signature.
    if (Buffer.from(signature, 'base64url').toString('base64url') !== signature)
      return refuse('token_malformed', "the token's signature is not spelled canonically");
    let payload: JWTPayload;
    try {
      ({ payload } = await jwtVerify(token, this.#keySet.select, {
        issuer: this.#issuer,
        audience: this.#audience,
        algorithms: [header.algorithm],
        requiredClaims: ['iss', 'aud', 'sub', 'exp', 'iat'],
        // Times are checked below by the injected clock and its tolerance.
        currentDate: new Date(0),
        clockTolerance: Number.MAX_SAFE_INTEGER,
      }));
    } catch (error) {
      // `currentDate` is 1970, so jose never reports an expired token.
      return toRefusal(error, this.#issuer, this.#audience);
    }
    return this.#readClaims(payload, header.kid);
  }

  #remember(token: string, found: Verified): void {
    if (token.length > MAX_REMEMBERED_BYTES) return;
    if (this.#verified.size >= MAX_REMEMBERED) this.#verified.delete(this.#verified.keys().next().value as string);
    this.#verified.set(token, found);
  }

  async #assess(token: string, header: Header, found: KeyLookup, toleranceS: number): Promise<TokenVerdict> {
    if (found === 'unavailable')
      return refuse('keys_unavailable', `the identity provider's keys cannot be read: ${this.#keySet.problem || 'no answer yet'}`);
    if (found === 'unknown') return refuse('key_unknown', `the identity provider publishes no key ${shown(header.kid)}`);
    if (found.algorithm !== header.algorithm)
      return refuse('algorithm_refused', `the token says ${header.algorithm}, but its key is for ${found.algorithm}`);
    if (this.#generation !== this.#keySet.generation) {
      this.#generation = this.#keySet.generation;
      this.#verified.clear();
    }
    const known = this.#verified.get(token);
    if (known !== undefined && this.#clock.elapsed() < known.checkAgainAt) return this.#atThisMoment(known, found.lastGood, toleranceS);
    this.#verified.delete(token);
    const checked = await this.#check(token, header);
    if ('ok' in checked) return checked;
    const verdict = this.#atThisMoment(checked, found.lastGood, toleranceS);
    if (verdict.ok) this.#remember(token, checked);
    return verdict;
  }
}

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
