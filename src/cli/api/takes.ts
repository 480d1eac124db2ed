/** `sevengate takes`: theses in words that are compiled into Takes, armed, watched and closed. */
import { type Command, Option } from 'commander';
import { named, count as wholeNumber } from '../words.ts';
import { atService, choosing, withClientOptions } from './client-options.ts';

const COMMANDS = {
  disarm: ['disarmTake', 'stop evaluating a Take; its position stays open'],
  close: ['closeTake', 'disarm a Take and sell its position'],
  publish: ['publishTake', 'let every organization read and fork a Take; cannot be undone'],
} as const;

export function takeCommands(takes: Command): void {
  const add = (name: string, description: string): Command => withClientOptions(takes.command(name).description(description));
  add('list', 'list the Takes, newest first').action((options) => atService(options, async (it) => (await run()).listTakes(it)));
  add('compile', 'turn a thesis into a draft and show how each phrase was read')
    .argument('<thesis>', 'what to buy, when, with how much, and when to sell, in English and in quotes')
    .action((thesis, options) => atService(options, async (it) => (await run()).compileTake(it, thesis)));
  chosen(add('show', 'show a Take with its conditions')).action((id, { latest, ...options }) =>
    atService(options, async (it) => (await run()).showTake(it, { id, latest })),
  );
  chosen(add('arm', 'let a Take trade once its conditions pass'))
    .addOption(new Option('--mode <mode>', 'trade on paper or with real money').choices(['paper', 'live']).default('paper'))
    .option('--confirm', 'confirm open points of the thesis')
    .action((id, { latest, mode, confirm, ...options }) =>
      atService(options, async (it) => (await run()).armTake(it, { id, latest }, mode, confirm === true)),
    );
  for (const [name, [command, description]] of Object.entries(COMMANDS))
    chosen(add(name, description)).action((id, { latest, ...options }) =>
      atService(options, async (it) => (await run()).commandTake(it, command, { id, latest })),
    );
  chosen(add('fork', 'fork a Take into a draft, with another allocation'))
    .option('--amount <usd>', 'allocation in US dollars (default: that of the Take)', named('an amount', 40))
    .action((id, { latest, amount, ...options }) => atService(options, async (it) => (await run()).forkTake(it, { id, latest }, amount)));
  chosen(add('agent', 'convert a Take to a draft agent with the same conditions'))
    .option('--confirm', 'confirm open points of the thesis')
    .action((id, { latest, confirm, ...options }) =>
      atService(options, async (it) => (await run()).agentOfTake(it, { id, latest }, confirm === true)),
    );
  chosen(add('decisions', 'print the newest decisions, each with its rules'))
    .option('--limit <n>', 'max number of decisions to print', wholeNumber(1, 200), 5)
    .action((id, { latest, limit, ...options }) =>
      atService(options, async (it) => (await run()).listTakeDecisions(it, { id, latest }, limit)),
    );
}

const chosen = (command: Command): Command => choosing(command, 'Take', 'the newest Take');

const run = () => import('./takes-run.ts');
