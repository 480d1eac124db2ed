/** `sevengate feed <channel>`: prints a feed channel live. */
import type { Command } from 'commander';
import type { Channel } from '../../../clients/typescript/src/index.ts';
import { count } from '../words.ts';
import { atService, type ClientOptions, type Fields, field, withClientOptions } from './client-options.ts';
import type { Terminal } from './terminal.ts';

export function feedCommand(command: Command): void {
  withClientOptions(command)
    .argument('<channel>', 'channel of the feed, for example quotes, decisions or proposals')
    .argument('[field=value...]', 'channel parameters, for example venue=spotexchange', field, {})
    .option('--from <cursor>', 'resume after the frame with this cursor')
    .option('--count <n>', 'stop after this many frames', count(1, 1_000_000))
    .action((channel: string, fields: Fields, { from, count: most, ...options }: ClientOptions & { from?: string; count?: number }) =>
      atService(options, (terminal) => follow(terminal, channel, fields, from ?? null, most ?? Number.POSITIVE_INFINITY)),
    );
}

/** Prints the frames of a channel, one JSON document per line. */
export async function follow({ api, print }: Terminal, channel: string, fields: Fields, from: string | null, most: number): Promise<void> {
  let left = most;
  for await (const { type, cursor, at: time, data } of api.feed(channel as Channel, fields, { from })) {
    print(JSON.stringify({ type, cursor, at: time, data }));
    if (--left <= 0) return;
  }
}
