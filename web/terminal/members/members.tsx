/** Members of the organization with their roles and permissions, invitations, and one's own session. */
import { plain } from '../../words.js';
import { api, useRead, type Member } from '../api.ts';
import { Ask } from '../kit/ask.tsx';
import { Loaded } from '../kit/lists.tsx';
import { Table } from '../kit/table.tsx';
import { signOut, useMay, useMe } from '../member.ts';
import { ChangeGrant, Permissions } from './grant.tsx';
import { Invitations } from './invitations.tsx';
import { Roles } from './roles.tsx';

export function Members() {
  const mayManage = useMay('members:manage');
  return (
    <div className="panel-scroll">
      <OwnSession />
      {mayManage ? (
        <MemberList />
      ) : (
        <p className="empty">Your role may not read the members. Ask an administrator for the permission members:manage.</p>
      )}
    </div>
  );
}

function OwnSession() {
  const { name, subject, permissions } = useMe();
  return (
    <section className="own-session padded" aria-label="Your session">
      <div>
        <strong>{name ?? subject}</strong> <small>{subject}</small>
        <Permissions of={permissions} />
      </div>
      <Ask
        verb="End session everywhere"
        title="End your session everywhere?"
        isDangerous
        done="The session has ended."
        changes={[]}
        act={async () => {
          await api.revokeSession();
          await signOut();
        }}
      >
        <p>Every browser and program that uses this session is refused from now on. You sign in again with a new token.</p>
      </Ask>
    </section>
  );
}

function MemberList() {
  const members = useRead(['members'], (call) => api.listMembers({}, call));
  return (
    <>
      <p className="padded">
        <a href="#/members">Invite members and change roles</a>
      </p>
      <Loaded query={members}>
        {({ items }) => (
          <Table
            label="Members"
            rows={items}
            keyOf={({ subject }) => subject}
            columns={[
              { title: 'Member', text: ({ name }) => name },
              { title: 'Role', isText: true, text: ({ role }) => (role === null ? 'custom' : plain(role)) },
              {
                title: 'Permissions',
                isText: true,
                value: ({ permissions }) => permissions.join(', '),
                cell: ({ permissions }) => <Permissions of={permissions} />,
              },
              { title: 'Actions', buttons: (member) => <MemberButtons member={member} /> },
            ]}
          />
        )}
      </Loaded>
    </>
  );
}

export function MembersPage() {
  const mayManage = useMay('members:manage');
  return (
    <div className="page">
      <h1>Members</h1>
      <div className="card">
        <Members />
      </div>
      {mayManage && (
        <>
          <Invitations />
          <Roles />
        </>
      )}
    </div>
  );
}

function MemberButtons({ member }: { readonly member: Member }) {
  const { name, subject } = member;
  const isOwn = useMe().subject === subject;
  if (isOwn) return <span className="faint">you</span>;
  return (
    <div className="row-buttons">
      {/* Begins anew when somebody else changed the grant. */}
      <ChangeGrant key={`${member.role} ${member.permissions.join(' ')}`} member={member} />
      <Ask
        verb="Revoke tokens"
        name={`Revoke tokens of ${name}`}
        title={`Revoke the tokens of ${name}?`}
        isDangerous
        done={`Tokens of ${name} revoked.`}
        changes={['members']}
        act={() => api.revokeTokens({ body: { subject } })}
      >
        <p>All present tokens of {name} stop working at the next request. The member can sign in again.</p>
      </Ask>
      <Ask
        verb="Remove"
        name={`Remove ${name}`}
        title={`Remove ${name}?`}
        isDangerous
        done={`${name} removed.`}
        changes={['members']}
        act={() => api.removeMember({ body: { subject } })}
      >
        <p>{name} loses access to the organization at the next request. Past actions stay on record.</p>
      </Ask>
    </div>
  );
}
