/** `sevengate inspect`: lets a state chart visualizer attach to the actors of a running service. */
import { join, resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { readNamedFile } from '../../adapters/named-file.ts';
import { runningServiceUrl } from '../../adapters/process/noted-service.ts';
import type { Service } from '../ports.ts';
import { port } from '../words.ts';

interface Options {
  readonly actor?: string;
  readonly from?: string;
  readonly service?: string;
  readonly token?: string;
  readonly port: number;
  readonly json?: true;
}

/** Adds `inspect`. It runs until it is interrupted. */
export function inspectCommand(command: Command, service: Service): void {
  command
    .option('--actor <id>', 'one actor, running or done (default: the newest running ones of the organization)')
    .option('--from <version>', 'with --actor: first send the steps after this version; 0 for all', wholeNumber)
    .option(
      '--service <url>',
      'address of the service (default: the one that runs on the state folder, else HOST and PORT of the settings)',
    )
    .option('--token <file>', 'file with the bearer token (default: that of the local operator in the state folder)')
    .option('--port <port>', 'port for visualisers on loopback; 0 picks a free one', port, 0)
    .option('--json', 'print the address as JSON')
    .action(async (options: Options) => {
      if (options.from !== undefined && options.actor === undefined) throw new Error('--from needs --actor');
      const config = service.settings();
      const running = runningServiceUrl(resolve(config.SEVENGATE_HOME));
      const url = new URL(options.service ?? running ?? `http://${config.HOST}:${config.PORT}`);
      const token = readNamedFile(options.token ?? join(resolve(config.SEVENGATE_HOME), 'tokens', 'operator.token')).trim();
      const inspection = new URL('/v1/feeds/inspector', url);
      inspection.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
      if (options.actor !== undefined) inspection.searchParams.set('actorId', options.actor);
      if (options.from !== undefined) inspection.searchParams.set('from', options.from);
      const { startInspectorRelay } = await import('../../adapters/process/inspector-relay.ts');
      const relay = await startInspectorRelay({
        inspection: inspection.href,
        token,
        port: options.port,
        onEnd: (sentence) => process.stderr.write(`sevengate: ${sentence}\n`),
      });
      process.stdout.write(`${options.json ? JSON.stringify({ address: relay.address }) : relay.address}\n`);
      const end = (): void => void relay.close();
      process.once('SIGINT', end);
      process.once('SIGTERM', end);
    });
}

function wholeNumber(text: string): string {
  if (!/^\d{1,12}$/.test(text)) throw new InvalidArgumentError('a whole number is needed.');
  return text;
}
