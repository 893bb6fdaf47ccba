/** What a table says where no row matches its search, with a button that clears it. */
export function NoMatch(props: { noun: string; query: string; onClear: () => void }) {
  return (
    <>
      <p>
        No {props.noun} matches “{props.query}”
      </p>
      <button onClick={() => props.onClear()}>Clear the search</button>
    </>
  );
}
