/** `sevengate start`: runs the service until it is stopped. */
import { type Command, InvalidArgumentError } from 'commander';
import { createLiveClock } from '../../streams/clock/live-clock.ts';
import type { RunningService, Service } from './ports.ts';

/** Maximum time for a clean stop after a signal, in milliseconds. It takes a second, and longer only on a busy machine. */
const STOP_MS = 25_000;

export function startCommand(command: Command, service: Service): void {
  command
    .option(
      '--role <role>',
      `run only this role (${service.roles.join(', ')}); may be given more than once`,
      collectRole(service.roles),
      [] as string[],
    )
    .option('--record <file>', 'record everything received to a tape (*.tape.ndjson, *.tape.ndjson.gz or *.tape)')
    .option('--json', 'print the ready line as JSON')
    .action(async (options: { role: string[]; record?: string; json?: boolean }) => {
      const { createLog } = await import('../adapters/log/log.ts');
      const log = createLog(service.settings().LOG_LEVEL);
      const clock = createLiveClock();
      const stopping = new AbortController();
      // npm forwards a signal that the terminal has already sent to the whole group, so a second one is ignored.
      const told = new Promise<void>((resolve) => {
        const tell = (signal: NodeJS.Signals): void => {
          if (stopping.signal.aborted) return;
          stopping.abort(signal);
          log.info({ signal }, 'stopping');
          clock.deadline(clock.now() + STOP_MS, () => {
            log.error(`not everything stopped within ${STOP_MS / 1_000} s`);
            process.exit(1);
          });
          resolve();
        };
        process.on('SIGINT', tell);
        process.on('SIGTERM', tell);
      });
      process.on('uncaughtException', (error) => {
        log.fatal({ err: error }, 'the process crashed');
        process.exitCode = 1;
        process.exit();
      });
      const roles = options.role.length === 0 ? service.roles : options.role;
      let started: RunningService;
      try {
        started = await service.start({
          roles,
          record: options.record ?? null,
          log,
          signal: stopping.signal,
        });
      } catch (error) {
        if (!stopping.signal.aborted) throw error;
        // Stopped before it had started. Everything started so far is stopped too.
        process.exit(130);
      }
      announce(started, roles, options.json ?? false);
      await told;
      await started.stop();
      process.exit(0);
    });
}

function announce({ url, tokenFolder, tokenSubjects, signInUrl }: RunningService, roles: readonly string[], json: boolean): void {
  if (json) {
    process.stdout.write(`${JSON.stringify({ ready: true, url, tokenFolder, signInUrl, roles })}\n`);
    return;
  }
  const [first, ...others] = tokenSubjects;
  if (first !== undefined)
    process.stdout.write(`tokens  ${tokenFolder}/${first}.token (also ${others.join(', ')}), renewed every 20 minutes\n`);
  if (signInUrl !== null) process.stdout.write(`sign in ${signInUrl} (works once, within 10 minutes)\n`);
  process.stdout.write(url === null ? `ready (${roles.join(', ')})\n` : `ready ${url}\n`);
}

const collectRole =
  (roles: readonly string[]) =>
  (value: string, before: string[]): string[] => {
    if (!roles.includes(value)) throw new InvalidArgumentError(`${JSON.stringify(value)} is not one of ${roles.join(', ')}`);
    return before.includes(value) ? before : [...before, value];
  };
