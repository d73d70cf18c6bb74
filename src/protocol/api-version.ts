/** `apiVersion` of transfers (part 9 of the interface), oldest first. */
export const API_VERSIONS = ["v1"] as const;

type ApiVersion = (typeof API_VERSIONS)[number];

/** The clients send this version, and every answer has it. */
export const API_VERSION: ApiVersion = "v1";
