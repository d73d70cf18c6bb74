import type { DemoCredentials } from "../shared/demo.ts";

export interface PointOfSaleProps {
  /** The gateway's address. */
  baseUrl: string;
  /** Whom to sign in as without being asked; null outside the demo. */
  demo: DemoCredentials | null;
  /** Hands a bind key to the terminal half, as if its camera had read it. */
  onHandOver: (key: string) => void;
}

export function PointOfSale({ baseUrl }: PointOfSaleProps) {
  return <p class="panel">{baseUrl}</p>;
}
