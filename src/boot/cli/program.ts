/** Every command of `sevengate`, with its options and help. */
import { Command } from 'commander';
import { describeSettings } from '../config.ts';
import { packageVersion } from '../version.ts';
import { backtestCommand } from './backtest.ts';
import { candleCommands } from './candles.ts';
import { doctorCommand } from './doctor.ts';
import { explainCommand } from './explain.ts';
import { migrateCommand } from './migrate.ts';
import { startCommand } from './start.ts';
import { tapeCommands } from './tape.ts';
import { tokenCommand } from './token.ts';
import { verifyTrailCommand } from './verify-trail.ts';

/** The program before it has read any argument. What commander refuses is thrown as a CommanderError. */
export function createProgram(): Command {
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
  return program;
}

/** What Commander says of wrong words, on one line like every other refusal. */
function oneSentence(text: string): string {
  return text
    .trim()
    .replace(/^error: /, '')
    .replace(/\s*\(Did you mean (.+)\?\)$/, ': did you mean $1?');
}
