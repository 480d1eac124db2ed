/** What the words of a command line are read as, and how its results are printed. */
import { InvalidArgumentError } from 'commander';
import { PERMISSIONS, type Permission } from '../domain/agent.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A result, on standard output. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** @throws InvalidArgumentError that says what `what` is. */
export const uuid =
  (what: string) =>
  (text: string): string => {
    if (!UUID.test(text)) throw new InvalidArgumentError(`${what} is a UUID, for example b36a8930-5b1e-8c00-a000-000000000001`);
    return text.toLowerCase();
  };

/** Permissions, separated by commas. */
export function permissions(list: string): Permission[] {
  return list.split(',').map((word) => {
    const permission = PERMISSIONS.find((known) => known === word.trim());
    if (!permission) throw new InvalidArgumentError(`${JSON.stringify(word)} is none of ${PERMISSIONS.join(', ')}`);
    return permission;
  });
}

/** A name of 1 to `most` characters. @throws InvalidArgumentError that says what `what` is. */
export const named =
  (what: string, most = 255) =>
  (text: string): string => {
    if (text.trim() === '' || text.length > most || !text.isWellFormed())
      throw new InvalidArgumentError(`${what} has 1 to ${most} characters, and here are ${text.trim() === '' ? 'none' : text.length}`);
    return text;
  };

/** A port to listen on. @throws InvalidArgumentError */
export function port(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number <= 65_535)) throw new InvalidArgumentError('a port from 0 to 65535 is needed.');
  return number;
}
