/** Addresses of a running sandbox, written to its state folder while it runs, for switching its faults and for commands beside it. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const fileIn = (home: string): string => join(home, 'sandbox.json');

/** Returns what removes the note again. @param home the state folder, which is made if it is missing. */
export function noteSandbox(
  home: string,
  places: { readonly control: string; readonly simulators: Readonly<Record<string, string>> },
): () => void {
  const file = fileIn(home);
  mkdirSync(home, { recursive: true, mode: 0o711 });
  const draft = `${file}.${process.pid}.new`;
  // `doubles` is the name that scripts of users read before it was `simulators`.
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

/** Returns the simulators' addresses of a running service with this state folder; null if none runs. */
export const notedSimulators = (home: string): Readonly<Record<string, string>> | null => noted(home)?.simulators ?? null;

/** Returns the address of the control endpoint of a running sandbox with this state folder; null if none runs. */
export const notedControl = (home: string): string | null => noted(home)?.control ?? null;
