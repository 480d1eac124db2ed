/** Commands of a trade proposal: the protocol between the API and the proposal's actor. */
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { CommandContext } from '../agent/commands.ts';
import type { ProposalView } from './resource.ts';

/** Every command answers after its transaction is committed. A foreign proposal answers exactly as a missing one: `not_found`. */
export interface ProposalCommands {
  /** Runs risk on the present quotes once more; then the proposal is on its way to execution. */
  approve(context: CommandContext, proposalId: string): Promise<Outcome<ProposalView>>;
  decline(context: CommandContext, proposalId: string, reason: string | null): Promise<Outcome<ProposalView>>;
}
