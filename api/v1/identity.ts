/** Sign-in of browsers, and what a caller is and keeps. */
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { MemberSettings } from '../../src/adapters/store/callers/member-settings.ts';
import { PERMISSIONS } from '../../src/domain/agents/agent.ts';
import { LONGEST_SETTING, MOST_SETTINGS } from '../../src/domain/identity/member.ts';
import { type Refusal, refuse } from '../../src/domain/values/refusal.ts';
import { isoTime } from '../../src/domain/values/time.ts';
import { type CallerOptions, HOST_COOKIE, LOOPBACK_COOKIE, readCredential } from '../caller.ts';
import { addressKey } from '../http/rate-limits.ts';
import { sendProblem, sendRefusal } from '../problem.ts';
import { defineRoute, type RouteGroup } from '../route.ts';
import { choice, EmptyBody, nullable, objectSchema, Time, versionSchema } from '../shapes.ts';

declare module '../route.ts' {
  interface ApiPorts {
    /** Settings of each member, which only they see. */
    readonly settings: MemberSettings;
  }
}

/** Attributes of the session cookie. Scripts cannot read it, and pages of other sites cannot make the browser send it. */
const COOKIE = { path: '/', httpOnly: true, sameSite: 'strict', encode: String } as const;

/** Makes the browser keep the token for the given seconds. On http loopback the cookie is not secure, and its prefix is not allowed. */
function keepToken(reply: FastifyReply, token: string, seconds: number, { loopback }: CallerOptions): void {
  if (loopback) reply.setCookie(LOOPBACK_COOKIE, token, { ...COOKIE, maxAge: seconds });
  else reply.setCookie(HOST_COOKIE, token, { ...COOKIE, secure: true, maxAge: seconds });
}

/** Makes the browser delete its token, under either name. */
function forgetToken(reply: FastifyReply, { loopback }: CallerOptions): void {
  if (loopback) reply.setCookie(LOOPBACK_COOKIE, '', { ...COOKIE, maxAge: 0 });
  reply.setCookie(HOST_COOKIE, '', { ...COOKIE, secure: true, maxAge: 0 });
}

const MeBody = Type.Object(
  {
    subject: Type.String(),
    name: nullable('string'),
    orgId: nullable('string', 'Null for an identity that belongs to no organization.'),
    permissions: Type.Array(choice(PERMISSIONS)),
    viewerOnly: Type.Boolean({ description: 'True if nothing but market:read is held.' }),
    expiresAt: Time,
  },
  { $id: 'Me' },
);

export const getMe = defineRoute({
  method: 'GET',
  url: '/v1/me',
  name: 'getMe',
  tag: 'identity',
  summary: 'The caller with its present permissions',
  permission: 'identity',
  cost: 'read',
  schema: {},
  answers: { 200: { description: 'The caller.', schema: MeBody } },
  refusals: [],
  handle: () => (request) => {
    const caller = request.caller;
    if (caller === null) throw new Error('the request has no verified caller');
    const { subject, name, orgId, permissions, expiresAt } = caller;
    const viewerOnly = permissions.every((permission) => permission === 'market:read');
    return { subject, name, orgId, permissions, viewerOnly, expiresAt: isoTime(expiresAt) };
  },
});

const SettingText = Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: LONGEST_SETTING });
const SettingBody = Type.Object(
  {
    name: Type.String(),
    version: Type.Integer({ minimum: 0, description: 'Counts the changes; 0 once it is removed.' }),
    value: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Text as it was sent; null once it is removed.' }),
  },
  { $id: 'Setting', description: 'A text that the caller alone reads. Nothing acts on it.' },
);

const listSettings = defineRoute({
  method: 'GET',
  url: '/v1/me/settings',
  name: 'listSettings',
  tag: 'identity',
  summary: "The caller's own settings, sorted by name",
  description: 'Empty for an identity that belongs to no organization.',
  permission: 'identity',
  cost: 'read',
  schema: {},
  answers: { 200: { description: 'All settings.', schema: Type.Object({ items: Type.Array(SettingBody) }) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const { orgId = null, subject = '' } = request.caller ?? {};
    return { items: orgId === null ? [] : await ports.settings.list(orgId, subject) };
  },
});

const keepSetting = defineRoute({
  method: 'PUT',
  url: '/v1/me/settings/:name',
  name: 'keepSetting',
  tag: 'identity',
  summary: "Writes one of the caller's own settings",
  description: `The version must be the one that the setting has, so that an older copy does not overwrite a newer one. A member has at most ${MOST_SETTINGS} settings.`,
  permission: 'identity',
  cost: 'write',
  schema: {
    params: objectSchema({ name: Type.String({ pattern: '^[a-z][a-z0-9-]{0,63}$' }) }),
    body: objectSchema({
      version: versionSchema(0, 'Version that was read; 0 if there was none.'),
      value: { ...SettingText, description: `At most ${LONGEST_SETTING} characters; null removes the setting.` },
    }),
  },
  answers: { 200: { description: 'The setting as it is now.', schema: SettingBody } },
  refusals: ['state_conflict', 'permission_missing'],
  handle: (ports) => async (request, reply) => {
    const { orgId = null, subject = '' } = request.caller ?? {};
    if (orgId === null)
      return sendProblem(reply, 'permission_missing', 'settings are kept for members, and this identity belongs to no organization');
    const outcome = await ports.settings.keep(orgId, subject, { name: request.params.name, ...request.body });
    return outcome.ok ? outcome.value : sendRefusal(reply, outcome.refusal);
  },
});

const SessionBody = Type.Object(
  { subject: Type.String(), expiresAt: Time },
  { $id: 'Session', examples: [{ subject: 'operator', expiresAt: '2026-03-02T15:31:00.000Z' }] },
);

const openSession = defineRoute({
  method: 'POST',
  url: '/v1/session',
  name: 'openSession',
  tag: 'identity',
  summary: 'Signs in: stores the token in a browser cookie',
  description:
    'The token is verified as in any other request and set as an HttpOnly, SameSite=Strict cookie until it expires. A token that is refused counts against the limit for wrong credentials of its address.',
  permission: 'public',
  cost: 'read',
  schema: { body: objectSchema({ token: Type.String({ minLength: 1, description: 'A bearer token of the identity provider.' }) }) },
  answers: { 200: { description: 'The cookie is set.', schema: SessionBody } },
  refusals: ['unauthenticated', 'token_expired'],
  handle: (ports, options) => async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const credential = readCredential(`Bearer ${request.body.token.trim()}`, undefined, options.loopback);
    const refuseToken = async (refusal: Refusal) => {
      const { allowed, retryAfterSeconds } = await ports.access.limits.take(addressKey(request.ip), 'failed_identity');
      if (allowed || refusal.code === 'unavailable') return sendRefusal(reply, refusal);
      return sendProblem(reply, 'rate_limited', `too many refused tokens; the next one is read in ${retryAfterSeconds} s`, {
        retryAfterSeconds,
      });
    };
    if (!credential.ok) return refuseToken({ ...credential.refusal, detail: 'the text is not a token' });
    const { token } = credential.value;
    const verified = await ports.access.verifyToken(token);
    if (!verified.ok) return refuseToken(verified.refusal);
    const { subject, expiresAt } = verified.value;
    const seconds = Math.max(0, Math.floor((expiresAt - ports.clock.now()) / 1000));
    keepToken(reply, token, seconds, options);
    return { subject, expiresAt: isoTime(expiresAt) };
  },
});

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const USED_UP =
  'the link was used already, is older than ten minutes, or was never printed; restart the service for a new one, or paste a token';

const redeemSignInLink = defineRoute({
  method: 'POST',
  url: '/v1/session/link',
  name: 'redeemSignInLink',
  tag: 'identity',
  summary: 'Signs in a browser on this machine with a link',
  description:
    'The code of the link that a service with the identity provider of the sandbox prints at its start. It works once, for ten minutes, from the loopback address only. A code that is refused counts against the limit for wrong credentials.',
  permission: 'public',
  cost: 'read',
  schema: { body: objectSchema({ code: Type.String({ minLength: 1, maxLength: 64 }) }) },
  answers: { 200: { description: 'The cookie is set.', schema: SessionBody } },
  refusals: ['unauthenticated'],
  handle: (ports, options) => async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const isHere = options.loopback && LOOPBACK.test(request.ip);
    const token = isHere ? ports.access.signInLinks.redeem(request.body.code) : null;
    if (token === null) {
      const { allowed, retryAfterSeconds } = await ports.access.limits.take(addressKey(request.ip), 'failed_identity');
      if (allowed) return sendRefusal(reply, refuse('unauthenticated', USED_UP).refusal);
      const wait = `too many refused links; the next one is read in ${retryAfterSeconds} s`;
      return sendProblem(reply, 'rate_limited', wait, { retryAfterSeconds });
    }
    const verified = await ports.access.verifyToken(token);
    if (!verified.ok) return sendRefusal(reply, verified.refusal);
    const { subject, expiresAt } = verified.value;
    keepToken(reply, token, Math.max(0, Math.floor((expiresAt - ports.clock.now()) / 1000)), options);
    return { subject, expiresAt: isoTime(expiresAt) };
  },
});

const closeSession = defineRoute({
  method: 'DELETE',
  url: '/v1/session',
  name: 'closeSession',
  tag: 'identity',
  summary: "Clears the browser's cookie",
  description: 'The token itself stays valid until it expires.',
  permission: 'public',
  cost: 'read',
  schema: {},
  answers: { 204: { description: 'The cookie is cleared.' } },
  refusals: [],
  handle: (_ports, options) => (_request, reply) => {
    forgetToken(reply, options);
    return reply.header('cache-control', 'no-store').code(204).send();
  },
});

const NOTHING_KEPT = 'this identity belongs to no organization and has no session here: end the session at the identity provider';

const revokeSession = defineRoute({
  method: 'POST',
  url: '/v1/session/revoke',
  name: 'revokeSession',
  tag: 'identity',
  summary: "Ends the caller's session everywhere",
  description:
    'The token is refused by every process of the service, and so is each other one of the same session of the identity provider (`sid`). Where a token names neither a session nor itself, all tokens of the caller that were issued until now are refused.',
  permission: 'identity',
  cost: 'write',
  schema: { body: EmptyBody },
  bodyRule: 'optional',
  answers: { 204: { description: 'The session has ended, and the cookie is cleared.' } },
  refusals: ['state_conflict'],
  handle: (ports, options) => async (request, reply) => {
    const { caller } = request;
    if (caller === null) throw new Error('the request has no verified caller');
    const { orgId, subject, permissions, claims } = caller;
    if (orgId === null) return sendRefusal(reply, refuse('state_conflict', NOTHING_KEPT).refusal);
    const ended = await ports.members.commands.endSession({ orgId, subject, permissions, requestId: request.id }, claims);
    if (!ended.ok) return sendRefusal(reply, ended.refusal);
    forgetToken(reply, options);
    return reply.code(204).send();
  },
});

export const identityRoutes: RouteGroup = {
  tag: {
    name: 'identity',
    position: 20,
    description:
      'Sign-in with a token of your identity provider. Programs send `Authorization: Bearer`. Browsers exchange the token for a cookie with `POST /v1/session` and must send an allowed Origin with unsafe requests. `GET /v1/me` lists your permissions. An expired token answers 401 `token_expired`.',
  },
  routes: [getMe, listSettings, keepSetting, openSession, redeemSignInLink, closeSession, revokeSession],
};
