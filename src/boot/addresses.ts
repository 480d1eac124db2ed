/** Where each outside system is: at the address that the environment names, or at its double in the sandbox. */
import type { FaultSwitch } from '../sandbox/faults.ts';
import { createEvmVenueDouble } from '../sandbox/evmvenue/double.ts';
import { createIdentityProvider } from '../sandbox/identity/identity-provider.ts';
import { createSeededMarket } from '../sandbox/market/seeded-market.ts';
import { createNewsDouble } from '../sandbox/news/double.ts';
import { createReferenceDouble } from '../sandbox/reference/double.ts';
import { createIssuerDouble } from '../sandbox/reference/issuer.ts';
import { createSpotchainDouble } from '../sandbox/spotchain/double.ts';
import { createSpotExchangeDouble } from '../sandbox/spotexchange/double.ts';
import { CATALOG, REFERENCE_FEEDS, USDC_DECIMALS, USDC_MINT } from '../domain/catalog.ts';
import type { Clock } from '../../streams/clock.ts';
import type { Config } from './config.ts';

export interface Addresses {
  readonly spotexchange: { readonly url: string; readonly streamUrl: string };
  readonly evmvenue: { readonly url: string; readonly streamUrl: string };
  readonly reference: { readonly url: string; readonly key: string | null };
  /** `pools`: the pool whose bars stand for a token, by symbol. */
  readonly spotchain: { readonly url: string; readonly key: string | null; readonly candlesUrl: string; readonly pools: ReadonlyMap<string, string> };
  readonly issuerUrl: string;
  readonly newsUrl: string;
  readonly identity: { readonly issuer: string; readonly audience: string; readonly jwksUrl: string };
}

export interface World {
  readonly addresses: Addresses;
  /** The fault switches of the doubles that run here, by name. */
  readonly faults: ReadonlyMap<string, FaultSwitch>;
  /** Makes tokens of the local identity provider; null where the environment names another. */
  readonly mintToken: ((subject: string, lifetimeS: number) => Promise<string>) | null;
  stop(): Promise<void>;
}
