/** Command line: `sevengate <command>`. Results go to stdout, everything else to stderr. */
import { CommanderError } from 'commander';
import { watchOutput } from '../cli/closed-output.ts';
import { createProgram } from '../cli/program.ts';
import { errorText } from '../domain/values/value-text.ts';
import { commandService } from './command-service.ts';

// The first word that is not an option names the command.
const name = process.argv.slice(2).find((word) => !word.startsWith('-'));
watchOutput(process, name === 'start', process.exit);
const program = await createProgram(name, commandService);

try {
  await program.parseAsync(process.argv);
} catch (error) {
  // Commander has already printed the usage error.
  if (error instanceof CommanderError) process.exitCode = error.exitCode;
  else {
    process.stderr.write(`sevengate: ${errorText(error)}\n`);
    // Exits at once, because a connection that is still closing would keep the process alive.
    process.exit(1);
  }
}
