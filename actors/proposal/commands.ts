/** Commands of a trade proposal, as the API calls them. */
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { CommandContext } from '../agent/commands.ts';
import type { ProposalView } from './resource.ts';

/** Commands of proposals. Each answers after its transaction has committed. Proposals of another organization are `not_found`. */
export interface ProposalCommands {
  /** Approves a proposal: assesses risk again on the present quotes, and starts the execution. */
  approve(context: CommandContext, proposalId: string): Promise<Outcome<ProposalView>>;
  decline(context: CommandContext, proposalId: string, reason: string | null): Promise<Outcome<ProposalView>>;
}
