/** Example organization of the sandbox: four members that the local identity provider knows, and three agents. */
import type { Autonomy, Permission } from '../domain/agents/agent.ts';
import { CRYPTO_TREND, DISCOUNT_HUNTER } from '../domain/manifest/templates.ts';

export const EXAMPLE_ORGANIZATION = '01900000-0000-7000-8000-000000000001';

/** Members of the example organization with their subjects at the local identity provider and their permissions. */
export const EXAMPLE_MEMBERS: readonly { readonly subject: string; readonly name: string; readonly permissions: readonly Permission[] }[] =
  [
    { subject: 'operator', name: 'Olivia Operator', permissions: ['market:read', 'agent:read', 'trade:execute'] },
    { subject: 'viewer', name: 'Victor Viewer', permissions: ['market:read', 'agent:read'] },
    { subject: 'risk-manager', name: 'Rita Risk', permissions: ['market:read', 'agent:read', 'trade:execute', 'risk:manage'] },
    { subject: 'administrator', name: 'Ada Administrator', permissions: ['market:read', 'agent:read', 'members:manage'] },
  ];

/** Manifests in both forms, with the autonomy of each agent. */
const EXAMPLE_AGENTS: readonly { readonly autonomy: Autonomy; readonly manifest: unknown }[] = [
  { autonomy: 'suggest', manifest: DISCOUNT_HUNTER },
  { autonomy: 'confirm', manifest: CRYPTO_TREND },
  {
    autonomy: 'research',
    manifest: {
      version: '1',
      agent: {
        id: 'perp-carry',
        name: 'Perpetual carry',
        description: 'Studies entries on perpetuals while funding is low for the month.',
        autonomy_level: 'RESEARCH',
        lifecycle_stage: 'DRAFT',
      },
      capital_allocation: { max_capital_usd: '40000', max_trade_notional_usd: '4000', max_leverage: '2' },
      strategy: {
        universe: ['evmvenue:BTC:perp', 'evmvenue:ETH:perp'],
        timeframes: ['5m'],
        factors: [
          { name: 'ema_cross', parameters: { fast: 8, slow: 21 } },
          { name: 'funding_percentile', parameters: { window_days: 30, max_percentile: 60 } },
        ],
      },
      risk_guardrails: {
        max_daily_drawdown_pct: 3,
        stop_loss_pct: 4,
        take_profit_pct: 9,
        max_open_positions: 2,
        kill_switch_action: 'cancel_all_and_halt',
      },
      execution: { algorithm: 'smart_order_routing_maker_first', max_slippage_bps: 25, urgency: 'medium' },
    },
  },
];

/** Organization that seeds an empty database. */
export const EXAMPLE = { id: EXAMPLE_ORGANIZATION, name: 'Example desk', members: EXAMPLE_MEMBERS, agents: EXAMPLE_AGENTS };

/** Wallets that trade on the simulated perpetuals venue from the start. Their trades are derived from the address. */
export const EXAMPLE_TRADERS: readonly { readonly label: string; readonly address: string }[] = [
  { label: 'Meridian Basis', address: '0xe02726cd7f72de41b2f7e2abbc1a8bef1e787a3c' },
  { label: 'Northwind Macro', address: '0x5f0dbaa119b63258abc3eeda336b06d907be6acc' },
  { label: 'Kestrel Momentum', address: '0xbd724dbdb70f2b7af18e6278130f83fb164a646e' },
  { label: 'Harbor Market Making', address: '0x3e2a3ec4be3c4cfbc6995f440a76cb4194d214c9' },
  { label: 'Blue Heron', address: '0xdaf96326d0f308ed35f8cac2b0a90e3ec32d2ed9' },
  { label: 'Larch Street', address: '0x8a6a55d0d3e7dd6cb685fe87fd919f46da80cc13' },
  { label: 'Sunday Carry', address: '0x60fba755c82998dc7590d2e93d22a5ed88f86f46' },
  { label: 'Old Quay Capital', address: '0x052ecc2537d52f6e48bddd9756862969074d319b' },
];
