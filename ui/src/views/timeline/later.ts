/** What the first picture of the timeline does not need, fetched together once it is drawn. */
export { ArrangementDialog } from './arrangement-dialog';
export { BaselineStage } from './baseline-stage';
export { Ghost } from '../../timeline/ghost';
export { Drawer } from './drawer';
export { HiddenTracks } from './hidden-tracks';
export { HoverCard } from './hover-card';
export { LegendList } from './legend-list';
export { canvasMenu, groupMenu, trackMenu } from './menus';
export { SearchNote } from './search-note';
export { OverlayChip } from './overlay-chip';
export { rowCommands } from './palette-rows';
