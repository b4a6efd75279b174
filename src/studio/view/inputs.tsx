/** What the program gets: arguments, standard input, and the GPU that it sees. */
import type { JSX } from "preact";
import { GPU_NAMES } from "../../device/emulated/gpus.ts";
import type { StudioServer } from "../server-session.ts";
import { useStore } from "../store.ts";
import type { Studio } from "../studio.ts";

const SERVER_DEVICES: Readonly<Record<StudioServer["device"], (owner: string) => string>> = {
  cuda: (owner) => `${owner}’s GPU`,
  emulated: (owner) => `${owner}’s processor`,
  auto: (owner) => owner,
};

export function Inputs({ studio }: { readonly studio: Studio }): JSX.Element {
  const { args, stdin, gpu, ladder } = useStore(studio.store, (state) => state.workspace);
  const server = useStore(studio.store, (state) => state.server);
  const runsOnServer = useStore(studio.store, (state) => state.runsOnServer);
  return (
    <form class="inputs" aria-label="What the program gets" onSubmit={(event) => event.preventDefault()}>
      {ladder === null ? (
        <>
          <label>
            Arguments
            <input
              value={args}
              spellcheck={false}
              autocomplete="off"
              placeholder="none"
              onInput={({ currentTarget: { value } }) => studio.change((now) => ({ ...now, args: value }))}
            />
          </label>
          <label>
            Input
            <textarea
              rows={1}
              value={stdin}
              spellcheck={false}
              placeholder="none"
              onInput={({ currentTarget: { value } }) => studio.change((now) => ({ ...now, stdin: value }))}
            />
          </label>
        </>
      ) : (
        <p class="muted">Each file is a version of one kernel. Edit one, and race it against the others.</p>
      )}
      {server === null || ladder !== null ? null : (
        <label>
          Run on
          <select
            value={runsOnServer ? "server" : "browser"}
            onChange={({ currentTarget: { value } }) => studio.store.change({ runsOnServer: value === "server" })}
          >
            <option value="browser">this browser</option>
            <option value="server">{SERVER_DEVICES[server.device](server.on ?? "the server")}</option>
          </select>
        </label>
      )}
      <label>
        GPU
        <select
          value={gpu}
          onChange={({ currentTarget: { value } }) => studio.change((now) => ({ ...now, gpu: value }))}
        >
          {GPU_NAMES.map((name) => (
            <option key={name} value={name} selected={name === gpu}>
              {name.toUpperCase()}
            </option>
          ))}
        </select>
      </label>
    </form>
  );
}
