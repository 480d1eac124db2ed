/** Sign-in, and what a caller keeps. */
import type { MemberSettings } from '../../../src/adapters/store/callers/member-settings.ts';
import { type RouteGroup } from '../../route.ts';
import { getMe } from '../me/get.ts';
import { keepSetting, listSettings } from '../me/settings.ts';
import { closeSession } from './close.ts';
import { openSession } from './open.ts';
import { redeemSignInLink } from './redeem-link.ts';
import { revokeSession } from './revoke.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    /** Settings of each member, which only they see. */
    readonly settings: MemberSettings;
  }
}

export const identityRoutes: RouteGroup = {
  tag: {
    name: 'identity',
    position: 20,
    description:
      'Sign-in with a token of your identity provider. Programs send `Authorization: Bearer`. Browsers exchange the token for a cookie with `POST /v1/session` and must send an allowed Origin with unsafe requests. `GET /v1/me` lists your permissions. An expired token answers 401 `token_expired`.',
  },
  routes: [getMe, listSettings, keepSetting, openSession, redeemSignInLink, closeSession, revokeSession],
};
