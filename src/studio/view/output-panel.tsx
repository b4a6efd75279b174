/** What the program has printed, and the images and files that it has written. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Gallery } from "../model/gallery.ts";
import { openProgram } from "../model/gallery.ts";
import type { WrittenFile } from "../model/activity.ts";
import { decodeNetpbm, imageType, type Pixels } from "../model/images.ts";
import { useStore } from "../store.ts";
import type { Studio } from "../studio.ts";
import { downloadFile } from "./file-tabs.tsx";
import { loadGallery } from "../site-files.ts";
import { Card } from "./gallery-dialog.tsx";

export function OutputPanel({ studio }: { readonly studio: Studio }): JSX.Element {
  const { output, files, phase } = useStore(studio.store, (state) => state.activity);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const panel = end.current?.closest(".panel");
    if (panel != null && files.length === 0) panel.scrollTop = panel.scrollHeight;
  }, [output]);
  if (phase === "idle") return <Welcome studio={studio} />;
  return (
    <>
      <pre class="output">
        {output.map(({ stream, text }, i) => (
          <span key={i} class={stream}>
            {text}
          </span>
        ))}
      </pre>
      {phase === "ended" && output.length === 0 && files.length === 0 ? (
        <p class="muted">The program has printed nothing.</p>
      ) : null}
      {files.map((file) => (
        <Written key={file.path} file={file} />
      ))}
      <div ref={end} />
    </>
  );
}

/** How many examples the first page shows. */
const FIRST = 4;

function Welcome({ studio }: { readonly studio: Studio }): JSX.Element {
  const [found, setFound] = useState<Gallery | null>(null);
  useEffect(() => void loadGallery().then(setFound), []);
  const title = useStore(studio.store, ({ workspace }) => workspace.title);
  return (
    <div class="welcome">
      <p>
        <b>Run</b> compiles this CUDA program and runs it on an emulated GPU: in this tab, on your computer. Nothing is
        installed, and nothing is sent anywhere.
      </p>
      <h2>Or begin with</h2>
      <ul class="cards">
        {found?.programs
          .filter((program) => program.title !== title)
          .slice(0, FIRST)
          .map((program) => (
            <Card
              key={program.id}
              title={program.title}
              about={program.about}
              onOpen={() => studio.open(openProgram(program))}
            />
          ))}
      </ul>
    </div>
  );
}

function Written({ file }: { readonly file: WrittenFile }): JSX.Element {
  const pixels = decodeNetpbm(file.bytes);
  const type = imageType(file.bytes);
  return (
    <figure>
      {pixels === null ? null : <PixelImage pixels={pixels} label={`Image ${file.path}`} />}
      {pixels !== null || type === null ? null : <BlobImage bytes={file.bytes} type={type} label={file.path} />}
      <figcaption>
        {file.path}
        <span class="muted">
          {" "}
          {pixels === null ? "" : `${pixels.width} × ${pixels.height}, `}
          {file.bytes.length.toLocaleString("en")} bytes{" "}
        </span>
        <button class="quiet" onClick={() => downloadFile({ path: file.path, text: file.bytes })}>
          Download<span class="hidden"> {file.path}</span>
        </button>
      </figcaption>
    </figure>
  );
}

function PixelImage({ pixels, label }: { readonly pixels: Pixels; readonly label: string }): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const { width, height, rgba } = pixels;
    canvas.current?.getContext("2d")?.putImageData(new ImageData(rgba, width, height), 0, 0);
  }, [pixels]);
  return <canvas ref={canvas} width={pixels.width} height={pixels.height} role="img" aria-label={label} />;
}

function BlobImage({
  bytes,
  type,
  label,
}: {
  readonly bytes: Uint8Array;
  readonly type: string;
  readonly label: string;
}): JSX.Element {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes as BlobPart], { type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes, type]);
  return url === null ? <></> : <img src={url} alt={`Image ${label}`} />;
}
