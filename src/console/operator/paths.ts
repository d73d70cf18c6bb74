/** Paths of the operator's calls, after `/operator`. */

export function terminalPath(terminalId: string): string {
  return `/terminals/${encodeURIComponent(terminalId)}`;
}

export function accountPath(posId: string): string {
  return `/accounts/${encodeURIComponent(posId)}`;
}

export function shopPath(merchantId: string): string {
  return `/shops/${encodeURIComponent(merchantId)}`;
}

export function channelPath(name: string): string {
  return `/channels/${encodeURIComponent(name)}`;
}
