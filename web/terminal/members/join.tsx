/** Joins an organization by an invitation. Its code is in the fragment of the URL, which no server receives, and is removed at once. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, queries } from '../api.ts';
import { Refusal } from '../kit/refusal.tsx';
import { useMe } from '../member.ts';
import { goTo, within } from '../place.ts';

export function Join() {
  const [code] = useState(within.get);
  const { name, subject, orgId } = useMe();
  const isMember = orgId !== null;
  useEffect(() => history.replaceState(null, '', '#/join'), []);
  const joining = useMutation({
    mutationFn: () => api.acceptInvitation({ body: { code } }),
    onSuccess: async () => {
      // The member and their permissions have changed: read everything again.
      await queries.resetQueries();
      goTo('trade');
    },
  });
  return (
    <div className="page">
      <h1>Join an organization</h1>
      <section className="card claims stack narrow-card" aria-label="Join">
        <p>
          You are signed in as <strong>{name ?? subject}</strong>. You will join with this identity.
        </p>
        {isMember && <p className="warn">You already belong to an organization. Leave it before you join another.</p>}
        {code === '' && !isMember && (
          <p className="warn">The invitation code is missing from the address. Open the invitation link again.</p>
        )}
        <Refusal error={joining.error} />
        <Button className="narrow" loading={joining.isPending} disabled={isMember || code === ''} onClick={() => joining.mutate()}>
          Join
        </Button>
      </section>
    </div>
  );
}
