/** Grant: a role, or single permissions. */
import { Checkbox, Select } from '@mantine/core';
import { useState } from 'react';
import { plain } from '../../words.js';
import { api, useRead, type Member, type MemberRole } from '../api.ts';
import { Ask } from '../kit/ask.tsx';

export type Permission = MemberRole['permissions'][number];

/** Permissions with descriptions. */
export const PERMISSION_WORDS: readonly (readonly [permission: Permission, words: string])[] = [
  ['market:read', 'read market data'],
  ['agent:read', 'read agents, books and records'],
  ['trade:execute', 'create agents, approve, trade and sign'],
  ['risk:manage', 'sign off, resume, change risk limits, intervene'],
  ['members:manage', 'invite, change and remove members'],
];
/** Value of the choice “permissions” in place of a role. */
const ONE_BY_ONE = '';

export interface Grant {
  readonly role: string | null;
  readonly permissions: readonly Permission[];
}

/** Returns the grant part of a request: a role, or permissions. */
export const toGrant = ({ role, permissions }: Grant) => (role === null ? { permissions } : { role });

export const useRoles = () => useRead(['roles'], async (call) => (await api.listRoles({}, call)).items);

export const Permissions = ({ of }: { readonly of: readonly string[] }) => (
  <span className="tags">
    {of.map((permission) => (
      <code key={permission} className="tag" title={PERMISSION_WORDS.find(([name]) => name === permission)?.[1]}>
        {permission}
      </code>
    ))}
  </span>
);

interface BoxesProps {
  readonly chosen: readonly Permission[];
  readonly choose: (permissions: readonly Permission[]) => void;
}

export const PermissionBoxes = ({ chosen, choose }: BoxesProps) => (
  <fieldset className="open-points">
    <legend>Permissions</legend>
    {PERMISSION_WORDS.map(([permission, words]) => (
      <Checkbox
        key={permission}
        label={
          <>
            <code>{permission}</code> <span className="faint">{words}</span>
          </>
        }
        checked={chosen.includes(permission)}
        onChange={({ currentTarget: { checked } }) =>
          choose(checked ? [...chosen, permission] : chosen.filter((one) => one !== permission))
        }
      />
    ))}
  </fieldset>
);

export function GrantFields({ grant, write }: { readonly grant: Grant; readonly write: (grant: Grant) => void }) {
  const { data: roles = [] } = useRoles();
  return (
    <>
      <Select
        label="Role"
        data={[...roles.map(({ name }) => ({ value: name, label: plain(name) })), { value: ONE_BY_ONE, label: 'custom permissions' }]}
        value={grant.role ?? ONE_BY_ONE}
        onChange={(role) => write({ ...grant, role: role === null || role === ONE_BY_ONE ? null : role })}
      />
      {grant.role === null ? (
        <PermissionBoxes chosen={grant.permissions} choose={(permissions) => write({ role: null, permissions })} />
      ) : (
        <Permissions of={roles.find(({ name }) => name === grant.role)?.permissions ?? []} />
      )}
    </>
  );
}

export function ChangeGrant({ member: { name, subject, role, permissions } }: { readonly member: Member }) {
  const [grant, setGrant] = useState<Grant>({ role, permissions });
  return (
    <Ask
      verb="Change"
      name={`Change what ${name} may do`}
      title={`Permissions of ${name}`}
      done={`Permissions of ${name} changed.`}
      changes={['members']}
      begin={() => setGrant({ role, permissions })}
      act={() => api.grantMember({ body: { subject, ...toGrant(grant) } })}
    >
      <p>Replaces the present permissions from the next request on.</p>
      <GrantFields grant={grant} write={setGrant} />
    </Ask>
  );
}
