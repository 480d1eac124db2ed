/** The command line: `sevengate <command>` (contract "Command line"). Results go to stdout, everything else to stderr. */
import { Command, CommanderError } from 'commander';
import { doctorCommand } from './cli/doctor.ts';
import { migrateCommand } from './cli/migrate.ts';
import { startCommand } from './cli/start.ts';
import { tokenCommand } from './cli/token.ts';
import { describeSettings } from './config.ts';
import { packageVersion } from './start.ts';

const program = new Command('sevengate')
  .description('An engine for trading agents that earn their capital through seven gates.')
  .version(packageVersion())
  .showHelpAfterError('(sevengate --help lists what there is)')
  .exitOverride();

startCommand(program);
migrateCommand(program);
tokenCommand(program);
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
