import { expect, test } from 'vitest'
import { readAlertRules } from './alert-rules.ts'
import { read } from './repository.ts'

const alertsPage = 'docs/operate/alerts.md'
const dashboardFile = 'deploy/grafana/scrip-dashboard.json'

/** The labels of each metric, by the reference. */
function readReference(): Map<string, readonly string[]> {
  const rows = read('docs/reference/metrics.md').matchAll(/^\| `(\w+)` \| (\w+) \| (.+?) \| .+ \|$/gm)
  return new Map(
    [...rows].flatMap(([, name = '', type = '', labels = '']) => {
      const known = [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label)
      const names = type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name]
      return names.map((each) => [each, known] as const)
    }),
  )
}

// Prometheus adds these, and a histogram has bounds.
const addedLabels = ['instance', 'job', 'le']
const reference = readReference()

/** Metrics and labels of an expression that the reference does not have. */
function unknownIn(expression: string): string[] {
  const metrics = [...expression.matchAll(/\b(?:scrip|process|nodejs)_[a-z0-9_]+/g)].map(([name]) => name)
  const labels = [...expression.matchAll(/\{([^}]*)\}|\bby \(([^)]*)\)/g)].flatMap(([, matchers, names]) =>
    names === undefined
      ? [...(matchers ?? '').matchAll(/(\w+)\s*[=!]/g)].map(([, label = '']) => label)
      : names.split(', '),
  )
  const known = [...addedLabels, ...metrics.flatMap((name) => reference.get(name) ?? [])]
  return [...metrics.filter((name) => !reference.has(name)), ...labels.filter((label) => !known.includes(label))]
}

type Panel = {
  readonly title: string
  readonly type: string
  readonly targets?: { expr: string; legendFormat: string }[]
}

function readPanels(): Panel[] {
  return (JSON.parse(read(dashboardFile)) as { panels: Panel[] }).panels
}

test('every metric and label of the rules and of the dashboard is in the reference', () => {
  const rules = readAlertRules().map(({ expression }) => expression)
  const targets = readPanels().flatMap(({ targets = [] }) => targets)
  expect(rules.length).toBeGreaterThan(20)
  expect(targets.length).toBeGreaterThan(30)
  expect([...rules, ...targets.map(({ expr }) => expr)].flatMap(unknownIn)).toEqual([])
  // A legend names labels that its expression has.
  const labelsOf = (text: string): string[] => [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label)
  const known = new Set([...addedLabels, ...[...reference.values()].flat()])
  expect(targets.flatMap(({ legendFormat }) => labelsOf(legendFormat)).filter((label) => !known.has(label))).toEqual([])
})

test('an unknown metric and an unknown label are found', () => {
  expect(unknownIn('sum by (shop) (rate(scrip_nothing_total{mode="live"}[5m]))')).toEqual([
    'scrip_nothing_total',
    'shop',
    'mode',
  ])
})

test('every gauge of the platform is on the dashboard or in a rule', () => {
  const used = [...readAlertRules().map(({ expression }) => expression), read(dashboardFile)].join('\n')
  const unused = [...reference.keys()].filter((name) => !used.includes(name.replace(/_(?:bucket|sum|count)$/, '')))
  expect(unused).toEqual(['scrip_pool_connections_max', 'scrip_pool_waits_total', 'scrip_job_runs_total'])
})

test('every rule has a section that says what to do, and links to it', () => {
  const sections = [...read(alertsPage).matchAll(/^## (\w+)$/gm)].map(([, name = '']) => name)
  const rules = readAlertRules()
  expect(sections).toEqual(rules.map(({ name }) => name))
  expect(rules.map(({ runbook }) => runbook)).toEqual(rules.map(({ name }) => `${alertsPage}#${name.toLowerCase()}`))
  for (const section of read(alertsPage).split(/^## /m).slice(1)) expect(section).toContain('```sh\n')
})
