/** How busy each device was. */
import { For, Show } from 'solid-js';

import { formatDuration, formatRatio, plural } from '../../format/numbers';
import { select, selected } from '../../shell/state';
import { RatioBar } from '../../widgets/bars';
import { createFirst, FirstOf } from '../../widgets/first';
import { Prose } from '../../widgets/prose';
import type { OverviewReport } from '../../wire/generated/OverviewReport';

/** Devices that are listed at first. */
const AT_FIRST = 16;

/** The notes about devices that are listed with a share that the mean does not contain. */
const LEFT_OUT = ['devices-beside-steps', 'devices-outside-of-steps'];

/** The mean busy share, with the number of devices that it is of where others worked, too. */
function meanText({ device_busy_ratio, device_busy_count, devices }: OverviewReport): string {
  if (device_busy_ratio === null) return '';
  const worked = devices.filter(({ busy_ratio }) => busy_ratio !== null).length;
  const of = device_busy_count < worked ? ` of ${plural(device_busy_count, 'device')}` : '';
  return `mean${of} ${formatRatio(device_busy_ratio)} busy`;
}

export function Devices(props: { report: OverviewReport }) {
  const toggle = (index: number) =>
    select('device', selected('device') === String(index) ? null : String(index));
  const shown = createFirst(() => props.report.devices, AT_FIRST, ({ busy_ratio }) =>
    busy_ratio === null ? -1 : 1 - busy_ratio,
  );
  return (
    <section class="card">
      <header>
        <h2 data-figure="overview.device_busy_ratio">Devices</h2>
        <span class="spacer" />
        <span class="muted number">
          {meanText(props.report)}
        </span>
      </header>
      <div class="card-body devices">
        <Show
          when={props.report.devices.length > 0}
          fallback={
            <p class="muted">
              No devices were recorded; this profile contains only host threads. On GPU and TPU,
              record in the process that owns the devices.
            </p>
          }
        >
          <For each={shown.rows()}>
            {(device) => (
              <button
                class="device"
                aria-pressed={selected('device') === String(device.device_index)}
                data-tip={
                  device.busy_ratio === null
                    ? 'It did no work in this time'
                    : `Busy ${formatDuration(device.busy_ps)} of ${formatDuration(device.window_ps)}\nClick to select this device`
                }
                onClick={() => toggle(device.device_index)}
              >
                <span class="device-name">{device.device}</span>
                <RatioBar ratio={device.busy_ratio} color="var(--class-compute)" />
                <span class="number device-ratio">
                  {device.busy_ratio === null ? 'no work' : formatRatio(device.busy_ratio)}
                </span>
              </button>
            )}
          </For>
          <FirstOf first={shown} noun="device" which="least busy" />
          <For each={props.report.notes.filter(({ id }) => LEFT_OUT.includes(id))}>
            {(note) => (
              <p class="muted devices-note">
                <Prose text={note.text} />
              </p>
            )}
          </For>
        </Show>
      </div>
    </section>
  );
}
