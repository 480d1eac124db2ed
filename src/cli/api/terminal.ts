/** Client of the running service with an output, for the commands that call it. */
import { type Agent, ApiError, type Client, createClient } from '../../../clients/typescript/src/index.ts';
import { localService } from '../../../clients/typescript/src/local.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { readNamedFile } from '../../adapters/named-file.ts';
import { nearestNames } from '../../domain/values/nearest-name.ts';
import { print } from '../words.ts';
import type { ClientOptions } from './client-options.ts';

export type Terminal = ReturnType<typeof openTerminal>;

const LOOK_EVERY_MS = 1_000;

/** Opens a terminal on the selected service. @throws Error if none runs there, or no token can be read */
export function openTerminal(options: ClientOptions) {
  const clock = createLiveClock();
  const connection = readConnection(options);
  return {
    api: createClient(connection),
    url: connection.baseUrl,
    /** True if results are printed as the API's JSON instead of text. */
    json: options.json === true,
    print,
    /** Prints progress, separate from the results. */
    note: (text: string) => void process.stderr.write(`${text}\n`),
    /** Waits between two polls of a long operation. */
    wait: (): Promise<void> => new Promise((resolve) => void clock.deadline(clock.now() + LOOK_EVERY_MS, resolve)),
  };
}

/**
 * Returns URL and token of the selected service, by default that of the state folder.
 * @throws Error if none runs there, or no token can be read
 */
export function readConnection({ as, url, tokenFile }: ClientOptions): ReturnType<typeof localService> {
  if (tokenFile === undefined) {
    if (url !== undefined) throw new Error(`${url} needs a token: name the file that holds it with --token-file`);
    return localService({ member: as });
  }
  return { baseUrl: url ?? localService().baseUrl, token: () => readNamedFile(tokenFile).trim() };
}

/**
 * Converts an API refusal to an error with its message and, if the message does not name them, the allowed values. Returns other errors
 * unchanged.
 */
export function toRefusal(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const { detail, wayOut } = error;
  return new Error([detail, ...wayOut.filter((way) => !detail.includes(way)).map((way) => `  ${way}`)].join('\n'), { cause: error });
}

/** Formats a word of the API: `pending_approval` becomes `pending approval`. */
export const spaced = (word: string): string => word.replaceAll('_', ' ');

/** Formats rows in columns as wide as their widest cell. The last column is not padded. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  return rows
    .map((row) =>
      row
        .map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const LISTED = 10;

/** Finds the agent with this name or id. @throws Error naming the existing agents, or those with the same name */
export async function findAgent(api: Client, given: string): Promise<Agent> {
  const agents: Agent[] = [];
  for await (const agent of api.listAgents.items({ limit: 200 })) {
    if (agent.id === given.toLowerCase()) return agent;
    agents.push(agent);
  }
  const found = agents.filter(({ name }) => name.toLowerCase() === given.trim().toLowerCase());
  if (found.length === 1) return found[0] as Agent;
  if (found.length > 1)
    throw new Error(
      `${found.length} agents are called ${JSON.stringify(given)}; give the id of one: ${found.map(({ id }) => id).join(', ')}`,
    );
  if (agents.length === 0) throw new Error('no agents yet: create one with sevengate agents create <file>');
  const names = agents.map(({ name }) => name);
  const near = nearestNames(given, names);
  const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : `there are ${names.slice(0, LISTED).join(', ')}`;
  throw new Error(`no agent is called ${JSON.stringify(given)}; ${hint}`);
}
