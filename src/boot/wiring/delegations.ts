/** Delegations for the API: reads of the store, and the command handler that grants and revokes. */
import { createDelegationHandler } from '../../../actors/delegation/command-handler.ts';
import type { ApiPorts } from '../../../api/route.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import { isTextSigned } from '../../adapters/identity/wallet-signature.ts';
import { createAgentDirectory } from '../../adapters/store/agents/agent-directory.ts';
import type { Sql } from '../../adapters/store/database.ts';
import { createDelegationStore } from '../../adapters/store/delegations/delegation-store.ts';
import { createTakeReads } from '../../adapters/store/takes/take-reads.ts';

export function createDelegations(sql: Sql, clock: Pick<Clock, 'now'>, newId: () => string): ApiPorts['delegations'] {
  const store = createDelegationStore(sql);
  const agents = createAgentDirectory(sql);
  const takes = createTakeReads(sql);
  return {
    reads: { list: store.list },
    commands: createDelegationHandler({
      store: {
        ...store,
        hasTrader: async (orgId, trader, id) => (await (trader === 'agent' ? agents : takes).find(orgId, id)) !== null,
        executionsEnded: agents.leasesEnded,
      },
      clock,
      newId,
      isSigned: isTextSigned,
    }),
  };
}
