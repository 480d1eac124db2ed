/** Finds payments to strangers in signed routes, from the stored messages without a chain. */
import { associatedAccount } from '../launch/curve/program.ts';
import { findFeeAccount, type Route, readRoute } from './aggregator-routes.ts';
import { isAddress } from './base58.ts';
import { listAccounts, type WireMessage } from './message.ts';
import { AGGREGATOR_PROGRAM, TOKEN_2022, TOKEN_PROGRAM } from './programs.ts';

/** Returns one sentence per aggregator instruction that pays a fee, ends outside the wallet, or cannot be read. */
export function routeFindings(message: Pick<WireMessage, 'staticKeys' | 'instructions' | 'lookups'>, wallet: string): readonly string[] {
  const names = listAccounts(message);
  return message.instructions.flatMap(({ program, accounts, data }, index) => {
    if (program !== AGGREGATOR_PROGRAM) return [];
    const named = accounts.map((place) => names[place] ?? '');
    const route = readRoute(data);
    if (route === null) return [`instruction ${index} is a route that is not known: whether it pays a fee is for its simulation to show`];
    const found = [feeFinding(route, named), endFinding(route, named, wallet)];
    return found.flatMap((finding) => (finding === null ? [] : [`instruction ${index} ${finding}`]));
  });
}

function feeFinding(route: Route, named: readonly string[]): string | null {
  return route.platformFee === 0n ? null : `pays a fee of ${route.platformFee} basis points to ${findFeeAccount(route, named)}`;
}

/** Returns a finding if a route ends at another account than the wallet's. Accounts of lookup tables are unknown here and left out. */
function endFinding({ accounts }: Route, named: readonly string[], wallet: string): string | null {
  const at = (account: 'destination' | 'otherDestination' | 'outputMint'): string | undefined => named[accounts.indexOf(account)];
  const mint = at('outputMint');
  if (mint === undefined || !isAddress(mint) || !isAddress(wallet)) return null;
  const own = [TOKEN_PROGRAM, TOKEN_2022].map((program) => associatedAccount(wallet, mint, program));
  const end = [at('destination'), at('otherDestination')].find(
    (account) => account !== undefined && account !== AGGREGATOR_PROGRAM && isAddress(account) && !own.includes(account),
  );
  return end === undefined ? null : `ends at ${end}, which is not the wallet's account of ${mint}`;
}
