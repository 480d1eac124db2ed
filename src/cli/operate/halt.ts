/** `sevengate halt`: the emergency halt of every organization of the service, or of one, from the command line. */
import type { Command } from 'commander';
import { MAX_HALT_REASON_CHARS } from '../../domain/agents/agent.ts';
import type { Service } from '../ports.ts';
import { named, uuid } from '../words.ts';

/** Adds `halt`. Agents that are not paused when it ends set exit code 1; none of them can begin an order all the same. */
export function haltCommand(command: Command, service: Service): void {
  command
    .option('--org <id>', 'halt only this organization', uuid('an organization id'))
    .option('--reason <text>', 'shown to every member, with the time of the halt', named('a reason', MAX_HALT_REASON_CHARS))
    .option('--database <url>', 'URL of the database of the service, with its owner’s login (default: that of the settings)')
    .option('--json', 'print the result as JSON')
    .action(async (options: { org?: string; reason?: string; database?: string; json?: true }) =>
      (await import('./halt-run.ts')).halt(service, options),
    );
}
