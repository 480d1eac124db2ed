/** The command line: `sevengate <command>`. Results go to stdout, everything else to stderr. */
import { CommanderError } from 'commander';
import { watchOutput } from '../cli/closed-output.ts';
import { createProgram } from '../cli/program.ts';
import { errorText } from '../domain/values/value-text.ts';
import { commandService } from './command-service.ts';

// The first word that is no option names the command.
const name = process.argv.slice(2).find((word) => !word.startsWith('-'));
watchOutput(process, name === 'start', process.exit);
const program = await createProgram(name, commandService);

try {
  await program.parseAsync(process.argv);
} catch (error) {
  // Commander has said already what was wrong with the words of the command.
  if (error instanceof CommanderError) process.exitCode = error.exitCode;
  else {
    process.stderr.write(`sevengate: ${errorText(error)}\n`);
    // At once: a connection that is still closing would hold the process.
    process.exit(1);
  }
}
