/** Wallets of the sandbox's chains, which work in a process of its own. */

/** A wallet of the sandbox's chains, whose coins are worth nothing. */
export interface SandboxWallet {
  address(): Promise<string>;
  /** Brings coins. */
  fund(): Promise<void>;
  /** @returns The signed transaction in base64. @throws RangeError if the wallet does not sign this transaction. */
  signTransaction(transaction: string): Promise<string>;
  /** @returns The signature in base64. */
  signText(text: string): Promise<string>;
  /**
   * Answers a call of EIP-1193 for the member's wallet of the simulated EVM chain; null if no such chain is simulated.
   * @throws RangeError if the wallet does not answer this call
   */
  readonly request: ((method: string, params: readonly unknown[]) => Promise<unknown>) | null;
}

/** Wallets of members in the sandbox. */
export interface SandboxWalletPort {
  /** Finds the wallet of a member; null if no sandbox runs. */
  of(subject: string): SandboxWallet | null;
}
