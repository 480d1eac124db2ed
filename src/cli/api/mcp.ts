/** `sevengate mcp`: the Model Context Protocol over standard input and output, for clients that start a process. */
import { type Command, InvalidArgumentError } from 'commander';
import { setsIn, TOOL_SETS, type ToolSet } from '../../../api/mcp/tool-sets.ts';
import type { Service } from '../ports.ts';
import { atService, type ClientOptions, withClientOptions } from './client-options.ts';

export function mcpCommand(command: Command, { version }: Service): void {
  withClientOptions(command)
    .option('--sets <list>', `tool sets, a selection of ${TOOL_SETS.join(',')}`, toolSets, TOOL_SETS)
    .action((options: ClientOptions & { sets: readonly ToolSet[] }) =>
      atService(options, async () => (await import('./mcp-run.ts')).serveModel(options, version)),
    );
}

/** Parses a list of tool sets. @throws InvalidArgumentError if one is unknown */
function toolSets(given: string): readonly ToolSet[] {
  const wrong = given.split(',').find((name) => !TOOL_SETS.some((set) => set === name));
  if (wrong !== undefined) throw new InvalidArgumentError(`${JSON.stringify(wrong)} is none of ${TOOL_SETS.join(', ')}`);
  return setsIn(given);
}
