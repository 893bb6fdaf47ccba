/** The field where readers state what their model needs per step, for MFU. */
import { Show } from 'solid-js';

import { modelFlops, setModelFlops } from '../../shell/state';
import { shared } from '../../shell/shared';

/** What the command line accepts: factors such as `8e9`, `8B`, `2^20`. */
const FACTOR = String.raw`\s*[\d.,_]+(e[+\-]?\d+)?\s*([kKMGBT]|\^\s*\d+)?\s*`;
export const PRODUCT = `${FACTOR}([*×·]${FACTOR})*`;

const TIP =
  'FLOPs that the model needs per step, over all devices: a number or a product, such as 6*8B*2^20 ' +
  'for 6 × parameters × tokens. Empty: counted from the HLO.';

export function ModelFlopsField() {
  return (
    <Show when={!shared()}>
      <label class="roofline-check" data-tip={TIP}>
        Model FLOPs
        <input
          type="text"
          class="roofline-model"
          placeholder="6*parameters*tokens"
          pattern={PRODUCT}
          title=""
          value={modelFlops()}
          onChange={(event) => {
            const field = event.currentTarget;
            if (field.reportValidity()) setModelFlops(field.value.trim());
          }}
        />
      </label>
    </Show>
  );
}
