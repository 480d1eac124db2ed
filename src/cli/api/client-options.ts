/** Options of every command that calls the running service's API. */
import { Argument, type Command, InvalidArgumentError } from 'commander';
import { named, uuid } from '../words.ts';
import type { Terminal } from './terminal.ts';

export interface ClientOptions {
  readonly as: string;
  readonly url?: string;
  readonly tokenFile?: string;
  readonly json?: true;
}

/** Values of the arguments `field=value`, by field. */
export type Fields = Readonly<Record<string, string>>;

export function withClientOptions(command: Command): Command {
  return command
    .option(
      '--as <member>',
      'member of the sandbox to act as: operator, viewer, risk-manager, administrator',
      named('a member', 64),
      'operator',
    )
    .option('--url <url>', 'URL of the service (default: the one of the state folder)')
    .option('--token-file <file>', 'file with your bearer token, or with that of an agent')
    .option('--json', 'print the answer of the API as JSON');
}

/** Selection from a list: by id, or the newest. */
export interface Chosen {
  readonly id: string | undefined;
  readonly latest: true | undefined;
}

/** Adds the argument and the option that select from a list, for example a `proposal`. */
export function choosing(command: Command, what: string, newest: string): Command {
  return command
    .addArgument(new Argument('[id]', `id of the ${what}`).argParser(uuid(`the id of a ${what}`)))
    .option('--latest', `${newest}, instead of an id`);
}

/** Returns the given id, or null for the newest. @throws Error unless exactly one of both was given */
export function chosenId({ id, latest }: Chosen, what: string, newest: string): string | null {
  if (id !== undefined && latest) throw new Error(`give the id of a ${what} or --latest, not both`);
  if (id === undefined && !latest) throw new Error(`give the id of a ${what}, or --latest for ${newest}`);
  return id ?? null;
}

/** Runs a command at the service. The client is loaded only now. @throws Error with the service's refusal and the remedy */
export async function atService(options: ClientOptions, run: (terminal: Terminal) => Promise<void>): Promise<void> {
  const { openTerminal, toRefusal } = await import('./terminal.ts');
  try {
    await run(openTerminal(options));
  } catch (error) {
    throw toRefusal(error);
  }
}

/** Adds a `field=value` to the earlier ones. @throws InvalidArgumentError if it is malformed */
export function field(given: string, before: Fields): Fields {
  const at = given.indexOf('=');
  if (at < 1) throw new InvalidArgumentError(`${JSON.stringify(given)} is not field=value, for example venue=spotexchange`);
  return { ...before, [given.slice(0, at)]: given.slice(at + 1) };
}
