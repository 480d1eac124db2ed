/** Charts with the library that draws them, loaded together when the first one is shown. */
export { AgentChart } from './agents/chart.tsx';
export { ActorPrice } from './debugger/price.tsx';
export { Candles } from './panels/candles.tsx';
