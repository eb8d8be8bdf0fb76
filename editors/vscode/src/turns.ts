import type { Server } from "./server";

/** Request is something that a person asked for, and the turn that it started or went into. */
export interface Request {
  turn: number;
  text: string;
}

/** requests reads the requests of a session from its log, in the order of their cards. */
export async function requests(server: Pick<Server, "request">, session: string): Promise<Request[]> {
  const found: Request[] = [];
  let fromSeq: number | undefined = 1;
  while (fromSeq !== undefined) {
    const page: { events: unknown[]; next?: number } = await server.request("session/events", { session, fromSeq });
    found.push(...(page.events as Logged[]).filter(asks).map(({ payload }) => ({ turn: payload.turn, text: payload.text })));
    fromSeq = page.next;
  }
  return found;
}

interface Logged {
  kind: string;
  payload: Request & { continues?: number };
}

/** asks leaves out the turns that took up an interrupted one: nobody asked for anything new. */
function asks({ kind, payload }: Logged): boolean {
  return kind === "user.msg" && !payload.continues;
}
