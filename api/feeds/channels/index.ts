/** The registry of feed channels. A channel that is not here does not exist. */
import { agentsChannel } from './agents.ts';
import { alertsChannel } from './alerts.ts';
import { basisChannel } from './basis.ts';
import { bridgeChannel } from './bridge.ts';
import { candlesChannel } from './candles.ts';
import type { Channel } from './channel.ts';
import { decisionsChannel } from './decisions.ts';
import { inspectChannel } from './inspect.ts';
import { launchesChannel } from './launches.ts';
import { orderBookChannel, perpsChannel, tickersChannel } from './market-states.ts';
import { proposalsChannel } from './proposals.ts';
import { quotesChannel } from './quotes.ts';
import { takesChannel } from './takes.ts';

export const CHANNELS: readonly Channel[] = [
  quotesChannel,
  orderBookChannel,
  tickersChannel,
  perpsChannel,
  candlesChannel,
  basisChannel,
  decisionsChannel,
  proposalsChannel,
  agentsChannel,
  alertsChannel,
  bridgeChannel,
  launchesChannel,
  takesChannel,
  inspectChannel,
];

export const CHANNEL_NAMES: readonly string[] = CHANNELS.map(({ name }) => name);

const BY_NAME = new Map(CHANNELS.map((channel) => [channel.name, channel]));

export function findChannel(name: string): Channel | null {
  return BY_NAME.get(name) ?? null;
}
