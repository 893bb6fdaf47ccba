/** Instead of a view or a dialog that needs a server; a report does not offer them. */
export default () => null;
