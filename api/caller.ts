/** Authenticates the caller: finds the credential, verifies it, and reads the subject's grants from the database on every request. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AGENT_TOKEN } from '../actors/agent/agent-tokens.ts';
import { NO_AGENT, type Permission } from '../src/domain/agents/agent.ts';
import { sha256Hex } from '../src/domain/values/canonical-json.ts';
import { isTakenBack, type TokenClaims } from '../src/domain/identity/member.ts';
import { type Outcome, type Refusal, refuse } from '../src/domain/values/refusal.ts';
import type { EpochMs } from '../src/domain/values/time.ts';
import type { Allowance, CostClass } from './access.ts';
import { concernsTrading, missingPermission, type RoutePermission, VIEWER_PERMISSIONS } from './permission.ts';
import type { ApiPorts } from './route.ts';
import { sendProblem, sendRefusal } from './problem.ts';
import { addressKey } from './http/rate-limits.ts';

/** A verified identity and its present permissions. */
export interface Caller {
  readonly subject: string;
  /** Null for an identity without an organization. */
  readonly orgId: string | null;
  readonly name: string | null;
  readonly permissions: readonly Permission[];
  readonly expiresAt: EpochMs;
  /** Claims by which the token can be revoked. */
  readonly claims: TokenClaims;
  /** Source of the token. A browser sends a cookie by itself, so cookies need an Origin check. */
  readonly credential: 'cookie' | 'bearer';
}

export interface CallerOptions {
  /** Exact origins (`https://desk.example`) whose pages may send unsafe requests with the cookie. */
  readonly allowedOrigins: readonly string[];
  /** True if the service listens on http loopback. The cookie may then be named `sevengate`. */
  readonly loopback: boolean;
}

const KEYS_IN_DOUBT =
  'the identity provider does not respond; reading, pausing and the emergency halt still work, other requests work again when it responds';

const NO_AGENT_TOKEN: Refusal = {
  code: 'unauthenticated',
  detail: 'this agent token is unknown or revoked; create a new one with POST /v1/agents/{id}/tokens',
};
const ONLY_PROPOSES =
  'a token of an agent proposes for its agent, answers its replay sessions and reads its context and its outside proposals, and nothing else';

const TAKEN_BACK: Refusal = { code: 'unauthenticated', detail: 'this token was revoked: sign in again' };

/** Maximum length of a token. */
const MAX_TOKEN_LENGTH = 8_192;
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);
export const HOST_COOKIE = '__Host-sevengate';
export const LOOPBACK_COOKIE = 'sevengate';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every route that is not public. */
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /** Permission that the route requires. A route without one stops the boot. */
    permission?: RoutePermission;
    cost?: CostClass;
    /** Accepts application/yaml besides JSON. */
    yaml?: boolean;
    /** Passes the body's bytes unchanged. */
    raw?: boolean;
    /** Routes without a rate limit: probes. */
    unlimited?: boolean;
    /** Halts or pauses, and must work although the clock is wrong. */
    stops?: boolean;
    /** Takes an Idempotency-Key. */
    takesKey?: boolean;
  }
}

interface Credential {
  readonly token: string;
  readonly fromCookie: boolean;
}

/** Returns the only credential of a request, or why none is valid. */
export function readCredential(authorization: string | undefined, cookie: string | undefined, loopback: boolean): Outcome<Credential> {
  const cookies = cookie === undefined ? [] : sessionCookies(cookie, loopback);
  if (authorization !== undefined) {
    if (cookies.length > 0)
      return refuse('ambiguous_credentials', 'the request has a token in the cookie and in Authorization; send only one');
    const match = /^Bearer ([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization);
    if (match === null) return refuse('unauthenticated', 'Authorization is not of the form "Bearer <token>"');
    return sized(match[1] as string, false);
  }
  if (cookies.length > 1) return refuse('unauthenticated', 'the request has more than one session cookie; send one');
  const token = cookies[0];
  if (token === undefined) return refuse('unauthenticated', `send a bearer token in Authorization or in the cookie ${HOST_COOKIE}`);
  return sized(token, true);
}

function sized(token: string, fromCookie: boolean): Outcome<Credential> {
  if (token.length > MAX_TOKEN_LENGTH) return refuse('unauthenticated', `the token is longer than ${MAX_TOKEN_LENGTH} characters`);
  return { ok: true, value: { token, fromCookie } };
}

function sessionCookies(header: string, loopback: boolean): string[] {
  const found: string[] = [];
  for (const part of header.split(';')) {
    const equals = part.indexOf('=');
    if (equals < 0) continue;
    const name = part.slice(0, equals).trim();
    if (name === HOST_COOKIE || (loopback && name === LOOPBACK_COOKIE)) found.push(part.slice(equals + 1).trim());
  }
  return found;
}

/**
 * Returns the refusal if a browser's page may not do this with the cookie. Unsafe requests and upgrades need an exactly matching allowed
 * Origin.
 */
function originRefused(request: FastifyRequest, fromCookie: boolean, allowed: ReadonlySet<string>): string | null {
  const { origin, upgrade } = request.headers;
  const opensSocket = upgrade !== undefined;
  const trusted = origin !== undefined && (allowed.has(origin) || isOwnLoopback(origin, request.headers.host));
  if (opensSocket && origin !== undefined && !trusted) return 'this origin may not open a socket here';
  if (!fromCookie || (SAFE_METHODS.has(request.method) && !opensSocket)) return null;
  if (origin === undefined) return 'with the session cookie, an unsafe request needs an Origin header';
  if (!trusted) return 'this origin may not send unsafe requests with the session cookie';
  return request.headers['sec-fetch-site'] === 'cross-site' ? 'the browser says that this request comes from another site' : null;
}

/**
 * True for the terminal's own pages on http loopback, on any port. Only this machine has these names, so a page whose origin equals the
 * request's host came from us. Every other origin must be on the allowlist.
 */
function isOwnLoopback(origin: string, host: string | undefined): boolean {
  return host !== undefined && origin === `http://${host}` && LOOPBACK_HOST.test(host);
}

const LOOPBACK_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

/**
 * Returns why an operation for programs refuses a request, or null. A page of another site must not use it, and on loopback a host name
 * that was pointed here (DNS rebinding) is not ours.
 */
function notForPages({ headers }: FastifyRequest, fromCookie: boolean, allowed: ReadonlySet<string>, loopback: boolean): Refusal | null {
  const { origin, host = '' } = headers;
  if (fromCookie)
    return { code: 'unauthenticated', detail: 'this route does not accept the session cookie: send a token in Authorization' };
  if (origin !== undefined && !allowed.has(origin) && !isOwnLoopback(origin, host))
    return { code: 'origin_refused', detail: 'requests from this origin are not allowed' };
  if (!loopback || LOOPBACK_HOST.test(host) || allowed.has(`https://${host}`) || allowed.has(`http://${host}`)) return null;
  return { code: 'origin_refused', detail: 'this service does not answer to the name in Host: use its own address' };
}

/**
 * Creates the gate of every request. It checks rate limit, credential, verification, grants and permission, in this order. It sets
 * `request.caller` and returns undefined, or answers 400, 401, 403, 429 or 503 itself and returns the reply.
 */
export function createGate(
  ports: ApiPorts,
  options: CallerOptions,
): (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined | Promise<FastifyReply | undefined> {
  const allowedOrigins = new Set(options.allowedOrigins);
  const policyTexts = new Map<CostClass, string>();

  async function limited(reply: FastifyReply, key: string, cost: CostClass): Promise<boolean> {
    const allowance = await ports.access.limits.take(key, cost);
    describeAllowance(reply, cost, allowance);
    if (allowance.allowed) return false;
    tooMany(reply, allowance);
    return true;
  }

  function describeAllowance(reply: FastifyReply, cost: CostClass, allowance: Allowance): void {
    let policy = policyTexts.get(cost);
    if (policy === undefined) {
      const { limit, windowSeconds } = ports.access.limits.policy(cost);
      policy = `"${cost}";q=${limit};w=${windowSeconds}`;
      policyTexts.set(cost, policy);
    }
    reply.header('ratelimit-policy', policy);
    reply.header('ratelimit', `"${cost}";r=${allowance.remaining};t=${allowance.resetSeconds}`);
  }

  /**
   * Answers an invalid credential. Valid ones never reach this, so invalid ones use up no other caller's limit. Beyond the limit the sender
   * must wait, and has to open a new connection each time.
   */
  async function refuseIdentity(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): Promise<FastifyReply> {
    reply.header('cache-control', 'no-store');
    // Without the keys it was no guess.
    if (refusal.code === 'unavailable') return sendRefusal(reply, refusal);
    const allowance = await ports.access.limits.take(addressKey(request.ip), 'failed_identity');
    if (allowance.allowed) return sendRefusal(reply, refusal);
    reply.header('connection', 'close');
    return tooMany(reply, allowance);
  }

  async function letIn(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const { permission, cost = 'read', unlimited, stops = false } = request.routeOptions.config;
    if (permission === undefined || permission === 'public') {
      if (unlimited !== true && (await limited(reply, addressKey(request.ip), cost))) return reply;
      // Nobody is identified yet, but another site's page must not open or close its visitor's session either.
      const foreign = request.headers.origin === undefined ? null : originRefused(request, true, allowedOrigins);
      return permission === undefined || foreign === null ? undefined : sendProblem(reply, 'origin_refused', foreign);
    }
    const credential = readCredential(request.headers.authorization, request.headers.cookie, options.loopback);
    if (!credential.ok) return refuseIdentity(request, reply, credential.refusal);
    const refusedOrigin = originRefused(request, credential.value.fromCookie, allowedOrigins);
    if (refusedOrigin !== null) return sendProblem(reply, 'origin_refused', refusedOrigin);
    const foreign = permission === 'bearer' ? notForPages(request, credential.value.fromCookie, allowedOrigins, options.loopback) : null;
    if (foreign !== null) return foreign.code === 'unauthenticated' ? refuseIdentity(request, reply, foreign) : sendRefusal(reply, foreign);
    if (isAgentToken(credential.value)) return letAgentIn(request, reply, credential.value, { ports, limited, refuseIdentity });
    const verified = await ports.access.verifyToken(credential.value.token, stops);
    if (!verified.ok) return refuseIdentity(request, reply, verified.refusal);
    const { subject, expiresAt, readOnly = false, issuedAt, sessionId, tokenId } = verified.value;
    const claims = { issuedAt, sessionId, tokenId };
    if (await limited(reply, `subject ${subject}`, cost)) return reply;
    const member = await ports.access.members.find(subject);
    if (isTakenBack(claims, member?.revocations)) return refuseIdentity(request, reply, TAKEN_BACK);
    const permissions = member === null || member.permissions.length === 0 ? VIEWER_PERMISSIONS : member.permissions;
    const missing = missingPermission(permission, permissions);
    if (missing !== null) return sendProblem(reply, 'permission_missing', `this needs ${missing}`);
    // Stopping agents works whatever is in doubt.
    if (readOnly && cost !== 'emergency' && concernsTrading(permission)) return sendProblem(reply, 'unavailable', KEYS_IN_DOUBT);
    request.caller = {
      subject,
      orgId: member?.orgId ?? null,
      name: member?.name ?? null,
      permissions,
      expiresAt,
      claims,
      credential: credential.value.fromCookie ? 'cookie' : 'bearer',
    };
    reply.header('cache-control', 'no-store');
    return undefined;
  }

  return (request, reply) => {
    const { permission, unlimited } = request.routeOptions.config;
    reply.header('x-request-id', request.id);
    // A probe passes without waiting. Only requests that need a look-up wait.
    const isProbe = permission === 'public' && unlimited === true && request.headers.origin === undefined;
    return isProbe ? undefined : letIn(request, reply);
  };
}

function tooMany(reply: FastifyReply, allowance: Allowance): FastifyReply {
  const seconds = Math.max(1, allowance.retryAfterSeconds);
  return sendProblem(reply, 'rate_limited', `too many requests; the next one is allowed in ${seconds} s`, { retryAfterSeconds: seconds });
}

const isAgentToken = ({ token }: Credential): boolean => token.startsWith(AGENT_TOKEN);

/** Parts of the gate that also serve agent tokens. */
interface AgentGate {
  readonly ports: ApiPorts;
  readonly limited: (reply: FastifyReply, key: string, cost: CostClass) => Promise<boolean>;
  readonly refuseIdentity: (request: FastifyRequest, reply: FastifyReply, refusal: Refusal) => Promise<FastifyReply>;
}

/** Admits an agent token to the routes open to it, for its own agent only. */
async function letAgentIn(
  request: FastifyRequest,
  reply: FastifyReply,
  { token, fromCookie }: Credential,
  { ports, limited, refuseIdentity }: AgentGate,
): Promise<FastifyReply | undefined> {
  const { permission, cost = 'read' } = request.routeOptions.config;
  const holder = fromCookie ? null : ((await ports.access.agentTokens?.find(sha256Hex(token))) ?? null);
  if (holder === null) return refuseIdentity(request, reply, NO_AGENT_TOKEN);
  if (await limited(reply, `agent token ${holder.id}`, cost)) return reply;
  if (permission !== 'bearer') {
    if (typeof permission !== 'object' || !('agentToken' in permission)) return sendProblem(reply, 'permission_missing', ONLY_PROPOSES);
    if ((request.params as { readonly id?: string }).id?.toLowerCase() !== holder.agentId) return sendProblem(reply, 'not_found', NO_AGENT);
  }
  request.caller = {
    subject: `agent-token:${holder.id}`,
    orgId: holder.orgId,
    name: holder.name,
    permissions: [],
    expiresAt: Number.MAX_SAFE_INTEGER,
    claims: { issuedAt: 0, sessionId: null, tokenId: holder.id },
    credential: 'bearer',
  };
  reply.header('cache-control', 'no-store');
  return undefined;
}

/** Returns the caller with its organization. Every permission except `market:read` comes from a member row, so there is one. */
export function requireMember(request: FastifyRequest): Caller & { readonly orgId: string } {
  const { caller } = request;
  if (caller === null || caller.orgId === null) throw new Error('the route has no member and therefore no organization');
  return caller as Caller & { readonly orgId: string };
}
