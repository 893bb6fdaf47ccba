/** A name that is shortened in the middle if it does not fit; the tooltip has the full name. */
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
