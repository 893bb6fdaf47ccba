/** What a tooltip says of a frame: its name and figures. */
import { For, type JSX } from 'solid-js';

export function FrameFigures(props: {
  name: string;
  /** Title and text of each. */
  figures: readonly [string, string][];
  /** Between the name and the figures. */
  children?: JSX.Element;
}) {
  return (
    <>
      <p class="mono">
        <strong>{props.name}</strong>
      </p>
      {props.children}
      <table>
        <tbody>
          <For each={props.figures}>
            {([title, text]) => (
              <tr>
                <td>{title}</td>
                <td class="number">{text}</td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </>
  );
}
