/** How busy each device was. */
import { For, Show } from 'solid-js';

import { formatDuration, formatRatio } from '../../format/numbers';
import { select, selected } from '../../shell/state';
import { RatioBar } from '../../widgets/bars';
import { createFirst, FirstOf } from '../../widgets/first';
import type { DeviceBusy } from '../../wire/generated/DeviceBusy';

/** Devices that are listed at first. */
const AT_FIRST = 16;

export function Devices(props: { devices: readonly DeviceBusy[]; ratio: number | null }) {
  const toggle = (index: number) =>
    select('device', selected('device') === String(index) ? null : String(index));
  const shown = createFirst(() => props.devices, AT_FIRST, ({ busy_ratio }) =>
    busy_ratio === null ? -1 : 1 - busy_ratio,
  );
  return (
    <section class="card">
      <header>
        <h2 data-figure="overview.device_busy_ratio">Devices</h2>
        <span class="spacer" />
        <span class="muted number">
          {props.ratio === null ? '' : `mean ${formatRatio(props.ratio)} busy`}
        </span>
      </header>
      <div class="card-body devices">
        <Show
          when={props.devices.length > 0}
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
                    ? 'No work was recorded on this device'
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
        </Show>
      </div>
    </section>
  );
}
