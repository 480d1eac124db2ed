/** A machine as boxes and edges, ready to be drawn. */

/** A rectangle in CSS pixels at scale 1, measured from the machine's top left corner. */
interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A state, or a mark: `initial`, where a region begins, or `any`, from which its own transitions lead. */
export interface ChartBox extends Rectangle {
  /** Path of keys below the machine, such as `stage.draft`. Empty for the machine itself, `stage/any` for a mark. */
  readonly id: string;
  /** Null for the machine itself. */
  readonly parent: string | null;
  readonly kind: 'machine' | 'region' | 'compound' | 'state' | 'final' | 'initial' | 'any';
  readonly title: string;
  /** Events handled without leaving the state. */
  readonly stays: readonly string[];
}

/** A transition. Its points lead from the border of one box to that of the other. */
export interface ChartEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** Event as XState names it, or empty at the start of a region. */
  readonly event: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
  /** The event with its guard below, or null without a text. */
  readonly label: (Rectangle & { readonly lines: readonly string[] }) | null;
}

/** A machine as boxes and edges for drawing. */
export interface MachineLayout {
  readonly machine: string;
  readonly width: number;
  readonly height: number;
  /** Parents before their children. */
  readonly boxes: readonly ChartBox[];
  readonly edges: readonly ChartEdge[];
}
