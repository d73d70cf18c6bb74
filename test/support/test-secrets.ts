/** Secrets of the test run alone: thirty-two bytes that spell out what they are. */
export const TEST_SECRETS = {
  MASTER_KEYS: `test-1:${Buffer.from("master key of the test run only!").toString("base64")}`,
  OPERATOR_TOKENS: "tester:operator-token-of-the-test-run",
};
