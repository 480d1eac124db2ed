/** Bridge transfers: commands for callers, and activities of workers. */
import { createBridgeHandler, type BridgeCommands, NO_TRANSFER } from '../../../actors/bridge-transfer/commands.ts';
import { bridgeTransferKind } from '../../../actors/bridge-transfer/effects.ts';
import { bridgeTransferWorkers } from '../../../actors/bridge-transfer/execution.ts';
import { followPushes } from '../../../actors/bridge-transfer/pushes.ts';
import { switchedOff, type ActorCapability, type CallerDeps } from './capability.ts';
import type { ApiPorts } from '../../../api/route.ts';
import { checkedAddress } from '../../adapters/evmchain/checked-address.ts';
import { verifyEd25519 } from '../../adapters/solana/ed25519.ts';
import { createActorStore } from '../../adapters/store/actors/actor-store.ts';
import {
  createBridgeTransferStore,
  followedTransfers,
  isHashTaken,
  settledArrivals,
} from '../../adapters/store/bridge/bridge-transfer-store.ts';

/** Returns the callers' commands, which refuse if bridging is not set up. */
function createCommands(
  { sql, runtime, bridge, clock, newId }: CallerDeps,
  transfers: ReturnType<typeof createBridgeTransferStore>,
): BridgeCommands {
  if (bridge === null) {
    const missing = 'bridging needs nodes of both chains and a provider: set SPOTCHAIN_RPC_URL, EVMCHAIN_URL and RELAY_URL or CCTP_URL';
    const { begin, goOn } = switchedOff(missing, NO_TRANSFER, transfers.find);
    return { quote: begin, submit: goOn };
  }
  return createBridgeHandler({
    runtime,
    load: createActorStore(sql).load,
    outside: bridge.quoting,
    transfers,
    isTaken: isHashTaken,
    verifySignature: verifyEd25519,
    evmAddress: checkedAddress,
    clock,
    newId,
  });
}

/** Delay from a submission to the request for a transfer's pushes. */
const FOLLOW_MS = 2_000;

export const bridgeTransferCapability = {
  kind: bridgeTransferKind,
  machineFile: 'actors/bridge-transfer/machine.ts',

  workers({ sql, store, runtime, leaseIsHeld, trading, clock }) {
    if (!trading?.bridge) return {};
    const { outside } = trading.bridge;
    return bridgeTransferWorkers({ runtime, load: store.load, leaseIsHeld, outside, arrivals: settledArrivals(sql), clock });
  },

  watches({ sql, runtime, trading, containment, onError }) {
    const what = 'following what bridges push';
    const rounds = Object.values(trading?.bridge?.outside.providers ?? {}).flatMap(({ name, pushes }) => {
      if (pushes === undefined) return [];
      const follow = followPushes({ runtime, pushes, followed: () => followedTransfers(sql, name), onError: onError(what) });
      return [{ name, follow }];
    });
    const run = () =>
      containment(what).each(
        rounds,
        ({ name: id }) => ({ id, orgId: null }),
        ({ follow }) => follow(),
      );
    return rounds.length === 0 ? [] : [{ what, everyMs: FOLLOW_MS, run }];
  },

  callers(deps): Pick<ApiPorts, 'bridge'> {
    const transfers = createBridgeTransferStore(deps.sql);
    return { bridge: { reads: transfers, commands: createCommands(deps, transfers) } };
  },
} satisfies ActorCapability;
