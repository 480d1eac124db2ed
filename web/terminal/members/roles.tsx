/** Roles of the organization, built in and custom, and the form of a new one. */
import { useState } from 'react';
import { plain } from '../../words.js';
import { api, type MemberRole } from '../api.ts';
import { Ask } from '../kit/ask.tsx';
import { Written } from '../kit/form.tsx';
import { Loaded } from '../kit/lists.tsx';
import { Table } from '../kit/table.tsx';
import { type Permission, PermissionBoxes, Permissions, useRoles } from './grant.tsx';

const CHANGES = ['roles', 'members'];

export function Roles() {
  const roles = useRoles();
  return (
    <>
      <div className="page-head">
        <h2>Roles</h2>
        <NewRole />
      </div>
      <Loaded query={roles}>
        {(items) => (
          <Table
            label="Roles"
            rows={items}
            keyOf={({ name }) => name}
            columns={[
              { title: 'Role', text: ({ name }) => plain(name) },
              { title: 'Type', isText: true, text: ({ builtIn }) => (builtIn ? 'built in' : 'custom') },
              {
                title: 'Permissions',
                isText: true,
                value: ({ permissions }) => permissions.join(', '),
                cell: ({ permissions }) => <Permissions of={permissions} />,
              },
              { title: 'Actions', buttons: (role) => !role.builtIn && <ChangeRole role={role} /> },
            ]}
          />
        )}
      </Loaded>
    </>
  );
}

function ChangeRole({ role: { name, permissions: now } }: { readonly role: MemberRole }) {
  const [permissions, setPermissions] = useState<readonly Permission[]>(now);
  return (
    <Ask
      verb="Change"
      name={`Change the role ${plain(name)}`}
      title={`Role ${plain(name)}`}
      done={`Role ${plain(name)} changed.`}
      changes={CHANGES}
      begin={() => setPermissions(now)}
      act={() => api.setRole({ name, body: { permissions } })}
    >
      <p>Members with this role get the new permissions at once.</p>
      <PermissionBoxes chosen={permissions} choose={setPermissions} />
    </Ask>
  );
}

function NewRole() {
  const [name, setName] = useState('');
  const [permissions, setPermissions] = useState<readonly Permission[]>([]);
  const { data: roles = [] } = useRoles();
  // Saved under the name of another one, it would replace what that one permits.
  const isTaken = roles.some((role) => role.name === name.trim());
  return (
    <Ask
      verb="New role"
      title="New role"
      done="Role saved."
      changes={CHANGES}
      isReady={name.trim() !== '' && !isTaken}
      begin={() => {
        setName('');
        setPermissions([]);
      }}
      act={() => api.setRole({ name: name.trim(), body: { permissions } })}
    >
      <Written
        label="Name"
        description="Lower-case letters, digits, _ and -"
        placeholder="night_desk"
        data-autofocus
        value={name}
        error={isTaken ? 'This role exists. Change it in the list.' : null}
        write={setName}
      />
      <PermissionBoxes chosen={permissions} choose={setPermissions} />
    </Ask>
  );
}
