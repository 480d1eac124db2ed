/** Delegations as the API asks for them: reads of the store, and the desk that grants and revokes. */
import { createDelegationDesk } from '../../actors/delegation/desk.ts';
import type { ApiDoors } from '../../api/doors.ts';
import type { Clock } from '../../streams/clock.ts';
import { isTextSigned } from '../adapters/identity/wallet-signature.ts';
import { createAgentDirectory } from '../adapters/store/agent-directory.ts';
import type { Sql } from '../adapters/store/database.ts';
import { createDelegationStore } from '../adapters/store/delegation-store.ts';

export function createDelegations(
  sql: Sql,
  clock: Pick<Clock, 'now'>,
  newId: () => string,
): Pick<ApiDoors, 'delegations' | 'delegationCommands'> {
  const store = createDelegationStore(sql);
  const agents = createAgentDirectory(sql);
  return {
    delegations: { list: store.list },
    delegationCommands: createDelegationDesk({
      store: {
        ...store,
        hasAgent: async (orgId, agentId) => (await agents.find(orgId, agentId)) !== null,
        executionsEnded: agents.leasesEnded,
      },
      clock,
      newId,
      isSigned: isTextSigned,
    }),
  };
}
