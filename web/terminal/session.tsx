/** Shows the terminal to signed-in members, and the sign-in form to everybody else. */
import { Button, PasswordInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Activity, useState } from 'react';
import { api, signedOut } from './api.ts';
import { Frame } from './frame.tsx';
import { NotRead } from './kit/lists.tsx';
import { Guarded, Refusal } from './kit/refusal.tsx';
import { createStore, useStore } from './kit/store.ts';
import { becomeMember, toIdentity, isKeptSignedIn, keepSignedIn, MeContext, readMember, signingOut } from './member.ts';
import { IS_REPLAY } from './replay/mode.ts';
import { submits } from './kit/browser.ts';

// A replay needs no sign-in.
signedOut.set(!IS_REPLAY && !isKeptSignedIn());

const LINK = /^#\/sign-in\/([\w-]{10,64})$/;
/** Code of the sign-in link printed at start. It is in the fragment of the URL, which no server receives, and is removed at once. */
const code = LINK.exec(location.hash)?.[1] ?? null;
if (code !== null) history.replaceState(null, '', '#/');

/** Sign-in by the code in the URL, which works once. */
const link = createStore<{ readonly isWaiting: boolean; readonly error: unknown }>({ isWaiting: code !== null, error: null });
if (code !== null) {
  const redeemed = api.redeemSignInLink({ body: { code } }).then(signedIn);
  redeemed.then(
    () => link.set({ isWaiting: false, error: null }),
    (error: unknown) => link.set({ isWaiting: false, error }),
  );
}

export function Session() {
  const isOut = useStore(signedOut);
  const isLeaving = useStore(signingOut);
  const { isWaiting, error } = useStore(link);
  const me = useQuery({
    queryKey: ['me'],
    queryFn: ({ signal }) => readMember(signal),
    staleTime: Infinity,
    enabled: !isOut && !isWaiting,
  });
  if (isWaiting) return <main className="sign-in faint">Signing in…</main>;
  if (me.data !== undefined)
    return (
      <>
        {isOut && <SignIn reason={error} />}
        {isLeaving && <main className="sign-in faint">Signing out…</main>}
        {/* An expired session hides the page without losing what was being typed. */}
        <Activity mode={isOut || isLeaving ? 'hidden' : 'visible'}>
          <MeContext value={me.data}>
            <Guarded key={toIdentity(me.data)}>
              <Frame />
            </Guarded>
          </MeContext>
        </Activity>
      </>
    );
  if (isOut) return <SignIn reason={error} />;
  return <main className="sign-in">{me.error === null ? <p className="faint">Signing in…</p> : <NotRead query={me} />}</main>;
}

async function signedIn({ expiresAt }: { readonly expiresAt: string }): Promise<void> {
  await becomeMember();
  keepSignedIn(expiresAt);
}

/** @param props.reason Error of a sign-in link that failed. */
function SignIn({ reason }: { readonly reason: unknown }) {
  const [token, setToken] = useState('');
  const opening = useMutation({
    mutationFn: () => api.openSession({ body: { token: token.trim() } }),
    onSuccess: signedIn,
  });
  const submit = submits(() => opening.mutate());
  return (
    <main className="sign-in">
      <form onSubmit={submit}>
        <img src="/terminal/icon.svg" alt="" width={40} height={40} />
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
        <Refusal error={opening.error ?? reason} />
        <Button type="submit" size="sm" fullWidth loading={opening.isPending} disabled={token.trim() === ''}>
          Sign in
        </Button>
      </form>
    </main>
  );
}
