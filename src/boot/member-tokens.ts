/** Tokens of the example members as files beside the state, where the identity provider is the sandbox's. */
import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EXAMPLE_MEMBERS } from '../sandbox/example-organization.ts';
import { SANDBOX_AUDIENCE } from '../sandbox/identity/provider.ts';
import { localSigningKeys } from './outside/identity.ts';
import type { ServiceProcess } from './service-process.ts';

const RENEW_MS = 20 * 60_000;
const LIFETIME_S = 3_600;

/** A token of the operator, as the files hold them. */
export function operatorToken(config: ServiceProcess['config'], clock: ServiceProcess['clock']): string {
  return localSigningKeys(config, clock).mintToken({ subject: 'operator', audience: SANDBOX_AUDIENCE, lifetimeS: LIFETIME_S });
}

/** Writes one file per member, readable by its owner only, and renews all of them every 20 minutes. Returns their folder. */
export function keepMemberTokens(service: Pick<ServiceProcess, 'config' | 'clock' | 'onStop'>): string {
  const { config, clock } = service;
  const folder = join(resolve(config.SEVENGATE_HOME), 'tokens');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  let cancel = (): void => {};
  const renew = (): void => {
    const keys = localSigningKeys(config, clock);
    for (const { subject } of EXAMPLE_MEMBERS) {
      const file = join(folder, `${subject}.token`);
      // Other processes of the service keep the same files fresh, so each writes a draft of its own and renames it.
      const draft = `${file}.${process.pid}.new`;
      writeFileSync(draft, `${keys.mintToken({ subject, audience: SANDBOX_AUDIENCE, lifetimeS: LIFETIME_S })}\n`, { mode: 0o600 });
      renameSync(draft, file);
    }
    cancel = clock.deadline(clock.now() + RENEW_MS, renew);
  };
  renew();
  service.onStop('the tokens', async () => cancel());
  return folder;
}
