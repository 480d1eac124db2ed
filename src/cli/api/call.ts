/** `sevengate call <operation>`: any operation of the API by its name. `sevengate feed <channel>`: any channel of its feed. */
import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import type { Call, Channel, Client } from '../../../clients/typescript/src/index.ts';
import { nearestNames } from '../../domain/nearest-name.ts';
import { count } from '../words.ts';
import { atService, type ClientOptions, withClientOptions } from './client-options.ts';
import type { Terminal } from './terminal.ts';

type Fields = Readonly<Record<string, string>>;

/** Adds `call`. */
export function callCommand(command: Command): void {
  withClientOptions(command)
    .argument('<operation>', 'operation of the API as /docs names it, for example listQuotes')
    .argument('[field=value...]', 'parameters of its path and query', field, {})
    .option('--body <json>', 'body as JSON, or @ and a file with JSON or YAML')
    .action((operation: string, fields: Fields, { body, ...options }: ClientOptions & { body?: string }) =>
      atService(options, (terminal) => call(terminal, operation, fields, body)),
    );
}

/** Adds `feed`. */
export function feedCommand(command: Command): void {
  withClientOptions(command)
    .argument('<channel>', 'channel of the feed, for example quotes, decisions or proposals')
    .argument('[field=value...]', 'what narrows the channel down, for example venue=spotexchange', field, {})
    .option('--from <cursor>', 'go on after the frame with this cursor')
    .option('--count <n>', 'end after so many frames', count(1, 1_000_000))
    .action((channel: string, fields: Fields, { from, count: most, ...options }: ClientOptions & { from?: string; count?: number }) =>
      atService(options, (terminal) => follow(terminal, channel, fields, from ?? null, most ?? Number.POSITIVE_INFINITY)),
    );
}

/** Prints the answer of an operation as JSON. @throws Error that names operations which are called nearly so. */
export async function call({ api, print }: Terminal, operation: string, fields: Fields, body: string | undefined): Promise<void> {
  if (!Object.hasOwn(api, operation) || operation === 'feed') throw new Error(unknownOperation(api, operation));
  const ask = api[operation as keyof Client] as unknown as Call<'getMe'>;
  const input = { ...fields, ...(body === undefined ? {} : { body: bodyIn(body) }) };
  const answer: unknown = await ask(input as never);
  print(typeof answer === 'string' ? answer : JSON.stringify(answer));
}

/** Prints frames of a channel, one JSON document a line. */
export async function follow({ api, print }: Terminal, channel: string, fields: Fields, from: string | null, most: number): Promise<void> {
  let left = most;
  for await (const { type, cursor, at: time, data } of api.feed(channel as Channel, fields as never, { from })) {
    print(JSON.stringify({ type, cursor, at: time, data }));
    if (--left <= 0) return;
  }
}

function unknownOperation(api: Client, operation: string): string {
  const near = nearestNames(operation, Object.keys(api));
  return `the API has no operation ${operation}${near.length > 0 ? `; did you mean ${near.join(' or ')}?` : '; /docs of the service lists them'}`;
}

function bodyIn(given: string): unknown {
  const text = given.startsWith('@') ? readFileSync(given.slice(1), 'utf8') : given;
  // The API reads a manifest in YAML itself.
  if (given.startsWith('@') && !/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`the body is not JSON: ${(error as Error).message}`, { cause: error });
  }
}

function field(given: string, before: Fields): Fields {
  const at = given.indexOf('=');
  if (at < 1) throw new InvalidArgumentError(`${JSON.stringify(given)} is no field=value, for example venue=spotexchange`);
  return { ...before, [given.slice(0, at)]: given.slice(at + 1) };
}
