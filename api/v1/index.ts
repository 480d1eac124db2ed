/** All routes with their permissions, in the order of the document. A route that is not listed here is not served. */
import { health } from '../operation/health.ts';
import { metrics } from '../operation/metrics.ts';
import { readiness } from '../operation/readiness.ts';
import { orAgentToken, TO_STOP } from '../permission.ts';
import { entry, renamed, type RouteEntry } from '../route.ts';
import { exportActorTest } from './actors/export-test.ts';
import { getActor } from './actors/get.ts';
import { releaseActor, resetActor, retryActivity } from './actors/intervene.ts';
import { listActors } from './actors/list.ts';
import { getActorStep } from './actors/step.ts';
import { listActorSteps } from './actors/steps.ts';
import { askWhatIf } from './actors/what-if.ts';
import { rankAgentTokens } from './agent-market/rank.ts';
import { listStockPaired } from './agent-market/stock-paired.ts';
import { getAgentToken } from './agent-market/token.ts';
import { approveProposal } from './agent-orders/approve.ts';
import { declineProposal } from './agent-orders/decline.ts';
import { getProposal } from './agent-orders/get.ts';
import { listProposals } from './agent-orders/list.ts';
import { rankVaults } from './agent-vaults/leaderboard.ts';
import { listReserves } from './agent-vaults/reserves.ts';
import { addAgentVersion } from './agents/add-version.ts';
import { createAgentToken, listAgentTokens, revokeAgentToken } from './agents/outside/agent-tokens.ts';
import { backtestAgent } from './agents/evaluations/backtest.ts';
import { cancelEvaluation } from './agents/evaluations/cancel-evaluation.ts';
import { getChart } from './agents/chart.ts';
import { closeAgentPositions } from './agents/close.ts';
import { createAgent } from './agents/create.ts';
import { getDecision } from './agents/decisions/decision.ts';
import { listDecisions } from './agents/decisions/decisions.ts';
import { emergencyHalt, getHalt } from './agents/emergency-halt.ts';
import { getEvaluation } from './agents/evaluations/evaluation.ts';
import { getEvaluationReport } from './agents/evaluations/evaluation-report.ts';
import { listEvaluations } from './agents/evaluations/evaluations.ts';
import { listEvidence } from './agents/gates/evidence.ts';
import { explainAgentDecision } from './agents/decisions/explain-decision.ts';
import { getCalibration } from './agents/gates/calibration.ts';
import { listGates } from './agents/gates/gates.ts';
import { getAgent } from './agents/get.ts';
import { listHistory } from './agents/history.ts';
import { listAgents } from './agents/list.ts';
import { getBriefContext, getOutsideContext } from './agents/outside/outside-context.ts';
import { getOutsideProposal, listOutsideProposals, proposeTrade } from './agents/outside/outside-proposals.ts';
import { abandonReplaySession, answerReplayStep, getReplaySession, openReplaySession } from './agents/evaluations/replay-sessions.ts';
import { pauseAgent } from './agents/pause.ts';
import { promoteAgent } from './agents/gates/promote.ts';
import { listRecommendations } from './agents/recommendations.ts';
import { releaseAgent } from './agents/release.ts';
import { resumeAgent } from './agents/resume.ts';
import { setAgentAutonomy } from './agents/set-autonomy.ts';
import { createSignalHook, listSignalHooks, revokeSignalHook, rotateSignalHook } from './agents/outside/signal-hooks.ts';
import { signOffAgent } from './agents/gates/sign-off.ts';
import { stressTestAgent } from './agents/evaluations/stress-test.ts';
import { sweepAgent } from './agents/evaluations/sweep.ts';
import { getVault } from './agents/vault/vault.ts';
import { getVaultPriceHistory } from './agents/vault/vault-price-history.ts';
import { depositIntoVault } from './agents/vault/vault-deposit.ts';
import { withdrawFromVault } from './agents/vault/vault-withdraw.ts';
import { listVersions } from './agents/versions.ts';
import { armBasisPolicy } from './arbitrage/arm.ts';
import { listBasis } from './arbitrage/basis.ts';
import { disarmBasisPolicy } from './arbitrage/disarm-policy.ts';
import { getBasisPolicy } from './arbitrage/get-policy.ts';
import { listBasisPolicies } from './arbitrage/list-policies.ts';
import { previewBacktest } from './backtests/preview.ts';
import { getEquity } from './books/equity.ts';
import { listFills } from './books/fills.ts';
import { listBooks } from './books/list.ts';
import { getBridgeTransferTimeline } from './bridge/timeline.ts';
import { quoteBridge } from './bridge/quote.ts';
import { getBridgeStatus } from './bridge/status.ts';
import { submitBridge } from './bridge/submission.ts';
import { listBridgeTransfers } from './bridge/transfers.ts';
import { listDayCloses } from './candles/day.ts';
import { listCandles } from './candles/list.ts';
import { listCandleWork } from './candles/work.ts';
import { listCatalog } from './catalog/list.ts';
import { listMarks } from './catalog/marks.ts';
import { listSessions } from './catalog/sessions.ts';
import { listChains } from './chains/list.ts';
import { chatWithCopilot } from './copilot/chat.ts';
import { challengeDelegation } from './delegations/challenge.ts';
import { grantDelegation } from './delegations/create.ts';
import { listDelegations } from './delegations/list.ts';
import { revokeDelegation } from './delegations/revoke.ts';
import { listEvents } from './intelligence/events.ts';
import { getMacro } from './intelligence/macro.ts';
import { getLaunchPriceHistory } from './launches/price-history.ts';
import { getLaunch } from './launches/get.ts';
import { getLaunchClaim } from './launches/get-claim.ts';
import { listLauncherPairs } from './launches/launcher-pairs.ts';
import { quoteLauncherLaunch } from './launches/launcher-quote.ts';
import { listLaunches } from './launches/list.ts';
import { monitorLaunch } from './launches/monitor.ts';
import { prepareLaunch } from './launches/prepare.ts';
import { prepareLaunchClaim } from './launches/prepare-claim.ts';
import { listPresets } from './launches/preset-list.ts';
import { previewLaunch } from './launches/preview.ts';
import { submitLaunch } from './launches/submit.ts';
import { submitLaunchClaim } from './launches/submit-claim.ts';
import { listLaunchTransactions } from './launches/transactions.ts';
import { getLeaderboardCsv } from './leaderboard/csv.ts';
import { getLeaderboard } from './leaderboard/list.ts';
import { registerLeaderboardWallet } from './leaderboard/register.ts';
import { getLeaderboardWallet } from './leaderboard/wallet.ts';
import { getLeaderboardWalletCsv } from './leaderboard/wallet-csv.ts';
import { getMachineLayout } from './machines/layout.ts';
import { getMacroRegime } from './macro-regime/get.ts';
import { getMarketOrder } from './market-orders/get.ts';
import { listMarketOrders } from './market-orders/list.ts';
import { placePaperOrder } from './market-orders/paper.ts';
import { cancelMarketOrder } from './market-orders/cancel.ts';
import { placeSpotexchangeOrder } from './market-orders/spotexchange-live.ts';
import { beginCheckout } from './marketplace/checkout.ts';
import { listCheckouts } from './marketplace/checkouts.ts';
import { getListing } from './marketplace/get.ts';
import { getCheckout } from './marketplace/get-checkout.ts';
import { importListing } from './marketplace/import.ts';
import { listLicences } from './marketplace/licences.ts';
import { listListings } from './marketplace/list.ts';
import { listListingPrices } from './marketplace/prices.ts';
import { publishListing } from './marketplace/publish.ts';
import { repriceListing } from './marketplace/reprice.ts';
import { settleCheckout } from './marketplace/settle.ts';
import { unlistListing } from './marketplace/unlist.ts';
import { getMe } from './me/get.ts';
import { acceptInvitation } from './members/accept.ts';
import { grantMember } from './members/grant.ts';
import { listInvitations } from './members/invitations.ts';
import { inviteMember } from './members/invite.ts';
import { listMembers } from './members/list.ts';
import { removeMember } from './members/remove.ts';
import { revokeInvitation } from './members/revoke-invitation.ts';
import { revokeTokens } from './members/revoke-tokens.ts';
import { listRoles } from './members/roles.ts';
import { setRole } from './members/set-role.ts';
import { getOrderBook } from './order-book/get.ts';
import { getPerp } from './perps/get.ts';
import { listPerps } from './perps/list.ts';
import { getPortfolio } from './portfolio/get.ts';
import { simulateImpact } from './portfolio/impact.ts';
import { getTotalEquity } from './portfolio/equity.ts';
import { getPerformance } from './portfolio/performance.ts';
import { getPredictionMarket } from './prediction-markets/get.ts';
import { listPredictionMarkets } from './prediction-markets/list.ts';
import { researchPredictionMarket } from './prediction-markets/research.ts';
import { executePredictionOrder } from './prediction-orders/execute.ts';
import { getPredictionOrder } from './prediction-orders/get.ts';
import { listPredictionOrders } from './prediction-orders/list.ts';
import { placePaperPredictionOrder } from './prediction-orders/paper.ts';
import { preparePredictionOrder } from './prediction-orders/prepare.ts';
import { listPrivateMarkets } from './private-markets/list.ts';
import { getPublicWallet } from './public-wallet/get.ts';
import { listQuotes } from './quotes/list.ts';
import { rankFairValueRoute } from './rankings/fair-value.ts';
import { rankPrivateRoute } from './rankings/private.ts';
import { getRiskPreferences } from './risk/get-preferences.ts';
import { listRiskPreferences } from './risk/preferences-history.ts';
import { setRiskPreferences } from './risk/set-preferences.ts';
import { listActivities } from './runtime/activities.ts';
import { getRuntime } from './runtime/get.ts';
import { listIncidents } from './runtime/incidents.ts';
import { listInterventions } from './runtime/interventions.ts';
import { listTimers } from './runtime/timers.ts';
import { getWork, listWork } from './runtime/work.ts';
import { listAlerts } from './alerts.ts';
import { closeSession } from './session/close.ts';
import { openSession } from './session/open.ts';
import { redeemSignInLink } from './session/redeem-link.ts';
import { revokeSession } from './session/revoke.ts';
import { receiveSignal } from './signals/receive.ts';
import { listSocialFeed } from './social-feed/list.ts';
import { executeSwap } from './spotchain/execute.ts';
import { getSwap } from './spotchain/get-order.ts';
import { listSwaps } from './spotchain/list-orders.ts';
import { prepareSwap } from './spotchain/prepare.ts';
import { quoteSwap } from './spotchain/quote.ts';
import { assessStockRoute } from './stocks/assessment.ts';
import { armTake } from './takes/arm.ts';
import { getTakeChart } from './takes/chart.ts';
import { closeTake } from './takes/close.ts';
import { compileTake } from './takes/compile.ts';
import { listTakeDecisions } from './takes/decisions.ts';
import { disarmTake } from './takes/disarm.ts';
import { explainTakeDecision } from './takes/explain-decision.ts';
import { forkTakeRoute } from './takes/fork.ts';
import { getTake } from './takes/get.ts';
import { listTakeHistory } from './takes/history.ts';
import { listTakes } from './takes/list.ts';
import { publishTake } from './takes/publish.ts';
import { listPublishedTakes } from './takes/published.ts';
import { tokenizeTake } from './takes/tokenize.ts';
import { listTickers } from './tickers/list.ts';
import { listVenues } from './venues/list.ts';
import { challengeWallet } from './wallets/challenge.ts';
import { getChainWallet } from './wallets/evmvenue.ts';
import { linkWallet } from './wallets/link.ts';
import { listWallets } from './wallets/list.ts';
import { renameWallet } from './wallets/rename.ts';
import { useSandboxWallet } from './wallets/sandbox-wallet.ts';
import { unlinkWallet } from './wallets/unlink.ts';

export const ROUTES: readonly RouteEntry[] = [
  entry(health, 'public'),
  entry(readiness, 'public'),
  entry(metrics, 'public'),
  entry(getMe, 'identity'),
  entry(openSession, 'public'),
  entry(redeemSignInLink, 'public'),
  entry(closeSession, 'public'),
  entry(revokeSession, 'identity'),
  // Members of the organization.
  entry(listMembers, 'members:manage'),
  entry(grantMember, 'members:manage'),
  entry(removeMember, 'members:manage'),
  entry(revokeTokens, 'members:manage'),
  entry(listRoles, 'members:manage'),
  entry(setRole, 'members:manage'),
  entry(listInvitations, 'members:manage'),
  entry(inviteMember, 'members:manage'),
  entry(acceptInvitation, 'identity'),
  entry(revokeInvitation, 'members:manage'),
  // Assets and the market.
  entry(getMacro, 'market:read'),
  entry(listEvents, 'market:read'),
  entry(listChains, 'market:read'),
  entry(getMacroRegime, 'market:read'),
  entry(listSocialFeed, 'market:read'),
  entry(rankFairValueRoute, 'market:read'),
  entry(rankPrivateRoute, 'market:read'),
  entry(listPrivateMarkets, 'market:read'),
  entry(listBasis, 'market:read'),
  entry(assessStockRoute, 'market:read'),
  // Limits, books and the portfolio.
  entry(getRiskPreferences, 'agent:read'),
  entry(setRiskPreferences, 'risk:manage'),
  entry(listRiskPreferences, 'agent:read'),
  entry(listBooks, 'agent:read'),
  entry(listFills, 'agent:read'),
  entry(getEquity, 'agent:read'),
  entry(getPortfolio, 'agent:read'),
  entry(getPerformance, 'agent:read'),
  entry(getTotalEquity, 'agent:read'),
  entry(simulateImpact, 'agent:read'),
  // Swaps on the primary chain.
  entry(quoteSwap, 'market:read'),
  entry(prepareSwap, 'trade:execute'),
  entry(executeSwap, 'trade:execute'),
  entry(listSwaps, 'agent:read'),
  entry(getSwap, 'agent:read'),
  // Data of the venues.
  entry(listQuotes, 'market:read'),
  entry(listCandles, 'market:read'),
  entry(listDayCloses, 'market:read'),
  entry(listCandleWork, 'market:read'),
  entry(getOrderBook, 'market:read'),
  entry(listTickers, 'market:read'),
  entry(listPerps, 'market:read'),
  entry(getPerp, 'market:read'),
  entry(listVenues, 'market:read'),
  entry(getPublicWallet, 'market:read'),
  entry(getChainWallet, 'market:read'),
  entry(listCatalog, 'market:read'),
  entry(listMarks, 'market:read'),
  entry(listSessions, 'market:read'),
  entry(placePaperOrder, 'trade:execute'),
  entry(placeSpotexchangeOrder, 'trade:execute'),
  entry(cancelMarketOrder, TO_STOP),
  entry(listMarketOrders, 'agent:read'),
  entry(getMarketOrder, 'agent:read'),
  entry(listPredictionMarkets, 'market:read'),
  entry(getPredictionMarket, 'market:read'),
  entry(researchPredictionMarket, 'market:read'),
  entry(placePaperPredictionOrder, 'trade:execute'),
  entry(preparePredictionOrder, 'trade:execute'),
  entry(executePredictionOrder, 'trade:execute'),
  entry(listPredictionOrders, 'agent:read'),
  entry(getPredictionOrder, 'agent:read'),
  // Transfers between the chains and linked wallets.
  entry(quoteBridge, 'market:read'),
  entry(submitBridge, 'trade:execute'),
  entry(getBridgeStatus, 'agent:read'),
  entry(listBridgeTransfers, 'agent:read'),
  ...renamed(entry(getBridgeTransferTimeline, 'agent:read'), {
    url: '/v1/bridge/transfers/:id/course',
    name: 'getBridgeTransferCourse',
    since: '2026-11-27',
  }),
  // Wallets proved by their owners.
  entry(challengeWallet, 'agent:read'),
  entry(linkWallet, 'agent:read'),
  entry(listWallets, 'agent:read'),
  entry(renameWallet, 'agent:read'),
  entry(unlinkWallet, 'agent:read'),
  entry(useSandboxWallet, 'trade:execute'),
  // Agents, their proposals, decisions, gates and vaults.
  entry(createAgent, 'trade:execute'),
  entry(addAgentVersion, 'trade:execute'),
  entry(setAgentAutonomy, 'trade:execute'),
  entry(promoteAgent, 'trade:execute'),
  entry(signOffAgent, 'risk:manage'),
  entry(backtestAgent, 'trade:execute'),
  entry(sweepAgent, 'trade:execute'),
  entry(previewBacktest, 'trade:execute'),
  entry(stressTestAgent, 'trade:execute'),
  entry(cancelEvaluation, 'trade:execute'),
  entry(pauseAgent, TO_STOP),
  entry(closeAgentPositions, TO_STOP),
  entry(resumeAgent, 'risk:manage'),
  entry(releaseAgent, 'risk:manage'),
  entry(emergencyHalt, TO_STOP),
  entry(getHalt, 'agent:read'),
  entry(listProposals, 'agent:read'),
  entry(getProposal, 'agent:read'),
  entry(approveProposal, 'trade:execute'),
  entry(declineProposal, 'trade:execute'),
  entry(listAgents, 'agent:read'),
  entry(getAgent, 'agent:read'),
  entry(proposeTrade, orAgentToken('trade:execute')),
  entry(listOutsideProposals, orAgentToken('agent:read')),
  entry(getOutsideProposal, orAgentToken('agent:read')),
  entry(getOutsideContext, orAgentToken('agent:read')),
  entry(getBriefContext, orAgentToken('agent:read')),
  entry(openReplaySession, orAgentToken('trade:execute')),
  entry(getReplaySession, orAgentToken('agent:read')),
  entry(answerReplayStep, orAgentToken('trade:execute')),
  entry(abandonReplaySession, orAgentToken('trade:execute')),
  entry(createAgentToken, 'trade:execute'),
  entry(listAgentTokens, 'agent:read'),
  entry(revokeAgentToken, TO_STOP),
  entry(createSignalHook, 'trade:execute'),
  entry(listSignalHooks, 'agent:read'),
  entry(rotateSignalHook, 'trade:execute'),
  entry(revokeSignalHook, TO_STOP),
  entry(receiveSignal, 'public'),
  entry(listDecisions, 'agent:read'),
  entry(listRecommendations, 'agent:read'),
  entry(getDecision, 'agent:read'),
  entry(explainAgentDecision, 'agent:read'),
  entry(listEvaluations, 'agent:read'),
  entry(getEvaluation, 'agent:read'),
  entry(getEvaluationReport, 'agent:read'),
  entry(listEvidence, 'agent:read'),
  entry(listGates, 'agent:read'),
  entry(getCalibration, 'agent:read'),
  entry(listVersions, 'agent:read'),
  entry(listHistory, 'agent:read'),
  entry(getChart, 'agent:read'),
  entry(askWhatIf, 'agent:read'),
  entry(exportActorTest, 'agent:read'),
  entry(listActors, 'agent:read'),
  entry(getActor, 'agent:read'),
  entry(listActorSteps, 'agent:read'),
  entry(getActorStep, 'agent:read'),
  // The runtime, and interventions in it.
  entry(getRuntime, 'agent:read'),
  entry(listActivities, 'agent:read'),
  entry(listTimers, 'agent:read'),
  entry(listIncidents, 'agent:read'),
  entry(listInterventions, 'agent:read'),
  entry(listAlerts, 'agent:read'),
  entry(listWork, 'agent:read'),
  entry(getWork, 'agent:read'),
  entry(retryActivity, 'risk:manage'),
  entry(resetActor, 'risk:manage'),
  entry(releaseActor, 'risk:manage'),
  entry(getVault, 'agent:read'),
  ...renamed(entry(getVaultPriceHistory, 'agent:read'), {
    url: '/v1/agents/:id/vault/course',
    name: 'getVaultCourse',
    since: '2026-11-27',
  }),
  entry(depositIntoVault, 'trade:execute'),
  entry(withdrawFromVault, 'trade:execute'),
  entry(rankVaults, 'agent:read'),
  entry(listReserves, 'agent:read'),
  entry(getMachineLayout, 'agent:read'),
  // Launches and agent tokens.
  entry(listPresets, 'market:read'),
  entry(previewLaunch, 'market:read'),
  entry(prepareLaunch, 'trade:execute'),
  entry(submitLaunch, 'trade:execute'),
  entry(listLauncherPairs, 'market:read'),
  entry(quoteLauncherLaunch, 'trade:execute'),
  entry(listLaunches, 'agent:read'),
  entry(getAgentToken, 'market:read'),
  entry(rankAgentTokens, 'market:read'),
  entry(listStockPaired, 'market:read'),
  entry(getLaunch, 'agent:read'),
  entry(monitorLaunch, 'agent:read'),
  ...renamed(entry(getLaunchPriceHistory, 'agent:read'), { url: '/v1/launches/:id/course', name: 'getLaunchCourse', since: '2026-11-27' }),
  entry(listLaunchTransactions, 'agent:read'),
  entry(prepareLaunchClaim, 'trade:execute'),
  entry(submitLaunchClaim, 'trade:execute'),
  entry(getLaunchClaim, 'agent:read'),
  // Strategies for sale.
  entry(publishListing, 'trade:execute'),
  entry(repriceListing, 'trade:execute'),
  entry(unlistListing, 'trade:execute'),
  entry(listListings, 'agent:read'),
  entry(getListing, 'agent:read'),
  entry(listListingPrices, 'agent:read'),
  entry(beginCheckout, 'trade:execute'),
  entry(settleCheckout, 'trade:execute'),
  entry(importListing, 'trade:execute'),
  entry(listCheckouts, 'agent:read'),
  entry(getCheckout, 'agent:read'),
  entry(listLicences, 'agent:read'),
  // Wallets by realized profit.
  entry(getLeaderboard, 'market:read'),
  entry(getLeaderboardCsv, 'market:read'),
  entry(getLeaderboardWallet, 'market:read'),
  entry(getLeaderboardWalletCsv, 'market:read'),
  entry(registerLeaderboardWallet, 'agent:read'),
  entry(armBasisPolicy, 'trade:execute'),
  entry(disarmBasisPolicy, TO_STOP),
  entry(listBasisPolicies, 'agent:read'),
  entry(getBasisPolicy, 'agent:read'),
  entry(chatWithCopilot, 'market:read'),
  // Takes.
  entry(compileTake, 'trade:execute'),
  entry(forkTakeRoute, 'trade:execute'),
  entry(armTake, 'trade:execute'),
  entry(tokenizeTake, 'trade:execute'),
  entry(publishTake, 'trade:execute'),
  entry(disarmTake, TO_STOP),
  entry(closeTake, TO_STOP),
  entry(listTakes, 'agent:read'),
  entry(listPublishedTakes, 'agent:read'),
  entry(getTake, 'agent:read'),
  entry(listTakeDecisions, 'agent:read'),
  entry(explainTakeDecision, 'agent:read'),
  entry(listTakeHistory, 'agent:read'),
  entry(getTakeChart, 'agent:read'),
  // Delegations of wallets.
  entry(challengeDelegation, 'trade:execute'),
  entry(grantDelegation, 'trade:execute'),
  entry(listDelegations, 'agent:read'),
  entry(revokeDelegation, TO_STOP),
];
