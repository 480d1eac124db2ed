/** Takes the commands for linked wallets: a text is issued, its signature is checked against the address, and both are kept. */
import type { ActorRecord } from '../../src/domain/actor-step.ts';
import {
  chainOfAddress,
  type LinkedWallet,
  WALLET_CHALLENGE_MS,
  type WalletChallenge,
  walletText,
} from '../../src/domain/linked-wallet.ts';
import { type Outcome, refuse } from '../../src/domain/refusal.ts';
import { isoTime } from '../../src/domain/time.ts';
import type { Clock } from '../../streams/clock.ts';
import { answeredMeanwhile, answerRows, auditRow } from '../agent/command-rows.ts';
import type { LinkedWalletCommands } from './commands.ts';

/** What the command handler asks of the store. */
export interface WalletDirectory {
  issue(orgId: string, challenge: WalletChallenge): Promise<void>;
  /** The newest text of an address; null where none was issued. */
  challengeOf(orgId: string, address: string): Promise<WalletChallenge | null>;
  /** Writes the wallet with the rows of its command and takes its text away; null, and nothing written, where the text was used meanwhile. */
  link(
    orgId: string,
    wallet: LinkedWallet,
    proof: WalletChallenge & { readonly signature: string },
    recordsOf: (linked: LinkedWallet) => readonly ActorRecord[],
  ): Promise<LinkedWallet | null>;
}

export interface LinkedWalletDeps {
  readonly store: WalletDirectory;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
  /** The address with its checksum; refused as `malformed` where it is none of the EVM chain. */
  readonly evmAddress: (text: string) => Outcome<string>;
  /** Whether the signature is the wallet's under the text, by the rules of its chain; refused where a contract cannot be asked. */
  readonly isSigned: (address: string, text: string, signature: string) => Promise<Outcome<boolean>>;
}

export function createLinkedWalletHandler(deps: LinkedWalletDeps): LinkedWalletCommands {
  const { store, clock, newId } = deps;

  function spelled(text: string): Outcome<string> {
    const chain = chainOfAddress(text);
    if (chain === null) return refuse('malformed', '$.address: needed are 32 bytes in base58, or 0x and 40 hexadecimal digits');
    if (chain === 'spotchain') return { ok: true, value: text };
    const checked = deps.evmAddress(text);
    return checked.ok ? checked : refuse('malformed', `$.${checked.refusal.detail}`);
  }

  return {
    async challenge(context, text) {
      const address = spelled(text);
      if (!address.ok) return address;
      const terms = { orgId: context.orgId, subject: context.subject, address: address.value, issuedAt: clock.now(), nonce: newId() };
      const challenge = { address: address.value, text: walletText(terms), issuedAt: terms.issuedAt };
      await store.issue(context.orgId, challenge);
      return { ok: true, value: challenge };
    },

    async link(context, wish): Promise<Outcome<LinkedWallet>> {
      const address = spelled(wish.address);
      if (!address.ok) return address;
      const challenge = await store.challengeOf(context.orgId, address.value);
      if (challenge === null)
        return refuse('state_conflict', `no text waits for a signature of ${address.value}: ask POST /v1/wallets/challenge for one`);
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
          auditRow(context, 'wallet.link', kept.id, null, kept as never),
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
