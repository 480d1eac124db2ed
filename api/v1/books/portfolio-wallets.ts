/** Wallets that a request names besides the books, each read from its node or venue. */
import { isChainAddress } from '../../../src/domain/catalog/listed-token.ts';
import {
  accountOfChainWallet,
  accountOfPerpAccount,
  accountOfPrimaryWallet,
  type ReadAccount,
} from '../../../src/domain/portfolio/account.ts';
import type { PortfolioWallets, UnreadWallet } from '../../../src/domain/portfolio/portfolio.ts';
import { type Outcome, refuse } from '../../../src/domain/values/refusal.ts';
import { malformed } from '../../http/strict-json.ts';
import type { ApiPorts } from '../../route.ts';

/** Maximum wallets per request. */
const MAX_WALLETS = 5;
const WALLET_FORM = '0x and 40 hexadecimal digits, an address of the primary chain, or the id or label of a linked wallet';

const isAddressForm = (text: string): boolean => /^0x[0-9a-fA-F]{40}$/.test(text) || isChainAddress(text);

/**
 * Returns the addresses of a request without duplicates, given as addresses or as ids or labels of linked wallets. Unknown names stay for
 * `namedWallets` to refuse. @throws InputError for a label of several wallets.
 */
export async function addressesNamed(
  { linkedWallets }: Pick<ApiPorts, 'linkedWallets'>,
  orgId: string,
  names: readonly string[],
  path: string,
): Promise<readonly string[]> {
  const texts = names.map((text) => text.trim()).filter((text) => text !== '');
  const unknown = texts.filter((text) => !isAddressForm(text));
  const linked = unknown.length === 0 ? [] : await linkedWallets.reads.named(orgId, unknown);
  return texts.map((text) => {
    const meant = linked.filter(({ id, label }) => id === text || label === text);
    if (meant.length > 1) throw malformed(path, `${meant.length} linked wallets are called ${JSON.stringify(text)}`, 'their ids');
    return meant[0]?.address ?? text;
  });
}

type ReadingPorts = Pick<ApiPorts, 'wallets' | 'catalog' | 'clock'>;

/**
 * Returns the addresses of a request without duplicates. @throws InputError for too many, or for anything but an address. Readers check the
 * checksum.
 */
export function namedWallets(addresses: readonly string[], path: string): readonly string[] {
  const named = addresses.map((text) => text.trim()).filter((text) => text !== '');
  const known = new Map(named.map((text) => [text.startsWith('0x') ? text.toLowerCase() : text, text]));
  if (known.size > MAX_WALLETS) throw malformed(path, `${known.size} wallets`, `at most ${MAX_WALLETS}`);
  for (const text of known.values())
    if (!isAddressForm(text)) throw malformed(path, `${JSON.stringify(text.slice(0, 60))} is not an address`, WALLET_FORM);
  return [...known.values()];
}

/**
 * Returns the mode of a request. @throws InputError if wallets are named with paper books, because real money and paper are never added up.
 */
export function chooseMode(asked: 'paper' | 'live' | undefined, wallets: readonly string[], path: string): 'paper' | 'live' {
  if (asked === 'paper' && wallets.length > 0)
    throw malformed(path, 'wallets hold real money, which is never added to paper books', '`live` where wallets are named');
  return asked ?? (wallets.length > 0 ? 'live' : 'paper');
}

/** Reads wallets. Names those that do not answer. Only an invalid checksum refuses the request. */
export async function readWallets(ports: ReadingPorts, addresses: readonly string[]): Promise<Outcome<PortfolioWallets>> {
  const answers = await Promise.all(addresses.map((address) => readWallet(ports, address)));
  const found: PortfolioWallets[] = [];
  for (const answer of answers) {
    if (!answer.ok) return answer;
    found.push(answer.value);
  }
  return { ok: true, value: joined(found) };
}

/** Reads a wallet of the EVM chain with its account on the perpetuals venue, or one of the primary chain. */
async function readWallet(ports: ReadingPorts, address: string): Promise<Outcome<PortfolioWallets>> {
  const now = ports.clock.now();
  if (isChainAddress(address)) {
    const none = refuse('unavailable', 'no node of the primary chain that reads wallets is configured');
    const asked = await (ports.wallets.primary?.balancesOf(address) ?? none);
    return { ok: true, value: answered(address, 'spotchain', asked, (found) => accountOfPrimaryWallet(found, ports.catalog.entries, now)) };
  }
  const [chain, perps] = await Promise.all([ports.wallets.evm.read(address), ports.wallets.venue.read(address)]);
  // With several wallets the message says which one.
  for (const one of [chain, perps])
    if (!one.ok && one.refusal.code === 'malformed') return refuse('malformed', `wallets, ${address}: ${one.refusal.detail}`);
  const silent: UnreadWallet[] = chain.ok
    ? chain.value.unread.map(({ symbol, why }) => ({ address, asked: `evmchain, ${symbol}`, why }))
    : [];
  const parts = [
    answered(address, 'evmchain', chain, (found) => accountOfChainWallet(found, now)),
    answered(address, 'evmvenue', perps, (found) => accountOfPerpAccount(found, ports.catalog.entries, now)),
  ];
  return { ok: true, value: joined([...parts, { read: [], unread: silent }]) };
}

/** Turns a wallet's answer into a portfolio account, or adds its name to those that did not answer. */
function answered<Found>(address: string, asked: string, answer: Outcome<Found>, placeOf: (found: Found) => ReadAccount): PortfolioWallets {
  if (answer.ok) return { read: [placeOf(answer.value)], unread: [] };
  return { read: [], unread: [{ address, asked, why: answer.refusal.detail }] };
}

function joined(parts: readonly PortfolioWallets[]): PortfolioWallets {
  return { read: parts.flatMap(({ read }) => read), unread: parts.flatMap(({ unread }) => unread) };
}
