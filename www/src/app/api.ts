/** Requests to the server of the application, and the token that they need. */

import { type ErrorCode, FindlingError } from "../errors";
import { COMMAND, say } from "./language";

/** The key of the token in the storage; other ports of this machine have their own storage. */
const KEY = "findling-token";

/** Dispatched on the window when the server does not accept the token. */
export const LOCKED = "findling-locked";

/** Takes the token out of the address that `findling serve` has printed. */
export function takeToken(): void {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return;
  localStorage.setItem(KEY, token);
  history.replaceState(history.state, "", location.pathname + location.search);
}

/** Asks the server. Rejects with a `FindlingError`. */
export async function ask<Answer>(
  question: string,
  input: unknown,
  signal?: AbortSignal,
): Promise<Answer> {
  let response: Response;
  let answer: unknown;
  try {
    response = await fetch(`/api/${question}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${localStorage.getItem(KEY) ?? ""}`,
      },
      body: JSON.stringify(input),
      ...(signal && { signal }),
    });
    answer = await response.json();
  } catch (thrown) {
    if (signal?.aborted) throw FindlingError.aborted();
    throw new FindlingError("network", say("noServer", { command: COMMAND }), {
      remedy: "",
      cause: thrown,
    });
  }
  if (response.ok) return answer as Answer;
  const { error } = answer as { error: { code: string; message: string; causes?: string[] } };
  if (response.status === 401) dispatchEvent(new Event(LOCKED));
  const message = [error.message, ...(error.causes ?? [])].join(": ");
  throw new FindlingError(error.code as ErrorCode, message, { remedy: "" });
}
