/** GET /v1/me/settings and PUT /v1/me/settings/:name: the caller's own settings, such as the views and workspaces of the terminal. */
import { Type } from 'typebox';
import { LONGEST_SETTING, MOST_SETTINGS } from '../../../src/domain/identity/setting.ts';
import { sendProblem, sendRefusal } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { objectOf, versionOf } from '../../shapes.ts';

const SettingText = Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: LONGEST_SETTING });
const SettingBody = Type.Object(
  {
    name: Type.String(),
    version: Type.Integer({ minimum: 0, description: 'Counts the changes; 0 once it is removed.' }),
    value: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Text as it was sent; null once it is removed.' }),
  },
  { $id: 'Setting', description: 'A text that the caller alone reads. Nothing acts on it.' },
);

export const listSettings = defineRoute({
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

export const keepSetting = defineRoute({
  method: 'PUT',
  url: '/v1/me/settings/:name',
  name: 'keepSetting',
  tag: 'identity',
  summary: "Writes one of the caller's own settings",
  description: `The version must be the one that the setting has, so that an older copy does not overwrite a newer one. A member has at most ${MOST_SETTINGS} settings.`,
  permission: 'identity',
  cost: 'write',
  schema: {
    params: objectOf({ name: Type.String({ pattern: '^[a-z][a-z0-9-]{0,63}$' }) }),
    body: objectOf({
      version: versionOf(0, 'Version that was read; 0 if there was none.'),
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
