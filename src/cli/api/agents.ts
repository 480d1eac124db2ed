/** `sevengate agents`: agents of the running service, from creation to closing their positions. */
import { Argument, type Command } from 'commander';
import { AUTONOMY_LEVELS } from '../../domain/agents/agent.ts';
import { named, count as wholeNumber } from '../words.ts';
import { atService, withClientOptions } from './client-options.ts';

const AGENT = ['<agent>', 'name or id of the agent', named('the name of an agent')] as const;
const COMMANDS = {
  pause: ['pauseAgent', 'pause an agent: it proposes nothing until it is resumed'],
  resume: ['resumeAgent', 'let a paused agent run again; needs a risk manager'],
  promote: ['promoteAgent', 'move to the next stage if the evidence passes the gate'],
  release: ['releaseAgent', 'take an agent out of quarantine'],
} as const;

export function agentCommands(agents: Command): void {
  const add = (name: string, description: string): Command => withClientOptions(agents.command(name).description(description));
  add('list', 'list the agents, newest first').action((options) => atService(options, async (it) => (await run()).listAgents(it)));
  add('show', 'show an agent: stage, status, what is next, and why it does not trade')
    .argument(...AGENT)
    .action((agent, options) => atService(options, async (it) => (await run()).showAgent(it, agent)));
  add('create', 'create an agent at draft')
    .argument('<file>', 'manifest in JSON or YAML; - reads standard input')
    .action((file, options) => atService(options, async (it) => (await run()).createAgent(it, file)));
  add('update', 'add a version of the manifest; the agent returns to draft')
    .argument(...AGENT)
    .argument('<file>', 'manifest in JSON or YAML; - reads standard input')
    .action((agent, file, options) => atService(options, async (it) => (await run()).updateAgent(it, agent, file)));
  add('autonomy', 'set what an agent may do without approval')
    .argument(...AGENT)
    .addArgument(new Argument('<level>', 'level of autonomy').choices(AUTONOMY_LEVELS))
    .action((agent, level, options) => atService(options, async (it) => (await run()).setAutonomy(it, agent, level)));
  for (const [name, [command, description]] of Object.entries(COMMANDS))
    add(name, description)
      .argument(...AGENT)
      .action((agent, options) => atService(options, async (it) => (await run()).commandAgent(it, command, agent)));
  add('close', 'pause an agent and sell its positions; works at every stage')
    .argument(...AGENT)
    .option('--instrument <instrument>', 'close only this position, for example spotexchange:BTCUSDT')
    .option('--limit <price>', 'sell at this price or better')
    .action((agent, { instrument, limit, ...options }) => {
      const body = { ...(instrument === undefined ? {} : { instrument }), ...(limit === undefined ? {} : { limitPrice: limit }) };
      return atService(options, async (it) => (await run()).closeAgent(it, agent, body));
    });
  addOutside(add);
  addReads(add);
}

/** Adds the commands for outside code. */
function addOutside(add: (name: string, description: string) => Command): void {
  add('token', 'print a new token with which outside code proposes for an agent')
    .argument(...AGENT)
    .option('--name <name>', 'name of the program that uses the token', named('the name of a token', 80), 'bot')
    .action((agent, { name, ...options }) => atService(options, async (it) => (await run()).makeToken(it, agent, name)));
  add('signals', 'print a new address at which alerts become proposals of an agent')
    .argument(...AGENT)
    .argument('<file>', 'name, template and tickers in JSON; - reads standard input')
    .action((agent, file, options) => atService(options, async (it) => (await run()).openSignals(it, agent, file)));
}

function addReads(add: (name: string, description: string) => Command): void {
  add('decisions', 'print the newest decisions, each with its rules')
    .argument(...AGENT)
    .option('--limit <n>', 'max number of decisions to print', wholeNumber(1, 200), 5)
    .action((agent, { limit, ...options }) => atService(options, async (it) => (await run()).listDecisions(it, agent, limit)));
  add('watch', 'print decisions as they are made')
    .argument('[agent]', 'name or id of the agent (default: all agents)')
    .option('--count <n>', 'stop after this many decisions', wholeNumber(1, 1_000_000))
    .action((agent, { count, ...options }) =>
      atService(options, async (it) => (await run()).watchAgent(it, agent, count ?? Number.POSITIVE_INFINITY)),
    );
  add('gates', 'show every gate with the checks that do not pass')
    .argument(...AGENT)
    .action((agent, options) => atService(options, async (it) => (await run()).showGates(it, agent)));
  add('backtest', 'run the backtest of the gate: five years of closed bars')
    .argument(...AGENT)
    .option('--from <time>', 'start of the period, ISO 8601')
    .option('--to <time>', 'end of the period, ISO 8601')
    .option('--look', 'allow a shorter period; its result does not count as evidence')
    .option('--wait', 'wait until it ends; exit code 1 if it does not pass')
    .action((agent, { from, to, look, wait, ...options }) =>
      atService(options, async (it) => (await run()).evaluateAgent(it, 'backtestAgent', agent, { from, to, look, wait })),
    );
  add('stress-test', 'run the stress test of the gate')
    .argument(...AGENT)
    .option('--wait', 'wait until it ends; exit code 1 if it does not pass')
    .action((agent, { wait, ...options }) =>
      atService(options, async (it) => (await run()).evaluateAgent(it, 'stressTestAgent', agent, { wait })),
    );
}

const run = () => import('./agents-run.ts');
