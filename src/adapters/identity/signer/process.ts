/** Starts and stops one signer process and passes its secrets. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Clock } from '../../../../streams/clock/clock.ts';
import type { SignerKeys, SignerAddresses, SignerSecret, SignerTold } from './protocol.ts';
import { MINUTE_MS } from '../../../domain/values/time.ts';

/** Shell command that disables core dumps, which could expose the key. Node.js cannot set this limit. */
const WITHOUT_CORE = 'ulimit -c 0 && exec "$@"';
const START_MS = MINUTE_MS;
const STOP_MS = 3_000;
/** File system in memory: its files never reach a disk. */
const MEMORY = '/dev/shm';

/** End of a signer process. */
interface SignerEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export type SignerLife = ReturnType<typeof beginLife>;

/** Secrets that this process no longer holds but can pass to a child process. */
type SealedKeys = NonNullable<ReturnType<typeof sealed>>;

/**
 * Writes the secrets into an anonymous memory file. They are in no heap and on no disk; only a child that inherits the descriptor can read
 * them, and the file disappears with this process. Null if the system does not support such files.
 */
export function sealed(keys: SignerKeys) {
  const descriptor = namelessFile();
  if (descriptor === null) return null;
  const bytes = Buffer.from(JSON.stringify(keys));
  const written = writeSync(descriptor, bytes, 0, bytes.length, 0);
  if (written !== bytes.length) throw new Error(`${MEMORY} is full: the signer's secrets cannot be handed over`);
  bytes.fill(0);
  let isOpen = true;
  return {
    descriptor,
    close() {
      if (isOpen) closeSync(descriptor);
      isOpen = false;
    },
  };
}

/** Reads the sealed secrets. Reads from position 0, so that every restart can read them again. */
export function unsealed(descriptor: number): SignerKeys {
  const bytes = Buffer.alloc(fstatSync(descriptor).size);
  readSync(descriptor, bytes, 0, bytes.length, 0);
  closeSync(descriptor);
  return JSON.parse(bytes.toString('utf8')) as SignerKeys;
}

function namelessFile(): number | null {
  const path = `${MEMORY}/sevengate-${process.pid}-${randomBytes(8).toString('hex')}`;
  try {
    const descriptor = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
    return descriptor;
  } catch {
    return null;
  }
}

/** Starts the process: Node.js with the given program. Nothing is sent to it yet. */
export function beginLife(program: string, clock: Pick<Clock, 'now' | 'deadline'>, keys: SealedKeys | null) {
  const child = launched(program, keys);
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  const ended = new Promise<SignerEnd>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    // After a failed launch no `exit` event follows.
    child.once('error', () => resolve({ code: null, signal: null }));
  });
  // The next answer reports an ended process.
  child.stdin?.on('error', () => {});
  return {
    pid: child.pid ?? 0,
    ended,
    /**
     * Sends a line and returns the public key. @throws Error with one sentence, without any part of the key, if the process ended or reported
     * a problem
     */
    async tell(line: SignerSecret | SignerAddresses): Promise<string | null> {
      child.stdin?.write(`${JSON.stringify(line)}\n`);
      const stopWaiting = clock.deadline(clock.now() + START_MS, () => child.kill('SIGKILL'));
      const { value, done } = await lines.next().finally(stopWaiting);
      if (done === true) throw new Error('the signer process ended before it was ready: see its messages above');
      const answer = JSON.parse(value) as SignerTold;
      if (!answer.ok) throw new Error(answer.wrong);
      return answer.publicKey;
    },
    /** Ends the process, by force if necessary. */
    async stop() {
      child.stdin?.end();
      const kill = clock.deadline(clock.now() + STOP_MS, () => child.kill('SIGKILL'));
      await ended;
      kill();
    },
  };
}

/** Launches the program without this process's environment and options, so that no debugger or preloaded module is inherited. */
function launched(program: string, keys: SealedKeys | null): ChildProcess {
  const hardened = process.allowedNodeEnvironmentFlags.has('--disable-sigusr1') ? ['--disable-sigusr1'] : [];
  return spawn('/bin/sh', ['-c', WITHOUT_CORE, 'sh', process.execPath, ...hardened, program], {
    env: { NODE_ENV: 'production' },
    stdio: ['pipe', 'pipe', 'inherit', ...(keys === null ? [] : [keys.descriptor])],
  });
}
