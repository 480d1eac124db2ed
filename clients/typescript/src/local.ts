/** Finds the service on this machine and a member's token in its state folder. For Node. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

export interface LocalOptions {
  /** State folder of the service. Default: `SEVENGATE_HOME`, else the nearest `.sevengate` from here upwards. */
  readonly home?: string;
  /** Member whose token is used. Default: `operator`. */
  readonly member?: string;
}

/** Returns client options for the local service: its address, and the member's token, which is read again once it has expired. */
export function localService({ home = findHome(), member = 'operator' }: LocalOptions = {}): {
  readonly baseUrl: string;
  readonly token: () => string;
} {
  const baseUrl = runningServiceUrl(home);
  if (baseUrl === null) throw new Error(`no service runs on ${home}; start one with npm start, or name its state folder in SEVENGATE_HOME`);
  return { baseUrl, token: () => memberToken(home, member) };
}

function findHome(): string {
  const named = process.env['SEVENGATE_HOME'];
  if (named !== undefined && named !== '') return resolve(named);
  const here = process.cwd();
  for (let folder = here; ; folder = dirname(folder)) {
    const home = join(folder, '.sevengate');
    if (existsSync(home)) return home;
    if (folder === dirname(folder)) return join(here, '.sevengate');
  }
}

/** Reads a member's token. @throws Error if the state folder has none, or it cannot be read. */
function memberToken(home: string, member: string): string {
  if (!/^[\w-]+$/.test(member)) throw new Error(`member must be a name such as operator or risk-manager (got ${JSON.stringify(member)})`);
  const file = join(home, 'tokens', `${member}.token`);
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new Error(`no token of ${member}: ${file} cannot be read; the sandbox writes one per example member`, { cause: error });
  }
}

/** Returns the address of the running service, from its state folder, or null if none runs. */
function runningServiceUrl(home: string): string | null {
  try {
    const { url, pid } = JSON.parse(readFileSync(join(home, 'service.json'), 'utf8')) as { url?: unknown; pid?: unknown };
    return typeof url === 'string' && Number.isSafeInteger(pid) && isAlive(pid as number) ? url : null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists, and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
