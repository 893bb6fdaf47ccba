/** Icons that only the timeline needs, on the same 16-pixel grid as the shell's icons. */
const PATHS = {
  pin: 'M6 2.5h4l-.5 4l2 2.5h-7l2-2.5zM8 9v4.5',
  hide: 'M2 8s2.2-3.6 6-3.6S14 8 14 8s-2.2 3.6-6 3.6S2 8 2 8M3 13L13 3',
  select: 'M3.5 2.5l8.5 5l-3.7.9l2.2 4l-1.8 1l-2.2-4L3.5 12z',
  pan: 'M8 2v12M2 8h12M8 2L6.4 3.8M8 2l1.6 1.8M8 14l-1.6-1.8M8 14l1.6-1.8M2 8l1.8-1.6M2 8l1.8 1.6M14 8l-1.8-1.6M14 8l-1.8 1.6',
  zoom: 'M7 2.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 0 1 0-9M10.5 10.5L14 14M7 5v4M5 7h4',
  measure: 'M2.5 4v8M13.5 4v8M2.5 8h11M4.5 6.3L2.5 8l2 1.7M11.5 6.3l2 1.7l-2 1.7',
  fit: 'M2.5 5.5v-3h3M10.5 2.5h3v3M13.5 10.5v3h-3M5.5 13.5h-3v-3',
  compact: 'M2.5 3.5h11M2.5 6.5h11M2.5 9.5h11M2.5 12.5h11',
  arrangement: 'M2.5 3.5h5M2.5 7h5M2.5 10.5h5M10 3h3.5v8l-1.75-1.6L10 11z',
  previous: 'M10 3.5L5.5 8l4.5 4.5',
  next: 'M6 3.5L10.5 8L6 12.5',
  panel: 'M2.5 3h11v10h-11zM2.5 9h11',
  'dock-bottom': 'M2.5 3h11v10h-11zM2.5 9h11',
  'dock-right': 'M2.5 3h11v10h-11zM9 3v10',
  'dock-full': 'M2.5 3h11v10h-11zM5 6h6M5 8h6M5 10h4',
} as const;

export type GlyphName = keyof typeof PATHS;

export function Glyph(props: { name: GlyphName }) {
  return (
    <svg
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.3"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[props.name]} />
    </svg>
  );
}
