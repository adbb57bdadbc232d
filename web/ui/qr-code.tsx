import { useMemo, type ReactNode } from 'react'
import { encode } from 'uqr'
import './qr-code.css'

type QrCodeProps = { readonly content: string; readonly label: string }

// The QR standard requires 4 modules of white around the code.
const quietModules = 4

/** Dark on white in every colour scheme, since many scanners cannot read inverted codes. */
export function QrCode({ content, label }: QrCodeProps): ReactNode {
  const { size, path } = useMemo(() => drawCode(content), [content])
  return (
    <svg className="qr-code" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges">
      <path d={path} />
    </svg>
  )
}

function drawCode(content: string): { size: number; path: string } {
  const { data } = encode(content, { ecc: 'M', border: quietModules })
  return { size: data.length, path: data.map(drawRow).join('') }
}

function drawRow(row: readonly boolean[], y: number): string {
  let path = ''
  for (let x = 0; x < row.length; x++) {
    if (row[x] !== true) continue
    const start = x
    while (row[x + 1] === true) x++
    path += `M${start} ${y}h${x - start + 1}v1h-${x - start + 1}z`
  }
  return path
}
