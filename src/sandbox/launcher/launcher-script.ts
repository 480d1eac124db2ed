/** Script of the external launcher's simulator for the coming launches: the plain course, or one of its troubles. */

export const LAUNCHER_TROUBLES = [
  /** Says for a while that it is still launching. */
  'late',
  /** Takes the payment and declines. */
  'declines',
  /** Says that the payment belongs to another request. */
  'conflict',
  /** Is out of money for a while, then launches. */
  'treasury_low',
  /** Makes offers that end after a few seconds. */
  'brief',
  /** Asks for more than anybody should pay. */
  'greedy',
  /** Names a token that the chain does not have. */
  'names_nothing',
] as const;
export type LauncherTrouble = (typeof LAUNCHER_TROUBLES)[number];

export interface LauncherScript {
  /** Sets the course from now on; null is the plain one. @throws RangeError for an unknown word */
  trouble(how: string | null): void;
  current(): LauncherTrouble | null;
}

export function createLauncherScript(): LauncherScript {
  let how: LauncherTrouble | null = null;
  return {
    trouble(word) {
      if (word !== null && !(LAUNCHER_TROUBLES as readonly string[]).includes(word))
        throw new RangeError(`how must be null or one of ${LAUNCHER_TROUBLES.join(', ')}, not ${JSON.stringify(word)}`);
      how = word as LauncherTrouble | null;
    },
    current: () => how,
  };
}

/** Creates the launcher's control verbs for the sandbox's operator. A verb throws RangeError if its input makes no sense. */
export function launcherVerbs(script: LauncherScript): Readonly<Record<string, (body: Readonly<Record<string, unknown>>) => unknown>> {
  return {
    launcher_trouble: ({ how }) => {
      if (how !== null && typeof how !== 'string') throw new RangeError(`how must be a text or null, not ${JSON.stringify(how)}`);
      script.trouble(how);
      return {};
    },
  };
}
