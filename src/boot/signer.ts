/** Starts the signer process where delegated signing is on, hands it the key, and keeps none. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../streams/clock.ts';
import { type SignerDoor, signerAt } from '../adapters/identity/signer-socket.ts';
import { SANDBOX_SIGNER_APP } from '../sandbox/identity/remote-signer.ts';
import type { Config } from './config.ts';
import type { Logger } from './log.ts';
import type { SignerPlace, SignerSecret, SignerTold } from './signer-work.ts';

const PROGRAM = fileURLToPath(new URL('./signer-process.mjs', import.meta.url));
/** No core dump could be read for the key; a shell sets what Node.js cannot. */
const WITHOUT_CORE = 'ulimit -c 0 && exec "$@"';
const START_MS = 60_000;
const STOP_MS = 3_000;

export interface Signer {
  /** What the remote signer has to know; SPKI, base64. */
  readonly publicKey: string;
  readonly pid: number;
  readonly door: SignerDoor;
  /** Tells it where to listen and what to read. Before that the door answers `unavailable`. @throws Error in one sentence. */
  open(place: Pick<SignerPlace, 'databaseUrl' | 'url'>): Promise<void>;
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
  const child = launched();
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  let stopping = false;
  const ended = new Promise<void>((resolveEnd) => {
    child.once('exit', (code, signal) => {
      if (!stopping) log.error({ code, signal }, 'the signer process has ended: nothing is signed until the service is started again');
      resolveEnd();
    });
  });
  // Where it has ended, the next answer says so.
  child.stdin?.on('error', () => {});

  async function told(line: SignerSecret | SignerPlace): Promise<string> {
    child.stdin?.write(`${JSON.stringify(line)}\n`);
    const stopWaiting = clock.deadline(clock.now() + START_MS, () => child.kill('SIGKILL'));
    const { value, done } = await lines.next();
    stopWaiting();
    if (done === true) throw new Error('the signer process ended before it was ready: its own words stand above');
    const answer = JSON.parse(value) as SignerTold;
    if (!answer.ok) throw new Error(answer.wrong);
    return answer.publicKey;
  }
  async function stop(): Promise<void> {
    stopping = true;
    child.stdin?.end();
    const kill = clock.deadline(clock.now() + STOP_MS, () => child.kill('SIGKILL'));
    await ended;
    kill();
  }

  const socket = join(resolve(config.SEVENGATE_HOME), 'signer', `${process.pid}.sock`);
  const isSandboxed = config.IDP_SIGNER_URL === null;
  try {
    const publicKey = await told({
      key: given?.take() ?? null,
      keyFile,
      appId: config.IDP_APP_ID ?? SANDBOX_SIGNER_APP.id,
      appSecret: config.IDP_APP_SECRET?.take() ?? SANDBOX_SIGNER_APP.secret,
      logLevel: config.LOG_LEVEL,
    });
    if (isSandboxed) register(config, publicKey);
    log.info({ publicKey }, 'delegated signing is on: register this public key with the identity provider');
    return {
      publicKey,
      pid: child.pid ?? 0,
      door: signerAt(socket, clock),
      async open(place) {
        await told({ ...place, socket, isSandboxed: config.SPOTCHAIN_URL === null });
      },
      async stop() {
        await stop();
        rmSync(socket, { force: true });
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What a process does that starts no signer: it keeps no key either. */
export function forgetKey(config: Config): null {
  config.IDP_AUTHORIZATION_PRIVATE_KEY?.take();
  config.IDP_APP_SECRET?.take();
  return null;
}

/** With nothing of this process's environment and options: neither a debugger nor a preloaded module comes in that way. */
function launched(): ChildProcess {
  const hardened = process.allowedNodeEnvironmentFlags.has('--disable-sigusr1') ? ['--disable-sigusr1'] : [];
  return spawn('/bin/sh', ['-c', WITHOUT_CORE, 'sh', process.execPath, ...hardened, PROGRAM], {
    env: { NODE_ENV: 'production' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
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
