/** Compares the text of a delegation with the request. A wallet never sees a text that differs. */
import { withoutZeros } from '../kit/decimal.ts';

/** Terms as entered in the form. */
export interface Wish {
  readonly wallet: string;
  readonly signerWallet: string;
  /** US dollars, as a decimal text. */
  readonly maxNotionalUsd: string;
  readonly expiresAt: string;
}

/** Trader that receives the delegation. */
export type Trader = { readonly agentId: string } | { readonly takeId: string };

/** Lines of the service's text by term. */
const LINES: readonly (readonly [line: string, term: keyof Wish])[] = [
  ['Wallet', 'wallet'],
  ['Wallet at the signer', 'signerWallet'],
  ['Most per transaction', 'maxNotionalUsd'],
  ['Expires', 'expiresAt'],
];

/** Returns a clause for each line that differs from the request; empty if the text matches. */
export function delegationDifferences(text: string, wish: Wish, trader: Trader): readonly string[] {
  const said = new Map(text.split('\n').map((line) => [line.split(': ')[0] ?? '', line.slice(line.indexOf(': ') + 2)] as const));
  const whose: readonly [string, string] = 'agentId' in trader ? ['Agent', trader.agentId] : ['Take', trader.takeId];
  const wanted = LINES.map(([line, term]) => [line, wish[term], term === 'maxNotionalUsd'] as const);
  return [[...whose, false] as const, ...wanted].flatMap(([line, asked, isMoney]) => {
    const given = said.get(line);
    const isSame = isMoney ? given === `${withoutZeros(asked)} US dollars` : given === asked;
    return isSame ? [] : [`${line} is “${given ?? ''}” instead of “${asked}”`];
  });
}
