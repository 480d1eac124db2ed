/** Tokens of the example members as files in the state folder, written only if the sandbox's identity provider is used. */
import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../streams/clock/clock.ts';
import { EXAMPLE_MEMBERS } from '../example-organization.ts';
import { localSigningKeys } from './identity-folder.ts';
import { SANDBOX_AUDIENCE } from './provider.ts';
import { MINUTE_MS } from '../../domain/values/time.ts';

const RENEW_MS = 20 * MINUTE_MS;
/** Wait in milliseconds after a failed renewal. */
const RETRY_MS = MINUTE_MS;
const LIFETIME_S = 3_600;

/** Mints a token like those in the files. @param home state folder */
export function memberToken(home: string, subject: string, clock: Pick<Clock, 'now'>): string {
  return localSigningKeys(home, clock).mintToken({ subject, audience: SANDBOX_AUDIENCE, lifetimeS: LIFETIME_S });
}

/**
 * Writes one token file per member, readable by the owner only. Renews them every 20 minutes until stopped. A full disk fails a renewal,
 * which is repeated. @throws the system's error if the first files cannot be written
 */
export function keepMemberTokens(
  home: string,
  clock: Pick<Clock, 'now' | 'deadline'>,
  onError: (error: unknown) => void,
): {
  readonly folder: string;
  /** Subjects of the tokens, which name the files. */
  readonly subjects: readonly string[];
  stop(): void;
} {
  const folder = join(home, 'tokens');
  let cancel = (): void => {};
  const write = (): void => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    for (const { subject } of EXAMPLE_MEMBERS) {
      const file = join(folder, `${subject}.token`);
      // Other processes may renew the same files, so each writes its own draft and renames it.
      const draft = `${file}.${process.pid}.new`;
      writeFileSync(draft, `${memberToken(home, subject, clock)}\n`, { mode: 0o600 });
      renameSync(draft, file);
    }
  };
  const renewAfter = (ms: number): void => {
    cancel = clock.deadline(clock.now() + ms, () => {
      let next = RENEW_MS;
      try {
        write();
      } catch (error) {
        onError(error);
        next = RETRY_MS;
      }
      renewAfter(next);
    });
  };
  write();
  renewAfter(RENEW_MS);
  return { folder, subjects: EXAMPLE_MEMBERS.map(({ subject }) => subject), stop: () => cancel() };
}
