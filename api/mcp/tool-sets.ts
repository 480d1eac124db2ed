/**
 * Operations that are tools of the Model Context Protocol. A tool reads, researches or proposes. Operations that sign, approve, lift a
 * halt, pay, raise authority or place an order are not tools, and stopping trading is left to people too.
 */
import type { Route } from '../route.ts';

export const TOOL_SETS = ['read', 'research', 'propose'] as const;

export type ToolSet = (typeof TOOL_SETS)[number];

/** Returns the sets in a text such as `read,propose`, or all without a text. */
export const setsIn = (text: string | undefined): readonly ToolSet[] =>
  text === undefined ? TOOL_SETS : TOOL_SETS.filter((set) => text.split(',').includes(set));

/** Effects of a call: none, adding something that does not trade, or acting. */
type Effect = 'none' | 'adds' | 'acts';

export interface ToolKind {
  readonly set: ToolSet;
  readonly effect: Effect;
}

const RESEARCH: Readonly<Record<string, Effect>> = {
  assessStock: 'none',
  simulateImpact: 'none',
  previewLaunch: 'none',
  askWhatIf: 'none',
  quoteBridge: 'adds',
  chatWithCopilot: 'adds',
  // Each of these counts as a trial against later results.
  previewBacktest: 'adds',
  backtestAgent: 'adds',
  stressTestAgent: 'adds',
  sweepAgent: 'adds',
  cancelEvaluation: 'acts',
};

const PROPOSE: Readonly<Record<string, Effect>> = {
  proposeTrade: 'acts',
  // Drafts: an agent at `research` and an unarmed Take.
  createAgent: 'adds',
  compileTake: 'adds',
};

/** Operations that are not tools, by reason. */
export const REFUSED: Readonly<Record<string, readonly string[]>> = {
  'places or cancels an order: a model proposes, and the mandate decides': [
    'placePaperOrder',
    'placeSpotexchangeOrder',
    'cancelMarketOrder',
    'placePaperPredictionOrder',
  ],
  'prepares, signs or sends a transaction': [
    'prepareSwap',
    'executeSwap',
    'preparePredictionOrder',
    'executePredictionOrder',
    'submitBridge',
    'prepareLaunch',
    'submitLaunch',
    'quoteLauncherLaunch',
    'prepareLaunchClaim',
    'submitLaunchClaim',
  ],
  'approves or declines in the name of a person': ['approveProposal', 'declineProposal', 'signOffAgent'],
  'raises or changes the authority to trade': [
    'setAgentAutonomy',
    'promoteAgent',
    'addAgentVersion',
    'setRiskPreferences',
    'armTake',
    'armBasisPolicy',
    'challengeDelegation',
    'grantDelegation',
  ],
  'lifts a halt or intervenes in an actor': ['resumeAgent', 'releaseAgent', 'releaseActor', 'resetActor', 'retryActivity'],
  'stops trading or closes positions, which words in a news item must not bring about': [
    'pauseAgent',
    'closeAgentPositions',
    'emergencyHalt',
    'disarmTake',
    'closeTake',
    'disarmBasisPolicy',
    'revokeDelegation',
  ],
  'pays, or moves money': ['depositIntoVault', 'withdrawFromVault', 'beginCheckout', 'settleCheckout', 'importListing'],
  'publishes in the name of the organization': [
    'publishListing',
    'repriceListing',
    'unlistListing',
    'publishTake',
    'forkTake',
    'tokenizeTake',
    'registerLeaderboardWallet',
  ],
  'says who somebody is, or what they may do': [
    'openSession',
    'redeemSignInLink',
    'closeSession',
    'revokeSession',
    'listMembers',
    'grantMember',
    'removeMember',
    'revokeTokens',
    'listRoles',
    'setRole',
    'listInvitations',
    'inviteMember',
    'acceptInvitation',
    'revokeInvitation',
    'challengeWallet',
    'linkWallet',
    'renameWallet',
    'unlinkWallet',
    'useSandboxWallet',
  ],
  'makes, takes or revokes a secret': [
    'createAgentToken',
    'revokeAgentToken',
    'createSignalHook',
    'rotateSignalHook',
    'revokeSignalHook',
    'receiveSignal',
  ],
  'answers a file for people': ['getEvaluationReport', 'exportActorTest', 'getLeaderboardCsv', 'getLeaderboardWalletCsv'],
  'is the earlier address of another operation': ['getBridgeTransferCourse', 'getLaunchCourse', 'getVaultCourse'],
  "arranges a person's own pages": ['listSettings', 'keepSetting'],
  'describes the service to programs': ['getHealth', 'getReadiness', 'getMetrics', 'getOpenApi', 'getAsyncApi'],
  'is a session that code answers slot by slot': ['openReplaySession', 'getReplaySession', 'answerReplayStep', 'abandonReplaySession'],
  'is a stream, or the protocol itself': ['openFeeds', 'openInspector', 'streamEvents', 'callMcp'],
};

const NO_TOOLS: ReadonlySet<string> = new Set(Object.values(REFUSED).flat());

/** Returns the kind of tool of an operation, or null. A new operation that changes anything is no tool until it is listed. */
export function toToolKind({ name, method }: Route): ToolKind | null {
  if (NO_TOOLS.has(name)) return null;
  if (method === 'GET') return { set: 'read', effect: 'none' };
  const research = RESEARCH[name];
  if (research !== undefined) return { set: 'research', effect: research };
  const propose = PROPOSE[name];
  return propose === undefined ? null : { set: 'propose', effect: propose };
}
