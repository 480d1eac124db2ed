/** Files that are named on the command line: read whole, or refused in one sentence. */
import { readFileSync } from 'node:fs';

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
};

/** The text of a file. @throws Error `<file> cannot be read: …` */
export function readNamedFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new Error(`${file} cannot be read: ${WHY[code] ?? message}`, { cause: error });
  }
}
