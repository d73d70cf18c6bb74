import * as z from "zod";

/** `image` asks for a QR code; every other value means JSON. */
export const bindKeyQuery = z.object({ option: z.string().optional() });
