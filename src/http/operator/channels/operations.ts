import { responseSchema, schemasOf, requestSchema } from "../../../contracts/json-schema.ts";
import { type Family, inPath } from "../../openapi/operation.ts";
import { channelDetails, channelPath } from "./requests.ts";
import { channelPage } from "./responses.ts";

const name = inPath(
  "name",
  "The channel's name, percent-encoded.",
  "Touch 'n Go",
  schemasOf({ Path: { schema: channelPath } }, "input")["Path"]?.properties?.["name"],
);

export const operatorChannels: Family = {
  tag: "Operator",
  caller: "operator",
  requests: {
    ChannelDetails: requestSchema(
      channelDetails,
      {
        status: { description: "0: inactive. 1: active.", examples: [1] },
        currency: { description: "The currencies that the channel supports.", examples: [["MYR", "SGD"]] },
        logoUrl3: {
          description: "The absolute URL of the channel's logo.",
          examples: ["https://example.com/logos/touch-n-go.png"],
        },
      },
      {
        description: "An e-wallet channel.",
        examples: [{ status: 1, currency: ["MYR"], logoUrl3: "https://example.com/logos/touch-n-go.png" }],
      },
    ),
  },
  responses: {
    ChannelPage: responseSchema(channelPage),
  },
  operations: {
    "GET /operator/channels": {
      operationId: "listChannels",
      summary: "List e-wallet channels",
      description: "All channels, on one page.",
      answers: { 200: { description: "The channels.", schema: "ChannelPage" } },
    },
    "PUT /operator/channels/{name}": {
      operationId: "putChannel",
      summary: "Create or replace an e-wallet channel",
      description: "Creates the channel, or replaces an existing one.",
      parameters: [name],
      body: { description: "The channel.", schema: "ChannelDetails" },
      answers: {
        200: { description: "The existing channel was replaced.", schema: "Channel" },
        201: { description: "The channel is new.", schema: "Channel" },
      },
    },
    "DELETE /operator/channels/{name}": {
      operationId: "deleteChannel",
      summary: "Delete an e-wallet channel",
      description: "Transfers that name it are refused from now on.",
      parameters: [name],
      answers: { 200: { description: "The channel is deleted.", schema: "Done" } },
      refusals: { 404: "There is no such channel, or no operator is set." },
    },
  },
};
