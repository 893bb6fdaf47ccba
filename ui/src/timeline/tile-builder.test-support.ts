/** Writes tiles for tests, as described in docs/internals/wire.md, independently of the decoder. */
export interface GlyphSpec {
  startPs: number;
  durationPs: number;
  busyPs: number;
  index: number;
  count: number;
  label: number;
}

export interface TrackSpec {
  track: number;
  lanes?: GlyphSpec[][];
  /** Flat lane indices, in the order of `lanes`; 0, 1, 2, … if absent. */
  laneNumbers?: number[];
  /** Time, minimum, maximum. */
  samples?: [number, number, number][];
}

export interface TileSpec {
  startPs: number;
  endPs: number;
  widthPx: number;
  tracks: TrackSpec[];
}

/** Encodes a tile. */
export function buildTile(spec: TileSpec): ArrayBuffer {
  const bytes: number[] = [];
  const push = (size: number, write: (view: DataView) => void) => {
    const view = new DataView(new ArrayBuffer(size));
    write(view);
    bytes.push(...new Uint8Array(view.buffer));
  };
  const u32 = (value: number) => push(4, (view) => view.setUint32(0, value, true));
  const f64 = (value: number) => push(8, (view) => view.setFloat64(0, value, true));
  u32(0x31545353);
  u32(spec.tracks.length);
  f64(spec.startPs);
  f64(spec.endPs);
  f64(spec.widthPx);
  for (const track of spec.tracks) {
    u32(track.track);
    u32(track.samples ? 1 : 0);
    u32(track.samples ? 1 : (track.lanes ?? []).length);
    u32(0);
    if (track.samples) {
      u32(0);
      u32(track.samples.length);
      for (const column of [0, 1, 2] as const) for (const row of track.samples) f64(row[column]);
    }
    (track.lanes ?? []).forEach((glyphs, i) => {
      u32(track.laneNumbers?.[i] ?? i);
      u32(glyphs.length);
      for (const key of ['startPs', 'durationPs', 'busyPs'] as const) {
        for (const glyph of glyphs) f64(glyph[key]);
      }
      for (const key of ['index', 'count', 'label'] as const) {
        for (const glyph of glyphs) u32(glyph[key]);
      }
      if (glyphs.length % 2 === 1) u32(0);
    });
  }
  return new Uint8Array(bytes).buffer;
}

/** A lone slice. */
export function lone(startPs: number, durationPs: number, index = 0, label = 0): GlyphSpec {
  return { startPs, durationPs, busyPs: durationPs, index, count: 1, label };
}
