/** How busy each device was. */
import { For, Show } from 'solid-js';

import { formatDuration, formatRatio } from '../../format/numbers';
import { select, selected } from '../../shell/state';
import { RatioBar } from '../../widgets/bars';
import type { DeviceBusy } from '../../wire/generated/DeviceBusy';

export function Devices(props: { devices: readonly DeviceBusy[]; ratio: number | null }) {
  const toggle = (index: number) =>
    select('device', selected('device') === String(index) ? null : String(index));
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
          <For each={props.devices}>
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
        </Show>
      </div>
    </section>
  );
}
