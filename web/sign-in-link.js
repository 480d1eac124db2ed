/** The one-click link that the service prints at its start: its code stands behind the # of the address, which no server is sent. */
import { change } from './http.js';

const LINK = /^#\/sign-in\/([\w-]{10,64})$/;

/**
 * Uses up the code in the address, which is taken out of it at once.
 * @returns {Promise<string | null>} Until when somebody is signed in; null if the address holds no code.
 * @throws Refused if the code is used up or too old.
 */
export async function redeemSignInLink() {
  const code = LINK.exec(location.hash)?.[1];
  if (code === undefined) return null;
  history.replaceState(null, '', '#/');
  /** @type {{ readonly expiresAt: string }} */
  const { expiresAt } = await change('POST', '/v1/session/link', { code });
  return expiresAt;
}
