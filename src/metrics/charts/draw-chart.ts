import { type EChartsOption, type SeriesOption } from 'echarts';
import { inOneTurn } from '../../common/turns/one-turn.js';
import { type ChartPlan, type ChartSeries } from './plan-chart.js';

const width = 960;
const height = 540;
/** Width in pixels of the plot, without the legend and the axis. */
const plotWidth = 660;
const mostNames = 10;
/** Maximum points of a series that are labelled with their number. More labels would cover each other. */
const mostNumbers = 60;

/** Draws a chart as SVG. The chart library is loaded when the first chart is drawn. */
export async function drawChart(plan: ChartPlan): Promise<string> {
  const { init } = await import('echarts');
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    return inOneTurn(() => {
      chart.setOption(optionOf(plan));
      return chart.renderToSVGString();
    });
  } finally {
    chart.dispose();
  }
}

function optionOf(plan: ChartPlan): EChartsOption {
  const { title, axes, x, series, kind } = plan;
  const [unit = null] = axes.length > 1 ? [] : axes;
  const hasLegend = kind !== 'share' && series.length > 1;
  return {
    animation: false,
    backgroundColor: '#fff',
    title: { text: unit === null ? title : `${title} (${unit})`, left: 'center', top: 10 },
    ...(hasLegend && { legend: { orient: 'vertical', right: 10, top: 50, textStyle: { width: 140, overflow: 'truncate' } } }),
    ...(kind !== 'share' && {
      grid: { left: 20, right: hasLegend ? 200 : 40, top: 60, bottom: 20, containLabel: true },
      xAxis: { type: 'category', data: x, axisLabel: labelsOf(x.length) },
      yAxis: axes.map(each => ({ type: 'value' as const, alignTicks: true, ...(axes.length > 1 && { name: each ?? '' }) })),
    }),
    series: kind === 'share' ? [slicesOf(plan)] : series.map(each => seriesOf(kind, each, x.length * series.length)),
  };
}

/**
 * The labels of the x axis. Up to 10 labels are all shown, each cut to its part of the width. With more labels, only those that fit are
 * shown.
 */
function labelsOf(count: number) {
  return count <= mostNames ? { interval: 0, width: Math.floor(plotWidth / count), overflow: 'truncate' as const } : { hideOverlap: true };
}

function seriesOf(kind: 'line' | 'bar', { name, values, axis }: ChartSeries, points: number): SeriesOption {
  const common = { name, yAxisIndex: axis };
  const label = {
    show: points <= mostNumbers,
    position: 'top' as const,
    formatter: ({ dataIndex }: { dataIndex: number }) => values[dataIndex]?.text ?? '',
  };
  if (kind === 'bar') return { type: 'bar', ...common, data: values.map(value => value?.number ?? null), label };
  // A point between two gaps belongs to no line, so only its symbol shows it.
  const isSeen = (place: number): boolean => points <= mostNumbers || !(values[place - 1] ?? values[place + 1]);
  const data = values.map((value, place) => value && { value: value.number, symbol: isSeen(place) ? 'circle' : 'none' });
  return { type: 'line', ...common, data, label, connectNulls: false, showAllSymbol: true };
}

function slicesOf({ x, series }: ChartPlan): SeriesOption {
  const slices = x.flatMap((name, place) => {
    const value = series[0]?.values[place];
    return value ? [{ name, value: value.number, text: value.text }] : [];
  });
  return {
    type: 'pie',
    radius: '60%',
    center: ['50%', '54%'],
    data: slices.map(({ name, value }) => ({ name, value })),
    // By default the library truncates long labels, which would cut off digits of the number.
    label: { overflow: 'none', formatter: ({ dataIndex }) => `${slices[dataIndex]!.name}\n${slices[dataIndex]!.text}` },
  };
}
