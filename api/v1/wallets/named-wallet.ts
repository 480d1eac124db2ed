/** Finds the linked wallet that a request names by label or id instead of an address. */
import { chainOfAddress, type WalletChain } from '../../../src/domain/identity/linked-wallet.ts';
import { type Outcome, refuse } from '../../../src/domain/values/refusal.ts';
import type { ApiPorts } from '../../route.ts';

/**
 * Returns the address on a chain that a text means: itself if it is an address of either chain, else that of the chain's linked wallet with
 * this label or id. Refuses with `malformed` if there is no such wallet, or more than one.
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
