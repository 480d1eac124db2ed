/** Loops of tests that expect no bad row: the first failure is rethrown. */
import { type ContainedLoop, type Containment, eachRow } from '../../actors/runtime/containment.ts';

export const contained: ContainedLoop = eachRow((error) => {
  throw error;
});

export const containment: Containment = () => contained;
