/** Two agent tokens that exist only on the sandbox's chain, so that agent tokens can be viewed and traded before any launch. */
import { TOKEN_2022 } from '../domain/solana/programs.ts';
import type { ListedToken } from '../domain/catalog/listed-token.ts';
import type { AssetTraits } from './market/listed-assets.ts';

/** Listing time, earlier than any bar that may be requested. */
const LISTED_AT = Date.UTC(2025, 8, 1);

/** Agent tokens of the sandbox. Nobody holds the private keys of their mints. */
export const SANDBOX_AGENT_TOKENS: readonly Omit<ListedToken, 'delistedAt'>[] = [
  {
    mint: 'AgtRchd1111111111111111111111111111111111111',
    program: TOKEN_2022,
    symbol: 'ORCHARD',
    name: 'Orchard Keeper',
    decimals: 6,
    pairedStock: 'spotchain:AAPLx',
    launcher: 'sandbox',
    listedAt: LISTED_AT,
  },
  {
    mint: 'AgtVtRange1111111111111111111111111111111111',
    program: TOKEN_2022,
    symbol: 'VOLTAGE',
    name: 'Voltage Ranger',
    decimals: 6,
    pairedStock: 'spotchain:TSLAx',
    launcher: 'sandbox',
    listedAt: LISTED_AT,
  },
];

/** Returns the traits of a token: it trades around the clock and has no reference, as coins do. */
function createTraits(symbol: string, level: number, volatility: number, poolUsd: number): AssetTraits {
  return { symbol, kind: 'crypto', level, volatility, drift: 0, shared: 0.3, poolUsd, openInterest: 1, dayVolume: 40_000_000 };
}

/** Agent tokens of the sandbox, with small prices and high volatility. */
export const AGENT_ASSETS: readonly AssetTraits[] = [
  createTraits('ORCHARD', 0.0184, 1.4, 310_000),
  createTraits('VOLTAGE', 0.0067, 1.7, 240_000),
];
