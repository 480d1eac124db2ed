/** Invitations: creating one, whose link is shown once, and revoking open ones. */
import { Button, CopyButton, TextInput } from '@mantine/core';
import { useState } from 'react';
import { dayAndTime, plain } from '../../words.js';
import { api, type Invitation, type NewInvitation } from '../api.ts';
import { Ask } from '../kit/ask.tsx';
import { Form } from '../kit/form.tsx';
import { Card, List, useList } from '../kit/lists.tsx';
import { feed } from '../market.ts';
import { type Grant, GrantFields, toGrant, Permissions } from './grant.tsx';

export const Invitations = () => (
  <>
    <h2>Invitations</h2>
    <List
      list={useList(['invitations'], api.listInvitations)}
      label="Invitations, newest first"
      empty="No invitations yet. Invite a member below."
      keyOf={({ id }) => id}
      columns={[
        { title: 'Name', text: ({ name }) => name },
        {
          title: 'Role',
          isText: true,
          value: ({ role, permissions }) => (role === null ? permissions.join(', ') : plain(role)),
          cell: ({ role, permissions }) => (role === null ? <Permissions of={permissions} /> : plain(role)),
        },
        { title: 'Invited by', isText: true, text: ({ invitedBy }) => invitedBy },
        { title: 'Expires', at: ({ expiresAt }) => expiresAt },
        { title: 'Status', isText: true, text: describeStatus },
        { title: 'Actions', buttons: (one) => describeStatus(one) === 'open' && <Revoke invitation={one} /> },
      ]}
    />
    <Invite />
  </>
);

function describeStatus({ acceptedBy, revokedAt, expiresAt }: Invitation): string {
  if (acceptedBy !== null) return `accepted by ${acceptedBy}`;
  if (revokedAt !== null) return 'revoked';
  return Date.parse(expiresAt) <= feed.now() ? 'expired' : 'open';
}

const Revoke = ({ invitation: { id, name } }: { readonly invitation: Invitation }) => (
  <Ask
    verb="Revoke"
    name={`Revoke the invitation of ${name}`}
    title={`Revoke the invitation of ${name}?`}
    isDangerous
    done={`Invitation of ${name} revoked.`}
    changes={['invitations']}
    act={() => api.revokeInvitation({ id })}
  >
    <p>Its link no longer works.</p>
  </Ask>
);

const FIRST: Grant = { role: 'viewer', permissions: [] };

function Invite() {
  const [grant, setGrant] = useState(FIRST);
  return (
    <Card title="Invite a member">
      <Form
        look="field-pairs"
        fields={[
          { name: 'name', label: 'Name' },
          { name: 'hours', label: 'Valid for (hours, max 720)', kind: 'amount' },
        ]}
        first={{ name: '', hours: '72' }}
        verb="Invite"
        send={({ name, hours }) => api.inviteMember({ body: { name, ...toGrant(grant), hours: Number(hours) } })}
        changes={['invitations']}
        onDone={() => setGrant(FIRST)}
        answer={(invited) => (
          <div role="status">
            <LinkOnce invited={invited} />
          </div>
        )}
      >
        <GrantFields grant={grant} write={setGrant} />
      </Form>
    </Card>
  );
}

/** Link of a new invitation. It is shown only once. */
function LinkOnce({ invited: { name, code, expiresAt } }: { readonly invited: NewInvitation }) {
  const address = `${location.origin}/terminal#/join/${code}`;
  return (
    <div className="stack">
      <p>
        Send this link to {name} over a channel you trust. It is shown once, works once and expires at {dayAndTime(expiresAt)}.
      </p>
      <div className="inline-form address-form">
        <TextInput
          aria-label={`Invitation link for ${name}`}
          readOnly
          value={address}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <CopyButton value={address}>
          {({ copied, copy }) => (
            <Button variant="default" onClick={copy}>
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
      </div>
    </div>
  );
}
