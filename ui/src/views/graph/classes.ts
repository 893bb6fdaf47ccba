/** Colors of instructions by class; classes that ops have too use the timeline's colors. */
import { CLASS_COLORS } from '../../format/palette';

export const GRAPH_CLASSES: Record<string, { title: string; color: string }> = {
  matmul: { title: 'Matmul', color: CLASS_COLORS.matmul },
  attention: { title: 'Attention', color: CLASS_COLORS.attention },
  compute: { title: 'Elementwise and fusions', color: CLASS_COLORS.compute },
  reduction: { title: 'Reduce, scatter, gather, sort', color: '#4f9fb5' },
  update: { title: 'Slice, update, broadcast', color: '#7fb069' },
  formatting: { title: 'Reshape, transpose, tuple', color: '#9aa5b1' },
  copy: { title: 'Copy', color: CLASS_COLORS.copy },
  collective: { title: 'Collective', color: CLASS_COLORS.collective },
  host: { title: 'Host transfer', color: CLASS_COLORS.host },
  control: { title: 'Loop, branch, call', color: '#8a6a45' },
  call: { title: 'Custom call', color: '#b55f93' },
  parameter: { title: 'Parameter', color: '#d8a27a' },
  constant: { title: 'Constant', color: '#c2c8d0' },
};

export function graphColor(name: string): string {
  return GRAPH_CLASSES[name]?.color ?? CLASS_COLORS.host;
}

export function graphTitle(name: string): string {
  return GRAPH_CLASSES[name]?.title ?? name;
}
