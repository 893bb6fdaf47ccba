/** The icons of the page, drawn on a 16 × 16 grid. */
import { Show } from 'solid-js';

const PATHS = {
  search: 'M7 2.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 0 1 0-9M10.5 10.5L14 14',
  record: 'M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 0 1 0-11M8 5.8a2.2 2.2 0 1 1 0 4.4a2.2 2.2 0 0 1 0-4.4',
  link: 'M6.5 9.5l3-3M7 4.5l1.2-1.2a3 3 0 0 1 4.3 4.3L11.3 8.8M9 11.5l-1.2 1.2a3 3 0 0 1-4.3-4.3L4.7 7.2',
  terminal: 'M2 3.5h12v9H2zM4.5 6.5L6.5 8l-2 1.5M8 10h3.5',
  sun: 'M8 5.2a2.8 2.8 0 1 1 0 5.6a2.8 2.8 0 0 1 0-5.6M8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9',
  moon: 'M13 9.7A5.5 5.5 0 0 1 6.3 3a5.5 5.5 0 1 0 6.7 6.7',
  auto: 'M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 0 1 0-11M8 2.5v11M8 5h3.5M8 8h5M8 11h3.5',
  share: 'M8 10V2.5M5.5 5L8 2.5L10.5 5M3.5 8v5h9V8',
  down: 'M4.5 6.5L8 10l3.5-3.5',
  right: 'M6.5 4.5L10 8l-3.5 3.5',
  fit: 'M6 2.5H2.5V6M10 2.5h3.5V6M6 13.5H2.5V10M10 13.5h3.5V10',
  copy: 'M5.5 5.5h7v8h-7zM10.5 5.5v-3h-7v8h2',
  swap: 'M3 5.5h9M9.5 3L12 5.5L9.5 8M13 10.5H4M6.5 8L4 10.5L6.5 13',
  summary: 'M2.5 13.5h11M4 11V8M8 11V3M12 11V6',
  compute: 'M4.5 4.5h7v7h-7zM6.5 2v2.5M9.5 2v2.5M6.5 11.5V14M9.5 11.5V14M2 6.5h2.5M2 9.5h2.5M11.5 6.5H14M11.5 9.5H14',
  memory: 'M2.5 4.5h11v6h-11zM5 7v1M8 7v1M11 7v1M4.5 10.5v2M8 10.5v2M11.5 10.5v2',
  waiting: 'M4.5 2.5h7M4.5 13.5h7M5.5 2.5c0 3 2 4 2.5 5.5c.5-1.5 2.5-2.5 2.5-5.5M5.5 13.5c0-3 2-4 2.5-5.5c.5 1.5 2.5 2.5 2.5 5.5',
  several: 'M5.5 2.5h8v8h-8zM2.5 5.5v8h8',
  fold: 'M2.5 3h11v10h-11zM6 3v10M11 6.5L9 8l2 1.5',
  unfold: 'M2.5 3h11v10h-11zM6 3v10M9 6.5L11 8l-2 1.5',
  foldAll: 'M4.5 7.5L8 4l3.5 3.5M4.5 12L8 8.5l3.5 3.5',
  unfoldAll: 'M4.5 4L8 7.5L11.5 4M4.5 8.5L8 12l3.5-3.5',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  more: 'M3.5 8h.1M8 8h.1M12.5 8h.1',
  pencil: 'M3 13l.6-2.600L11 3l2 2l-7.400 7.400z',
  close: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
} as const;

export type IconName = keyof typeof PATHS | 'logo';

export function Icon(props: { name: IconName }) {
  return (
    <svg
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <Show
        when={props.name !== 'logo' && props.name}
        fallback={
          <>
            <path d="M1.5 13V9.5h4V6h4V2.5h5" stroke="var(--accent)" stroke-width="2" />
            <path d="M9.5 13h5" stroke="var(--class-collective)" stroke-width="2" />
          </>
        }
      >
        {(name) => <path d={PATHS[name()]} stroke="currentColor" stroke-width="1.3" />}
      </Show>
    </svg>
  );
}
