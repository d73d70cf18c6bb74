/** The choices between the messages of transfers, and between their answers. */
import { capital, type JsonSchema } from "./json-schema.ts";
import { isQuestion, TRANSFER_TYPES } from "../../../protocol/transfer-types.ts";
import { TRANSFER_REQUESTS } from "../pos/transfer/messages.ts";

function byType(names: Record<string, string>): JsonSchema {
  const references = Object.fromEntries(
    Object.entries(names).map(([type, name]) => [type, `#/components/schemas/${name}`]),
  );
  return {
    oneOf: [...new Set(Object.values(references))].map(($ref) => ({ $ref })),
    discriminator: { propertyName: "transType", mapping: references },
  };
}

export const TRANSFER_SCHEMAS: Record<string, JsonSchema> = {
  TransferRequest: {
    description: "A transfer. `transType` determines the fields of `transData`.",
    ...byType(
      Object.fromEntries(
        TRANSFER_REQUESTS.map(({ shape }) => {
          const type = shape.transType.value;
          return [type, `${capital(type)}Request`];
        }),
      ),
    ),
  },
  TransferResponse: {
    description: "The response to a transaction, or to a question about one.",
    ...byType(
      Object.fromEntries(
        TRANSFER_TYPES.map((type) => [type, isQuestion(type) ? "InquiryResponse" : "TransactionResponse"]),
      ),
    ),
  },
};
