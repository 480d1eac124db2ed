/** Joining an organization by an invitation: its code stands behind the # of the address, which no server is sent, and is taken out of it at once. */
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
      // Who one is and what one may do is read anew, with everything that follows from it.
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
