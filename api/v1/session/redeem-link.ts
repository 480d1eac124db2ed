/** POST /v1/session/link: turns the one-click link that the service printed at its start into a session of this browser. */
import { Type } from 'typebox';
import { refuse } from '../../../src/domain/values/refusal.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { addressKey } from '../../http/rate-limits.ts';
import { sendProblem, sendRefusal } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { objectOf } from '../../shapes.ts';
import { SessionBody } from './open.ts';
import { keepToken } from './session-cookie.ts';

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const USED_UP =
  'the link was used already, is older than ten minutes, or was never printed; restart the service for a new one, or paste a token';

export const redeemSignInLink = defineRoute({
  method: 'POST',
  url: '/v1/session/link',
  name: 'redeemSignInLink',
  tag: 'identity',
  summary: 'Signs in a browser on this machine with a link',
  description:
    'The code of the link that a service with the identity provider of the sandbox prints at its start. It works once, for ten minutes, from the loopback address only. A code that is refused counts against the limit for wrong credentials.',
  permission: 'public',
  cost: 'read',
  schema: { body: objectOf({ code: Type.String({ minLength: 1, maxLength: 64 }) }) },
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
