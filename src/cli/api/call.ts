/** `sevengate call <operation>`: any operation of the API by its name. */
import type { Command } from 'commander';
import type { Client } from '../../../clients/typescript/src/index.ts';
import { type OperationName, readOperation } from '../../../clients/typescript/src/operation.ts';
import { nearestNames } from '../../domain/values/nearest-name.ts';
import { atService, type ClientOptions, type Fields, field, withClientOptions } from './client-options.ts';
import { documentIn, jsonIn } from './given-document.ts';
import type { Terminal } from './terminal.ts';

export function callCommand(command: Command): void {
  withClientOptions(command)
    .argument('<operation>', 'API operation as named in /docs, for example listQuotes')
    .argument('[field=value...]', 'path and query parameters', field, {})
    .option('--body <json>', 'body as JSON, or @ and a file with JSON or YAML')
    .action((operation: string, fields: Fields, { body, ...options }: ClientOptions & { body?: string }) =>
      atService(options, (terminal) => call(terminal, operation, fields, body)),
    );
}

/** Prints an operation's answer as JSON. @throws Error naming similar operations if there is none with this name */
export async function call({ api, print }: Terminal, operation: string, fields: Fields, body: string | undefined): Promise<void> {
  if (!Object.hasOwn(api, operation) || operation === 'feed') throw new Error(unknownOperation(api, operation));
  const { flags } = readOperation(operation as OperationName);
  if (flags.includes('stream') || flags.includes('socket'))
    throw new Error(`${operation} is a feed, which has no end: sevengate feed <channel> prints it`);
  const ask = api[operation as keyof Client] as unknown as (input: object) => Promise<unknown>;
  const input = {
    ...fields,
    ...(body === undefined ? {} : { body: body.startsWith('@') ? documentIn(body.slice(1)) : jsonIn(body, 'the body') }),
  };
  const answer = await ask(input);
  print(typeof answer === 'string' ? answer : JSON.stringify(answer));
}

function unknownOperation(api: Client, operation: string): string {
  const near = nearestNames(operation, Object.keys(api));
  return `the API has no operation ${operation}${near.length > 0 ? `; did you mean ${near.join(' or ')}?` : '; /docs of the service lists them'}`;
}
