/** Two buttons that close or open every row of a tree. */
import { Icon } from '../shell/icons';
import './fold-all.css';

export function FoldAll(props: { onFold: () => void; onUnfold: () => void }) {
  return (
    <span class="fold-all">
      <button
        class="quiet icon"
        aria-label="Fold all"
        data-tip="Fold all rows"
        onClick={() => props.onFold()}
      >
        <Icon name="foldAll" />
      </button>
      <button
        class="quiet icon"
        aria-label="Unfold all"
        data-tip="Unfold all rows"
        onClick={() => props.onUnfold()}
      >
        <Icon name="unfoldAll" />
      </button>
    </span>
  );
}
