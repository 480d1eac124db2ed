/**
 * Start of the signer process if anything is to be signed. This process passes on the authorization key without keeping it, and restarts
 * a signer that dies.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../../streams/clock/clock.ts';
import { openSigner, type Signer } from '../../adapters/identity/signer/open-signer.ts';
import { identityFolder, registerKey } from '../../sandbox/identity/identity-folder.ts';
import { SANDBOX_SIGNER_APP } from '../../sandbox/identity/remote-signer.ts';
import type { Config } from '../config.ts';
import type { Logger } from '../../adapters/log/log.ts';

const PROGRAM = fileURLToPath(new URL('./signer-process.mjs', import.meta.url));

/**
 * Starts the signer, or returns null if neither delegated signing nor live orders on the spot exchange are enabled; then no process holds
 * a key. If delegated signing is off, this process has discarded the authorization key.
 * @throws Error without any part of the key if the key is invalid
 */
export async function startSigner(config: Config, clock: Pick<Clock, 'now' | 'deadline'>, log: Logger): Promise<Signer | null> {
  const home = resolve(config.SEVENGATE_HOME);
  const { IDP_AUTHORIZATION_PRIVATE_KEY: given, IDP_AUTHORIZATION_PRIVATE_KEY_FILE: keyFile } = config;
  const delegates = config.SVC_DELEGATED_SIGNING_ENABLED;
  if (!delegates) {
    if (given !== null || keyFile !== null)
      log.warn(
        'IDP_AUTHORIZATION_PRIVATE_KEY is set but SVC_DELEGATED_SIGNING_ENABLED is not true: the key is not used and nothing is signed',
      );
    forgetKey(config);
    if (!config.SVC_LIVE_SPOTEXCHANGE_ENABLED) return null;
  }
  return openSigner({
    program: PROGRAM,
    keys: delegates
      ? { key: given?.take() ?? null, appSecret: config.IDP_APP_SECRET?.take() ?? SANDBOX_SIGNER_APP.secret }
      : { key: null, appSecret: '' },
    keyFile: delegates ? keyFile : null,
    appId: config.IDP_APP_ID ?? SANDBOX_SIGNER_APP.id,
    logLevel: config.LOG_LEVEL,
    home,
    isSandboxed: config.SPOTCHAIN_URL === null,
    dailyLimitUsd: String(config.SVC_DELEGATED_DAILY_LIMIT_USD),
    exchangeDailyLimitUsd: String(config.SVC_EXCHANGE_DAILY_LIMIT_USD),
    onKey: (publicKey) => (config.IDP_SIGNER_URL === null ? registerKey(identityFolder(home), publicKey) : undefined),
    clock,
    log,
  });
}

/** Discards the secrets in a process that starts no signer. */
export function forgetKey(config: Config): null {
  config.IDP_AUTHORIZATION_PRIVATE_KEY?.take();
  config.IDP_APP_SECRET?.take();
  return null;
}
