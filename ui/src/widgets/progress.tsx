/** Progress of a long operation, in bytes. */
import { formatBytes, formatRatio } from '../format/numbers';
import './progress.css';

export function Progress(props: { title: string; message: string; done: number; total: number }) {
  const ratio = () => (props.total > 0 ? Math.min(1, props.done / props.total) : 0);
  return (
    <section class="progress" role="status">
      <h2>{props.title}</h2>
      <div
        class="progress-track"
        role="progressbar"
        aria-valuemin="0"
        aria-valuemax="100"
        aria-valuenow={Math.round(ratio() * 100)}
      >
        <div style={{ width: `${ratio() * 100}%` }} />
      </div>
      <p class="progress-line">
        <span>{props.message}</span>
        <span class="number">
          {props.total > 0
            ? `${formatBytes(props.done)} of ${formatBytes(props.total)}, ${formatRatio(ratio())}`
            : ''}
        </span>
      </p>
    </section>
  );
}
