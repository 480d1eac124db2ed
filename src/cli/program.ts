/** Commands of `sevengate`. Each command's code is loaded only when it is used. */
import { Command } from 'commander';
import type { Service } from './ports.ts';

interface CommandEntry {
  readonly name: string;
  /** Arguments after the command's name in the help. */
  readonly usage: string;
  readonly description: string;
  /** Catalog access: `own` if the command reads the catalog file itself, or none. Other commands find it loaded. */
  readonly catalog?: 'own';
  /** Loads a function that adds arguments, options, subcommands and the action. */
  readonly load: () => Promise<(command: Command, service: Service) => void>;
}

const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'start',
    usage: '[options]',
    description: 'run the service with embedded servers if none are set, migrations, sandbox and all roles',
    catalog: 'own',
    load: async () => (await import('./start.ts')).startCommand,
  },
  {
    name: 'migrate',
    usage: '[options]',
    description: 'apply the migrations that the database lacks',
    catalog: 'own',
    load: async () => (await import('./operate/migrate.ts')).migrateCommand,
  },
  {
    name: 'agents',
    usage: '[command]',
    description: 'create, watch, test, promote, pause and close agents of the running service',
    catalog: 'own',
    load: async () => (await import('./api/agents.ts')).agentCommands,
  },
  {
    name: 'proposals',
    usage: '[command]',
    description: 'list, approve and decline trade proposals',
    catalog: 'own',
    load: async () => (await import('./api/proposals.ts')).proposalCommands,
  },
  {
    name: 'takes',
    usage: '[command]',
    description: 'compile, arm, watch and close Takes',
    catalog: 'own',
    load: async () => (await import('./api/takes.ts')).takeCommands,
  },
  {
    name: 'feed',
    usage: '[options] <channel>',
    description: 'print a feed channel live, one JSON document per line',
    catalog: 'own',
    load: async () => (await import('./api/feed.ts')).feedCommand,
  },
  {
    name: 'call',
    usage: '[options] <operation>',
    description: 'call any operation of the API by its name',
    catalog: 'own',
    load: async () => (await import('./api/call.ts')).callCommand,
  },
  {
    name: 'mcp',
    usage: '[options]',
    description: 'serve language models by the Model Context Protocol: tools that read, research and propose',
    catalog: 'own',
    load: async () => (await import('./api/mcp.ts')).mcpCommand,
  },
  {
    name: 'catalog',
    usage: '[command]',
    description: 'check, import and export the catalog file: instruments, feed ids, pools, budgets and limits',
    catalog: 'own',
    load: async () => (await import('./catalog.ts')).catalogCommands,
  },
  {
    name: 'token',
    usage: '[options]',
    description: 'print a bearer token of the local identity provider; permissions are granted in the database, never in the token',
    load: async () => (await import('./operate/token.ts')).tokenCommand,
  },
  {
    name: 'members',
    usage: '[command]',
    description: 'list, invite, change and remove members of an organization, edit roles, revoke tokens',
    load: async () => (await import('./operate/members.ts')).membersCommands,
  },
  {
    name: 'books',
    usage: '[command]',
    description: 'correct manual books whose cash no account backs',
    load: async () => (await import('./operate/books.ts')).booksCommands,
  },
  {
    name: 'exchange-keys',
    usage: '[command]',
    description: 'add, list and remove the keys of organizations at the spot exchange',
    load: async () => (await import('./operate/exchange-keys.ts')).exchangeKeysCommands,
  },
  {
    name: 'keys',
    usage: '[command]',
    description: 'replace the keys that the writers of the service sign with',
    load: async () => (await import('./operate/writer-keys.ts')).writerKeyCommands,
  },
  {
    name: 'tape',
    usage: '[command]',
    description: 'record, inspect, replay, serve and convert tapes of recorded quotes',
    load: async () => (await import('./tape/tape.ts')).tapeCommands,
  },
  {
    name: 'candles',
    usage: '[command]',
    description: 'import, fetch and list closed bars',
    load: async () => (await import('./candles/candles.ts')).candleCommands,
  },
  {
    name: 'history',
    usage: '[command]',
    description: 'import and list events, marks and liquidity for backtests',
    load: async () => (await import('./operate/history.ts')).historyCommands,
  },
  {
    name: 'backtest',
    usage: '[options] <manifest>',
    description: 'run the historical simulation of a manifest over closed bars',
    load: async () => (await import('./backtest/backtest.ts')).backtestCommand,
  },
  {
    name: 'sim',
    usage: '[options]',
    description: 'simulate the whole engine under faults from a seed and print the hash of its trace',
    load: async () => (await import('./backtest/sim.ts')).simCommand,
  },
  {
    name: 'sandbox',
    usage: '[command]',
    description: 'advance the time of a sandbox: days in minutes',
    catalog: 'own',
    load: async () => (await import('./sandbox.ts')).sandboxCommands,
  },
  {
    name: 'halt',
    usage: '[options]',
    description: 'emergency halt: pause every agent and Take of all organizations or of one, and cancel pending proposals',
    load: async () => (await import('./operate/halt.ts')).haltCommand,
  },
  {
    name: 'archive',
    usage: '[command]',
    description: 'move old history to verifiable archive files, and read the steps of an actor from them',
    load: async () => (await import('./candles/archive.ts')).archiveCommands,
  },
  {
    name: 'cuts',
    usage: '[command]',
    description: 'mark wrong cuts of the feed as superseded, and list them',
    load: async () => (await import('./operate/cuts.ts')).cutCommands,
  },
  {
    name: 'verify-trail',
    usage: '[options]',
    description: 'recompute every hash of the audit trail and name the first altered record',
    load: async () => (await import('./operate/verify-trail.ts')).verifyTrailCommand,
  },
  {
    name: 'parity',
    usage: '[options] [tapes...]',
    description: 'replay tapes, compare them with the live run, and sign a certificate that names the first difference',
    load: async () => (await import('./backtest/parity.ts')).parityCommand,
  },
  {
    name: 'explain',
    usage: '[options] <decision>',
    description: 'explain a decision: inputs, rules and outcome',
    load: async () => (await import('./operate/explain.ts')).explainCommand,
  },
  {
    name: 'inspect',
    usage: '[options]',
    description: 'let a visualiser of state charts attach to the actors of a running service, by the protocol of Stately’s inspector',
    load: async () => (await import('./operate/inspect.ts')).inspectCommand,
  },
  {
    name: 'doctor',
    usage: '[options]',
    description: 'check Node.js, settings, state folder, disk, database, queue and port',
    catalog: 'own',
    load: async () => (await import('./operate/doctor.ts')).doctorCommand,
  },
];

/**
 * Creates the program before it parses arguments. Only the chosen command has options and an action; the others have a name and
 * description. Commander's refusals are thrown as CommanderError.
 */
export async function createProgram(chosen: 'all' | (string & {}) | undefined, service: Service): Promise<Command> {
  const program = new Command('sevengate');
  const help = COMMANDS.some(({ name }) => name === chosen) ? `sevengate ${chosen} --help` : 'sevengate --help';
  program
    .description('An engine for trading agents that earn their capital through seven gates.')
    .version(service.version)
    .configureOutput({ outputError: (text, write) => write(`sevengate: ${oneSentence(text)} (see ${help})\n`) })
    .exitOverride()
    .configureHelp({
      // Commands in the list are not loaded, so their usage comes from here. Subcommands know their own.
      subcommandTerm: (command) =>
        `${command.name()} ${(command.parent === program ? findUsage(command.name()) : null) ?? command.usage()}`,
    });
  const loaded = chosen === 'help' ? 'all' : chosen;
  for (const { name, description, load, catalog } of COMMANDS) {
    const command = program.command(name).description(description);
    if (catalog === undefined) command.hook('preAction', async () => void (await service.useCatalog()));
    if (loaded === 'all' || loaded === name) (await load())(command, service);
  }
  return program.addHelpText('after', `\nSettings, from the environment:\n${service.describeSettings()}\n`);
}

function findUsage(command: string): string | null {
  return COMMANDS.find(({ name }) => name === command)?.usage ?? null;
}

/** Puts Commander's usage errors on one line, like other refusals. */
function oneSentence(text: string): string {
  return text
    .trim()
    .replace(/^error: /, '')
    .replace(/^command-argument value '(.*)' is invalid for argument '(.*?)'\. /s, "argument '<$2>' '$1' is invalid. ")
    .replace(/\s*\(Did you mean (.+)\?\)$/, ': did you mean $1?');
}
