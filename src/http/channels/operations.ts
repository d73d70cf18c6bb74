import { responseSchema } from "../../contracts/json-schema.ts";
import { type Family, queryParameters } from "../openapi/operation.ts";
import { channelsQuery } from "./requests.ts";
import { channel, channelList } from "./responses.ts";

export const channels: Family = {
  tag: "Wallets",
  caller: "access",
  responses: {
    Channel: responseSchema(channel),
    ChannelList: responseSchema(channelList),
  },
  operations: {
    "GET /api/ewallet-channels": {
      operationId: "listEwalletChannels",
      summary: "List the e-wallet channels",
      description: "Returns the values of `paymentChannel` for transfers, with the currencies that each supports.",
      parameters: queryParameters(channelsQuery, {
        currency: {
          description:
            "Returns only channels that support this currency: three letters, in any case. Missing or empty: all channels.",
          examples: ["MYR"],
        },
      }),
      answers: { 200: { description: "The channels.", schema: "ChannelList" } },
    },
  },
};
