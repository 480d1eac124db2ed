/** Addresses of a running sandbox in its state folder, for fault switching and other commands. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const fileIn = (home: string): string => join(home, 'sandbox.json');

/** Writes the note and returns a function that removes it. @param home state folder, created if missing */
export function noteSandbox(
  home: string,
  places: { readonly control: string; readonly simulators: Readonly<Record<string, string>> },
): () => void {
  const file = fileIn(home);
  mkdirSync(home, { recursive: true, mode: 0o711 });
  const draft = `${file}.${process.pid}.new`;
  // User scripts read the older name `doubles`.
  writeFileSync(draft, `${JSON.stringify({ ...places, doubles: places.simulators }, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
  return () => rmSync(file, { force: true });
}

interface Noted {
  readonly control: string;
  readonly simulators: Readonly<Record<string, string>>;
}

function noted(home: string): Noted | null {
  try {
    return JSON.parse(readFileSync(fileIn(home), 'utf8')) as Noted;
  } catch {
    return null;
  }
}

/** Returns the simulators' addresses of the service running with this state folder, or null if none runs. */
export const notedSimulators = (home: string): Readonly<Record<string, string>> | null => noted(home)?.simulators ?? null;

/** Returns the control endpoint's URL of the sandbox running with this state folder, or null if none runs. */
export const notedControl = (home: string): string | null => noted(home)?.control ?? null;
