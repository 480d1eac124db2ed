/** Handles commands of linked wallets: issues a text, checks its signature against the address, and stores both. */
import type { ActorRecord } from '../../src/domain/agents/actor-step.ts';
import {
  chainOfAddress,
  type IssuedWalletChallenge,
  WALLET_CHALLENGE_MS,
  type WalletChallenge,
  walletText,
  type WalletTypedData,
  walletTypedData,
} from '../../src/domain/identity/linked-wallet.ts';
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import { isoTime } from '../../src/domain/values/time.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { answeredMeanwhile, answerRows, auditRow, type CommandContext } from '../../src/core/command-context.ts';
import type { LinkedWallet } from './resource.ts';

/** Message for a wallet that does not exist or belongs to another organization. */
export const NO_WALLET = 'there is no linked wallet with this id';

/** Store ports of the command handler. */
export interface WalletDirectory {
  issue(orgId: string, challenge: WalletChallenge): Promise<void>;
  /** Returns the newest challenge of an address, or null if none was issued. */
  challengeOf(orgId: string, address: string): Promise<WalletChallenge | null>;
  /**
   * Writes the wallet with the rows of its command and deletes its challenge. Returns null and writes nothing if the challenge was used
   * meanwhile.
   */
  link(
    orgId: string,
    wallet: LinkedWallet,
    proof: WalletChallenge & { readonly signature: string },
    recordsOf: (linked: LinkedWallet) => readonly ActorRecord[],
  ): Promise<LinkedWallet | null>;
  /**
   * Changes a wallet together with the rows of its command. `changed` returns the new wallet, null to delete it, or a refusal. Returns null
   * if the organization has no such wallet.
   */
  change(
    orgId: string,
    id: string,
    changed: (wallet: LinkedWallet) => Outcome<LinkedWallet | null>,
    recordsOf: (before: LinkedWallet, after: LinkedWallet | null) => readonly ActorRecord[],
  ): Promise<Outcome<LinkedWallet> | null>;
}

interface LinkedWalletDeps {
  readonly store: WalletDirectory;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
  /** Checksums an EVM address (EIP-55). Refuses with `malformed` if it is not an address. */
  readonly evmAddress: (text: string) => Outcome<string>;
  /** Id of the EVM chain, which wallets sign as part of the typed data. */
  readonly evmChainId: number;
  /** Returns true if the wallet signed the text, by the rules of its chain. Refuses if a contract wallet cannot be queried. */
  readonly isSigned: (address: string, text: string, signature: string) => Promise<Outcome<boolean>>;
}

export function createLinkedWalletHandler(deps: LinkedWalletDeps) {
  const { store, clock, newId } = deps;

  function spelled(text: string): Outcome<string> {
    const chain = chainOfAddress(text);
    if (chain === null) return refuse('malformed', '$.address: expected 32 bytes in base58, or 0x and 40 hexadecimal digits');
    if (chain === 'spotchain') return { ok: true, value: text };
    const checked = deps.evmAddress(text);
    return checked.ok ? checked : refuse('malformed', `$.${checked.refusal.detail}`);
  }

  return {
    /** Sets or clears a wallet's label. Refuses with `permission_missing` if the caller neither proved the wallet nor may trade. */
    rename: (context: CommandContext, id: string, label: string | null): Promise<Outcome<LinkedWallet>> =>
      changeWallet(store, context, id, 'wallet.rename', (wallet) => ({ ...wallet, label })),
    /**
     * Deletes the wallet's proof. Refuses with `permission_missing` like `rename`. Transfers, listings and orders with its
     * address continue, because the link never permitted them.
     */
    unlink: (context: CommandContext, id: string): Promise<Outcome<LinkedWallet>> =>
      changeWallet(store, context, id, 'wallet.unlink', () => null),
    /** Issues the text that the owner signs. Only the newest text of an address is valid, for ten minutes. */
    async challenge(context: CommandContext, text: string): Promise<Outcome<IssuedWalletChallenge>> {
      const address = spelled(text);
      if (!address.ok) return address;
      const terms = { orgId: context.orgId, subject: context.subject, address: address.value, issuedAt: clock.now(), nonce: newId() };
      const challenge = { address: address.value, text: walletText(terms), issuedAt: terms.issuedAt };
      await store.issue(context.orgId, challenge);
      return { ok: true, value: { ...challenge, typedData: buildTypedData(challenge, deps.evmChainId) } };
    },

    /** Links the wallet if its owner signed the text. A wallet that is already linked is proved again and keeps its id. */
    async link(
      context: CommandContext,
      wish: { readonly address: string; readonly signature: string; readonly label: string | null },
    ): Promise<Outcome<LinkedWallet>> {
      const address = spelled(wish.address);
      if (!address.ok) return address;
      const challenge = await store.challengeOf(context.orgId, address.value);
      if (challenge === null)
        return refuse('state_conflict', `no text waits for the signature of ${address.value}: request one with POST /v1/wallets/challenge`);
      if (clock.now() - challenge.issuedAt > WALLET_CHALLENGE_MS)
        return refuse(
          'challenge_expired',
          `the text was issued at ${isoTime(challenge.issuedAt)}: it can be used for 10 minutes; ask for a new one`,
        );
      const signed = await deps.isSigned(address.value, challenge.text, wish.signature);
      if (!signed.ok) return signed;
      if (!signed.value)
        return refuse('signature_invalid', `the signature is not that of ${address.value} under the newest text that was issued for it`);
      const wallet: LinkedWallet = {
        id: newId(),
        chain: chainOfAddress(address.value) as LinkedWallet['chain'],
        address: address.value,
        label: wish.label,
        provedBy: context.subject,
        provedAt: clock.now(),
      };
      try {
        const linked = await store.link(context.orgId, wallet, { ...challenge, signature: wish.signature }, (kept) => [
          auditRow(context, 'wallet.link', kept.id, null, kept),
          ...answerRows(context, kept),
        ]);
        return linked === null
          ? refuse('state_conflict', 'this text has proved the wallet already: ask for a new one and have it signed')
          : { ok: true, value: linked };
      } catch (error) {
        return answeredMeanwhile(error);
      }
    },
  };
}

/** Commands of linked wallets. Each answers after its transaction has committed. */
export type LinkedWalletCommands = ReturnType<typeof createLinkedWalletHandler>;

/** Returns the typed data of a challenge, or null for an address on the primary chain. */
function buildTypedData({ address, text }: WalletChallenge, evmChainId: number): WalletTypedData | null {
  return chainOfAddress(address) === 'evmvenue' ? walletTypedData(text, evmChainId) : null;
}

/** Changes a wallet if the caller proved it or may trade. Returns the wallet after the change, or before it if it was unlinked. */
async function changeWallet(
  store: WalletDirectory,
  context: CommandContext,
  id: string,
  action: 'wallet.rename' | 'wallet.unlink',
  changed: (wallet: LinkedWallet) => LinkedWallet | null,
): Promise<Outcome<LinkedWallet>> {
  const allowed = (wallet: LinkedWallet): Outcome<LinkedWallet | null> =>
    wallet.provedBy === context.subject || context.permissions.includes('trade:execute')
      ? { ok: true, value: changed(wallet) }
      : refuse('permission_missing', 'changing a linked wallet needs the member who proved it, or trade:execute');
  try {
    const outcome = await store.change(context.orgId, id, allowed, (before, after) => [
      auditRow(context, action, id, before, after),
      ...answerRows(context, after ?? before),
    ]);
    return outcome ?? refuse('not_found', NO_WALLET);
  } catch (error) {
    return answeredMeanwhile(error);
  }
}
