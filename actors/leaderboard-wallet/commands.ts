/** Registers addresses of either chain for the leaderboard. Needs no consent, because everything read of them is public. */
import type { ActorRecord } from '../../src/domain/agents/actor-step.ts';
import { chainOfAddress, type WalletChain } from '../../src/domain/identity/linked-wallet.ts';
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { answeredMeanwhile, answerRows, auditRow, type CommandContext } from '../../src/core/command-context.ts';

interface RegisteredWallet {
  readonly chain: WalletChain;
  /** Address of the wallet, checksummed on the EVM chain. */
  readonly address: string;
  readonly label: string | null;
}

/** Maximum registrations per organization. Each wallet costs requests for good. */
const MOST_REGISTRATIONS = 1_000;

/** Store ports of the command handler. */
export interface RegistrationDirectory {
  count(orgId: string): Promise<number>;
  /** Writes the registration with the rows of its command. An existing registration stays unchanged. */
  register(
    orgId: string,
    wallet: {
      readonly chain: WalletChain;
      readonly address: string;
      readonly label: string | null;
      readonly by: string;
      readonly at: number;
    },
    records: readonly ActorRecord[],
  ): Promise<void>;
}

export function createLeaderboardWalletHandler(deps: {
  readonly store: RegistrationDirectory;
  readonly clock: Pick<Clock, 'now'>;
  /** Checksums an EVM address (EIP-55). Refuses with `malformed` if it is not an address. */
  readonly evmAddress: (text: string) => Outcome<string>;
}) {
  const { store, clock } = deps;
  return {
    /** Registers an address for the leaderboard. An existing registration stays unchanged. */
    async register(
      context: CommandContext,
      { address: text, label }: { readonly address: string; readonly label: string | null },
    ): Promise<Outcome<RegisteredWallet>> {
      const chain = chainOfAddress(text);
      if (chain === null) return refuse('malformed', '$.address: expected 32 bytes in base58, or 0x and 40 hexadecimal digits');
      const checked = chain === 'spotchain' ? ({ ok: true, value: text } as const) : deps.evmAddress(text);
      if (!checked.ok) return refuse('malformed', `$.${checked.refusal.detail}`);
      if ((await store.count(context.orgId)) >= MOST_REGISTRATIONS)
        return refuse('state_conflict', `the organization has registered ${MOST_REGISTRATIONS} wallets, which is the most`);
      const wallet: RegisteredWallet = { chain, address: checked.value, label };
      try {
        await store.register(context.orgId, { ...wallet, by: context.subject, at: clock.now() }, [
          auditRow(context, 'leaderboard.register', checked.value, null, wallet),
          ...answerRows(context, wallet),
        ]);
        return { ok: true, value: wallet };
      } catch (error) {
        return answeredMeanwhile(error);
      }
    },
  };
}

export type LeaderboardWalletCommands = ReturnType<typeof createLeaderboardWalletHandler>;
