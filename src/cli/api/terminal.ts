/** A client of the running service and somewhere to print, for the commands that ask it. */
import { ApiError, type Client, createClient } from '../../../clients/typescript/src/index.ts';
import { localService } from '../../../clients/typescript/src/local.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { readNamedFile } from '../../adapters/named-file.ts';
import { print } from '../words.ts';
import type { ClientOptions } from './client-options.ts';

export interface Terminal {
  readonly api: Client;
  /** Address of the service. */
  readonly url: string;
  /** Results are printed as the API's JSON instead of words. */
  readonly json: boolean;
  /** Prints a result. */
  print(text: string): void;
  /** Says how far something is, beside the results. */
  note(text: string): void;
  /** Waits between two looks at something that takes long. */
  wait(): Promise<void>;
}

const LOOK_EVERY_MS = 1_000;

/** A terminal on the service that the options name. @throws Error if none runs there, or no token can be read. */
export function openTerminal(options: ClientOptions): Terminal {
  const clock = createLiveClock();
  const connection = connectionOf(options);
  return {
    api: createClient(connection),
    url: connection.baseUrl,
    json: options.json === true,
    print,
    note: (text) => void process.stderr.write(`${text}\n`),
    wait: () => new Promise((resolve) => void clock.deadline(clock.now() + LOOK_EVERY_MS, resolve)),
  };
}

/** Address and token of the service that the options name: that of the state folder unless they name another one. @throws Error */
export function connectionOf({ as, url, tokenFile }: ClientOptions): ReturnType<typeof localService> {
  if (tokenFile === undefined) {
    if (url !== undefined) throw new Error(`${url} needs a token: name the file that holds it with --token-file`);
    return localService({ member: as });
  }
  return { baseUrl: url ?? localService().baseUrl, token: () => readNamedFile(tokenFile).trim() };
}

/** A refusal in words: what was wrong, and each thing that would pass if the sentence does not say it. Other errors are kept. */
export function refusalOf(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const { detail, wayOut } = error;
  return new Error([detail, ...wayOut.filter((way) => !detail.includes(way)).map((way) => `  ${way}`)].join('\n'), { cause: error });
}

/** Writes a word of the API as people do: `pending_approval` is `pending approval`. */
export const spaced = (word: string): string => word.replaceAll('_', ' ');

/** Rows in columns that are as wide as their widest cell. The last column is not padded. */
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
