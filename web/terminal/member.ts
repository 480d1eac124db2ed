/** Signed-in member and their permissions. */
import { notifications } from '@mantine/notifications';
import { createContext, useContext } from 'react';
import { api, lastCall, type Me, queries, signedOut } from './api.ts';
import { askSettings, openSettings } from './kept-settings.ts';
import { createStore, keep, readKept } from './kit/store.ts';
import { forgetDraft } from './panels/draft.ts';
import { IS_REPLAY } from './replay/mode.ts';

/** Storage key of the session's end. It tells the page whether to ask the service for the member at all. */
const HINT = 'sevengate.signedInUntil';

export const MeContext = createContext<Me | null>(null);

/** True if the member's role gives the permission. */
export const useMay = (permission: Me['permissions'][number]): boolean => useMe().permissions.includes(permission);

export function useMe(): Me {
  const me = useContext(MeContext);
  if (me === null) throw new Error('nobody is signed in here');
  return me;
}

const NOBODY = '0';

/** True if a member has signed in here and not signed out. Avoids a request without a session. */
export const isKeptSignedIn = (): boolean => (readKept(HINT) ?? NOBODY) !== NOBODY;

// Tabs share the cookie: signing in or out in one of them applies to all.
addEventListener('storage', ({ key, newValue }) => {
  if (key !== HINT) return;
  if ((newValue ?? NOBODY) !== NOBODY) becomeMember().catch(() => signedOut.set(true));
  else {
    forgetMember();
    signedOut.set(true);
  }
});

/** Drops what was read and written for a member. */
function forgetMember(): void {
  queries.clear();
  notifications.clean();
  forgetDraft();
}

/** Tells the other tabs that a member is signed in until then. */
export const keepSignedIn = (expiresAt: string): void => keep(HINT, expiresAt);

/** True from the request to sign out until the service has answered. */
export const signingOut = createStore(false);

/**
 * Ends the session and drops everything that was read for its member. The page shows “signed out” only once the service confirms. The
 * call completes even if the page is closed.
 * @throws Error if the service does not answer. The member stays signed in.
 */
export async function signOut(): Promise<void> {
  signingOut.set(true);
  try {
    await lastCall.closeSession();
    keep(HINT, NOBODY);
    forgetMember();
    signedOut.set(true);
  } finally {
    signingOut.set(false);
  }
}

/** Reads the signed-in member, with the settings that the page begins with. */
export async function readMember(signal?: AbortSignal): Promise<Me> {
  const settings = IS_REPLAY ? Promise.resolve(null) : askSettings();
  const me = await api.getMe({}, signal === undefined ? {} : { signal });
  await openSettings(me, settings);
  return me;
}

/** Reads the signed-in member. Data of another member is dropped. */
export async function becomeMember(): Promise<void> {
  const before = queries.getQueryData<Me>(['me']);
  const me = await readMember();
  if (before !== undefined && toIdentity(before) !== toIdentity(me)) forgetMember();
  queries.setQueryData(['me'], me);
  signedOut.set(false);
}

export const toIdentity = ({ subject, orgId }: Me): string => `${orgId} ${subject}`;
