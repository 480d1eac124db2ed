/** Wallets of the sandbox's chains, which work in a process of its own. */

/** A wallet of the sandbox's chains, whose coins are worth nothing. */
interface SandboxWallet {
  address(): Promise<string>;
  /** Adds coins. */
  fund(): Promise<void>;
  /** Returns the signed transaction in base64. @throws RangeError if the wallet does not sign this transaction. */
  signTransaction(transaction: string): Promise<string>;
  /** Returns the signature in base64. */
  signText(text: string): Promise<string>;
  /**
   * Answers an EIP-1193 call for the member's wallet of the simulated EVM chain. Null if no such chain is simulated. @throws RangeError if
   * the wallet does not answer this call.
   */
  readonly request: ((method: string, params: readonly unknown[]) => Promise<unknown>) | null;
}

/** Sandbox wallets of members. */
export interface SandboxWalletPort {
  /** Returns the wallet of a member, or null if no sandbox runs. */
  of(subject: string): SandboxWallet | null;
}
