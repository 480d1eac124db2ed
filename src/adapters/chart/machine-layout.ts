/** A machine as boxes and edges, ready to be drawn. */

/** A rectangle in CSS pixels at scale 1, measured from the top left corner of the machine. */
interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A state, or one of two marks: `initial`, where a region begins, and `any`, from which its own transitions lead. */
export interface ChartBox extends Rectangle {
  /** The path of keys below the machine, `stage.draft`; empty for the machine itself; `stage/any` for a mark. */
  readonly id: string;
  /** Null for the machine itself. */
  readonly parent: string | null;
  readonly kind: 'machine' | 'region' | 'compound' | 'state' | 'final' | 'initial' | 'any';
  readonly title: string;
  /** Events that are taken without leaving the state. */
  readonly stays: readonly string[];
}

/** A transition. The points lead from the border of one box to the border of the other. */
export interface ChartEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** The event as XState names it; empty if a region begins. */
  readonly event: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
  /** The event, and beneath it the guard; null without a text. */
  readonly label: (Rectangle & { readonly lines: readonly string[] }) | null;
}

/** A machine as boxes and edges, ready to be drawn. */
export interface MachineLayout {
  readonly machine: string;
  readonly width: number;
  readonly height: number;
  /** Parents before their children. */
  readonly boxes: readonly ChartBox[];
  readonly edges: readonly ChartEdge[];
}
