/** A name that is shortened in the middle if it does not fit; the tooltip has the full name. */
import { splitForMiddle } from '../format/text';
import './middle.css';

export function Middle(props: {
  text: string;
  isCode?: boolean;
  /** The full name, if the text is a short form of it. */
  full?: string | undefined;
}) {
  const pieces = () => splitForMiddle(props.text);
  return (
    <span
      class="middle"
      classList={{ mono: props.isCode ?? false }}
      data-tip={props.full ?? (pieces()[1] ? props.text : undefined)}
    >
      <span class="middle-head">{pieces()[0]}</span>
      <span class="middle-tail">{pieces()[1]}</span>
    </span>
  );
}
