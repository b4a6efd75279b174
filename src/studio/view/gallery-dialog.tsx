/** Examples to begin with: programs, and ladders of versions. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { openLadder, openProgram, type Gallery } from "../model/gallery.ts";
import { programWorkspace } from "../model/workspace.ts";
import { loadGallery, loadLadder } from "../site-files.ts";
import { useStore } from "../store.ts";
import type { Studio } from "../studio.ts";

const EMPTY = `#include <cstdio>

__global__ void hello() {
  printf("hello from thread %d\\n", threadIdx.x);
}

int main() {
  hello<<<1, 4>>>();
  cudaDeviceSynchronize();
}
`;

export function GalleryDialog({ studio }: { readonly studio: Studio }): JSX.Element {
  const isOpen = useStore(studio.store, (state) => state.isGalleryOpen);
  const dialog = useRef<HTMLDialogElement>(null);
  const [found, setFound] = useState<Gallery | null>(null);
  useEffect(() => {
    if (!isOpen) return dialog.current?.close();
    dialog.current?.showModal();
    void loadGallery().then(setFound);
  }, [isOpen]);
  const close = (): void => studio.store.change({ isGalleryOpen: false });
  const load = async (id: string): Promise<void> => studio.open(openLadder(await loadLadder(id)));
  return (
    <dialog
      ref={dialog}
      class="gallery"
      aria-labelledby="gallery-title"
      onClose={close}
      onClick={({ target }) => (target === dialog.current ? close() : undefined)}
    >
      <div class="gallery-content">
        <div class="gallery-head">
          <h2 id="gallery-title">Examples</h2>
          <button class="quiet" onClick={close}>
            Close
          </button>
        </div>
        <h3>Programs</h3>
        <ul class="cards">
          {found?.programs.map((program) => (
            <Card
              key={program.id}
              title={program.title}
              about={program.about}
              onOpen={() => studio.open(openProgram(program))}
            />
          ))}
          <Card
            title="A new program"
            about="A kernel that says hello."
            onOpen={() => studio.open(programWorkspace("A new program", [{ path: "program.cu", text: EMPTY }]))}
          />
        </ul>
        <h3>Triton: kernels in Python</h3>
        <ul class="cards">
          {found?.scripts.map((script) => (
            <Card
              key={script.id}
              title={script.title}
              about={script.about}
              onOpen={() => studio.open(openProgram(script))}
            />
          ))}
        </ul>
        <h3>Ladders: one kernel in steps, each faster than the last</h3>
        <ul class="cards">
          {found?.ladders.map(({ id, about, versions }) => (
            <Card
              key={id}
              title={id}
              about={`${about} (${versions === 1 ? "1 version" : `${versions} versions`})`}
              onOpen={() => void load(id)}
            />
          ))}
        </ul>
      </div>
    </dialog>
  );
}

export function Card({
  title,
  about,
  onOpen,
}: {
  readonly title: string;
  readonly about: string;
  readonly onOpen: () => void;
}): JSX.Element {
  return (
    <li>
      <button class="card" onClick={onOpen}>
        <b>{title}</b>
        <span>{about}</span>
      </button>
    </li>
  );
}
