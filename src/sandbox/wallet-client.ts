/** Member wallets on the sandbox's chains, as a client of the control endpoint and the EVM node. */
import { USDC_MINT } from '../domain/catalog/catalog.ts';
import { createMemberWallet } from './evmchain/member-wallet.ts';
import { notedControl, notedSimulators } from './noted-sandbox.ts';

const NATIVE = 'SOL';
/** Amounts that the faucet gives, in base units: 10 SOL and 10,000 USDC. */
const GIFTS = [
  { mint: NATIVE, amount: '10000000000' },
  { mint: USDC_MINT, amount: '10000000000' },
] as const;
const PATIENCE_MS = 5_000;

/** Creates the wallets of the sandbox that runs with a state folder. */
export const sandboxWallets = (home: string) => ({
  /** Returns a member's wallets, or null if no sandbox runs. */
  of(subject: string) {
    const control = notedControl(home);
    if (control === null) return null;
    const node = notedSimulators(home)?.['evmchain'];
    const name = `member ${subject}`;
    return { ...walletAt(control, name), request: node === undefined ? null : createMemberWallet(node, name) };
  },
});

function walletAt(control: string, name: string) {
  const address = async () => (await verb<{ readonly address: string }>(control, 'wallet', { name })).address;
  return {
    address,
    async fund(): Promise<void> {
      const owner = await address();
      await Promise.all(GIFTS.map((gift) => verb(control, 'fund', { owner, ...gift })));
    },
    signTransaction: async (transaction: string) =>
      (await verb<{ readonly transaction: string }>(control, 'sign', { name, transaction })).transaction,
    signText: async (text: string) => (await verb<{ readonly signature: string }>(control, 'sign_text', { name, text })).signature,
  };
}

/** Lets a crowd buy what a mint's curve still sells. @throws Error if no sandbox runs, RangeError if no curve sells the mint */
export async function buyCurveOut(home: string, mint: string): Promise<void> {
  const control = notedControl(home);
  if (control === null) throw new Error('no sandbox runs with this state folder');
  await verb(control, 'buy_out', { mint });
}

/** Calls a control verb. @throws RangeError with the sandbox's message if it refuses */
async function verb<Answer>(control: string, what: string, body: object): Promise<Answer> {
  const response = await fetch(`${control}/chain/${what}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const answer = (await response.json()) as Answer & { readonly error?: string };
  if (response.ok) return answer;
  throw new RangeError(answer.error ?? `the sandbox answers ${response.status}`);
}
