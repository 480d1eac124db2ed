/** The command line: `sevengate <command>` (contract "Command line"). Results go to stdout, everything else to stderr. */
import { Command, CommanderError } from 'commander';
import { backtestCommand } from './cli/backtest.ts';
import { candleCommands } from './cli/candles.ts';
import { doctorCommand } from './cli/doctor.ts';
import { explainCommand } from './cli/explain.ts';
import { migrateCommand } from './cli/migrate.ts';
import { startCommand } from './cli/start.ts';
import { tapeCommands } from './cli/tape.ts';
import { tokenCommand } from './cli/token.ts';
import { verifyTrailCommand } from './cli/verify-trail.ts';
import { describeSettings } from './config.ts';
import { packageVersion } from './version.ts';

const program = new Command('sevengate')
  .description('An engine for trading agents that earn their capital through seven gates.')
  .version(packageVersion())
  .configureOutput({ outputError: (text, write) => write(`sevengate: ${oneSentence(text)} (sevengate --help lists what there is)\n`) })
  .exitOverride();

startCommand(program);
migrateCommand(program);
tokenCommand(program);
tapeCommands(program);
candleCommands(program);
backtestCommand(program);
verifyTrailCommand(program);
explainCommand(program);
doctorCommand(program);
program.addHelpText('after', `\nSettings, from the environment:\n${describeSettings()}\n`);

try {
  await program.parseAsync(process.argv);
} catch (error) {
  // Commander has said already what was wrong with the words of the command.
  if (error instanceof CommanderError) process.exitCode = error.exitCode;
  else {
    process.stderr.write(`sevengate: ${error instanceof Error ? error.message : String(error)}\n`);
    // At once: a connection that is still closing would hold the process.
    process.exit(1);
  }
}

/** What Commander says of wrong words, on one line like every other refusal. */
function oneSentence(text: string): string {
  return text
    .trim()
    .replace(/^error: /, '')
    .replace(/\s*\(Did you mean (.+)\?\)$/, ': did you mean $1?');
}
