/** Starts the signer process where delegated signing is on, hands it the key and keeps none, and starts it again where it dies. */
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../streams/clock.ts';
import { beginLife, sealed } from '../adapters/identity/signer-process.ts';
import type { SignerKeys, SignerPlace, SignerSecret } from '../adapters/identity/signer-protocol.ts';
import { signerAt } from '../adapters/identity/signer-socket.ts';
import { superviseSigner } from '../adapters/identity/signer-supervisor.ts';
import { identityFolder } from '../sandbox/identity/identity-folder.ts';
import { registerKey } from '../sandbox/identity/registered-key.ts';
import { SANDBOX_SIGNER_APP } from '../sandbox/identity/remote-signer.ts';
import type { SignerClient } from '../trading/ports.ts';
import type { Config } from './config.ts';
import type { Logger } from './log.ts';

/** What the signer process runs. */
const PROGRAM = fileURLToPath(new URL('./signer-process.mjs', import.meta.url));

export interface Signer {
  /** What the remote signer has to know; SPKI, base64. */
  readonly publicKey: string;
  /** Of the present process, or of the last one. */
  readonly pid: number;
  readonly client: SignerClient;
  /** Tells it where to listen and what to read. Before that the door answers `unavailable`. @throws Error in one sentence. */
  open(place: Pick<SignerPlace, 'databaseUrl' | 'url' | 'rpcUrl' | 'makers'>): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Null where delegated signing is off: then no process holds the key, and this one has forgotten it.
 * @throws Error in one sentence, without a character of the key, where it is none.
 */
export async function startSigner(config: Config, clock: Pick<Clock, 'now' | 'deadline'>, log: Logger): Promise<Signer | null> {
  const { IDP_AUTHORIZATION_PRIVATE_KEY: given, IDP_AUTHORIZATION_PRIVATE_KEY_FILE: keyFile } = config;
  if (!config.SVC_DELEGATED_SIGNING_ENABLED) {
    if (given !== null || keyFile !== null)
      log.warn(
        'IDP_AUTHORIZATION_PRIVATE_KEY is set and SVC_DELEGATED_SIGNING_ENABLED is not true: the key was put away unused, and nothing is signed',
      );
    return forgetKey(config);
  }
  const socket = join(resolve(config.SEVENGATE_HOME), 'signer', `${process.pid}.sock`);
  const keys: SignerKeys = { key: given?.take() ?? null, appSecret: config.IDP_APP_SECRET?.take() ?? SANDBOX_SIGNER_APP.secret };
  const kept = sealed(keys);
  const secret: SignerSecret = {
    keys: kept === null ? keys : null,
    keyFile,
    appId: config.IDP_APP_ID ?? SANDBOX_SIGNER_APP.id,
    logLevel: config.LOG_LEVEL,
  };
  if (kept === null) log.warn('there are no files of memory here (/dev/shm): where the signer process ends, it is not started again');
  const first = beginLife(PROGRAM, clock, kept);
  try {
    const publicKey = await first.tell(secret);
    if (config.IDP_SIGNER_URL === null) registerKey(identityFolder(resolve(config.SEVENGATE_HOME)), publicKey);
    log.info({ publicKey }, 'delegated signing is on: register this public key with the identity provider');
    const begin = kept === null ? null : () => beginLife(PROGRAM, clock, kept);
    const supervised = superviseSigner({ first, begin, secret, publicKey, clock, log });
    const client = signerAt(socket, clock);
    return {
      publicKey,
      get pid() {
        return supervised.pid;
      },
      client: { sign: async (orderId, signature) => supervised.refusal() ?? client.sign(orderId, signature) },
      open: (place) =>
        supervised.open({
          ...place,
          socket,
          home: resolve(config.SEVENGATE_HOME),
          isSandboxed: config.SPOTCHAIN_URL === null,
          dailyLimitUsd: String(config.SVC_DELEGATED_DAILY_LIMIT_USD),
        }),
      async stop() {
        await supervised.stop();
        kept?.close();
        rmSync(socket, { force: true });
      },
    };
  } catch (error) {
    await first.stop();
    kept?.close();
    throw error;
  }
}

/** What a process does that starts no signer: it keeps no key either. */
export function forgetKey(config: Config): null {
  config.IDP_AUTHORIZATION_PRIVATE_KEY?.take();
  config.IDP_APP_SECRET?.take();
  return null;
}
