/** Instead of a view that needs a server; `shell/views.ts` does not list it in a report. */
export default () => null;
