/** Emergency thread that halts and pauses, with its own listener, database connections, key set and limits. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { createCommandHandler } from '../../../actors/agent/commands.ts';
import { agentKind } from '../../../actors/agent/effects.ts';
import { createDirectory } from '../../../actors/runtime/directory.ts';
import { createRuntime } from '../../../actors/runtime/runtime.ts';
import { buildEmergencyApi, type EmergencyPorts } from '../../../api/emergency.ts';
import { createRateLimits } from '../../../api/http/rate-limits.ts';
import { aheadOfSystem, createLiveClock } from '../../../streams/clock/live-clock.ts';
import { accessBy, createTokenVerifier } from '../../adapters/identity/token-verifier.ts';
import { createNewIds } from '../../adapters/new-ids.ts';
import type { EmergencyThread } from '../../adapters/process/emergency-listener.ts';
import { listenInThread, threadOperation } from '../../adapters/process/emergency-thread.ts';
import { openWriterKeys } from '../../adapters/signing-keys/writer-keys.ts';
import { createActorStore } from '../../adapters/store/actors/actor-store.ts';
import { createAgentDirectory } from '../../adapters/store/agents/agent-directory.ts';
import { API_ROLE, perOrganization } from '../../adapters/store/callers/as-organization.ts';
import { createIdempotencyStore } from '../../adapters/store/callers/idempotency-store.ts';
import { createMemberStore } from '../../adapters/store/callers/member-store.ts';
import { isConnectionLoss, isOutOfResources, openDatabase } from '../../adapters/store/database.ts';

const CALLER_CONNECTIONS = 4;

function createPorts(thread: EmergencyThread, parent: MessagePort): EmergencyPorts {
  const clock = createLiveClock(aheadOfSystem(() => thread.aheadMs));
  const newId = createNewIds(clock);
  const signed = thread.home === null ? {} : { writer: openWriterKeys(thread.home, ['api']).api };
  const sql = openDatabase({ url: thread.appUrl, connections: 1, name: 'sevengate emergency', ...signed });
  const callers = openDatabase({
    url: thread.apiUrl,
    role: API_ROLE,
    connections: CALLER_CONNECTIONS,
    name: 'sevengate emergency callers',
    ...signed,
  });
  const verifier = createTokenVerifier({ ...thread.identity, clock });
  return {
    clock,
    operation: threadOperation(parent, {
      newRequestId: newId,
      isUnavailable: (error) => isConnectionLoss(error) || isOutOfResources(error),
    }),
    access: {
      verifyToken: accessBy(verifier),
      members: createMemberStore(sql),
      limits: createRateLimits(),
      // No sign-in here.
      signInLinks: { redeem: () => null },
    },
    ...perOrganization<Pick<EmergencyPorts, 'agents' | 'answers'>>(callers, (own) => {
      const runtime = createRuntime({ store: createActorStore(own), directory: createDirectory([agentKind]), clock });
      return {
        answers: { find: createIdempotencyStore(own).find },
        agents: { commands: createCommandHandler({ runtime, agents: createAgentDirectory(own), clock, newId }) },
      };
    }),
  };
}

async function serve(thread: EmergencyThread, parent: MessagePort): Promise<void> {
  const { version, allowedOrigins, loopback } = thread;
  await listenInThread(parent, await buildEmergencyApi(createPorts(thread, parent), { version, allowedOrigins, loopback }), thread);
}

if (parentPort !== null) await serve(workerData as EmergencyThread, parentPort);
