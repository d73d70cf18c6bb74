/** `apiVersion` of transfers (part 9 of the interface): the versions that the gateway accepts, oldest first. */
export const API_VERSIONS = ["v1"] as const;

export type ApiVersion = (typeof API_VERSIONS)[number];

/** The version that the clients send and every answer has. */
export const API_VERSION: ApiVersion = "v1";
