/** POST /v1/session: exchanges a browser's token for a cookie that scripts cannot read. */
import { Type } from 'typebox';
import type { Refusal } from '../../../src/domain/values/refusal.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { credentialOf } from '../../caller.ts';
import { addressKey } from '../../http/rate-limits.ts';
import { sendProblem, sendRefusal } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { objectOf, Time } from '../../shapes.ts';
import { keepToken } from './session-cookie.ts';

export const SessionBody = Type.Object(
  { subject: Type.String(), expiresAt: Time },
  { $id: 'Session', examples: [{ subject: 'operator', expiresAt: '2026-03-02T15:31:00.000Z' }] },
);

export const openSession = defineRoute({
  method: 'POST',
  url: '/v1/session',
  name: 'openSession',
  tag: 'identity',
  summary: 'Signs in: stores the token in a browser cookie',
  description:
    'The token is verified as in any other request and set as an HttpOnly, SameSite=Strict cookie until it expires. A token that is refused counts against the limit for wrong credentials of its address.',
  permission: 'public',
  cost: 'read',
  schema: { body: objectOf({ token: Type.String({ minLength: 1, description: 'A bearer token of the identity provider.' }) }) },
  answers: { 200: { description: 'The cookie is set.', schema: SessionBody } },
  refusals: ['unauthenticated', 'token_expired'],
  handle: (ports, options) => async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const credential = credentialOf(`Bearer ${request.body.token.trim()}`, undefined, options.loopback);
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
