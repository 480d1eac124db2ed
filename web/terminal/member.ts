/** Member who is signed in, and what their role gives. */
import { createContext, useContext } from 'react';
import { api, lastCall, type Me, queries, signedOut } from './api.ts';
import { createStore, keep, readKept } from './kit/store.ts';

/** Names the session, by which the page knows whether to ask the service at all: its end, which another clock may have passed already. */
const HINT = 'sevengate.signedInUntil';

export const MeContext = createContext<Me | null>(null);

/** True if the member's role gives the permission. */
export function useMay(permission: Me['permissions'][number]): boolean {
  return useMe().permissions.includes(permission);
}

export function useMe(): Me {
  const me = useContext(MeContext);
  if (me === null) throw new Error('nobody is signed in here');
  return me;
}

const NOBODY = '0';

/** True if somebody signed in here and did not sign out: nobody is asked for who is not. */
export const isKeptSignedIn = (): boolean => (readKept(HINT) ?? NOBODY) !== NOBODY;

// Another tab shares the cookie: who signs in or out there does so here.
addEventListener('storage', ({ key, newValue }) => {
  if (key !== HINT) return;
  if ((newValue ?? NOBODY) !== NOBODY) becomeMember().catch(() => signedOut.set(true));
  else {
    queries.clear();
    signedOut.set(true);
  }
});

/** Remembers for the other pages that somebody is signed in until then. */
export const keepSignedIn = (expiresAt: string): void => keep(HINT, expiresAt);

/** True from the wish to sign out until the service has answered it. */
export const signingOut = createStore(false);

/**
 * Ends the session, and the page with everything that was read for its member. The page says that it is signed out only once it is: who
 * closes it before is signed out all the same, since the call outlives the page.
 * @throws Error if the service does not answer; the member is signed in as before.
 */
export async function signOut(): Promise<void> {
  signingOut.set(true);
  try {
    await lastCall.closeSession();
    keep(HINT, NOBODY);
    queries.clear();
    signedOut.set(true);
  } finally {
    signingOut.set(false);
  }
}

/** Reads who is signed in now. What another member read here is forgotten. */
export async function becomeMember(): Promise<void> {
  const before = queries.getQueryData<Me>(['me']);
  const me = await api.getMe();
  if (before !== undefined && identityOf(before) !== identityOf(me)) queries.clear();
  queries.setQueryData(['me'], me);
  signedOut.set(false);
}

export const identityOf = ({ subject, orgId }: Me): string => `${orgId} ${subject}`;
