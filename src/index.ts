export { Terminal } from "./terminal/terminal.ts";

export default {
  fetch() {
    return new Response(null, { status: 501 });
  },
} satisfies ExportedHandler<Env>;
