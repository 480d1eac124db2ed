/** Reads and writes files that users name; a failure is one sentence. */
import { readFileSync, writeFileSync } from 'node:fs';
import { errorText } from '../domain/values/value-text.ts';

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is no folder',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
};
const WHY_NOT_WRITTEN: Readonly<Record<string, string>> = {
  ...WHY,
  ENOENT: 'its folder does not exist',
  EACCES: 'this user may not write it',
  EPERM: 'this user may not write it',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full',
};

/** Returns the reason why a file cannot be opened or read, or the system's message. */
export function whyNotRead(error: unknown): string {
  return WHY[readErrorCode(error)] ?? errorText(error);
}

/** Returns the reason why a file cannot be written, or the system's message. */
export function whyNotWritten(error: unknown): string {
  return WHY_NOT_WRITTEN[readErrorCode(error)] ?? errorText(error);
}

function readErrorCode(error: unknown): string {
  return (error as Partial<NodeJS.ErrnoException> | null)?.code ?? '';
}

/** @throws Error `<file> cannot be read: …` */
export function readNamedBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Error(`${file} cannot be read: ${whyNotRead(error)}`, { cause: error });
  }
}

/** Returns the text of a file. @throws Error `<file> cannot be read: …` */
export function readNamedFile(file: string): string {
  return readNamedBytes(file).toString('utf8');
}

/** Writes or replaces a text file. @throws Error `<file> cannot be written: …` */
export function writeNamedFile(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new Error(`${file} cannot be written: ${whyNotWritten(error)}`, { cause: error });
  }
}
