/** Codes of invitations: nobody guesses one, and only its hash is kept. */
import { createHash, randomBytes } from 'node:crypto';

export const invitationHash = (code: string): string => createHash('sha256').update(code).digest('hex');

/** A code of 192 bits, and what is kept of it. */
export function newInvitationCode(): { readonly code: string; readonly sha256: string } {
  const code = randomBytes(24).toString('base64url');
  return { code, sha256: invitationHash(code) };
}
