/** `sevengate proposals`: trades that agents at `confirm` propose, and their approval. */
import { type Command, Option } from 'commander';
import { PROPOSAL_STATES } from '../../domain/orders/execution.ts';
import { named } from '../words.ts';
import { atService, choosing, withClientOptions } from './client-options.ts';
import type { ChosenProposal } from './proposals-run.ts';

export function proposalCommands(proposals: Command): void {
  const add = (name: string, description: string): Command => withClientOptions(proposals.command(name).description(description));
  add('list', 'list proposals, newest first')
    .option('--agent <agent>', 'only proposals of this agent', named('the name of an agent'))
    .addOption(new Option('--state <state>', 'only those in this state').choices(PROPOSAL_STATES))
    .action(({ agent, state, ...options }) => atService(options, async (it) => (await run()).listProposals(it, agent, state)));
  answering(add('approve', 'approve a proposal; the risk check runs again before it is sent')).action(
    (id, { agent, latest, wait, ...options }) =>
      atService(options, async (it) => (await run()).approveProposal(it, { id, agent, latest, wait } satisfies ChosenProposal)),
  );
  answering(add('decline', 'decline a proposal'))
    .option('--reason <text>', 'reason, stored with the proposal', named('a reason', 200))
    .action((id, { agent, latest, wait, reason, ...options }) =>
      atService(options, async (it) => (await run()).declineProposal(it, { id, agent, latest, wait } satisfies ChosenProposal, reason)),
    );
}

function answering(command: Command): Command {
  return choosing(command, 'proposal', 'the newest pending proposal')
    .option('--agent <agent>', 'with --latest: of this agent', named('the name of an agent'))
    .option('--wait', 'with --latest: wait until there is one');
}

const run = () => import('./proposals-run.ts');
