/** Service that the journeys of a run share. It starts when the first one needs it and stops when none does. */
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readIfThere, until } from '../../src/adapters/process/server-process.ts';

const PROGRAM = fileURLToPath(new URL('../../src/boot/sevengate.mjs', import.meta.url));
/** Time that the service stays for the next journey, in milliseconds. Half a minute idle costs less than a start. */
const KEPT_MS = 30_000;
const START_MS = 300_000;

/** Facts about the shared service for a journey. */
export interface SharedPlace {
  readonly home: string;
  readonly url: string;
  readonly pid: number;
}

export interface ServiceOfTheRun {
  /** Resolves once it is ready. Everyone who joins must leave. */
  join(): Promise<SharedPlace>;
  leave(): void;
  /** Resolves once it has stopped. */
  stop(): Promise<void>;
}

/** Returns the file with the signer process's key. The service receives only its name. */
export const sharedKeyFile = (home: string): string => join(home, 'signer-key');

/** Returns the log file of the service in this state folder. */
export const sharedLog = (home: string): string => join(home, 'shared-service.log');

/** @param newHome Makes a state folder with a migrated cluster. */
export function serviceOfTheRun(newHome: () => Promise<string>): ServiceOfTheRun {
  let users = 0;
  let running: ReturnType<typeof start> | null = null;
  let ended: Promise<unknown> = Promise.resolve();
  let unused: NodeJS.Timeout | undefined;

  async function start() {
    const home = await newHome();
    const output = join(home, 'shared-service.out');
    const child = spawn(process.execPath, [PROGRAM, 'start'], {
      env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/', SEVENGATE_HOME: home, ...settings(home) },
      stdio: ['ignore', openSync(output, 'a', 0o600), openSync(sharedLog(home), 'a', 0o600)],
    });
    ended = once(child, 'exit');
    const url = await until('the shared service to be ready', START_MS, () => {
      if (child.exitCode !== null) throw new Error(`the shared service ended:\n${readIfThere(sharedLog(home))}`);
      return /^ready (http:\S+)$/m.exec(readIfThere(output) ?? '')?.[1];
    });
    return { child, place: { home, url, pid: child.pid as number } };
  }

  async function stop(): Promise<void> {
    clearTimeout(unused);
    const stopping = running;
    running = null;
    const started = await stopping?.catch(() => null);
    started?.child.kill('SIGINT');
    await ended;
  }

  return {
    async join() {
      users++;
      clearTimeout(unused);
      running ??= start();
      return (await running).place;
    },
    leave() {
      if (--users === 0) unused = setTimeout(() => void stop(), KEPT_MS).unref();
    },
    stop,
  };
}

/** Returns the settings that journeys need: a simulated language model, and a signer process with its own key. */
function settings(home: string): Record<string, string> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(sharedKeyFile(home), privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
  return {
    PORT: '0',
    SANDBOX_EXAMPLES: 'false',
    MODEL_URL: 'sandbox',
    MODEL_NAME: 'sandbox',
    SVC_DELEGATED_SIGNING_ENABLED: 'true',
    IDP_AUTHORIZATION_PRIVATE_KEY_FILE: sharedKeyFile(home),
  };
}
