/** A name that is shortened in the middle if it does not fit; the tooltip has the full name. */
import { MISSING } from '../format/numbers';
import { splitForMiddle } from '../format/text';
import { useShortNames } from './short-names';
import './middle.css';

export function Middle(props: {
  text: string;
  /** Names of C++ functions are shortened in tables whose columns say so. */
  isCode?: boolean;
  /** The full name, if the text is a short form of it. */
  full?: string | undefined;
}) {
  const shortOf = useShortNames();
  const short = () => (props.isCode ? shortOf(props.text) : undefined);
  const full = () => props.full ?? (short() === undefined ? undefined : props.text);
  const pieces = () => splitForMiddle(short() ?? props.text);
  return (
    <span
      class="middle"
      classList={{ mono: props.isCode ?? false, 'is-missing': props.text === MISSING }}
      data-tip={full() ?? (pieces()[1] ? props.text : undefined)}
    >
      <span class="middle-head">{pieces()[0]}</span>
      <span class="middle-tail">{pieces()[1]}</span>
    </span>
  );
}
