/** The linked wallet that a request names by its label or id if it may give an address. */
import { chainOfAddress, type WalletChain } from '../../../src/domain/identity/linked-wallet.ts';
import { type Outcome, refuse } from '../../../src/domain/values/refusal.ts';
import type { ApiPorts } from '../../ports.ts';

/**
 * The address on a chain that a text means: itself if it is an address of either chain, else that of the linked wallet
 * of the chain with this label or id. Refused as `malformed` if no wallet, or more than one, is called so.
 */
export async function addressNamed(
  { linkedWallets }: Pick<ApiPorts, 'linkedWallets'>,
  orgId: string,
  text: string,
  chain: WalletChain,
  path: string,
): Promise<Outcome<string>> {
  if (chainOfAddress(text) !== null || text.startsWith('0x')) return { ok: true, value: text };
  const called = JSON.stringify(text.slice(0, 64));
  const linked = (await linkedWallets.reads.named(orgId, [text])).filter((wallet) => wallet.chain === chain);
  const [only] = linked;
  if (only === undefined) return refuse('malformed', `${path}: ${called} is not an address, and no linked wallet of ${chain} is called so`);
  if (linked.length > 1)
    return refuse('malformed', `${path}: ${linked.length} linked wallets of ${chain} are called ${called}: give an id`);
  return { ok: true, value: only.address };
}
