/** Draws a logo for a currency or network: its sign on a disc, with a colour derived from its name. */
export function drawLogo(name: string, sign: string): string {
  const hue = Array.from(name).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 7)
  const size = sign.length > 3 ? 22 : sign.length > 1 ? 28 : 40
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" role="img" aria-label="${escapeXml(name)}">
<circle cx="48" cy="48" r="46" fill="hsl(${hue} 35% 92%)" stroke="hsl(${hue} 40% 30%)" stroke-width="3"/>
<text x="48" y="49" fill="hsl(${hue} 45% 22%)" font-family="system-ui, sans-serif" font-weight="600" font-size="${size}" text-anchor="middle" dominant-baseline="central">${escapeXml(sign)}</text>
</svg>
`
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
