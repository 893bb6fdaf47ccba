/** A line of values without axes, next to the figure that it explains; 0 is at the bottom. */
import './sparkline.css';

/** More values than this are sampled. */
const MOST_POINTS = 150;

export function Sparkline(props: { values: readonly number[] }) {
  const points = () => {
    const stride = Math.max(1, Math.ceil(props.values.length / MOST_POINTS));
    const shown = props.values.filter((_, index) => index % stride === 0);
    const most = Math.max(...shown, Number.MIN_VALUE);
    const last = Math.max(1, shown.length - 1);
    return shown
      .map((value, index) => `${(100 * index) / last},${24 - (22 * value) / most}`)
      .join(' ');
  };
  return (
    <svg class="sparkline" viewBox="0 0 100 25" preserveAspectRatio="none" aria-hidden="true">
      <polygon points={`0,24 ${points()} 100,24`} />
      <polyline points={points()} />
    </svg>
  );
}
