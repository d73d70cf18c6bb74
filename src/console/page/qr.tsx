import { useMemo } from "preact/hooks";
import { encode } from "uqr";

/** A QR code as one SVG path, without styles or images. `label` says what it is for. */
export function Qr({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => drawn(text), [text]);
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path d={path} fill="currentColor" />
    </svg>
  );
}

/** Four white modules around it, as ISO/IEC 18004 requires. */
const QUIET_ZONE = 4;

function drawn(text: string): { size: number; path: string } {
  const { data, size } = encode(text, { ecc: "M", border: QUIET_ZONE });
  let path = "";
  for (const [y, row] of data.entries()) {
    for (const [x, dark] of row.entries()) if (dark) path += `M${x} ${y}h1v1h-1z`;
  }
  return { size, path };
}
