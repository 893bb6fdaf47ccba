/** A name cut in the middle when it does not fit, whole in the tooltip. */
import { splitForMiddle } from '../format/text';
import './middle.css';

export function Middle(props: { text: string; isCode?: boolean }) {
  const pieces = () => splitForMiddle(props.text);
  return (
    <span
      class="middle"
      classList={{ mono: props.isCode ?? false }}
      data-tip={pieces()[1] ? props.text : undefined}
    >
      <span class="middle-head">{pieces()[0]}</span>
      <span class="middle-tail">{pieces()[1]}</span>
    </span>
  );
}
