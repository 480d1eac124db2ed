/** Every route with who may call it, in the order of spec section 4; a route that is not here does not exist. */
import { health } from '../operation/health.ts';
import { metrics } from '../operation/metrics.ts';
import { readiness } from '../operation/readiness.ts';
import { entry, type RouteEntry } from '../route.ts';
import { addAgentVersion } from './agents/add-version.ts';
import { getChart } from './agents/chart.ts';
import { createAgent } from './agents/create.ts';
import { getDecision } from './agents/decision.ts';
import { listDecisions } from './agents/decisions.ts';
import { emergencyHalt } from './agents/emergency-halt.ts';
import { listEvidence } from './agents/evidence.ts';
import { getAgent } from './agents/get.ts';
import { listHistory } from './agents/history.ts';
import { listAgents } from './agents/list.ts';
import { pauseAgent } from './agents/pause.ts';
import { resumeAgent } from './agents/resume.ts';
import { setAgentAutonomy } from './agents/set-autonomy.ts';
import { listCandles } from './candles/list.ts';
import { listCatalog } from './catalog/list.ts';
import { getMachineLayout } from './machines/layout.ts';
import { getMe } from './me/get.ts';
import { getOrderBook } from './order-book/get.ts';
import { listQuotes } from './quotes/list.ts';
import { closeSession } from './session/close.ts';
import { openSession } from './session/open.ts';

const TO_STOP = { anyOf: ['trade:execute', 'risk:manage'] } as const;

export const ROUTES: readonly RouteEntry[] = [
  entry(health, 'public'),
  entry(readiness, 'public'),
  entry(metrics, 'public'),
  entry(getMe, 'identity'),
  entry(openSession, 'public'),
  entry(closeSession, 'public'),
  // Spec section 4.4: what the venues supply.
  entry(listQuotes, 'market:read'),
  entry(listCandles, 'market:read'),
  entry(getOrderBook, 'market:read'),
  entry(listCatalog, 'market:read'),
  // Spec section 4.6.
  entry(createAgent, 'trade:execute'),
  entry(addAgentVersion, 'trade:execute'),
  entry(setAgentAutonomy, 'trade:execute'),
  entry(pauseAgent, TO_STOP),
  entry(resumeAgent, 'risk:manage'),
  entry(emergencyHalt, TO_STOP),
  entry(listAgents, 'agent:read'),
  entry(getAgent, 'agent:read'),
  entry(listDecisions, 'agent:read'),
  entry(getDecision, 'agent:read'),
  entry(listEvidence, 'agent:read'),
  entry(listHistory, 'agent:read'),
  entry(getChart, 'agent:read'),
  entry(getMachineLayout, 'agent:read'),
];
