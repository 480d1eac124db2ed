/** Random codes of invitations, of which only the hash is stored. */
import { createHash, randomBytes } from 'node:crypto';

export const invitationHash = (code: string): string => createHash('sha256').update(code).digest('hex');

/** Creates a code of 192 bits and its stored hash. */
export function newInvitationCode(): { readonly code: string; readonly sha256: string } {
  const code = randomBytes(24).toString('base64url');
  return { code, sha256: invitationHash(code) };
}
