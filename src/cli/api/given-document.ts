/** Documents given to a command: JSON, or YAML, which the API parses itself. */
import { readFileSync } from 'node:fs';
import { readNamedFile } from '../../adapters/named-file.ts';

/** Reads a file, or standard input for `-`. YAML stays text. @throws Error naming the file */
export function documentIn(file: string): unknown {
  const text = file === '-' ? readFileSync(0, 'utf8') : readNamedFile(file);
  return /^\s*[[{]/.test(text) ? jsonIn(text, file) : text;
}

/** Parses JSON. @param what names it in the error */
export function jsonIn(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${what} is not JSON: ${(error as Error).message}`, { cause: error });
  }
}
