/** Gate of the page: the terminal for members, the way in for everybody else. */
import { Button, PasswordInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, queries, signedOut } from './api.ts';
import { Frame } from './frame.tsx';
import { Refusal } from './kit/refusal.tsx';
import { useStore } from './kit/store.ts';
import { isKeptSignedIn, keepSignedIn, MeContext } from './member.ts';
import { IS_REPLAY } from './replay/mode.ts';

// Nobody signs in to a tape.
signedOut.set(!IS_REPLAY && !isKeptSignedIn());

export function Session() {
  const isOut = useStore(signedOut);
  const me = useQuery({ queryKey: ['me'], queryFn: ({ signal }) => api.getMe({}, { signal }), staleTime: Infinity, enabled: !isOut });
  if (isOut) return <SignIn />;
  if (me.data !== undefined)
    return (
      <MeContext value={me.data}>
        <Frame />
      </MeContext>
    );
  return <main className="sign-in">{me.error === null ? <p className="faint">Signing in…</p> : <Refusal error={me.error} />}</main>;
}

function SignIn() {
  const [token, setToken] = useState('');
  const opening = useMutation({
    mutationFn: () => api.openSession({ body: { token: token.trim() } }),
    onSuccess: ({ expiresAt }) => {
      keepSignedIn(expiresAt);
      void queries.invalidateQueries();
      signedOut.set(false);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    opening.mutate();
  };
  return (
    <main className="sign-in">
      <form onSubmit={submit}>
        <img src="/console/icon.svg" alt="" width={40} height={40} />
        <h1>Sevengate terminal</h1>
        <PasswordInput
          label="Access token"
          description="Your identity provider issues it. A local service prints where its tokens are."
          value={token}
          onChange={({ currentTarget }) => setToken(currentTarget.value)}
          size="sm"
          autoFocus
          autoComplete="off"
        />
        <Refusal error={opening.error} />
        <Button type="submit" size="sm" fullWidth loading={opening.isPending} disabled={token.trim() === ''}>
          Sign in
        </Button>
      </form>
    </main>
  );
}
