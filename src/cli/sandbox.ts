/** `sevengate sandbox`: moves a sandbox's time, so that stages of several weeks pass in minutes. */
import type { Command } from 'commander';
import { nextRegularOpen } from '../domain/market/session.ts';
import { DAY_MS, type EpochMs, MINUTE_MS, isoTime } from '../domain/values/time.ts';
import { progressBar } from '../adapters/terminal-progress.ts';
import type { Service } from './ports.ts';
import { quantity } from './words.ts';

const MOST_DAYS = 90;
const days = quantity('days', `a number of days above 0 and up to ${MOST_DAYS}`, (value) => value > 0 && value <= MOST_DAYS);
/** Time after the opening when share reference prices are fresh again, in milliseconds. */
const OPENED_MS = 5 * MINUTE_MS;

export function sandboxCommands(sandbox: Command, service: Service): void {
  sandbox
    .command('advance')
    .description(
      'advance the sandbox by days at once: every slot is decided, traded on paper and signed as in real time; all records stay marked as simulated',
    )
    .requiredOption('--days <n>', `days to simulate, at most ${MOST_DAYS}; parts of a day are allowed`, days)
    .option('--to-open', 'continue to the next opening of the stock exchange, when reference prices become fresh')
    .option('--json', 'print the result as JSON')
    .action(async (options: { days: number; toOpen?: true; json?: true }) => {
      const moved = await advance(service, (from) => {
        const at = from + options.days * DAY_MS;
        return options.toOpen === true ? afterOpening(at) : at;
      });
      const told = { from: isoTime(moved.from), to: isoTime(moved.to), simulated: true };
      process.stdout.write(
        options.json
          ? `${JSON.stringify(told)}\n`
          : `advanced the sandbox from ${told.from} to ${told.to}: sevengate start continues there\n`,
      );
    });
}

async function advance(service: Service, until: (from: EpochMs) => EpochMs) {
  const stopping = new AbortController();
  const stop = (signal: NodeJS.Signals): void => stopping.abort(signal);
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  const bar = progressBar('the sandbox lives on', 'hours');
  try {
    return await service.moveSandboxOn({ until, progress: bar.update, signal: stopping.signal });
  } finally {
    bar.stop();
  }
}

/** Returns some minutes after the first opening of the stock exchange at or after an instant. @throws Error if the calendar has none */
function afterOpening(at: EpochMs): EpochMs {
  const opening = nextRegularOpen(at);
  if (opening === null) throw new Error(`--to-open: the exchange calendar has no opening after ${isoTime(at)}`);
  return opening + OPENED_MS;
}
