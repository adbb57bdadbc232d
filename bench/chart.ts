// A horizontal bar chart as SVG, with one bar in each row.
type Bar = { label: string; value: number; note: string }

const rowHeight = 34
const left = 300
const width = 760

export function barChart(title: string, bars: Bar[]): string {
  const scale = (width - left - 150) / Math.max(...bars.map(({ value }) => value))
  const rows = bars.map(({ label, value, note }, i) => {
    const y = 48 + i * rowHeight
    const length = Math.max(1, Math.round(value * scale))
    return `  <text x="${left - 12}" y="${y + 15}" text-anchor="end">${label}</text>
  <rect x="${left}" y="${y}" width="${length}" height="22" rx="2" fill="${label.startsWith('post') ? '#14532d' : '#a8a29e'}"/>
  <text x="${left + length + 8}" y="${y + 15}">${note}</text>`
  })
  const height = 60 + bars.length * rowHeight
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13" fill="#1c1917" role="img" aria-label="${title}">
  <rect width="${width}" height="${height}" fill="#fafaf7"/>
  <text x="16" y="28" font-size="15" font-weight="600">${title}</text>
${rows.join('\n')}
</svg>
`
}
