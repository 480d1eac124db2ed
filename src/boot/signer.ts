/** Starts the signer process where delegated signing is on, hands it the key and keeps none, and starts it again where it dies. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Clock } from '../../streams/clock.ts';
import { signerAt } from '../adapters/identity/signer-socket.ts';
import { SANDBOX_SIGNER_APP } from '../sandbox/identity/remote-signer.ts';
import type { SignerAnswer, SignerClient } from '../trading/ports.ts';
import type { Config } from './config.ts';
import type { Logger } from './log.ts';
import { beginLife, type SignerLife, sealed } from './signer-life.ts';
import type { SignerKeys, SignerPlace, SignerSecret } from './signer-work.ts';

/** So often it is started again in a row; a life that lasted `STEADY_MS` begins the count anew. */
const MOST_RESTARTS = 5;
const STEADY_MS = 600_000;
/** The wait before the first of them, which simulators with each. */
const FIRST_WAIT_MS = 1_000;

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
  const first = beginLife(clock, kept);
  try {
    const publicKey = await first.tell(secret);
    if (config.IDP_SIGNER_URL === null) register(config, publicKey);
    log.info({ publicKey }, 'delegated signing is on: register this public key with the identity provider');
    const begin = kept === null ? null : () => beginLife(clock, kept);
    const supervised = supervise({ first, begin, secret, publicKey, clock, log });
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

interface Supervised {
  readonly pid: number;
  /** What is answered while no process would; null where one listens. */
  refusal(): SignerAnswer | null;
  open(place: SignerPlace): Promise<void>;
  stop(): Promise<void>;
}

/** Follows one life after the other: each that ends is told and, once the first was open, followed by another, so often and after such waits. */
function supervise(deps: {
  readonly first: SignerLife;
  /** Null where the key cannot be handed over once more. */
  readonly begin: (() => SignerLife) | null;
  readonly secret: SignerSecret;
  readonly publicKey: string;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly log: Logger;
}): Supervised {
  const { begin, secret, publicKey, clock, log } = deps;
  let life = deps.first;
  let begunAt = clock.now();
  let place: SignerPlace | null = null;
  let restarts = 0;
  let refusal: string | null = 'the signer process is not open yet';
  let stopped = false;
  let cancelWait = (): void => {};

  function follow(): void {
    const present = life;
    void present.ended.then((end) => (stopped || life !== present ? undefined : after(end)));
  }

  function after(end: object): void {
    if (clock.now() - begunAt >= STEADY_MS) restarts = 0;
    if (place === null || begin === null || restarts === MOST_RESTARTS) {
      refusal = 'the signer process has ended and is not started again before the service is';
      log.error({ ...end, restarts }, 'the signer process has ended: nothing is signed until the service is started again');
      return;
    }
    const waitMs = FIRST_WAIT_MS * 2 ** restarts;
    restarts += 1;
    refusal = `the signer process has ended and is being started again (${restarts} of ${MOST_RESTARTS})`;
    log.error({ ...end, restarts, waitMs }, 'the signer process has ended: nothing is signed until it was started again');
    cancelWait = clock.deadline(clock.now() + waitMs, () => void again(begin, place as SignerPlace));
  }

  async function again(next: () => SignerLife, at: SignerPlace): Promise<void> {
    life = next();
    begunAt = clock.now();
    const present = life;
    try {
      const key = await present.tell(secret);
      // Whoever exchanges the file has to register its key first, and knows when.
      if (key !== publicKey) throw new Error('the key file holds another key than at the start: start the service again to sign with it');
      await present.tell(at);
      refusal = null;
      log.info({ restarts }, 'the signer process was started again');
    } catch (error) {
      if (stopped) return;
      log.error({ err: error }, 'the signer process could not be started again');
      await present.stop();
    }
    follow();
  }

  follow();
  return {
    get pid() {
      return life.pid;
    },
    refusal: () => (refusal === null ? null : { outcome: 'unavailable', reason: 'not_running', detail: refusal }),
    async open(at) {
      await life.tell(at);
      place = at;
      refusal = null;
    },
    async stop() {
      stopped = true;
      refusal = 'the service is stopping';
      cancelWait();
      await life.stop();
    },
  };
}

/** The door, whose answers that say nothing are told by their reasons to whoever counts them. */
export function toldOfSilence({ sign }: SignerClient, onFailure: (reason: string) => void): SignerClient {
  return {
    async sign(orderId, signature) {
      const answer = await sign(orderId, signature);
      if (answer.outcome === 'unavailable') onFailure(answer.reason);
      return answer;
    },
  };
}

/** What a process does that starts no signer: it keeps no key either. */
export function forgetKey(config: Config): null {
  config.IDP_AUTHORIZATION_PRIVATE_KEY?.take();
  config.IDP_APP_SECRET?.take();
  return null;
}

/** The keys that the sandbox's provider knows of its app; none before a signer was started on this state folder. */
export function registeredKeys(config: Pick<Config, 'SEVENGATE_HOME'>): readonly string[] {
  const file = registeredKeyFile(config);
  return existsSync(file) ? [readFileSync(file, 'utf8').trim()] : [];
}

function registeredKeyFile(config: Pick<Config, 'SEVENGATE_HOME'>): string {
  return join(resolve(config.SEVENGATE_HOME), 'identity', 'authorization-key.pub');
}

function register(config: Config, publicKey: string): void {
  const file = registeredKeyFile(config);
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, `${publicKey}\n`, { mode: 0o600 });
  renameSync(draft, file);
}
