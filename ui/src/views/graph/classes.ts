/** Colours of instructions by what they do; those of ops are the timeline's. */
import { CLASS_COLOURS } from '../../format/palette';

export const GRAPH_CLASSES: Record<string, { title: string; colour: string }> = {
  matmul: { title: 'Matmul', colour: CLASS_COLOURS.matmul },
  attention: { title: 'Attention', colour: CLASS_COLOURS.attention },
  compute: { title: 'Elementwise and fusions', colour: CLASS_COLOURS.compute },
  reduction: { title: 'Reduce, scatter, gather, sort', colour: '#4f9fb5' },
  update: { title: 'Slice, update, broadcast', colour: '#7fb069' },
  formatting: { title: 'Reshape, transpose, tuple', colour: '#9aa5b1' },
  copy: { title: 'Copy', colour: CLASS_COLOURS.copy },
  collective: { title: 'Collective', colour: CLASS_COLOURS.collective },
  host: { title: 'Host transfer', colour: CLASS_COLOURS.host },
  control: { title: 'Loop, branch, call', colour: '#8a6a45' },
  call: { title: 'Custom call', colour: '#b55f93' },
  parameter: { title: 'Parameter', colour: '#d8a27a' },
  constant: { title: 'Constant', colour: '#c2c8d0' },
};

export function graphColour(name: string): string {
  return GRAPH_CLASSES[name]?.colour ?? CLASS_COLOURS.host;
}

export function graphTitle(name: string): string {
  return GRAPH_CLASSES[name]?.title ?? name;
}
