/** The accesses of a kernel as pictures: which thread of a warp touches which sector or bank. */
import { counted } from "../base/counted.ts";
import { BANKS, BANK_BYTES, SECTOR_BYTES, lanesOf } from "../machine/warp-counts.ts";
import { markup, type Html } from "../report/markup.ts";
import { warpPicture, type PictureCell, type WarpPicture } from "../report/warp-picture.ts";
import type { AccessProfile, AccessSample, LineProfile } from "./line-profile.ts";
import type { ProfiledLaunch } from "./profile-report.ts";

/** More would hide the ones that matter. */
const MOST_PICTURES = 4;

/** Of the accesses that need the most beyond the ideal; where none does, of the busiest one. */
export function accessPictures({ lines }: ProfiledLaunch): Html | null {
  const all = lines.flatMap((line) => line.accesses.map((access) => ({ line, access })));
  const sampled = all.filter(({ access }) => access.sample !== null && access.space !== "constant");
  const worth = ({ access }: (typeof all)[number]): number => access.transactions - access.ideal;
  const wasteful = sampled.filter((one) => worth(one) > 0).sort((a, b) => worth(b) - worth(a));
  const busiest = [...sampled].sort((a, b) => b.access.transactions - a.access.transactions);
  const shown = wasteful.length > 0 ? wasteful.slice(0, MOST_PICTURES) : busiest.slice(0, 1);
  if (shown.length === 0) return null;
  return markup`<h3>Accesses of a warp</h3>
    <p class="muted">Of each access the request that needs the most, one thread beside the other. The filled part of a
    sector is used; a number below a bank says how many words it must serve, one after the other.</p>
    ${shown.map(({ line, access }) => onePicture(line, access))}`;
}

const VERBS: Readonly<Record<AccessProfile["operation"], string>> = {
  load: "load",
  store: "store",
  atomic: "atomic",
  reduction: "reduction",
  copy: "asynchronous copy",
};

function onePicture({ file, line }: LineProfile, access: AccessProfile): Html | null {
  const { operation, space, bytes, sample } = access;
  if (sample === null) return null;
  const unit = space === "shared" ? "wavefront" : "sector";
  const about = `${VERBS[operation]} of ${bytes} bytes, ${counted(sample.transactions, unit)}`;
  const picture = space === "shared" ? bankPicture(sample, access) : sectorPicture(sample, access);
  return markup`<p><span class="mono">${file}:${line}</span> ${space} ${about}</p>
    ${warpPicture({ ...picture, label: `${file}:${line}, ${about}` })}`;
}

/** One request. @param addresses by lane */
export function requestPicture(
  space: "global" | "shared",
  { lanes, addresses }: Pick<AccessSample, "lanes" | "addresses">,
  bytes: number,
  label: string,
): Html {
  const picture =
    space === "shared" ? bankPicture({ lanes, addresses }, { bytes }) : sectorPicture({ lanes, addresses }, { bytes });
  return warpPicture({ ...picture, label });
}

type Sample = Pick<AccessSample, "lanes" | "addresses">;
type Size = Pick<AccessProfile, "bytes">;
type Picture = Omit<WarpPicture, "label">;

/** The touched sectors alone, in their order. */
function sectorPicture({ lanes, addresses }: Sample, { bytes }: Size): Picture {
  const used = new Map<number, Set<number>>();
  for (const lane of lanesOf(lanes)) {
    for (let byte = addresses[lane] as number; byte < (addresses[lane] as number) + bytes; byte++) {
      const sector = Math.floor(byte / SECTOR_BYTES);
      used.set(sector, (used.get(sector) ?? new Set()).add(byte));
    }
  }
  const sectors = [...used.keys()].sort((a, b) => a - b);
  const cells = sectors.map((sector): PictureCell => {
    const count = used.get(sector)?.size ?? 0;
    const first = sector * SECTOR_BYTES;
    const title = `bytes ${first} to ${first + SECTOR_BYTES - 1}: ${count} of ${SECTOR_BYTES} used`;
    return { title, used: count / SECTOR_BYTES, text: "" };
  });
  return {
    unit: "sector",
    cells,
    cellOf: cellsBy(lanes, addresses, (at) => sectors.indexOf(Math.floor(at / SECTOR_BYTES))),
  };
}

function bankPicture({ lanes, addresses }: Sample, { bytes }: Size): Picture {
  const words = Array.from({ length: BANKS }, () => new Set<number>());
  for (const lane of lanesOf(lanes)) {
    const first = Math.floor((addresses[lane] as number) / BANK_BYTES);
    for (let word = first; word * BANK_BYTES < (addresses[lane] as number) + bytes; word++)
      words[word % BANKS]?.add(word);
  }
  const cells = words.map(({ size }, bank): PictureCell => ({
    title: `bank ${bank}: ${counted(size, "word")}`,
    used: Math.min(1, size),
    text: size > 1 ? String(size) : "",
  }));
  return { unit: "bank", cells, cellOf: cellsBy(lanes, addresses, (at) => Math.floor(at / BANK_BYTES) % BANKS) };
}

function cellsBy(lanes: number, addresses: readonly number[], cellAt: (address: number) => number): (number | null)[] {
  return addresses.map((address, lane) => ((lanes >>> lane) & 1 ? cellAt(address) : null));
}
