/** `sevengate halt`: emergency halt of one or every organization from the command line. */
import type { Command } from 'commander';
import { MAX_HALT_REASON_CHARS } from '../../domain/agents/agent.ts';
import type { Service } from '../ports.ts';
import { named, uuid } from '../words.ts';

/** Adds `halt`. Agents that are not paused at the end set exit code 1; even they cannot begin an order. */
export function haltCommand(command: Command, service: Service): void {
  command
    .option('--org <id>', 'halt only this organization', uuid('an organization id'))
    .option('--reason <text>', 'reason, shown to every member with the time of the halt', named('a reason', MAX_HALT_REASON_CHARS))
    .option('--database <url>', 'URL of the database of the service, with its owner’s login (default: that of the settings)')
    .option('--json', 'print the result as JSON')
    .action(async (options: { org?: string; reason?: string; database?: string; json?: true }) =>
      (await import('./halt-run.ts')).halt(service, options),
    );
}
