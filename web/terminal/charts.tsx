/** Charts with the library that draws them, loaded together when the first one is shown. */
export { AgentChart } from './agents/chart.tsx';
export { Candles } from './panels/candles.tsx';
