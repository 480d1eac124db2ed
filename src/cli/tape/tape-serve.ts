/** `sevengate tape serve`: serves a recorded tape to clients as if it were received now. */
import type { Command } from 'commander';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { progressBar } from '../../adapters/terminal-progress.ts';
import { instant, type EpochMs, isoTime } from '../../domain/values/time.ts';
import { LEAST_SPEED, MOST_SPEED } from '../../domain/tape/replay-position.ts';
import { errorText } from '../../domain/values/value-text.ts';
import type { Service } from '../ports.ts';
import { port, quantity } from '../words.ts';

interface Options {
  readonly from?: string;
  readonly to?: string;
  readonly speed: number;
  readonly loop?: true;
  readonly paused?: true;
  readonly port: number;
  readonly json?: true;
}

const DEFAULT_PORT = 8090;

const speed = quantity(
  'number',
  `a number from ${LEAST_SPEED} to ${MOST_SPEED}`,
  (factor) => factor >= LEAST_SPEED && factor <= MOST_SPEED,
);

/** Adds `serve`. It runs until it is interrupted. */
export function serveCommand(tape: Command, service: Service): void {
  tape
    .command('serve')
    .description('serve a tape on loopback without a database: feed, quotes, candles and terminal over its time')
    .argument('<file>', 'the tape; others of its folder can be loaded later')
    .option('--from <time>', 'start time (ISO 8601; default: its first event)')
    .option('--to <time>', 'end time (default: its last event)')
    .option('--speed <factor>', 'seconds of the tape per second', speed, 1)
    .option('--loop', 'restart at the end')
    .option('--paused', 'start paused (play with POST /v1/replay/play)')
    .option('--port <port>', 'port on loopback; 0 picks a free one', port, DEFAULT_PORT)
    .option('--json', 'print the address as JSON')
    .action(async (file: string, options: Options) => {
      const wished = { from: parseMoment(options.from, '--from'), to: parseMoment(options.to, '--to') };
      const bar = progressBar('reading', 'bytes');
      const { startTapeServer } = await import('./tape-server.ts');
      const server = await startTapeServer({
        file,
        ...wished,
        speed: options.speed,
        loop: options.loop === true,
        paused: options.paused === true,
        port: options.port,
        version: service.version,
        clock: createLiveClock(),
        progress: bar.update,
        onFailure: (error) => process.stderr.write(`sevengate: ${errorText(error)}\n`),
      }).finally(() => bar.stop());
      const { url, info } = server;
      const [from, to] = [isoTime(server.from), isoTime(server.to)];
      const summary = { url, tape: file, from, to, speed: options.speed, events: info.events, instruments: Object.keys(info.instruments) };
      process.stdout.write(`${options.json ? JSON.stringify(summary) : words(summary)}\n`);
      const stop = (): void => void server.stop().then(() => process.exit(0));
      process.once('SIGINT', stop);
      process.once('SIGTERM', stop);
    });
}

function words({
  url,
  tape,
  from,
  to,
  speed,
  events,
  instruments,
}: Readonly<Record<'url' | 'tape' | 'from' | 'to', string>> & {
  readonly speed: number;
  readonly events: number;
  readonly instruments: readonly string[];
}): string {
  return `${tape}: ${events} events of ${instruments.length} instruments, ${from} to ${to}, at ${speed} times its speed\nready ${url}`;
}

const parseMoment = (text: string | undefined, option: string): EpochMs | null => (text === undefined ? null : instant(text, option));
