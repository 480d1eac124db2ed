/** Writes the address of a running service into its state folder, for commands that run beside it. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const fileIn = (home: string): string => join(home, 'service.json');

/** Writes the address. The returned function removes it unless another process has replaced it. */
export function noteService(home: string, url: string): () => void {
  const file = fileIn(home);
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, `${JSON.stringify({ url, pid: process.pid })}\n`, { mode: 0o600 });
  renameSync(draft, file);
  return () => {
    if (read(file)?.pid === process.pid) rmSync(file, { force: true });
  };
}

/** Returns the address of the service that runs on this state folder, or null. */
export function runningServiceUrl(home: string): string | null {
  const noted = read(fileIn(home));
  return noted !== null && isAlive(noted.pid) ? noted.url : null;
}

function read(file: string): { readonly url: string; readonly pid: number } | null {
  try {
    const { url, pid } = JSON.parse(readFileSync(file, 'utf8')) as { url?: unknown; pid?: unknown };
    return typeof url === 'string' && URL.canParse(url) && Number.isSafeInteger(pid) ? { url, pid: pid as number } : null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
