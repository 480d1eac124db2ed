/** Member who is signed in, and what their role gives. */
import { createContext, useContext } from 'react';
import { api, type Me, queries, signedOut } from './api.ts';
import { keep, readKept } from './kit/store.ts';

/** End of the session, by which the page knows whether to ask the service at all. */
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

/** True if somebody signed in here and the session has not run out: nobody is asked for who is not. */
export const isKeptSignedIn = (): boolean => Number(readKept(HINT)) > Date.now();

/** Remembers for the other pages that somebody is signed in until then. */
export const keepSignedIn = (expiresAt: string): void => keep(HINT, String(Date.parse(expiresAt)));

/**
 * Ends the session. The pages go first: one that is still shown asks on, and is refused.
 * @throws Error if the service does not answer; the member is signed in as before.
 */
export async function signOut(): Promise<void> {
  signedOut.set(true);
  await queries.cancelQueries();
  queries.clear();
  try {
    await api.closeSession();
  } catch (error) {
    signedOut.set(false);
    throw error;
  }
  keep(HINT, '0');
}
