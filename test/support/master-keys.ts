/** Master keys from a text that is right. */
import { type MasterKeys, readMasterKeys } from "../../src/gateway/secrets/master-keys.ts";

export function keysFrom(text: string): MasterKeys {
  const read = readMasterKeys(text);
  if (!read.ok) throw new Error(read.error);
  return read.value;
}
